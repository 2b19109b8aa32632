// The planner's estimates of how many rows comparisons of ids leave.
//
//   id >= a AND id < b       the share of the rows in this window, from the column's statistics
//   id < a                   likewise, open at one end
//   (id >= a AND id < b) OR (id >= c AND id < d) ...      each window by itself
//   id >= T_range_first(r) AND id <= T_range_last(r)      what id <@ r becomes for a column r of
//                            another table: the share of the ids in a range, on average
//
// Other comparisons with columns, such as id >= a AND id <= b and id <@ tstzrange(a, b), are
// estimated at a third each, as PostgreSQL does.
//
// PostgreSQL's own estimators would suffice, except for two things. They know only the built-in
// types, so they do not interpolate ids within a bin of the histogram; see distribution.cpp. And
// the planner pairs the two ends of a window only if the estimators are PostgreSQL's own, and
// multiplies the results of all others. So the first bound of a column in a list of conditions
// returns the share of all its bounds in that list, and the others return 1.
#include <algorithm>
#include <cmath>

#include "planner/distribution.hpp"
#include "planner/estimates.hpp"
#include "planner/planned_table.hpp"

namespace ids {

namespace {

// A comparison of the column, on its left, with an expression that is the same for all rows.
struct Bound {
  int strategy;
  Node* other;
  const Const* value;  // null unless it is known at plan time

