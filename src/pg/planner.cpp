#include "pg/planner.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/bytes.hpp"

namespace ids {

namespace {

int commuted(int strategy) {
  return BTMaxStrategyNumber + 1 - strategy;
}

// Estimates
//
// PostgreSQL's own estimators know the built-in types alone: within a bin of the histogram they
// would not interpolate ids. But the planner pairs the two ends of a window only if their
// estimators are PostgreSQL's own; of all others it multiplies what they say. So the first bound of
// a column in a list of conditions says the share of all its bounds in that list, and the others
// say 1.

// The column in question, its statistics, and where to look for what belongs to it.
struct Column {
  PlannerInfo* root;
  Oid type;
  Oid family;
  bool by_value;
  std::uint64_t now;
  Node* node;
  VariableStatData* statistics;

  double null_share() const {
    return reinterpret_cast<Form_pg_statistic>(GETSTRUCT(statistics->statsTuple))->stanullfrac;
  }
  // What is compared: the first 64 bits of an id.
  std::uint64_t value(Datum id) const {
    if (by_value) return id;
    return load_big_endian<std::uint64_t>(
        reinterpret_cast<const std::uint8_t*>(DatumGetPointer(id)));
  }
  Oid procedure(int strategy) const {
    return get_opcode(get_opfamily_member(family, type, type, static_cast<int16>(strategy)));
  }
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

// The condition itself; an OR with what the planner knows of its arms.
Node* bare(Node* clause) {
  if (!IsA(clause, RestrictInfo)) return clause;
  auto* restriction = reinterpret_cast<RestrictInfo*>(clause);
  return reinterpret_cast<Node*>(restriction->orclause ? restriction->orclause
                                                       : restriction->clause);
}

// Whether the condition is the one that the planner asks about, or its commuted copy for an index;
// by_value: or one like it, such as a partial index has.
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

// The same among all conditions on the table. What is the condition itself goes before what is only
// like it: two arms of an OR may have equal bounds.
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
  const int strategy = get_op_opfamily_strategy(comparison->opno, column.family);
  if (strategy == InvalidStrategy || strategy == BTEqualStrategyNumber) return false;
  *bound = {on_left ? strategy : commuted(strategy), on_left ? right : left};
  return !contain_var_clause(bound->other) && !contain_volatile_functions(condition);
}

// How the values of the column that are not among its most common ones are distributed: how many
// are below a value, in bins of the histogram. Between points the number grows evenly.
struct Distribution {
  int points = 0;  // 0: there is no histogram
  std::uint64_t* at = nullptr;
  double* below = nullptr;
  double bins = 0;             // of the histogram, which all have as many rows
  std::uint64_t last_bin = 0;  // where its last bin begins
  double one_value = 0;        // share of the rows that have a certain value
  bool knows_first = false;
  bool knows_last = false;

