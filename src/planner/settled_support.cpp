#include "pg/postgres.hpp"

// While the planner estimates a condition, it calls the STABLE functions in it. ulid_settled() and
// uuidv7_settled() must not be called then, neither in EXPLAIN nor for a branch that is never
// executed, because they raise an error on a standby. The planner does not call a function whose
// argument is not a constant. So this adds such an argument to the call:
//
//   id < ulid_settled()    becomes    id < ulid_settled(VALUE)
//
// VALUE is what a domain checks, and NULL outside of a domain; the function ignores it.

// ids_settled_support(internal) -> internal
IDS_FUNCTION(ids_settled_support) {
  auto* node = reinterpret_cast<Node*>(PG_GETARG_POINTER(0));
  if (!IsA(node, SupportRequestSimplify)) PG_RETURN_DATUM(0);
  FuncExpr* call = reinterpret_cast<SupportRequestSimplify*>(node)->fcall;
  if (call->args) PG_RETURN_DATUM(0);
  auto* value = makeNode(CoerceToDomainValue);
  value->typeId = INT4OID;
  value->typeMod = -1;
  value->location = -1;
  auto* unknown = static_cast<FuncExpr*>(copyObjectImpl(call));
  unknown->args = list_make1(value);
  PG_RETURN_POINTER(unknown);
}
