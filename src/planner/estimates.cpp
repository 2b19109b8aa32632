#include <algorithm>

#include "core/bytes.hpp"
#include "planner/planner.hpp"

// PostgreSQL's own estimators only know the built-in types: they would not interpolate ids within a
// bin of the histogram. But the planner pairs the two ends of a window only if the estimators are
// PostgreSQL's own, and multiplies the results of all others. So the first bound of a column in a
// list of conditions returns the share of all its bounds in that list, and the others return 1.

namespace ids {

namespace {

// The column in question, its statistics, and where to look for what belongs to it.
struct Column {
  PlannerInfo* root;
  const PlannedType& type;
  std::uint64_t now;
  Node* node;
  VariableStatData* statistics;
  Oid less;  // the comparison that the statistics are in the order of

  double null_share() const {
    return reinterpret_cast<Form_pg_statistic>(GETSTRUCT(statistics->statsTuple))->stanullfrac;
  }
  bool has_common_values() const {
    const int16* kind =
        &reinterpret_cast<Form_pg_statistic>(GETSTRUCT(statistics->statsTuple))->stakind1;
    return std::find(kind, kind + STATISTIC_NUM_SLOTS, STATISTIC_KIND_MCV) !=
           kind + STATISTIC_NUM_SLOTS;
  }
  // What is compared: the first 64 bits of an id.
  std::uint64_t value(Datum id) const {
    if (type.by_value) return id;
    return load_big_endian<std::uint64_t>(
        reinterpret_cast<const std::uint8_t*>(DatumGetPointer(id)));
  }
  const CatalogObjects& objects() const { return *type.objects; }
};

// A comparison with what is the same for all rows, the column on its left.
struct Bound {
  int strategy;
  Node* other;

  bool is_upper() const { return strategy < BTEqualStrategyNumber; }
  bool with_equal() const {
    return strategy == BTLessEqualStrategyNumber || strategy == BTGreaterEqualStrategyNumber;
  }
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
  const int strategy = strategy_of(column.type.objects, comparison->opno);
  if (strategy == InvalidStrategy || strategy == BTEqualStrategyNumber) return false;
  *bound = {on_left ? strategy : commuted(strategy), on_left ? right : left};
  if (!IsA(condition, RestrictInfo)) return !contain_var_clause(bound->other);
  const auto* restriction = reinterpret_cast<RestrictInfo*>(condition);
  return bms_is_empty(on_left ? restriction->right_relids : restriction->left_relids);
}

// How the values of the column that are not among its most common ones are distributed: how many
// are below a point, in bins of the histogram. Between points the number grows evenly. The points
// are those of the histogram, but the first and the last are corrected, and one may follow.
struct Distribution {
  const Column& column;
  int points = 0;                // 0: there is no histogram
  const char* values = nullptr;  // the histogram's, as they lie in its array
  std::size_t step = 0;          // from one value to the next
  std::uint64_t first = 0;
  int tail = 0;  // the last point of the histogram, and the one that follows
  std::uint64_t tail_at[2] = {};
  double tail_below[2] = {};
  double bins = 0;             // of the histogram, which all have as many rows
  std::uint64_t last_bin = 0;  // where its last bin begins
  double one_value = 0;        // share of the rows that have a certain value
  bool knows_first = false;
  bool knows_last = false;

  std::uint64_t at(int point) const {
    if (point == 0) return first;
    return point < tail ? value(point) : tail_at[point - tail];
  }
  double below(int point) const { return point < tail ? point : tail_below[point - tail]; }
  std::uint64_t value(int point) const {
    const char* place = values + step * static_cast<std::size_t>(point);
    return column.value(column.type.by_value ? *reinterpret_cast<const Datum*>(place)
                                             : PointerGetDatum(place));
  }