  // The share of rows for which the comparison of the column with the value holds, by the rules of
  // PostgreSQL's own estimators.
  double share(const Bound& bound, std::uint64_t value) const {
    double below_it = 0;
    if (value > at[points - 1]) {
      below_it = 1;
    } else if (value >= at[0]) {
      const auto right = std::max<std::ptrdiff_t>(1, std::lower_bound(at, at + points, value) - at);
      const auto width = static_cast<double>(at[right] - at[right - 1]);
      const double part = width > 0 ? static_cast<double>(value - at[right - 1]) / width : 0.5;
      below_it = (below[right - 1] + part * (below[right] - below[right - 1])) / below[points - 1];
      if (right == 1) below_it += one_value * (1 - part);
      if (bound.is_upper() != bound.with_equal()) below_it -= one_value;
    }
    const double share = bound.is_upper() ? below_it : 1 - below_it;
    const bool sure = (knows_first && value <= at[1]) || (knows_last && value > last_bin);
    const double doubt = sure ? 0 : 0.01 / bins;
    return std::clamp(share, doubt, 1 - doubt);
  }
};

// A comparison function that looks on.
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

// The column's least or greatest value, if an index tells it. PostgreSQL looks it up for its own
// search through the histogram: one that is always told to go on sees it last.
bool true_end(const Column& column, bool greatest, std::uint64_t* end) {
  Onlooker onlooker{column, greatest, 0};
  FmgrInfo procedure{};
  procedure.fn_addr = look_on;
  procedure.fn_oid = column.procedure(BTLessStrategyNumber);
  procedure.fn_nargs = 2;
  procedure.fn_strict = true;
  procedure.fn_extra = &onlooker;
  procedure.fn_mcxt = CurrentMemoryContext;
  const Oid less =
      get_opfamily_member(column.family, column.type, column.type, BTLessStrategyNumber);
  const double share =
      ineq_histogram_selectivity(column.root, column.statistics, less, &procedure, false, false,
                                 InvalidOid, static_cast<Datum>(0), column.type);
  *end = onlooker.seen;
  // Not sure of the end, it would stay away from 0 and 1.
  return share == (greatest ? 1 : 0);
}

// Ids are mostly newer than the statistics: goes on from the last point at the rate of the bin
// before it, up to an end, but to no more rows than the statistics know of.
double rows_since(const Distribution& d, int last, std::uint64_t end) {
  if (d.at[last] == d.at[last - 1]) return 0;
  const auto width = static_cast<double>(d.at[last] - d.at[last - 1]);
  return std::min(static_cast<double>(end - d.at[last]) / width, d.bins);
}

void extend(const Column& column, Distribution* d, std::uint64_t greatest) {
  const int last = d->points - 1;
  if (d->at[last] > column.now && d->at[last - 1] <= column.now && last > 1) {
    // The last bin ends in the future, perhaps with a stray id: it does not tell the rate of today.
    const double rows = rows_since(*d, last - 1, column.now);
    d->at[last + 1] = d->at[last];
    d->below[last + 1] = d->below[last - 1] + std::max(rows, 1.0);
    d->at[last] = column.now;
    d->below[last] = d->below[last - 1] + rows;
    ++d->points;
  } else if (d->knows_last && greatest < d->at[last]) {
    d->at[last] = std::max(greatest, d->at[last - 1]);
  } else if (d->knows_last) {
    // A stray id of the future must not stretch the present.
    const std::uint64_t end = d->at[last] > column.now ? greatest : std::min(greatest, column.now);
    d->at[last + 1] = end;
    d->below[last + 1] = d->below[last] + rows_since(*d, last, end);
    ++d->points;
  }
}

// The share of rows that have one value, of those that are not among the most common ones; 0 of
// unique ids, of which none is a boundary.
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

// Reads the histogram, and the true ends where the bounds, from lowest to highest, come near them:
// PostgreSQL looks them up as rarely.
Distribution read_distribution(const Column& column, std::uint64_t lowest, std::uint64_t highest) {
  Distribution d;
  AttStatsSlot slot;
  if (!statistic_proc_security_check(column.statistics, column.procedure(BTLessStrategyNumber)) ||
      !get_attstatsslot(&slot, column.statistics->statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
                        ATTSTATSSLOT_VALUES))
    return d;
  const Oid less =
      get_opfamily_member(column.family, column.type, column.type, BTLessStrategyNumber);
  if (slot.nvalues > 1 && comparison_ops_are_compatible(slot.staop, less)) {
    const int last = slot.nvalues - 1;
    d.points = slot.nvalues;
    d.at = static_cast<std::uint64_t*>(palloc(sizeof *d.at * (d.points + 1)));
    d.below = static_cast<double*>(palloc(sizeof *d.below * (d.points + 1)));
    for (int i = 0; i <= last; ++i) {
      d.at[i] = column.value(slot.values[i]);
      d.below[i] = i;
    }
    d.bins = last;
    d.last_bin = d.at[last - 1];
    d.one_value = share_of_one_value(column);
    if (highest > d.last_bin) {
      std::uint64_t greatest;
      d.knows_last = true_end(column, true, &greatest);
      extend(column, &d, greatest);
    }
    if (lowest <= d.at[1]) {
      std::uint64_t least;
      d.knows_first = true_end(column, false, &least);
      if (d.knows_first) d.at[0] = std::min(least, d.at[1]);
    }
  }
  free_attstatsslot(&slot);
  return d;
}

double share_of_bound(const Column& column, const Distribution& d, const Bound& bound,
                      Datum value) {
  FmgrInfo procedure;
  fmgr_info(column.procedure(bound.strategy), &procedure);
  double common;
  const double among_common =
      mcv_selectivity(column.statistics, &procedure, InvalidOid, value, true, &common);
  const double others = d.points > 0 ? d.share(bound, column.value(value)) : 0.5;
  return std::clamp(among_common + (1 - column.null_share() - common) * others, 0.0, 1.0);
}

// The values of bounds, as far as they can be known now. Most are boundaries of times, and the two
// of a range are of the same one, which takes its time to compute.
class Values {
 public:
  explicit Values(PlannerInfo* planner) : root(planner) {}

