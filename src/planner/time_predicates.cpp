#include "planner/planner.hpp"

#include <algorithm>
#include <cstring>

namespace ids {

namespace {

// Counts changes of functions in the catalogs; 0: nobody counts yet.
std::uint64_t changes = 0;

}  // namespace

// They are looked up once, and again after a change: the extension's objects come and go together.
const CatalogObjects* objects_of(const PlannedType& type) {
  CatalogObjects* objects = type.objects;
  if (changes == 0) {
    CacheRegisterSyscacheCallback(
        PROCOID, [](Datum, auto, uint32) { ++changes; }, static_cast<Datum>(0));
    changes = 1;
  }
  if (objects->as_of == changes) return objects;
  const std::uint64_t as_of = changes;
  objects->as_of = 0;
  objects->type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(type.name),
                                  ObjectIdGetDatum(PG_CATALOG_NAMESPACE));
  if (!OidIsValid(objects->type)) return nullptr;
  const Oid family = lookup_type_cache(objects->type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  for (int strategy = 1; strategy <= BTMaxStrategyNumber; ++strategy) {
    const Oid comparison =
        get_opfamily_member(family, objects->type, objects->type, static_cast<int16>(strategy));
    if (!OidIsValid(comparison)) return nullptr;
    objects->comparisons[strategy] = comparison;
    objects->procedures[strategy] = get_opcode(comparison);
  }
  for (int i = 0; i < kBoundaries; ++i) {
    char name[NAMEDATALEN];
    strlcpy(name, type.name, sizeof name);
    strlcat(name, type.boundaries[i].suffix, sizeof name);
    const Oid argument = i == kRangeFirst || i == kRangeLast ? TSTZRANGEOID : TIMESTAMPTZOID;
    const Oid arguments[] = {argument, argument};
    objects->boundaries[i] =
        GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
                        PointerGetDatum(buildoidvector(arguments, i < kFromFirst ? 1 : 2)),
                        ObjectIdGetDatum(PG_CATALOG_NAMESPACE));
    if (!OidIsValid(objects->boundaries[i])) return nullptr;
  }
  objects->as_of = as_of;
  return objects;
}

int strategy_of(const CatalogObjects* objects, Oid comparison) {
  for (int strategy = 1; strategy <= BTMaxStrategyNumber; ++strategy)
    if (objects->comparisons[strategy] == comparison) return strategy;
  return InvalidStrategy;
}

Datum boundary_of(const TimeBoundary& boundary, const Value* arguments, int count) {
  FmgrInfo function{};
  function.fn_addr = boundary.function;
  function.fn_mcxt = CurrentMemoryContext;
  LOCAL_FCINFO(fcinfo, kMostBoundaryArguments);
  InitFunctionCallInfoData(*fcinfo, &function, static_cast<short>(count), InvalidOid, nullptr,
                           nullptr);
  for (int i = 0; i < count; ++i) fcinfo->args[i] = {arguments[i].datum, arguments[i].is_null};
  return FunctionCallInvoke(fcinfo);
}

namespace {

Node* without_relabeling(Node* node) {
  while (IsA(node, RelabelType))
    node = reinterpret_cast<Node*>(reinterpret_cast<RelabelType*>(node)->arg);
  return node;
}

// A call of a time predicate. The function's name says which operand is the id and which operator
// it implements: lt, le, gt, ge, or else that of ranges.
class TimePredicate {
 public:
  bool read(const PlannedType& of_type, Oid function, List* args) {
    objects = objects_of(of_type);
    if (!objects || list_length(args) != 2) return false;
    HeapTuple row = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
    if (!HeapTupleIsValid(row)) return false;
    const char* name = NameStr(reinterpret_cast<Form_pg_proc>(GETSTRUCT(row))->proname);
    const std::size_t length = std::strlen(of_type.name);
    const bool on_left = std::strncmp(name, of_type.name, length) == 0 && name[length] == '_';
    const char* meaning = std::strchr(name + (on_left ? length : 0), '_');
    const auto means = [meaning](const char* what) {
      return meaning && std::strncmp(meaning, what, 4) == 0;
    };
    strategy = means("_lt_")   ? BTLessStrategyNumber
               : means("_le_") ? BTLessEqualStrategyNumber
               : means("_ge_") ? BTGreaterEqualStrategyNumber
               : means("_gt_") ? BTGreaterStrategyNumber
                               : InvalidStrategy;
    if (strategy != InvalidStrategy && !on_left) strategy = commuted(strategy);
    ReleaseSysCache(row);
    type = &of_type;
    id_argument = on_left ? 0 : 1;
    id = static_cast<Node*>(list_nth(args, id_argument));
    // Ranges and multiranges are passed as domains; so are the ids that go with multiranges.
    time = without_relabeling(static_cast<Node*>(list_nth(args, 1 - id_argument)));
    time_type = getBaseType(exprType(time));
    // A superuser may have renamed the function, so that its name does not fit its arguments.
    if (is_range() ? time_type != TSTZRANGEOID && !is_multirange() : time_type != TIMESTAMPTZOID)
      return false;
    if (exprType(id) == objects->type) return true;
    if (getBaseType(exprType(id)) != objects->type) return false;
    id = applyRelabelType(id, objects->type, -1, InvalidOid, COERCE_IMPLICIT_CAST, -1, false);
    return true;
  }

  bool is_range() const { return strategy == InvalidStrategy; }
  bool is_multirange() const { return time_type == TSTZMULTIRANGEOID; }

