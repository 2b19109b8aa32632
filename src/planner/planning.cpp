#include "planner/planning.hpp"

#include <algorithm>

namespace ids {

namespace {

struct Planning {
  PlannerGlobal* itself;
  Planning* outer;
  MemoryContextCallback at_end;
  HTAB* conditions;
  struct Value {
    Node* of;
    const Const* is;
  } values[8];
  unsigned next_value;
};

// The last of the plannings that have not ended: estimates may call functions that plan queries.
Planning* innermost = nullptr;

void end(void* planning) {
  Planning** at = &innermost;
  while (*at != planning) at = &(*at)->outer;
  *at = (*at)->outer;
}

Planning* planning_of(const Column& column) {
  PlannerGlobal* itself = column.root->glob;
  for (Planning* known = innermost; known; known = known->outer)
    if (known->itself == itself) return known;
  HASHCTL control{};
  control.keysize = sizeof(Condition::key);
  control.entrysize = sizeof(Condition);
  control.hcxt = GetMemoryChunkContext(itself);
  HTAB* conditions =
      hash_create("ids conditions", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
  auto* planning = static_cast<Planning*>(MemoryContextAlloc(control.hcxt, sizeof(Planning)));
  *planning = {itself, innermost, {end, planning, nullptr}, conditions, {}, 0};
  MemoryContextRegisterResetCallback(control.hcxt, &planning->at_end);
  return innermost = planning;
}

Condition* look_up(HTAB* conditions, const void* table, const void* left, const void* right,
                   HASHACTION action, bool* found) {
  const void* key[] = {table, std::min(left, right), std::max(left, right)};
  return static_cast<Condition*>(hash_search(conditions, key, action, found));
}

void read(HTAB* into, const RelOptInfo* table, List* list, bool together, bool is_predicate) {
  ListCell* cell;
  foreach (cell, list) {
    auto* itself = static_cast<Node*>(lfirst(cell));
    Node* clause = bare(itself);
    if (IsA(clause, BoolExpr)) {
      read(into, table, reinterpret_cast<BoolExpr*>(clause)->args, is_andclause(clause), false);
    } else if (IsA(clause, BooleanTest)) {
      read(into, table, list_make1(reinterpret_cast<BooleanTest*>(clause)->arg), false, false);
    } else if (is_opclause(clause) && get_rightop(clause)) {
      bool found;
      Condition* condition =
          look_up(into, table, get_leftop(clause), get_rightop(clause), HASH_ENTER, &found);
      if (found) continue;
      condition->itself = itself;
      condition->together = together ? list : NIL;
      condition->is_predicate = is_predicate;
      condition->leader = nullptr;
    }
  }
}

bool is_restricted(Oid function, void*) {
  return func_parallel(function) == PROPARALLEL_RESTRICTED;
}

bool contains_restricted(Node* node, void*) {
  return node && (check_functions_in_node(node, is_restricted, nullptr) ||
                  expression_tree_walker(node, contains_restricted, nullptr));
}

// A boundary is called here, which is cheaper than to let PostgreSQL evaluate the call. A
// parallel-restricted function depends on more of the session's state than its snapshot and
// settings, and may raise an error now. T_settled() is such a function: its id is taken to be of
// the current time.
const Const* computed(const Column& column, Node* node) {
  const CatalogObjects& objects = column.objects;
  const auto* call = reinterpret_cast<const FuncExpr*>(node);
  Oid function = IsA(call, FuncExpr) ? call->funcid : InvalidOid;
  Datum time;
  if (std::ranges::count(objects.boundaries, function)) {
    const Const* argument = computed(column, static_cast<Node*>(linitial(call->args)));
    if (!argument || argument->constisnull) return argument;
    time = argument->constvalue;
  } else if (OidIsValid(objects.settled_support) &&
             get_func_support(function) == objects.settled_support) {
    function = objects.boundaries[kFirst];
    time = TimestampTzGetDatum(GetCurrentStatementStartTimestamp());
  } else {
    if (contains_restricted(node, nullptr)) return nullptr;
    node = estimate_expression_value(column.root, node);
    return IsA(node, Const) ? reinterpret_cast<const Const*>(node) : nullptr;
  }
  return makeConst(objects.type, -1, InvalidOid, get_typlen(objects.type),
                   OidFunctionCall1(function, time), false, column.type.by_value);
}

}  // namespace

Node* bare(Node* condition) {
  if (!IsA(condition, RestrictInfo)) return condition;
  auto* restriction = reinterpret_cast<RestrictInfo*>(condition);
  return reinterpret_cast<Node*>(restriction->orclause ? restriction->orclause
                                                       : restriction->clause);
}

Condition* condition_of(const Column& column, List* operands) {
  const RelOptInfo* table = column.statistics->rel;
  // The result of a join may end before the planning.
  if (!IS_SIMPLE_REL(table)) return nullptr;
  HTAB* conditions = planning_of(column)->conditions;
  const auto find = [&] {
    return look_up(conditions, table, linitial(operands), lsecond(operands), HASH_FIND, nullptr);
  };
  if (Condition* found = find()) return found;
  bool was_read;
  look_up(conditions, table, nullptr, nullptr, HASH_ENTER, &was_read);
  if (was_read) return nullptr;
  read(conditions, table, table->baserestrictinfo, true, false);
  read(conditions, table, table->joininfo, true, false);
  ListCell* cell;
  foreach (cell, table->indexlist)
    read(conditions, table, static_cast<IndexOptInfo*>(lfirst(cell))->indpred, true, true);
  return find();
}

const Const* value_of(const Column& column, Node* expression) {
  if (IsA(expression, Const)) return reinterpret_cast<const Const*>(expression);
  Planning* planning = planning_of(column);
  for (const auto& known : planning->values)
    if (equal(known.of, expression)) return known.is;
  const Const* value = computed(column, expression);
  // What GEQO makes ends before the planning.
  if (CurrentMemoryContext == GetMemoryChunkContext(planning))
    planning->values[planning->next_value++ % std::size(planning->values)] = {expression, value};
  return value;
}

}  // namespace ids
