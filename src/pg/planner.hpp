// What the planner asks about comparisons of ids and their times; one answer for all types.
#pragma once

#include <cstdint>

#include "pg/postgres.hpp"

namespace ids {

// The estimator of <, <=, > and >= between ids of a type, whose values have that size and are
// passed so: the share of rows for which the comparison holds. The first 64 bits of an id, as a
// number, grow evenly with its time; now is what they would be by the clock.
Datum comparison_selectivity(FunctionCallInfo fcinfo, int size, bool by_value, std::uint64_t now);

// A function that makes an id of a time or a range; its name in SQL is the type's with a suffix.
struct TimeBoundary {
  const char* suffix;
  PGFunction function;
};

struct TimeBoundaries {
  const char* type;
  TimeBoundary first;
  TimeBoundary last;
  TimeBoundary range_first;
  TimeBoundary range_last;
};

// The planner's support function of the time predicates of a type: writes them as comparisons with
// the type's boundaries, which indexes and partitions serve.
Datum time_predicate_support(FunctionCallInfo fcinfo, const TimeBoundaries& boundaries);

}  // namespace ids
