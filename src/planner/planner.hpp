// What the planner asks about comparisons of ids and their times; one answer for all types.
#pragma once

#include <cstdint>

#include "pg/postgres.hpp"

namespace ids {

// A function that makes an id of a time, a range or the two ends of one; its name in SQL is the
// type's with a suffix.
struct TimeBoundary {
  const char* suffix;
  PGFunction function;
};

enum { kFirst, kLast, kRangeFirst, kRangeLast, kFromFirst, kFromLast, kBoundaries };
constexpr int kMostBoundaryArguments = 2;

// What belongs to a type in the catalogs; comparisons go by their btree strategy.
struct CatalogObjects {
  std::uint64_t as_of;  // which change of the catalogs
  Oid type;
  Oid comparisons[BTMaxStrategyNumber + 1];
  Oid procedures[BTMaxStrategyNumber + 1];
  Oid boundaries[kBoundaries];
};

// What the planner is told of a type.
struct PlannedType {
  const char* name;
  bool by_value;
  TimeBoundary boundaries[kBoundaries];
  CatalogObjects* objects;
};

// What belongs to the type, or null while the extension is being installed.
const CatalogObjects* objects_of(const PlannedType& type);

// The btree strategy of a comparison of the type, or InvalidStrategy.
int strategy_of(const CatalogObjects* objects, Oid comparison);

// The strategy with the operands exchanged.
constexpr int commuted(int strategy) {
  return BTMaxStrategyNumber + 1 - strategy;
}

// The value of an expression, if it is known at plan time.
struct Value {
  bool known;
  bool is_null;
  Datum datum;
};

// The id that a boundary function makes of its arguments, a time, a range or two times.
Datum boundary_of(const TimeBoundary& boundary, const Value* arguments, int count);

// The estimator of <, <=, > and >= between ids of a type: the share of rows for which the
// comparison holds. The first 64 bits of an id, as a number, grow evenly with its time; now is what
// they would be by the clock.
Datum comparison_selectivity(FunctionCallInfo fcinfo, const PlannedType& type, std::uint64_t now);

// The planner's support function of the time predicates of a type: writes them as comparisons with
// the type's boundaries, which indexes and partitions serve.
Datum time_predicate_support(FunctionCallInfo fcinfo, const PlannedType& type);

}  // namespace ids
