// What the planner asks a type for.
#pragma once

#include <cstdint>

#include "planner/catalog.hpp"

namespace ids {

// The support function of the time predicates of a type: rewrites them as comparisons with the
// type's boundaries, which can use indexes and partitions.
Datum time_predicate_support(FunctionCallInfo fcinfo, const PlannedType& type);

// The estimator of <, <=, > and >= between ids of a type: the share of the rows of rel for which
// the comparison holds, where the columns of other tables are constants, or where rel is 0 the
// share of the pairs of rows in a join. The first 64 bits of an id, as a number, grow evenly with
// its time; now is what they would be by the clock.
double comparison_selectivity(FunctionCallInfo fcinfo, const PlannedType& type, std::uint64_t now,
                              int rel);

}  // namespace ids
