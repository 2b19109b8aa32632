// Rewrites comparisons of ids with times as comparisons of ids, which can use indexes and
// partitions.
//
//   id >= time            becomes   id >= T_first(time)
//   id <  time                      id <  T_first(time)
//   id >  time                      id >  T_last(time)
//   id <= time                      id <= T_last(time)
//   time <= id  and so on           the same
//   id <@ range, range @> id        id >= T_range_first(range) AND id <= T_range_last(range)
//   uuidv7_within(id, range)        the same
//
// T_first('2026-11-01') and the like are computed here; for now() or a parameter they are computed
// when the query runs. For example
//
//   SELECT * FROM item WHERE id <@ tstzrange('2026-11-01', '2026-12-01');
//   ->  id >= '01M6A6FT000000000000000000' AND id <= '01M8HEBVZZZZZZZZZZZZZZZZZZ'
//
// The predicate stays a call of its function, with the same result, for:
//
//   id > time of its row  no index serves it, and two calls cost more than one; so for ranges
//   id <@ range           if the range is volatile or a sub-select: to compute it twice could give
//                         two ranges
//   expression <@ range   if the expression is volatile, a sub-select, or more than ten operators
//
// These calls can still use an index, unless the range is volatile:
//
//   id <@ (SELECT range)  by  id >= T_range_first((SELECT range)) AND ...
#include <algorithm>

#include "planner/planner.hpp"

namespace ids {

namespace {

Node* without_relabeling(Node* node) {
  while (IsA(node, RelabelType))
    node = reinterpret_cast<Node*>(reinterpret_cast<RelabelType*>(node)->arg);
  return node;
}

// A call of a predicate.
class TimePredicate {
 public:
  bool read(const PlannedType& type, Oid function, List* args) {
    objects = objects_of(type);
    if (!objects || list_length(args) != 2) return false;
    predicate = std::find_if(objects->predicates, objects->predicates + kPredicates,
                             [function](const Predicate& p) { return p.function == function; });
    // A user's own function may have this support function, too.
    if (predicate == objects->predicates + kPredicates) return false;
    id = static_cast<Node*>(list_nth(args, predicate->id_argument));
    // A range is passed as a domain.
    time = without_relabeling(static_cast<Node*>(list_nth(args, 1 - predicate->id_argument)));
    return true;
  }

  bool is_range() const { return predicate->strategy == InvalidStrategy; }

  // The comparisons of the id that together mean the same as the time predicate. They use its
  // operands, and copies where there are two, because the planner changes expressions in place.
  List* comparisons() const {
    if (is_range())
      return list_make2(
          compare(static_cast<Node*>(copyObjectImpl(id)), BTGreaterEqualStrategyNumber, kRangeFirst,
                  static_cast<Node*>(copyObjectImpl(time))),
          compare(id, BTLessEqualStrategyNumber, kRangeLast, time));
    const bool at_first = predicate->strategy == BTLessStrategyNumber ||
                          predicate->strategy == BTGreaterEqualStrategyNumber;
    return list_make1(compare(id, predicate->strategy, at_first ? kFirst : kLast, time));
  }

  const CatalogObjects* objects;
  const Predicate* predicate;
  Node* id;
  Node* time;

 private:
  Expr* compare(Node* with_id, int strategy, int boundary, Node* of) const {
    Expr* comparison = make_opclause(
        objects->comparisons[strategy], BOOLOID, false, reinterpret_cast<Expr*>(with_id),
        call(objects->boundaries[boundary], of), InvalidOid, InvalidOid);
    reinterpret_cast<OpExpr*>(comparison)->opfuncid = objects->procedures[strategy];
    return comparison;
  }

  // Nothing simplifies the result of a support function, so a constant boundary is made here. No
  // constant is null: the predicates are strict.
  Expr* call(Oid boundary, Node* of) const {
    const auto* constant = reinterpret_cast<Const*>(of);
    if (!IsA(of, Const))
      return reinterpret_cast<Expr*>(makeFuncExpr(boundary, objects->type, list_make1(of),
                                                  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
    const TypeCacheEntry* type = lookup_type_cache(objects->type, 0);
    return reinterpret_cast<Expr*>(makeConst(objects->type, -1, InvalidOid, type->typlen,
                                             OidFunctionCall1(boundary, constant->constvalue),
                                             false, type->typbyval));
  }
};

// The call as comparisons. Those for a range compute the id and the range twice, which must not
// change the result and must not cost much for the id.
Node* simplified(SupportRequestSimplify* request, const PlannedType& type) {
  TimePredicate call;
  auto* operands = reinterpret_cast<Node*>(request->fcall->args);
  if (!call.read(type, request->fcall->funcid, request->fcall->args)) return nullptr;
  const auto* column = reinterpret_cast<const Var*>(without_relabeling(call.id));
  if (IsA(column, Var) && column->varlevelsup == 0 &&
      bms_is_member(column->varno, pull_varnos(request->root, call.time)))
    return nullptr;
  if (call.is_range()) {
    if (contain_volatile_functions(operands) || contain_subplans(operands)) return nullptr;
    // PostgreSQL's limit for an argument that an inlined SQL function uses twice.
    QualCost cost;
    cost_qual_eval_node(&cost, call.id, nullptr);
    if (cost.startup + cost.per_tuple > 10 * cpu_operator_cost) return nullptr;
  }
  return reinterpret_cast<Node*>(make_ands_explicit(call.comparisons()));
}

// Whether a sub-select that is planned already is volatile, or another one in it: its node shows
// only its arguments to contain_volatile_functions().
bool has_volatile_subplan(Node* node, void* subroots) {
  if (!node) return false;
  if (IsA(node, SubPlan)) {
    auto* planned = static_cast<List*>(subroots);
    const void* asked = list_nth(planned, reinterpret_cast<SubPlan*>(node)->plan_id - 1);
    ListCell* cell;
    foreach (cell, planned) {
      auto* inner = static_cast<PlannerInfo*>(lfirst(cell));
      for (PlannerInfo* outer = inner; outer; outer = outer->parent_root)
        if (outer == asked && contain_volatile_functions(reinterpret_cast<Node*>(inner->parse)))
          return true;
    }
  }
  return expression_tree_walker(node, has_volatile_subplan, subroots);
}

// Index conditions for a call that could not be simplified.
List* index_conditions(SupportRequestIndexCondition* request, const PlannedType& type) {
  List* args = IsA(request->node, OpExpr) ? reinterpret_cast<OpExpr*>(request->node)->args
                                          : reinterpret_cast<FuncExpr*>(request->node)->args;
  TimePredicate call;
  if (!call.read(type, request->funcid, args) || request->indexarg != call.predicate->id_argument ||
      !op_in_opfamily(call.objects->comparisons[BTLessStrategyNumber], request->opfamily) ||
      !is_pseudo_constant_for_index(request->root, call.time, request->index) ||
      has_volatile_subplan(call.time, request->root->glob->subroots))
    return NIL;
  request->lossy = false;
  return call.comparisons();
}

}  // namespace

Datum time_predicate_support(FunctionCallInfo fcinfo, const PlannedType& type) {
  auto* request = reinterpret_cast<Node*>(PG_GETARG_POINTER(0));
  if (IsA(request, SupportRequestSimplify))
    PG_RETURN_POINTER(simplified(reinterpret_cast<SupportRequestSimplify*>(request), type));
  if (IsA(request, SupportRequestIndexCondition))
    PG_RETURN_POINTER(
        index_conditions(reinterpret_cast<SupportRequestIndexCondition*>(request), type));
  PG_RETURN_POINTER(static_cast<Node*>(nullptr));
}

}  // namespace ids
