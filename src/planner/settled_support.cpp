#include "pg/postgres.hpp"

// While the planner estimates a condition, it calls the STABLE functions in it. T_settled() must
// not be called then, neither in EXPLAIN nor for a branch that is never executed, because they
// raise an error on a standby. The planner does not call a function whose argument is not a
// constant. So this adds such an argument to the call:
//
//   id < ulid_settled()    becomes    id < ulid_settled((NULL::pg_type).oid)
//
// The function ignores it. The planner does not simplify the field of a constant row if its type is
// not the declared one. It knows that taking a field leaks nothing, so it can still evaluate the
// condition before the conditions of row-level security and of views with security_barrier.

// ids_settled_support(internal) -> internal
IDS_FUNCTION(ids_settled_support) {
  auto* node = reinterpret_cast<Node*>(PG_GETARG_POINTER(0));
  if (!IsA(node, SupportRequestSimplify)) PG_RETURN_DATUM(0);
  FuncExpr* call = reinterpret_cast<SupportRequestSimplify*>(node)->fcall;
  if (call->args) PG_RETURN_DATUM(0);
  auto* field = makeNode(FieldSelect);
  field->arg = reinterpret_cast<Expr*>(makeNullConst(TypeRelation_Rowtype_Id, -1, InvalidOid));
  field->fieldnum = Anum_pg_type_oid;
  field->resulttype = INT4OID;  // not OIDOID
  field->resulttypmod = -1;
  auto* unknown = static_cast<FuncExpr*>(copyObjectImpl(call));
  unknown->args = list_make1(field);
  PG_RETURN_POINTER(unknown);
}