  // The share of rows for which the comparison of the column with the value holds, by the rules of
  // PostgreSQL's own estimators.
  double share(const Bound& bound, std::uint64_t value) const {
    double below_it = 0;
    if (value > at(points - 1)) {
      below_it = 1;
    } else if (value >= first) {
      int left = 0;
      int right = points - 1;
      while (right - left > 1) {
        const int middle = (left + right) / 2;
        (at(middle) < value ? left : right) = middle;
      }
      const auto width = static_cast<double>(at(right) - at(left));
      const double part = width > 0 ? static_cast<double>(value - at(left)) / width : 0.5;
      below_it = (below(left) + part * (below(right) - below(left))) / below(points - 1);
      if (right == 1) below_it += one_value * (1 - part);
      if (bound.is_upper() != bound.with_equal()) below_it -= one_value;
    }
    const double share = bound.is_upper() ? below_it : 1 - below_it;
    const bool sure = (knows_first && value <= at(1)) || (knows_last && value > last_bin);
    const double doubt = sure ? 0 : 0.01 / bins;
    return std::clamp(share, doubt, 1 - doubt);
  }
};

// A comparison function that always gives the same answer and remembers the last value it was
// given.
struct Onlooker {
  const Column& column;
  bool answer;
  std::uint64_t seen;
};

Datum look_on(FunctionCallInfo fcinfo) {
  auto* onlooker = static_cast<Onlooker*>(fcinfo->flinfo->fn_extra);
  onlooker->seen = onlooker->column.value(PG_GETARG_DATUM(0));
  PG_RETURN_BOOL(onlooker->answer);
}

// The column's least or greatest value, if an index tells it. PostgreSQL looks it up when it
// searches the histogram, and a search that is always told to go on compares it last.
bool true_end(const Column& column, bool greatest, std::uint64_t* end) {
  Onlooker onlooker{column, greatest, 0};
  FmgrInfo procedure{};
  procedure.fn_addr = look_on;
  procedure.fn_oid = column.objects().procedures[BTLessStrategyNumber];
  procedure.fn_nargs = 2;
  procedure.fn_strict = true;
  procedure.fn_extra = &onlooker;
  procedure.fn_mcxt = CurrentMemoryContext;
  const double share =
      ineq_histogram_selectivity(column.root, column.statistics, column.less, &procedure, false,
                                 false, InvalidOid, static_cast<Datum>(0), column.objects().type);
  *end = onlooker.seen;
  // PostgreSQL returns 0 or 1 only if it is sure of the end.
  return share == (greatest ? 1 : 0);
}

// The rows since the last point, in bins. Many ids are newer than the statistics: this assumes the
// rate of the bin before, up to the given end, and at most as many rows as the statistics know of.
double rows_since(const Distribution& d, int last, std::uint64_t end) {
  if (d.at(last) == d.at(last - 1)) return 0;
  const auto width = static_cast<double>(d.at(last) - d.at(last - 1));
  return std::min(static_cast<double>(end - d.at(last)) / width, d.bins);
}

void extend(Distribution* d, std::uint64_t greatest) {
  const int last = d->tail;
  const std::uint64_t now = d->column.now;
  if (d->at(last) > now && d->at(last - 1) <= now && last > 1) {
    // The last bin ends in the future, perhaps with a stray id: it does not tell the rate of today.
    const double rows = rows_since(*d, last - 1, now);
    d->tail_at[1] = d->tail_at[0];
    d->tail_below[1] = d->below(last - 1) + std::max(rows, 1.0);
    d->tail_at[0] = now;
    d->tail_below[0] = d->below(last - 1) + rows;
    ++d->points;
  } else if (d->knows_last && greatest < d->at(last)) {
    d->tail_at[0] = std::max(greatest, d->at(last - 1));
  } else if (d->knows_last) {
    // A stray id of the future must not stretch the present.
    const std::uint64_t end = d->at(last) > now ? greatest : std::min(greatest, now);
    d->tail_at[1] = end;
    d->tail_below[1] = d->below(last) + rows_since(*d, last, end);
    ++d->points;
  }
}

// The share of rows that have one certain value that is not among the most common ones. It is 0 for
// unique ids, because none of them is a boundary.
double share_of_one_value(const Column& column) {
  bool is_default;
  double values = get_variable_numdistinct(column.statistics, &is_default);
  if (values > 0.9 * column.statistics->rel->tuples) return 0;
  AttStatsSlot common;
  if (get_attstatsslot(&common, column.statistics->statsTuple, STATISTIC_KIND_MCV, InvalidOid,
                       ATTSTATSSLOT_NUMBERS)) {
    values -= common.nnumbers;
    free_attstatsslot(&common);
  }
  return values > 1 ? 1 / values : 0;
}

// Finds the histogram. get_attstatsslot would copy every value, which takes longer than the rest.
bool find_histogram(Distribution* d) {
  const Column& column = d->column;
  HeapTuple row = column.statistics->statsTuple;
  const auto* statistics = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(row));
  for (int slot = 0; slot < STATISTIC_NUM_SLOTS; ++slot) {
    if ((&statistics->stakind1)[slot] != STATISTIC_KIND_HISTOGRAM) continue;
    bool is_null;
    const Datum values = SysCacheGetAttr(
        STATRELATTINH, row, static_cast<AttrNumber>(Anum_pg_statistic_stavalues1 + slot), &is_null);
    if (is_null || !comparison_ops_are_compatible((&statistics->staop1)[slot], column.less))
      return false;
    ArrayType* array = DatumGetArrayTypeP(values);
    d->points = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    if (d->points < 2 || ARR_HASNULL(array)) return false;
    d->values = ARR_DATA_PTR(array);
    d->step = (ARR_SIZE(array) - ARR_DATA_OFFSET(array)) / static_cast<std::size_t>(d->points);
    return true;
  }
  return false;
}

// Reads the histogram, and the true ends if the lowest or highest bound comes near them: PostgreSQL
// also looks them up only then.
Distribution read_distribution(const Column& column, std::uint64_t lowest, std::uint64_t highest) {
  Distribution d{column};
  if (!statistic_proc_security_check(column.statistics,
                                     column.objects().procedures[BTLessStrategyNumber]) ||
      !find_histogram(&d)) {
    d.points = 0;
    return d;
  }
  d.tail = d.points - 1;
  d.first = d.value(0);
  d.tail_at[0] = d.value(d.tail);
  d.tail_below[0] = d.bins = d.tail;
  d.last_bin = d.at(d.tail - 1);
  d.one_value = share_of_one_value(column);
  if (highest > d.last_bin) {
    std::uint64_t greatest;
    d.knows_last = true_end(column, true, &greatest);
    extend(&d, greatest);
  }
  if (lowest <= d.at(1)) {
    std::uint64_t least;
    d.knows_first = true_end(column, false, &least);
    if (d.knows_first) d.first = std::min(least, d.at(1));
  }
  return d;
}

double share_of_bound(const Column& column, const Distribution& d, const Bound& bound,
                      Datum value) {
  double among_common = 0;
  double common = 0;
  if (column.has_common_values()) {
    FmgrInfo procedure;
    fmgr_info(column.objects().procedures[bound.strategy], &procedure);
    among_common = mcv_selectivity(column.statistics, &procedure, InvalidOid, value, true, &common);
  }
  const double others = d.points > 0 ? d.share(bound, column.value(value)) : 0.5;
  return std::clamp(among_common + (1 - column.null_share() - common) * others, 0.0, 1.0);
}

// Whether a function is PostgreSQL's own, returns one value, is not volatile, and everybody may
// call it.
bool is_common(Oid function) {
  if (function >= FirstGenbkiObjectId) return false;
  HeapTuple row = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  if (!HeapTupleIsValid(row)) return false;
  const auto* form = reinterpret_cast<Form_pg_proc>(GETSTRUCT(row));
  const bool is = form->provolatile != PROVOLATILE_VOLATILE && !form->proretset &&
                  heap_attisnull(row, Anum_pg_proc_proacl, nullptr);
  ReleaseSysCache(row);
  return is;
}

// The value of an expression that only has constants and calls of common functions; otherwise it is
// not known. PostgreSQL itself would set up an executor for each call.
Value compute(Node* node) {
  check_stack_depth();
  constexpr int kMostArguments = 4;
  if (IsA(node, Const)) {
    const auto* constant = reinterpret_cast<Const*>(node);
    return {true, constant->constisnull, constant->constvalue};
  }
  Oid called;
  Oid collation;
  List* args;
  if (IsA(node, FuncExpr)) {
    const auto* call = reinterpret_cast<FuncExpr*>(node);
    called = call->funcid;
    collation = call->inputcollid;
    args = call->args;
  } else if (IsA(node, OpExpr)) {
    auto* call = reinterpret_cast<OpExpr*>(node);
    set_opfuncid(call);
    called = call->opfuncid;
    collation = call->inputcollid;
    args = call->args;
  } else {
    return {};
  }
  const int count = list_length(args);
  if (count > kMostArguments || !is_common(called)) return {};

  FmgrInfo function;
  LOCAL_FCINFO(fcinfo, kMostArguments);
  fmgr_info(called, &function);
  fmgr_info_set_expr(node, &function);
  InitFunctionCallInfoData(*fcinfo, &function, static_cast<short>(count), collation, nullptr,
                           nullptr);
  bool is_null = false;
  for (int i = 0; i < count; ++i) {
    const Value argument = compute(static_cast<Node*>(list_nth(args, i)));
    if (!argument.known) return {};
    fcinfo->args[i] = {argument.datum, argument.is_null};
    is_null = is_null || (function.fn_strict && argument.is_null);
  }
  if (is_null) return {true, true, 0};
  const Datum result = FunctionCallInvoke(fcinfo);
  return {true, fcinfo->isnull, result};
}

// Which of the type's boundaries an expression calls; kBoundaries if none.
int boundary_called(const Column& column, Node* node) {
  const Oid* boundaries = column.objects().boundaries;
  if (!IsA(node, FuncExpr)) return kBoundaries;
  return static_cast<int>(
      std::find(boundaries, boundaries + kBoundaries, reinterpret_cast<FuncExpr*>(node)->funcid) -
      boundaries);
}

// The values of bounds, if they can be known at plan time. Most are boundaries, and the two of a
// range have the same arguments, which are computed only once.
class Values {
 public:
  explicit Values(const Column& of_column) : column(of_column) {}