  Const* of(Node* node) {
    if (IsA(node, Const)) return reinterpret_cast<Const*>(node);
    auto* function = reinterpret_cast<FuncExpr*>(node);
    if (!IsA(node, FuncExpr) || list_length(function->args) != 1 ||
        !func_strict(function->funcid) || func_volatile(function->funcid) != PROVOLATILE_IMMUTABLE)
      return constant(estimate_expression_value(root, node));
    auto* argument = static_cast<Node*>(linitial(function->args));
    if (!last || !equal(last, argument)) {
      last = argument;
      value_of_last = constant(estimate_expression_value(root, argument));
    }
    if (!value_of_last || value_of_last->constisnull) return value_of_last;
    FmgrInfo procedure;
    fmgr_info(function->funcid, &procedure);
    fmgr_info_set_expr(node, &procedure);
    LOCAL_FCINFO(call, 1);
    InitFunctionCallInfoData(*call, &procedure, 1, function->inputcollid, nullptr, nullptr);
    call->args[0] = {value_of_last->constvalue, false};
    Const* result = makeNullConst(function->funcresulttype, -1, InvalidOid);
    result->constvalue = FunctionCallInvoke(call);
    result->constisnull = call->isnull;
    return result;
  }

 private:
  static Const* constant(Node* node) {
    return IsA(node, Const) ? reinterpret_cast<Const*>(node) : nullptr;
  }