  // The comparisons of the id that together mean the same as the time predicate. They use its
  // operands, and copies where there are two, because the planner changes expressions in place.
  List* comparisons() const {
    if (is_range()) {
      // For tstzrange(from, upto) its two arguments will do, and there is less to plan.
      const auto* call = reinterpret_cast<FuncExpr*>(time);
      const bool has_ends =
          IsA(time, FuncExpr) && call->funcid == F_TSTZRANGE_TIMESTAMPTZ_TIMESTAMPTZ;
      List* args = has_ends ? call->args : list_make1(time);
      return list_make2(
          compare(BTGreaterEqualStrategyNumber, has_ends ? kFromFirst : kRangeFirst,
                  copyObjectImpl(id), static_cast<List*>(copyObjectImpl(args))),
          compare(BTLessEqualStrategyNumber, has_ends ? kFromLast : kRangeLast, id, args));
    }
    const bool at_first =
        strategy == BTLessStrategyNumber || strategy == BTGreaterEqualStrategyNumber;
    return list_make1(compare(strategy, at_first ? kFirst : kLast, id, list_make1(time)));
  }

  const CatalogObjects* objects;
  int id_argument;
  Node* id;
  Node* time;

 private:
  Expr* compare(int with, int boundary, void* with_id, List* args) const {
    auto* time_or_range = static_cast<Node*>(linitial(args));
    Expr* value = list_length(args) == 1 && IsA(time_or_range, Const)
                      ? constant(boundary, reinterpret_cast<Const*>(time_or_range))
                      : function_call(boundary, args);
    Expr* result = make_opclause(objects->comparisons[with], BOOLOID, false,
                                 static_cast<Expr*>(with_id), value, InvalidOid, InvalidOid);
    reinterpret_cast<OpExpr*>(result)->opfuncid = objects->procedures[with];
    return result;
  }

  // Nothing simplifies the result of a support function, so a constant boundary is made here.
  Expr* constant(int boundary, const Const* argument) const {
    const TypeCacheEntry* of_id = lookup_type_cache(objects->type, 0);
    const Value of{true, false, argument->constvalue};
    const Datum value = argument->constisnull ? static_cast<Datum>(0)
                                              : boundary_of(type->boundaries[boundary], &of, 1);
    return reinterpret_cast<Expr*>(makeConst(objects->type, -1, InvalidOid, of_id->typlen, value,
                                             argument->constisnull, of_id->typbyval));
  }

  Expr* function_call(int boundary, List* args) const {
    return reinterpret_cast<Expr*>(makeFuncExpr(objects->boundaries[boundary], objects->type, args,
                                                InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
  }

  const PlannedType* type;
  Oid time_type;
  int strategy;  // as if the id stood on the left; InvalidStrategy for ranges
};

// The call as comparisons. They compute the id and the range twice, which must not change the
// result and must not cost much for the id.
Node* simplified(SupportRequestSimplify* request, const PlannedType& type) {
  TimePredicate predicate;
  if (!predicate.read(type, request->fcall->funcid, request->fcall->args) ||
      predicate.is_multirange())
    return nullptr;
  if (predicate.is_range() && !IsA(predicate.time, Const) &&
      (contain_volatile_functions(predicate.time) || contain_subplans(predicate.time)))
    return nullptr;
  if (predicate.is_range() && !IsA(predicate.id, Var)) {
    if (contain_volatile_functions(predicate.id) || contain_subplans(predicate.id)) return nullptr;
    // The limit for what an inlined SQL function uses twice.
    QualCost cost;
    cost_qual_eval_node(&cost, predicate.id, nullptr);
    if (cost.startup + cost.per_tuple > 10 * cpu_operator_cost) return nullptr;
  }
  return reinterpret_cast<Node*>(make_ands_explicit(predicate.comparisons()));
}

// Index conditions for a call that could not be simplified: its range may be the result of a
// sub-select, and its id an expression that is expensive but indexed. For several ranges they are
// those of the smallest range that contains them all.
List* index_conditions(SupportRequestIndexCondition* request, const PlannedType& type) {
  List* args = IsA(request->node, OpExpr) ? reinterpret_cast<OpExpr*>(request->node)->args
                                          : reinterpret_cast<FuncExpr*>(request->node)->args;
  TimePredicate predicate;
  if (!predicate.read(type, request->funcid, args) || request->indexarg != predicate.id_argument ||
      !op_in_opfamily(predicate.objects->comparisons[BTLessStrategyNumber], request->opfamily) ||
      !is_pseudo_constant_for_index(request->root, predicate.time, request->index) ||
      contain_subplans(predicate.time))
    return NIL;
  const bool is_multirange = predicate.is_multirange();
  predicate.id = static_cast<Node*>(copyObjectImpl(predicate.id));
  predicate.time = static_cast<Node*>(copyObjectImpl(predicate.time));
  if (is_multirange)
    predicate.time = reinterpret_cast<Node*>(makeFuncExpr(F_RANGE_MERGE_ANYMULTIRANGE, TSTZRANGEOID,
                                                          list_make1(predicate.time), InvalidOid,
                                                          InvalidOid, COERCE_EXPLICIT_CALL));
  request->lossy = is_multirange;
  return predicate.comparisons();
}

}  // namespace

Datum time_predicate_support(FunctionCallInfo fcinfo, const PlannedType& type) {
  auto* request = reinterpret_cast<Node*>(PG_GETARG_POINTER(0));
  void* result = nullptr;
  if (IsA(request, SupportRequestSimplify))
    result = simplified(reinterpret_cast<SupportRequestSimplify*>(request), type);
  else if (IsA(request, SupportRequestIndexCondition))
    result = index_conditions(reinterpret_cast<SupportRequestIndexCondition*>(request), type);
  PG_RETURN_POINTER(result);
}

}  // namespace ids