  Value of(Node* node) {
    const int called = boundary_called(column, node);
    if (called == kBoundaries) return evaluate(node);
    List* args = reinterpret_cast<FuncExpr*>(node)->args;
    const int count = list_length(args);
    if (!last || !equal(last, args)) {
      last = args;
      for (int i = 0; i < count; ++i) of_last[i] = evaluate(static_cast<Node*>(list_nth(args, i)));
    }
    // Boundaries of one argument are strict. Of two, NULL is an open end.
    for (int i = 0; i < count; ++i)
      if (!of_last[i].known || (of_last[i].is_null && count == 1)) return of_last[i];
    return {true, false, boundary_of(column.type.boundaries[called], of_last, count)};
  }

 private:
  Value evaluate(Node* node) const {
    const Value computed = compute(node);
    return computed.known ? computed : compute(estimate_expression_value(column.root, node));
  }

  const Column& column;
  List* last = nullptr;
  Value of_last[kMostBoundaryArguments];
};

// The share of rows that all bounds leave.
double share_of_bounds(const Column& column, const Bound* bounds, int count) {
  std::uint64_t lowest = UINT64_MAX;
  std::uint64_t highest = 0;
  auto* known = static_cast<Value*>(palloc(sizeof(Value) * count));
  Values values(column);
  for (int i = 0; i < count; ++i) {
    known[i] = values.of(bounds[i].other);
    if (!known[i].known) continue;
    if (known[i].is_null) return 0;
    lowest = std::min(lowest, column.value(known[i].datum));
    highest = std::max(highest, column.value(known[i].datum));
  }
  const bool has_statistics = HeapTupleIsValid(column.statistics->statsTuple);
  const Distribution d = has_statistics && lowest <= highest
                             ? read_distribution(column, lowest, highest)
                             : Distribution{column};

  // The closest bound on each side counts. PostgreSQL does not pair volatile ones.
  constexpr double kNone = 2;
  double lower = kNone;
  double upper = kNone;
  double unpaired = 1;
  for (int i = 0; i < count; ++i) {
    if (!known[i].known && contain_volatile_functions(bounds[i].other)) {
      unpaired *= DEFAULT_INEQ_SEL;
      continue;
    }
    const double share = has_statistics && known[i].known
                             ? share_of_bound(column, d, bounds[i], known[i].datum)
                             : DEFAULT_INEQ_SEL;
    double& side = bounds[i].is_upper() ? upper : lower;
    side = std::min(side, share);
  }
  if (lower == kNone && upper == kNone) return unpaired;
  if (lower == kNone) return unpaired * upper;
  if (upper == kNone) return unpaired * lower;
  if (lower == DEFAULT_INEQ_SEL || upper == DEFAULT_INEQ_SEL)
    return unpaired * DEFAULT_RANGE_INEQ_SEL;
  // Nulls are outside of both bounds, but only once outside of the window.
  return unpaired * std::max(lower + upper - 1 + column.null_share(), 1.0e-10);
}

// The share of rows for a bound that is in none of the table's conditions. It belongs to an index
// condition made for a range that is not in the query as comparisons, or to a condition on groups.
// The lower bound of a range returns the share of both, and the upper one 1.
double share_of_lone_bound(const Column& column, const Bound& asked) {
  const Oid* boundaries = column.objects().boundaries;
  const int called = boundary_called(column, asked.other);
  if (asked.strategy == BTLessEqualStrategyNumber && (called == kRangeLast || called == kFromLast))
    return 1;
  if (asked.strategy != BTGreaterEqualStrategyNumber ||
      (called != kRangeFirst && called != kFromFirst))
    return share_of_bounds(column, &asked, 1);
  FuncExpr last = *reinterpret_cast<FuncExpr*>(asked.other);
  last.funcid = boundaries[called == kRangeFirst ? kRangeLast : kFromLast];
  const Bound bounds[] = {asked, {BTLessEqualStrategyNumber, reinterpret_cast<Node*>(&last)}};
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

Datum core_selectivity(FunctionCallInfo fcinfo, int strategy) {
  switch (strategy) {
    case BTLessStrategyNumber:
      return scalarltsel(fcinfo);
    case BTLessEqualStrategyNumber:
      return scalarlesel(fcinfo);
    case BTGreaterStrategyNumber:
      return scalargtsel(fcinfo);
    default:
      return scalargesel(fcinfo);
  }
}

}  // namespace

Datum comparison_selectivity(FunctionCallInfo fcinfo, const PlannedType& type, std::uint64_t now) {
  auto* root = reinterpret_cast<PlannerInfo*>(PG_GETARG_POINTER(0));
  auto* args = reinterpret_cast<List*>(PG_GETARG_POINTER(2));
  const CatalogObjects* objects = objects_of(type);
  const int strategy = objects ? strategy_of(objects, PG_GETARG_OID(1)) : InvalidStrategy;
  // A user's own operator may have this estimator, too.
  if (strategy == InvalidStrategy || strategy == BTEqualStrategyNumber || list_length(args) != 2)
    PG_RETURN_FLOAT8(DEFAULT_INEQ_SEL);

  const int side = contain_var_clause(static_cast<Node*>(linitial(args))) ? 0 : 1;
  auto* node = static_cast<Node*>(list_nth(args, side));
  const Bound asked{side == 0 ? strategy : commuted(strategy),
                    static_cast<Node*>(list_nth(args, 1 - side))};
  double share = DEFAULT_INEQ_SEL;
  bool known = true;
  if (!contain_var_clause(asked.other) && (IsA(node, Var) || !contain_volatile_functions(node))) {
    VariableStatData statistics;
    examine_variable(root, node, PG_GETARG_INT32(3), &statistics);
    if (statistics.rel) {
      const Oid less = order_of_statistics(statistics, *objects);
      known = OidIsValid(less);
      if (known)
        share = share_of_conjunction({root, type, now, node, &statistics, less}, args, asked);
    }
    ReleaseVariableStats(statistics);
  }
  if (!known) return core_selectivity(fcinfo, strategy);
  PG_RETURN_FLOAT8(share);
}

}  // namespace ids
