// What the estimates of one planning know of a table. It is read once, so that a condition costs
// the planner the same however many there are.
#pragma once

#include "pg/postgres.hpp"

namespace ids {

// A comparison in the conditions on a table.
struct Condition {
  const void* operands[2];  // in the order of their addresses, since an index may commute them
  Node* itself;             // perhaps a RestrictInfo
  List* together;           // the conditions that hold with it; NIL: it stands alone
  bool is_predicate;        // of a partial index
  Node* first;              // of the bounds of its window; null until one of them is asked for
};

struct PlannedTable {
  RelOptInfo* table;
  MemoryContextCallback at_end;
  int length;  // of the lists of conditions when they were read; -1: they were not
  HTAB* conditions;

  MemoryContext memory() const { return GetMemoryChunkContext(table); }
  // The condition with these operands, or null.
  Condition* find(List* operands);

 private:
  void read(List* list, bool together, bool is_predicate);
};

PlannedTable* planned(RelOptInfo* table);

// The condition without its RestrictInfo. The arms of an OR keep theirs.
Node* bare(Node* condition);

}  // namespace ids
