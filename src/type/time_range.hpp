// The times of an identifier type that a tstzrange contains.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/calendar.hpp"
#include "core/codec.hpp"
#include "pg/clock.hpp"
#include "pg/postgres.hpp"

namespace ids {

// First and last time in units of the type. The first is after the last if there are none.
template <TimeLayout C>
struct TimeRange {
  std::int64_t first;
  std::int64_t last;

  // Of the tstzrange that is the argument of that number.
  static TimeRange argument(FunctionCallInfo fcinfo, int number) {
    RangeType* source = PG_GETARG_RANGE_P(number);
    RangeBound lower, upper;
    bool is_empty;
    range_deserialize(range_get_typcache(fcinfo, RangeTypeGetOid(source)), source, &lower, &upper,
                      &is_empty);
    if (is_empty) return {C::kMaxTime, C::kMinTime};
    TimeRange range{C::kMinTime, C::kMaxTime};
    if (!lower.infinite) range.first = std::max(range.first, unit(lower) + !lower.inclusive);
    if (!upper.infinite) range.last = std::min(range.last, unit(upper) - !upper.inclusive);
    return range;
  }

  bool contains(std::int64_t time) const { return first <= time && time <= last; }

  // The first and last id of these times. The first is greater than the last if there are none.
  auto first_id() const { return first <= last ? C::first(first) : C::last(C::kMaxTime); }
  auto last_id() const { return first <= last ? C::last(last) : C::first(C::kMinTime); }

 private:
  // The unit of time that contains the bound.
  static std::int64_t unit(const RangeBound& bound) {
    return floor_divide(unix_us_from_timestamptz(DatumGetTimestampTz(bound.val)), C::kUnitUs);
  }
};

}  // namespace ids
