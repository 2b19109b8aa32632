// What the estimates remember until a planning ends: the conditions on a table, which are read
// once, and the values of the last few expressions, because partitions have the same ones.
#pragma once

#include "planner/distribution.hpp"

namespace ids {

// A comparison in the conditions on a table.
struct Condition {
  // The table and the operands, in the order of their addresses. The planner asks about a condition
  // with its own nodes, and commutes it for an index with the same: so an address finds it,
  // although equal expressions may stand in several conditions.
  const void* key[3];
  Node* itself;       // perhaps a RestrictInfo
  List* together;     // the conditions that hold with it; NIL: it stands alone
  bool is_predicate;  // of a partial index
  Node* leader;       // the first condition of its window; null until one of them is asked for
};

// The condition on the column's table with these operands, or null.
Condition* condition_of(const Column& column, List* operands);

// The value of an expression, or null if it is not known at plan time.
const Const* value_of(const Column& column, Node* expression);

// The condition without its RestrictInfo. The arms of an OR keep theirs.
Node* bare(Node* condition);

}  // namespace ids
