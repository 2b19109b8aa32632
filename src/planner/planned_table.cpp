#include "planner/planned_table.hpp"

#include <utility>

namespace ids {

namespace {

// The tables of all plannings that have not ended: estimates may call functions that plan queries.
HTAB* tables = nullptr;

template <typename Entry>
HTAB* create(const char* name, Size key, MemoryContext memory) {
  HASHCTL control{};
  control.keysize = key;
  control.entrysize = sizeof(Entry);
  control.hcxt = memory;
  return hash_create(name, 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

Condition* look_up(HTAB* conditions, List* operands, HASHACTION action, bool* found) {
  const void* key[] = {linitial(operands), lsecond(operands)};
  if (key[1] < key[0]) std::swap(key[0], key[1]);
  return static_cast<Condition*>(hash_search(conditions, key, action, found));
}

}  // namespace

Node* bare(Node* condition) {
  if (!IsA(condition, RestrictInfo)) return condition;
  auto* restriction = reinterpret_cast<RestrictInfo*>(condition);
  return reinterpret_cast<Node*>(restriction->orclause ? restriction->orclause
                                                       : restriction->clause);
}

PlannedTable* planned(RelOptInfo* table) {
  if (!tables) tables = create<PlannedTable>("ids tables", sizeof(RelOptInfo*), TopMemoryContext);
  bool found;
  auto* entry = static_cast<PlannedTable*>(hash_search(tables, &table, HASH_ENTER, &found));
  if (found) return entry;
  entry->at_end = {[](void* key) { hash_search(tables, key, HASH_REMOVE, nullptr); }, entry,
                   nullptr};
  entry->length = -1;
  MemoryContextRegisterResetCallback(entry->memory(), &entry->at_end);
  return entry;
}

void PlannedTable::read(List* list, bool together, bool is_predicate) {
  ListCell* cell;
  foreach (cell, list) {
    auto* itself = static_cast<Node*>(lfirst(cell));
    Node* clause = bare(itself);
    if (IsA(clause, BoolExpr)) {
      read(reinterpret_cast<BoolExpr*>(clause)->args, is_andclause(clause), false);
    } else if (IsA(clause, BooleanTest)) {
      read(list_make1(reinterpret_cast<BooleanTest*>(clause)->arg), false, false);
    } else if (is_opclause(clause) && list_length(reinterpret_cast<OpExpr*>(clause)->args) == 2) {
      bool found;
      Condition* condition =
          look_up(conditions, reinterpret_cast<OpExpr*>(clause)->args, HASH_ENTER, &found);
      if (found) continue;
      condition->itself = itself;
      condition->together = together ? list : NIL;
      condition->is_predicate = is_predicate;
      condition->first = nullptr;
    }
  }
}

Condition* PlannedTable::find(List* operands) {
  // The planner adds conditions until it estimates the size of the table.
  const int now = list_length(table->baserestrictinfo) + list_length(table->joininfo);
  if (length != now) {
    length = now;
    conditions = create<Condition>("ids conditions", sizeof(Condition::operands), memory());
    read(table->baserestrictinfo, true, false);
    read(table->joininfo, true, false);
    ListCell* cell;
    foreach (cell, table->indexlist)
      read(static_cast<IndexOptInfo*>(lfirst(cell))->indpred, true, true);
  }
  return look_up(conditions, operands, HASH_FIND, nullptr);
}

}  // namespace ids
