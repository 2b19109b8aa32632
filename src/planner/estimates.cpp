// The planner's estimates of how many rows comparisons of ids leave.
//
//   id >= a AND id < b       the share of the rows in this window, from the column's statistics
//   id < a                   likewise, open at one end
//   (id >= a AND id < b) OR (id >= c AND id < d) ...      each window by itself
//   id >= T_range_first(r) AND id <= T_range_last(r)      what id <@ r becomes for a column r:
//                            PostgreSQL's constant for a window whose ends are not known
//
// Other comparisons with columns, such as id >= a AND id <= b, are estimated at a third each, as
// PostgreSQL does.
//
// The comparisons of a column in a list of conditions are its window. The first of them, its
// leader, returns the share of the whole window, and the others return 1. README.md says why.
#include <algorithm>
#include <cmath>
#include <span>

#include "planner/planner.hpp"
#include "planner/planning.hpp"

namespace ids {

namespace {

// A comparison of the column, on its left, with an expression that is the same for all rows.
struct Comparison {
  int strategy;
  Node* other;
  const Const* value;  // null unless it is known at plan time
};

// The condition that the planner asks about. Null if the table has no such condition: the planner
// may ask about an index condition that was made for a range, or about a condition on groups. If
// the planner asks about the predicate of a partial index, this is the condition that equals it; if
// the planner has left that out, the predicate stands for it.
Condition* asked_condition(const Column& column, List* args) {
  Condition* found = condition_of(column, args);
  if (!found || !found->is_predicate) return found;
  ListCell* cell;
  foreach (cell, column.statistics->rel->baserestrictinfo) {
    Node* clause = bare(static_cast<Node*>(lfirst(cell)));
    if (equal(clause, found->itself))
      return condition_of(column, reinterpret_cast<OpExpr*>(clause)->args);
  }
  return found;
}

// Whether two conditions of a list apply at the same join, or both to the table itself.
bool apply_together(Node* a, Node* b) {
  if (!IsA(a, RestrictInfo) || !IsA(b, RestrictInfo)) return true;
  return bms_equal(reinterpret_cast<RestrictInfo*>(a)->required_relids,
                   reinterpret_cast<RestrictInfo*>(b)->required_relids);
}

// Whether the condition compares the column; if so, with what.
bool read_comparison(const Column& column, Node* condition, Comparison* comparison) {
  Node* clause = bare(condition);
  if (!is_opclause(clause) || !get_rightop(clause)) return false;
  Node* left = get_leftop(clause);
  Node* right = get_rightop(clause);
  const bool on_left = equal(left, column.node);
  if (!on_left && !equal(right, column.node)) return false;
  const int strategy = strategy_of(column.objects, reinterpret_cast<OpExpr*>(clause)->opno);
  if (strategy == InvalidStrategy || strategy == BTEqualStrategyNumber) return false;
  *comparison = {on_left ? strategy : commuted(strategy), on_left ? right : left, nullptr};
  return true;
}

bool calls(Node* node, Oid function) {
  return IsA(node, FuncExpr) && reinterpret_cast<FuncExpr*>(node)->funcid == function;
}

// The share of rows that all comparisons of the window leave.
double share_of_window(const Column& column, std::span<Comparison> window) {
  std::uint64_t lowest = UINT64_MAX;
  std::uint64_t highest = 0;
  for (Comparison& comparison : window) {
    comparison.value = value_of(column, comparison.other);
    if (!comparison.value) continue;
    if (comparison.value->constisnull) return 0;
    lowest = std::min(lowest, column.value(comparison.value->constvalue));
    highest = std::max(highest, column.value(comparison.value->constvalue));
  }
  Distribution distribution(column, lowest, highest);

  // The closest comparison on each side counts. PostgreSQL does not pair volatile ones.
  constexpr double kNone = 2;
  double lower = kNone;
  double upper = kNone;
  double unpaired = 1;
  for (const Comparison& comparison : window) {
    if (!comparison.value && contain_volatile_functions(comparison.other)) {
      unpaired *= DEFAULT_INEQ_SEL;
      continue;
    }
    double& side = comparison.strategy < BTEqualStrategyNumber ? upper : lower;
    side = std::min(side, comparison.value ? distribution.share(comparison.strategy,
                                                                comparison.value->constvalue)
                                           : DEFAULT_INEQ_SEL);
  }
  distribution.release();
  if (std::max(lower, upper) == kNone) return unpaired * std::min({lower, upper, 1.0});
  if (lower == DEFAULT_INEQ_SEL || upper == DEFAULT_INEQ_SEL)
    return unpaired * DEFAULT_RANGE_INEQ_SEL;
  // Nulls are outside of each of the two, but count only once as outside of the window.
  return unpaired * std::max(lower + upper - 1 + column.null_share(), 1.0e-10);
}

// The share of rows for a comparison that is in none of the table's conditions. For a comparison
// with the first id of a range, this is the share of the whole range; for one with the last id, 1.
double share_of_lone(const Column& column, const Comparison& asked) {
  const Oid* boundaries = column.objects.boundaries;
  if (asked.strategy == BTLessEqualStrategyNumber && calls(asked.other, boundaries[kRangeLast]))
    return 1;
  Comparison window[] = {asked, {}};
  if (asked.strategy != BTGreaterEqualStrategyNumber ||
      !calls(asked.other, boundaries[kRangeFirst]))
    return share_of_window(column, std::span(window, 1));
  auto* last = static_cast<FuncExpr*>(copyObjectImpl(asked.other));
  last->funcid = boundaries[kRangeLast];
  window[1] = {BTLessEqualStrategyNumber, reinterpret_cast<Node*>(last), nullptr};
  return share_of_window(column, window);
}

// The comparisons of the column that hold together with the one asked about. Empty if another
// comparison is their leader, which has the share of all.
std::span<Comparison> window_of(const Column& column, Condition* about, const Comparison& asked) {
  Node* itself = about->itself;
  if (about->leader && about->leader != itself) return {};
  List* together = about->together ? about->together : list_make1(itself);
  auto* window = static_cast<Comparison*>(palloc(sizeof(Comparison) * list_length(together)));
  std::size_t count = 0;
  Node* leader = nullptr;
  ListCell* cell;
  foreach (cell, together) {
    auto* condition = static_cast<Node*>(lfirst(cell));
    Comparison comparison = asked;
    if (condition != itself &&
        (!apply_together(condition, itself) || !read_comparison(column, condition, &comparison) ||
         contain_var_clause(comparison.other)))
      continue;
    if (!leader) leader = condition;
    // Another extension may have put this condition in the place of one that was read.
    Condition* known = condition_of(column, reinterpret_cast<OpExpr*>(bare(condition))->args);
    if (known) known->leader = leader;
    window[count++] = comparison;
  }
  return {window, leader == itself ? count : 0};
}

// If the comparison asked about is the leader of its window, the share of rows that the window
// leaves; otherwise 1.
double share_of(const Column& column, List* args, const Comparison& asked) {
  Condition* condition = asked_condition(column, args);
  if (!condition) return share_of_lone(column, asked);
  const std::span<Comparison> window = window_of(column, condition, asked);
  return window.empty() ? 1 : share_of_window(column, window);
}

bool is_end_of_range(const CatalogObjects& objects, Node* node) {
  return calls(node, objects.boundaries[kRangeFirst]) ||
         calls(node, objects.boundaries[kRangeLast]);
}

// The comparison that gives the order of a column's statistics; InvalidOid if it is not the order
// of ids.
Oid order_of_statistics(const VariableStatData& statistics, const CatalogObjects& objects) {
  const Oid type =
      statistics.atttype == objects.type ? objects.type : getBaseType(statistics.atttype);
  if (type == objects.type) return objects.comparisons[BTLessStrategyNumber];
  // A uuid that is cast to a ulid is also ordered by its bytes.
  return type == UUIDOID ? lookup_type_cache(UUIDOID, TYPECACHE_LT_OPR)->lt_opr : InvalidOid;
}

}  // namespace

double comparison_selectivity(FunctionCallInfo fcinfo, const PlannedType& type, std::uint64_t now,
                              int rel) {
  CHECK_FOR_INTERRUPTS();
  auto* root = reinterpret_cast<PlannerInfo*>(PG_GETARG_POINTER(0));
  auto* args = reinterpret_cast<List*>(PG_GETARG_POINTER(2));
  const CatalogObjects* objects = objects_of(type);
  const int strategy = objects ? strategy_of(*objects, PG_GETARG_OID(1)) : InvalidStrategy;
  // A user's own operator may have these estimators, too.
  if (strategy == InvalidStrategy || strategy == BTEqualStrategyNumber || list_length(args) != 2)
    return DEFAULT_INEQ_SEL;

  auto* left = static_cast<Node*>(linitial(args));
  auto* right = static_cast<Node*>(lsecond(args));
  const bool on_left = contain_var_clause(left) && !is_end_of_range(*objects, left);
  Node* node = on_left ? left : right;
  const Comparison asked{on_left ? strategy : commuted(strategy), on_left ? right : left, nullptr};
  // For a column r, id <@ r becomes two comparisons, which together return the share of a window
  // whose ends are not known.
  if (contain_var_clause(asked.other))
    return is_end_of_range(*objects, asked.other) ? std::sqrt(DEFAULT_RANGE_INEQ_SEL)
                                                  : DEFAULT_INEQ_SEL;
  if (!IsA(node, Var) && contain_volatile_functions(node)) return DEFAULT_INEQ_SEL;

  double share = DEFAULT_INEQ_SEL;
  VariableStatData statistics;
  examine_variable(root, node, rel, &statistics);
  const Oid less = order_of_statistics(statistics, *objects);
  if (statistics.rel && OidIsValid(less)) {
    const Column column{root, type, *objects, now, node, &statistics, less};
    share = share_of(column, args, asked);
  }
  ReleaseVariableStats(statistics);
  // Statistics that somebody has written may have any numbers.
  return std::fmax(0, std::fmin(share, 1));
}

}  // namespace ids
