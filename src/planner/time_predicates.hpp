#pragma once

#include "planner/catalog.hpp"

namespace ids {

// The planner's support function of the time predicates of a type: rewrites them as comparisons
// with the type's boundaries, which can use indexes and partitions.
Datum time_predicate_support(FunctionCallInfo fcinfo, const PlannedType& type);

}  // namespace ids