  PlannerInfo* root;
  Node* last = nullptr;
  Const* value_of_last = nullptr;
};

// The share of rows that all bounds leave.
double share_of_bounds(const Column& column, const Bound* bounds, int count) {
  std::uint64_t lowest = UINT64_MAX;
  std::uint64_t highest = 0;
  auto** constants = static_cast<Const**>(palloc(sizeof(Const*) * count));
  Values values(column.root);
  for (int i = 0; i < count; ++i) {
    constants[i] = values.of(bounds[i].other);
    if (!constants[i]) continue;
    if (constants[i]->constisnull) return 0;
    lowest = std::min(lowest, column.value(constants[i]->constvalue));
    highest = std::max(highest, column.value(constants[i]->constvalue));
  }
  const bool has_statistics = HeapTupleIsValid(column.statistics->statsTuple);
  Distribution d;
  if (has_statistics && lowest <= highest) d = read_distribution(column, lowest, highest);

  // The closest on each side counts.
  constexpr double kNone = 2;
  double lower = kNone;
  double upper = kNone;
  for (int i = 0; i < count; ++i) {
    const double share = has_statistics && constants[i]
                             ? share_of_bound(column, d, bounds[i], constants[i]->constvalue)
                             : DEFAULT_INEQ_SEL;
    double& side = bounds[i].is_upper() ? upper : lower;
    side = std::min(side, share);
  }
  if (lower == kNone) return upper;
  if (upper == kNone) return lower;
  if (lower == DEFAULT_INEQ_SEL || upper == DEFAULT_INEQ_SEL) return DEFAULT_RANGE_INEQ_SEL;
  // Nulls are outside of both bounds, but only once outside of the window.
  return std::max(lower + upper - 1 + column.null_share(), 1.0e-10);
}

bool is_boundary_of_range(Node* node) {
  if (!IsA(node, FuncExpr)) return false;
  List* args = reinterpret_cast<FuncExpr*>(node)->args;
  return list_length(args) == 1 && exprType(static_cast<Node*>(linitial(args))) == TSTZRANGEOID;
}

// The share of rows that the bounds of the column leave which must hold together with the one asked
// about, for the first of them; 1 for the others.
double share_of_conjunction(const Column& column, List* args, const Bound& asked) {
  bool by_value;
  List* clauses = conjunction_in(column.statistics->rel, args, &by_value);
  // Two bounds of an index that are in no condition: of a range that the query computes.
  if (!clauses && is_boundary_of_range(asked.other)) return std::sqrt(DEFAULT_RANGE_INEQ_SEL);
  if (!clauses) return share_of_bounds(column, &asked, 1);

  Node* itself = nullptr;
  ListCell* cell;
  foreach (cell, clauses) {
    auto* clause = static_cast<Node*>(lfirst(cell));
    if (!itself && is_asked(bare(clause), args, by_value)) itself = clause;
  }
  if (contain_volatile_functions(itself)) return share_of_bounds(column, &asked, 1);
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

Datum comparison_selectivity(FunctionCallInfo fcinfo, int size, bool by_value, std::uint64_t now) {
  auto* root = reinterpret_cast<PlannerInfo*>(PG_GETARG_POINTER(0));
  const Oid comparison = PG_GETARG_OID(1);
  auto* args = reinterpret_cast<List*>(PG_GETARG_POINTER(2));
  const int table = PG_GETARG_INT32(3);
  Oid types[2];
  op_input_types(comparison, &types[0], &types[1]);
  const TypeCacheEntry* type = lookup_type_cache(types[0], TYPECACHE_BTREE_OPFAMILY);
  const Oid family = type->btree_opf;
  const int strategy = get_op_opfamily_strategy(comparison, family);
  // Whoever may make operators may give them this estimator.
  if (types[0] != types[1] || type->typlen != size || type->typbyval != by_value ||
      strategy == InvalidStrategy || list_length(args) != 2)
    PG_RETURN_FLOAT8(DEFAULT_INEQ_SEL);

  VariableStatData sides[2];
  for (int i = 0; i < 2; ++i)
    examine_variable(root, static_cast<Node*>(list_nth(args, i)), table, &sides[i]);
  const int side = sides[0].rel ? 0 : 1;
  const Column column{root,        types[0], family,
                      by_value,    now,      static_cast<Node*>(list_nth(args, side)),
                      &sides[side]};
  const Bound asked{side == 0 ? strategy : commuted(strategy),
                    static_cast<Node*>(list_nth(args, 1 - side))};
  double share = DEFAULT_INEQ_SEL;
  bool known = true;
  if (sides[side].rel && !sides[1 - side].rel && !contain_var_clause(asked.other)) {
    // Statistics of a uuid that is cast to a ulid are of the order of uuid.
    known = getBaseType(sides[side].atttype) == column.type;
    if (known) share = share_of_conjunction(column, args, asked);
  }
  for (VariableStatData& statistics : sides) ReleaseVariableStats(statistics);
  if (!known) return core_selectivity(fcinfo, strategy);
  PG_RETURN_FLOAT8(share);
}

// Rewriting

namespace {

Node* without_relabeling(Node* node) {
  while (IsA(node, RelabelType))
    node = reinterpret_cast<Node*>(reinterpret_cast<RelabelType*>(node)->arg);
  return node;
}

// A call of a time predicate: the function's name says its operator, lt, le, gt, ge or else that of
// ranges, and which operand is the id.
class TimePredicate {
 public:
  bool read(const TimeBoundaries* of_type, Oid function, List* args) {
    if (list_length(args) != 2) return false;
    HeapTuple row = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
    if (!HeapTupleIsValid(row)) return false;
    const auto* procedure = reinterpret_cast<Form_pg_proc>(GETSTRUCT(row));
    const char* name = NameStr(procedure->proname);
    const std::size_t length = std::strlen(of_type->type);
    const bool on_left = std::strncmp(name, of_type->type, length) == 0 && name[length] == '_';
    const char* meaning = std::strchr(name + (on_left ? length : 0), '_');
    const auto means = [meaning](const char* what) {
      return meaning && std::strncmp(meaning, what, 4) == 0;
    };
    strategy = means("_lt_")   ? BTLessStrategyNumber
               : means("_le_") ? BTLessEqualStrategyNumber
               : means("_ge_") ? BTGreaterEqualStrategyNumber
               : means("_gt_") ? BTGreaterStrategyNumber
                               : InvalidStrategy;
    if (!is_range() && !on_left) strategy = commuted(strategy);
    schema = procedure->pronamespace;
    ReleaseSysCache(row);
    boundaries = of_type;
    id = static_cast<Node*>(on_left ? linitial(args) : lsecond(args));
    // A range is passed as a domain over tstzrange.
    time = without_relabeling(static_cast<Node*>(on_left ? lsecond(args) : linitial(args)));
    type = lookup_type_cache(exprType(id), TYPECACHE_BTREE_OPFAMILY);
    return true;
  }

  bool is_range() const { return strategy == InvalidStrategy; }

  Oid comparison(int with) const {
    return get_opfamily_member(type->btree_opf, type->btree_opintype, type->btree_opintype,
                               static_cast<int16>(with));
  }

  // What the time predicate means, in comparisons of the id that must all hold; NIL if it cannot be
  // said so.
  List* comparisons() const {
    if (is_range()) {
      Expr* lower = compare(BTGreaterEqualStrategyNumber, boundaries->range_first);
      Expr* upper = compare(BTLessEqualStrategyNumber, boundaries->range_last);
      return lower && upper ? list_make2(lower, upper) : NIL;
    }
    const bool at_first =
        strategy == BTLessStrategyNumber || strategy == BTGreaterEqualStrategyNumber;
    Expr* result = compare(strategy, at_first ? boundaries->first : boundaries->last);
    return result ? list_make1(result) : NIL;
  }

  Node* id;
  Node* time;

 private:
  // Each comparison has a copy of the id and of the time: the planner changes expressions in place.
  Expr* compare(int with, const TimeBoundary& boundary) const {
    Expr* value = IsA(time, Const) ? constant(boundary) : function_call(boundary);
    const Oid operation = comparison(with);
    if (!value || !OidIsValid(operation)) return nullptr;
    Expr* result = make_opclause(operation, BOOLOID, false, static_cast<Expr*>(copyObjectImpl(id)),
                                 value, InvalidOid, InvalidOid);
    set_opfuncid(reinterpret_cast<OpExpr*>(result));
    return result;
  }

  // Nothing simplifies the result of a support function, so a constant boundary is made here.
  Expr* constant(const TimeBoundary& boundary) const {
    const auto* argument = reinterpret_cast<const Const*>(time);
    FmgrInfo function{};
    function.fn_addr = boundary.function;
    function.fn_mcxt = CurrentMemoryContext;
    const Datum value = argument->constisnull ? static_cast<Datum>(0)
                                              : FunctionCall1(&function, argument->constvalue);
    return reinterpret_cast<Expr*>(makeConst(type->btree_opintype, -1, InvalidOid, type->typlen,
                                             value, argument->constisnull, type->typbyval));
  }

  Expr* function_call(const TimeBoundary& boundary) const {
    char name[NAMEDATALEN];
    strlcpy(name, boundaries->type, sizeof name);
    strlcat(name, boundary.suffix, sizeof name);
    Oid argument_type = is_range() ? TSTZRANGEOID : TIMESTAMPTZOID;
    const Oid function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
                                         PointerGetDatum(buildoidvector(&argument_type, 1)),
                                         ObjectIdGetDatum(schema));
    if (!OidIsValid(function)) return nullptr;
    return reinterpret_cast<Expr*>(makeFuncExpr(function, type->btree_opintype,
                                                list_make1(copyObjectImpl(time)), InvalidOid,
                                                InvalidOid, COERCE_EXPLICIT_CALL));
  }

  const TimeBoundaries* boundaries;
  TypeCacheEntry* type;
  Oid schema;
  int strategy;  // as if the id stood on the left; InvalidStrategy for ranges
};

// The call as comparisons. The id and the range are computed twice then: that must not change the
// result, nor cost much for the id.
Node* simplified(SupportRequestSimplify* request, const TimeBoundaries* boundaries) {
  TimePredicate predicate;
  if (!predicate.read(boundaries, request->fcall->funcid, request->fcall->args)) return nullptr;
  if (predicate.is_range()) {
    if (contain_volatile_functions(predicate.time) || contain_subplans(predicate.time) ||
        contain_volatile_functions(predicate.id) || contain_subplans(predicate.id))
      return nullptr;
    // As PostgreSQL inlines what an SQL function uses twice.
    QualCost cost;
    cost_qual_eval_node(&cost, predicate.id, nullptr);
    if (cost.startup + cost.per_tuple > 10 * cpu_operator_cost) return nullptr;
  }
  List* comparisons = predicate.comparisons();
  return comparisons ? reinterpret_cast<Node*>(make_ands_explicit(comparisons)) : nullptr;
}

// What of a call that stays can use an index: its range may be a sub-select's result by now, and
// its id an expression that the index holds.
List* index_conditions(SupportRequestIndexCondition* request, const TimeBoundaries* boundaries) {
  List* args = is_opclause(request->node) ? reinterpret_cast<OpExpr*>(request->node)->args
                                          : reinterpret_cast<FuncExpr*>(request->node)->args;
  TimePredicate predicate;
  if (!predicate.read(boundaries, request->funcid, args) ||
      list_nth(args, request->indexarg) != predicate.id ||
      !op_in_opfamily(predicate.comparison(BTLessStrategyNumber), request->opfamily) ||
      !is_pseudo_constant_for_index(request->root, predicate.time, request->index) ||
      contain_subplans(predicate.time))
    return NIL;
  request->lossy = false;
  return predicate.comparisons();
}

}  // namespace

Datum time_predicate_support(FunctionCallInfo fcinfo, const TimeBoundaries& boundaries) {
  auto* request = reinterpret_cast<Node*>(PG_GETARG_POINTER(0));
  void* result = nullptr;
  if (IsA(request, SupportRequestSimplify))
    result = simplified(reinterpret_cast<SupportRequestSimplify*>(request), &boundaries);
  else if (IsA(request, SupportRequestIndexCondition))
    result =
        index_conditions(reinterpret_cast<SupportRequestIndexCondition*>(request), &boundaries);
  PG_RETURN_POINTER(result);
}

}  // namespace ids