  bool is_upper() const { return strategy < BTEqualStrategyNumber; }
};

// The condition that the planner asks about, or null if it is none of the table's: it belongs to an
// index condition made for a range that is not in the query as comparisons, or to a condition on
// groups. The planner leaves out a condition that the predicate of a partial index repeats, so the
// predicate stands for it.
Condition* asked_condition(PlannedTable* table, List* args) {
  Condition* found = table->find(args);
  if (!found || !found->is_predicate) return found;
  ListCell* cell;
  foreach (cell, table->table->baserestrictinfo) {
    Node* clause = bare(static_cast<Node*>(lfirst(cell)));
    if (equal(clause, found->itself)) return table->find(reinterpret_cast<OpExpr*>(clause)->args);
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
bool read_comparison(const Column& column, Node* condition, Bound* bound) {
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
  return true;
}

bool is_restricted(Oid function, void*) {
  return func_parallel(function) == PROPARALLEL_RESTRICTED;
}

bool contains_restricted(Node* node, void*) {
  return node && (check_functions_in_node(node, is_restricted, nullptr) ||
                  expression_tree_walker(node, contains_restricted, nullptr));
}

bool calls(Node* node, Oid function) {
  return IsA(node, FuncExpr) && reinterpret_cast<FuncExpr*>(node)->funcid == function;
}

bool calls_settled(Node* node, Oid support) {
  return IsA(node, FuncExpr) && OidIsValid(support) &&
         get_func_support(reinterpret_cast<FuncExpr*>(node)->funcid) == support;
}

// The value of an expression, or null if it is not known at plan time. A parallel-restricted
// function depends on more of the session's state than its snapshot and settings, and may raise an
// error now. T_settled() is such a function: its id is taken to be of the current time.
const Const* value_of(const Column& column, Node* node) {
  const CatalogObjects& objects = column.objects;
  if (calls_settled(node, objects.settled_support))
    return makeConst(objects.type, -1, InvalidOid, get_typlen(objects.type),
                     OidFunctionCall1(objects.boundaries[kFirst],
                                      TimestampTzGetDatum(GetCurrentStatementStartTimestamp())),
                     false, column.type.by_value);
  if (!IsA(node, Const)) {
    if (contains_restricted(node, nullptr)) return nullptr;
    node = estimate_expression_value(column.root, node);
  }
  return IsA(node, Const) ? reinterpret_cast<const Const*>(node) : nullptr;
}

// The share of rows that all bounds leave.
double share_of_bounds(const Column& column, Bound* bounds, int count) {
  std::uint64_t lowest = UINT64_MAX;
  std::uint64_t highest = 0;
  for (Bound* bound = bounds; bound < bounds + count; ++bound) {
    bound->value = value_of(column, bound->other);
    if (!bound->value) continue;
    if (bound->value->constisnull) return 0;
    lowest = std::min(lowest, column.value(bound->value->constvalue));
    highest = std::max(highest, column.value(bound->value->constvalue));
  }
  const Distribution* distribution = Distribution::of(column, lowest, highest);

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
    side = std::min(side, bound->value && distribution
                              ? distribution->share(bound->strategy, bound->value->constvalue)
                              : DEFAULT_INEQ_SEL);
  }
  if (lower == kNone && upper == kNone) return unpaired;
  if (lower == kNone) return unpaired * upper;
  if (upper == kNone) return unpaired * lower;
  if (lower == DEFAULT_INEQ_SEL || upper == DEFAULT_INEQ_SEL)
    return unpaired * DEFAULT_RANGE_INEQ_SEL;
  // Nulls are outside of each of the two bounds, but count only once as outside of the window.
  return unpaired * std::max(lower + upper - 1 + column.null_share(), 1.0e-10);
}

// The share of rows for a bound that is in none of the table's conditions. The lower bound of a
// range returns the share of both, and the upper one 1.
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

// The column of ranges whose first ids are a lower bound, or whose last ids are an upper one; else
// null.
Node* ranges_of(const CatalogObjects& objects, const Bound& bound) {
  const bool is_end = bound.strategy == BTGreaterEqualStrategyNumber
                          ? calls(bound.other, objects.boundaries[kRangeFirst])
                          : bound.strategy == BTLessEqualStrategyNumber &&
                                calls(bound.other, objects.boundaries[kRangeLast]);
  if (!is_end) return nullptr;
  auto* ranges = static_cast<Node*>(linitial(reinterpret_cast<FuncExpr*>(bound.other)->args));
  return IsA(ranges, Var) ? ranges : nullptr;
}

// The bounds of the column that hold together with the one asked about: those by values, or those
// by the same ranges. There are none if another of them is the first, which stands for all.
struct Window {
  Bound* bounds;
  int count;
};

Window window_of(const Column& column, PlannedTable* table, Condition* about, const Bound& asked,
                 Node* ranges) {
  Node* itself = about->itself;
  if (about->first && about->first != itself) return {nullptr, 0};
  List* together = about->together ? about->together : list_make1(itself);
  Window window{static_cast<Bound*>(palloc(sizeof(Bound) * list_length(together))), 0};
  Node* first = nullptr;
  ListCell* cell;
  foreach (cell, together) {
    auto* condition = static_cast<Node*>(lfirst(cell));
    Bound bound = asked;
    if (condition != itself &&
        (!apply_together(condition, itself) || !read_comparison(column, condition, &bound) ||
         (ranges ? !equal(ranges_of(column.objects, bound), ranges)
                 : contain_var_clause(bound.other))))
      continue;
    if (!first) first = condition;
    table->find(reinterpret_cast<OpExpr*>(bare(condition))->args)->first = first;
    window.bounds[window.count++] = bound;
  }
  if (first != itself) window.count = 0;
  return window;
}

// The share of a column's ranges that are neither null nor empty. PostgreSQL keeps the share of
// empty ranges beside the lengths.
double share_not_empty(VariableStatData* ranges) {
  HeapTuple row = ranges->statsTuple;
  const double not_null = 1 - reinterpret_cast<Form_pg_statistic>(GETSTRUCT(row))->stanullfrac;
  AttStatsSlot slot;
  if (!get_attstatsslot(&slot, row, STATISTIC_KIND_RANGE_LENGTH_HISTOGRAM, InvalidOid,
                        ATTSTATSSLOT_NUMBERS))
    return not_null;
  const double empty = slot.numbers[0];
  free_attstatsslot(&slot);
  return not_null * (1 - empty);
}

// How many ranges contain an id, on average. Ranges begin and end at these shares of the ids, both
// in ascending order, and each stands for a number of ranges. An id counts at most one.
double covered(const double* begins, const double* ends, int count, double number) {
  double sum = 0;
  double at = begins[0];
  for (int begun = 0, ended = 0; ended < count;) {
    const double open = (begun - ended) * number;
    const bool begin = begun < count && begins[begun] <= ends[ended];
    const double next = begin ? begins[begun++] : ends[ended++];
    sum += (next - at) * std::min(open, 1.0);
    at = next;
  }
  return sum;
}

// The share of the ids that at least one of the ranges in so many rows contains; for one row, what
// a range contains on average. The statistics of ranges tell the distribution of the lower bounds
// and of the upper bounds. So this knows at each id how many ranges have begun and not ended, and
// it does not matter which bounds belong together. PostgreSQL's own estimates, too, use these
// statistics of hidden rows only if the difference of ranges is leakproof.
double share_in_ranges(const Column& column, VariableStatData* ranges, double rows) {
  const Oid* boundaries = column.objects.boundaries;
  AttStatsSlot slot;
  const Distribution* distribution = Distribution::of(column, 0, UINT64_MAX);
  if (!distribution || !HeapTupleIsValid(ranges->statsTuple) ||
      !statistic_proc_security_check(ranges, F_TSTZRANGE_SUBDIFF) ||
      !get_attstatsslot(&slot, ranges->statsTuple, STATISTIC_KIND_BOUNDS_HISTOGRAM, InvalidOid,
                        ATTSTATSSLOT_VALUES))
    return DEFAULT_RANGE_INEQ_SEL;
  if (slot.nvalues == 0) return DEFAULT_RANGE_INEQ_SEL;
  // More bounds would take longer, and hardly change the result.
  constexpr int kMost = 100;
  const int count = std::min(slot.nvalues, kMost);
  double begins[kMost];
  double ends[kMost];
  for (int i = 0; i < count; ++i) {
    const Datum range = slot.values[i * std::int64_t{slot.nvalues} / count];
    begins[i] =
        distribution->share(BTLessStrategyNumber, OidFunctionCall1(boundaries[kRangeFirst], range));
    ends[i] = distribution->share(BTLessEqualStrategyNumber,
                                  OidFunctionCall1(boundaries[kRangeLast], range));
  }
  free_attstatsslot(&slot);
  const double number = share_not_empty(ranges) * rows / count;
  return std::max(covered(begins, ends, count, number), 1.0e-10);
}

// The share of the pairs of rows in which the range contains the id, for a bound that <@ has become
// in a join.
double share_of_join(const Column& column, const Window& window, Node* ranges,
                     const SpecialJoinInfo* semijoin) {
  Bound* end = window.bounds + window.count;
  const bool first_is_upper = window.bounds->is_upper();
  if (std::all_of(window.bounds, end,
                  [=](const Bound& bound) { return bound.is_upper() == first_is_upper; }))
    return DEFAULT_INEQ_SEL;
  VariableStatData statistics;
  examine_variable(column.root, ranges, 0, &statistics);
  const bool has_ranges =
      semijoin && bms_is_member(reinterpret_cast<Var*>(ranges)->varno, semijoin->syn_righthand);
  double share = share_in_ranges(column, &statistics, has_ranges ? statistics.rel->rows : 1);
  // The share of the ranges that contain an id, if each contains as many as another.
  if (semijoin && !has_ranges) share = -std::expm1(-share * column.statistics->rel->rows);
  ReleaseVariableStats(statistics);
  return share;
}

// The share of what the conditions leave that hold together with the bound asked about, if that is
// the first of them; otherwise 1.
double share_of(const Column& column, List* args, const Bound& asked, Node* ranges,
                const SpecialJoinInfo* semijoin) {
  PlannedTable* table = planned(column.statistics->rel);
  Condition* condition = asked_condition(table, args);
  if (!condition) return ranges ? DEFAULT_INEQ_SEL : share_of_lone_bound(column, asked);
  const Window window = window_of(column, table, condition, asked, ranges);
  if (window.count == 0) return 1;
  return ranges ? share_of_join(column, window, ranges, semijoin)
                : share_of_bounds(column, window.bounds, window.count);
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

// The share of rows, or of pairs of rows, for which a comparison holds. Where rel is not 0, the
// columns of all other tables are constants, as in the inner side of a nested loop.
double selectivity(PlannerInfo* root, Oid comparison, List* args, int rel,
                   const SpecialJoinInfo* semijoin, const PlannedType& type, std::uint64_t now) {
  CHECK_FOR_INTERRUPTS();
  const CatalogObjects* objects = objects_of(type);
  const int strategy = objects ? strategy_of(*objects, comparison) : InvalidStrategy;
  // A user's own operator may have these estimators, too.
  if (strategy == InvalidStrategy || strategy == BTEqualStrategyNumber || list_length(args) != 2)
    return DEFAULT_INEQ_SEL;

  auto* left = static_cast<Node*>(linitial(args));
  auto* right = static_cast<Node*>(lsecond(args));
  Bound asked{strategy, right, nullptr};
  Node* node = left;
  if (!contain_var_clause(left) || calls(left, objects->boundaries[kRangeFirst]) ||
      calls(left, objects->boundaries[kRangeLast])) {
    asked = {commuted(strategy), left, nullptr};
    node = right;
  }
  const bool is_window = !contain_var_clause(asked.other);
  Node* ranges = is_window ? nullptr : ranges_of(*objects, asked);
  if ((!is_window && !ranges) || (!IsA(node, Var) && contain_volatile_functions(node)))
    return DEFAULT_INEQ_SEL;

  double share = DEFAULT_INEQ_SEL;
  VariableStatData statistics;
  examine_variable(root, node, rel, &statistics);
  const Oid less = order_of_statistics(statistics, *objects);
  if (statistics.rel && OidIsValid(less)) {
    const Column column{root, type, *objects, now, node, &statistics, less};
    share = share_of(column, args, asked, ranges, semijoin);
  }
  ReleaseVariableStats(statistics);
  // Statistics that somebody has written may have any numbers.
  return std::fmax(0, std::fmin(share, 1));
}

}  // namespace

Datum comparison_selectivity(FunctionCallInfo fcinfo, const PlannedType& type, std::uint64_t now) {
  PG_RETURN_FLOAT8(selectivity(reinterpret_cast<PlannerInfo*>(PG_GETARG_POINTER(0)),
                               PG_GETARG_OID(1), reinterpret_cast<List*>(PG_GETARG_POINTER(2)),
                               PG_GETARG_INT32(3), nullptr, type, now));
}

Datum comparison_join_selectivity(FunctionCallInfo fcinfo, const PlannedType& type,
                                  std::uint64_t now) {
  const int kind = PG_GETARG_INT16(3);
  const bool is_semijoin = kind == JOIN_SEMI || kind == JOIN_ANTI;
  PG_RETURN_FLOAT8(selectivity(
      reinterpret_cast<PlannerInfo*>(PG_GETARG_POINTER(0)), PG_GETARG_OID(1),
      reinterpret_cast<List*>(PG_GETARG_POINTER(2)), 0,
      is_semijoin ? reinterpret_cast<SpecialJoinInfo*>(PG_GETARG_POINTER(4)) : nullptr, type, now));
}

}  // namespace ids
