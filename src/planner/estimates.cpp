// The rows that the planner expects of comparisons of ids.
//
//   id >= a AND id < b       the share of the rows in this window, from the column's statistics
//   id < a                   likewise, open at one end
//   (id >= a AND id < b) OR (id >= c AND id < d) ...      each window by itself
//
// PostgreSQL's own estimators would do but for two things. They know the built-in types only, so
// they do not interpolate ids within a bin of the histogram; see distribution.cpp. And the planner
// pairs the two ends of a window only if the estimators are PostgreSQL's own, and multiplies the
// results of all others. So the first bound of a column in a list of conditions returns the share
// of all its bounds in that list, and the others return 1. For example
//
//   SELECT * FROM item WHERE id >= now() - interval '2 days' AND id < now() - interval '1 day'
//
// asks twice: for >=, which finds < beside it and returns 0.03, where a day is 3 % of the table,
// and for <, which finds >= before it and returns 1.
#include <algorithm>

#include "planner/distribution.hpp"
#include "planner/estimates.hpp"

namespace ids {

namespace {

// A comparison with what is the same for all rows, the column on its left.
struct Bound {
  int strategy;
  Node* other;
  const Const* value;  // null unless it is known at plan time

  bool is_upper() const { return strategy < BTEqualStrategyNumber; }
};

// The condition without its RestrictInfo. The arms of an OR keep theirs.
Node* bare(Node* clause) {
  if (!IsA(clause, RestrictInfo)) return clause;
  auto* restriction = reinterpret_cast<RestrictInfo*>(clause);
  return reinterpret_cast<Node*>(restriction->orclause ? restriction->orclause
                                                       : restriction->clause);
}

// Whether the condition is the one that the planner asks about, or its commuted copy for an index.
// With by_value, an equal condition will do, such as that of a partial index.
bool is_asked(Node* clause, List* args, bool by_value) {
  if (!is_opclause(clause)) return false;
  List* own = reinterpret_cast<OpExpr*>(clause)->args;
  if (list_length(own) != 2) return false;
  if (by_value) return equal(own, args);
  return (linitial(own) == linitial(args) && lsecond(own) == lsecond(args)) ||
         (linitial(own) == lsecond(args) && lsecond(own) == linitial(args));
}

// The conditions that must hold together with the one asked about; NIL if it is in none of them.
List* conjunction(List* clauses, bool together, List* args, bool by_value) {
  check_stack_depth();
  ListCell* cell;
  foreach (cell, clauses) {
    auto* node = static_cast<Node*>(lfirst(cell));
    Node* clause = bare(node);
    if (is_asked(clause, args, by_value)) return together ? clauses : list_make1(node);
    List* parts = NIL;
    if (IsA(clause, BoolExpr)) parts = reinterpret_cast<BoolExpr*>(clause)->args;
    if (IsA(clause, BooleanTest)) parts = list_make1(reinterpret_cast<BooleanTest*>(clause)->arg);
    List* found = conjunction(parts, is_andclause(clause), args, by_value);
    if (found) return found;
  }
  return NIL;
}

// The same among all conditions on the table. First it looks for the condition itself and only then
// for an equal one, because two arms of an OR may have equal bounds.
List* conjunction_in(RelOptInfo* table, List* args, bool* by_value) {
  for (const bool like : {false, true}) {
    *by_value = like;
    List* found = conjunction(table->baserestrictinfo, true, args, like);
    if (!found) found = conjunction(table->joininfo, true, args, like);
    if (found) return found;
  }
  ListCell* cell;
  *by_value = false;
  foreach (cell, table->indexlist) {
    List* found = conjunction(static_cast<IndexOptInfo*>(lfirst(cell))->indpred, true, args, false);
    if (found) return found;
  }
  return NIL;
}

// Whether two conditions of a list apply at the same join, or both to the table itself.
bool apply_together(Node* a, Node* b) {
  if (!IsA(a, RestrictInfo) || !IsA(b, RestrictInfo)) return true;
  return bms_equal(reinterpret_cast<RestrictInfo*>(a)->required_relids,
                   reinterpret_cast<RestrictInfo*>(b)->required_relids);
}

bool read_bound(const Column& column, Node* condition, Bound* bound) {
  Node* clause = bare(condition);
  if (!is_opclause(clause)) return false;
  auto* comparison = reinterpret_cast<OpExpr*>(clause);
  if (list_length(comparison->args) != 2) return false;
  auto* left = static_cast<Node*>(linitial(comparison->args));
  auto* right = static_cast<Node*>(lsecond(comparison->args));
  const bool on_left = equal(left, column.node);
  if (!on_left && !equal(right, column.node)) return false;
  const int strategy = strategy_of(column.objects, comparison->opno);
  if (strategy == InvalidStrategy || strategy == BTEqualStrategyNumber) return false;
  *bound = {on_left ? strategy : commuted(strategy), on_left ? right : left, nullptr};
  if (!IsA(condition, RestrictInfo)) return !contain_var_clause(bound->other);
  const auto* restriction = reinterpret_cast<RestrictInfo*>(condition);
  return bms_is_empty(on_left ? restriction->right_relids : restriction->left_relids);
}

bool is_restricted(Oid function, void*) {
  return func_parallel(function) == PROPARALLEL_RESTRICTED;
}

bool contains_restricted(Node* node, void*) {
  return node && (check_functions_in_node(node, is_restricted, nullptr) ||
                  expression_tree_walker(node, contains_restricted, nullptr));
}

// The value of an expression, or null if it is not known at plan time. What is parallel restricted
// depends on more of the session's state than its snapshot and settings, and may be an error now.
const Const* value_of(PlannerInfo* root, Node* node) {
  if (!IsA(node, Const)) {
    if (contains_restricted(node, nullptr)) return nullptr;
    node = estimate_expression_value(root, node);
  }
  return IsA(node, Const) ? reinterpret_cast<const Const*>(node) : nullptr;
}

// The share of rows that all bounds leave.
double share_of_bounds(const Column& column, Bound* bounds, int count) {
  std::uint64_t lowest = UINT64_MAX;
  std::uint64_t highest = 0;
  for (Bound* bound = bounds; bound < bounds + count; ++bound) {
    bound->value = value_of(column.root, bound->other);
    if (!bound->value) continue;
    if (bound->value->constisnull) return 0;
    lowest = std::min(lowest, column.value(bound->value->constvalue));
    highest = std::max(highest, column.value(bound->value->constvalue));
  }
  const Distribution distribution(column, lowest, highest);

  // The closest bound on each side counts. PostgreSQL does not pair volatile ones.
  constexpr double kNone = 2;
  double lower = kNone;
  double upper = kNone;
  double unpaired = 1;
  for (const Bound* bound = bounds; bound < bounds + count; ++bound) {
    if (!bound->value && contain_volatile_functions(bound->other)) {
      unpaired *= DEFAULT_INEQ_SEL;
      continue;
    }
    double& side = bound->is_upper() ? upper : lower;
    side =
        std::min(side, bound->value ? distribution.share(bound->strategy, bound->value->constvalue)
                                    : DEFAULT_INEQ_SEL);
  }
  if (lower == kNone && upper == kNone) return unpaired;
  if (lower == kNone) return unpaired * upper;
  if (upper == kNone) return unpaired * lower;
  if (lower == DEFAULT_INEQ_SEL || upper == DEFAULT_INEQ_SEL)
    return unpaired * DEFAULT_RANGE_INEQ_SEL;
  // Nulls are outside of both bounds, but only once outside of the window.
  return unpaired * std::max(lower + upper - 1 + column.null_share(), 1.0e-10);
}

bool calls(Node* node, Oid function) {
  return IsA(node, FuncExpr) && reinterpret_cast<FuncExpr*>(node)->funcid == function;
}

// The share of rows for a bound that is in none of the table's conditions. It belongs to an index
// condition made for a range that is not in the query as comparisons, or to a condition on groups.
// The lower bound of a range returns the share of both, and the upper one 1.
double share_of_lone_bound(const Column& column, const Bound& asked) {
  const Oid* boundaries = column.objects.boundaries;
  if (asked.strategy == BTLessEqualStrategyNumber && calls(asked.other, boundaries[kRangeLast]))
    return 1;
  Bound bounds[] = {asked, {}};
  if (asked.strategy != BTGreaterEqualStrategyNumber ||
      !calls(asked.other, boundaries[kRangeFirst]))
    return share_of_bounds(column, bounds, 1);
  FuncExpr last = *reinterpret_cast<FuncExpr*>(asked.other);
  last.funcid = boundaries[kRangeLast];
  bounds[1] = {BTLessEqualStrategyNumber, reinterpret_cast<Node*>(&last), nullptr};
  return share_of_bounds(column, bounds, 2);
}

// The share of rows that satisfy all bounds of the column that hold together with the one asked
// about, if that is the first of them; otherwise 1.
double share_of_conjunction(const Column& column, List* args, const Bound& asked) {
  bool by_value;
  List* clauses = conjunction_in(column.statistics->rel, args, &by_value);
  if (!clauses) return share_of_lone_bound(column, asked);

  Node* itself = nullptr;
  ListCell* cell;
  foreach (cell, clauses) {
    auto* clause = static_cast<Node*>(lfirst(cell));
    if (!itself && is_asked(bare(clause), args, by_value)) itself = clause;
  }
  auto* bounds = static_cast<Bound*>(palloc(sizeof(Bound) * list_length(clauses)));
  int count = 0;
  foreach (cell, clauses) {
    auto* clause = static_cast<Node*>(lfirst(cell));
    Bound bound;
    if (clause == itself)
      bound = asked;
    else if (!apply_together(clause, itself) || !read_bound(column, clause, &bound))
      continue;
    if (clause != itself && count == 0) return 1;
    bounds[count++] = bound;
  }
  return share_of_bounds(column, bounds, count);
}

// The comparison that gives the order of a column's statistics; InvalidOid if it is not that of
// ids.
Oid order_of_statistics(const VariableStatData& statistics, const CatalogObjects& objects) {
  const Oid type =
      statistics.atttype == objects.type ? objects.type : getBaseType(statistics.atttype);
  if (type == objects.type) return objects.comparisons[BTLessStrategyNumber];
  // A uuid that is cast to a ulid is also ordered by its bytes.
  return type == UUIDOID ? lookup_type_cache(UUIDOID, TYPECACHE_LT_OPR)->lt_opr : InvalidOid;
}

}  // namespace

Datum comparison_selectivity(FunctionCallInfo fcinfo, const PlannedType& type, std::uint64_t now) {
  auto* root = reinterpret_cast<PlannerInfo*>(PG_GETARG_POINTER(0));
  auto* args = reinterpret_cast<List*>(PG_GETARG_POINTER(2));
  const CatalogObjects* objects = objects_of(type);
  const int strategy = objects ? strategy_of(*objects, PG_GETARG_OID(1)) : InvalidStrategy;
  // A user's own operator may have this estimator, too.
  if (strategy == InvalidStrategy || strategy == BTEqualStrategyNumber || list_length(args) != 2)
    PG_RETURN_FLOAT8(DEFAULT_INEQ_SEL);

  const int side = contain_var_clause(static_cast<Node*>(linitial(args))) ? 0 : 1;
  auto* node = static_cast<Node*>(list_nth(args, side));
  const Bound asked{side == 0 ? strategy : commuted(strategy),
                    static_cast<Node*>(list_nth(args, 1 - side)), nullptr};
  double share = DEFAULT_INEQ_SEL;
  if (!contain_var_clause(asked.other) && (IsA(node, Var) || !contain_volatile_functions(node))) {
    VariableStatData statistics;
    examine_variable(root, node, PG_GETARG_INT32(3), &statistics);
    const Oid less = order_of_statistics(statistics, *objects);
    if (statistics.rel && OidIsValid(less))
      share =
          share_of_conjunction({root, type, *objects, now, node, &statistics, less}, args, asked);
    ReleaseVariableStats(statistics);
  }
  PG_RETURN_FLOAT8(share);
}

}  // namespace ids
