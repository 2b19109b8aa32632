// The fmgr functions about the times of ids, written over a TimeLayout: which time an id has, which
// ids a time has, and how an id compares with a time.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/codec.hpp"
#include "pg/clock.hpp"
#include "pg/postgres.hpp"
#include "type/error.hpp"
#include "type/time_range.hpp"

namespace ids {

template <TimeLayout C>
struct TimedType {
  using Value = typename C::Value;
  static constexpr std::size_t kSize = C::kSize;
  static_assert(sizeof(Datum) == 8, "ids needs a 64-bit PostgreSQL");
  static_assert(C::kByValue ? kSize == sizeof(Datum) : kSize > sizeof(Datum),
                "ids have 8 bytes, passed by value, or more, passed by reference");

  // By-reference values are aligned to char: read them as bytes only.
  static Value get(Datum datum) {
    Value value;
    if constexpr (C::kByValue)
      store_big_endian(value.data(), static_cast<std::uint64_t>(datum));
    else
      std::memcpy(value.data(), DatumGetPointer(datum), kSize);
    return value;
  }

  static Datum put(const Value& value) {
    if constexpr (C::kByValue) {
      return static_cast<Datum>(load_big_endian<std::uint64_t>(value.data()));
    } else {
      void* result = palloc(kSize);
      std::memcpy(result, value.data(), kSize);
      return PointerGetDatum(result);
    }
  }

  static TimestampTz timestamp(const Value& value) {
    return timestamptz_from_unix_us(C::time(value) * C::kUnitUs);
  }

  // The argument of gen_T(at) in units since 1970; raises 22008 if it is out of range.
  static std::int64_t time_argument(TimestampTz timestamp, std::int64_t first = C::kMinTime,
                                    std::int64_t last = C::kMaxTime,
                                    const char* range = C::kTimeRange) {
    const std::int64_t time = floor_divide(unix_us_from_timestamptz(timestamp), C::kUnitUs);
    if (time < first || time > last)
      time_out_of_range(C::kName, "gen_%s accepts times from %s.", range);
    return time;
  }
  static Datum extract_timestamp(FunctionCallInfo fcinfo) {
    PG_RETURN_TIMESTAMPTZ(timestamp(get(PG_GETARG_DATUM(0))));
  }

  static Datum first(FunctionCallInfo fcinfo) { return boundary<first_of<C>>(fcinfo); }
  static Datum last(FunctionCallInfo fcinfo) { return boundary<last_of<C>>(fcinfo); }

  // The first and last value whose time a tstzrange contains. If there is none, the first is
  // greater than the last.
  static Datum range_first(FunctionCallInfo fcinfo) {
    return put(TimeRange<C>::argument(fcinfo, 0).first_id());
  }
  static Datum range_last(FunctionCallInfo fcinfo) {
    return put(TimeRange<C>::argument(fcinfo, 0).last_id());
  }

  // The time predicates. PostgreSQL calls them where the planner has not turned them into
  // comparisons with a boundary; the result is the same.
  static Datum lt_timestamptz(FunctionCallInfo fcinfo) { return compare_first(fcinfo, 0) < 0; }
  static Datum le_timestamptz(FunctionCallInfo fcinfo) { return compare_last(fcinfo, 0) <= 0; }
  static Datum gt_timestamptz(FunctionCallInfo fcinfo) { return compare_last(fcinfo, 0) > 0; }
  static Datum ge_timestamptz(FunctionCallInfo fcinfo) { return compare_first(fcinfo, 0) >= 0; }
  static Datum timestamptz_lt(FunctionCallInfo fcinfo) { return compare_last(fcinfo, 1) > 0; }
  static Datum timestamptz_le(FunctionCallInfo fcinfo) { return compare_first(fcinfo, 1) >= 0; }
  static Datum timestamptz_gt(FunctionCallInfo fcinfo) { return compare_first(fcinfo, 1) < 0; }
  static Datum timestamptz_ge(FunctionCallInfo fcinfo) { return compare_last(fcinfo, 1) <= 0; }
  static Datum contained_by_tstzrange(FunctionCallInfo fcinfo) { return in_time_range(fcinfo, 0); }
  static Datum tstzrange_contains(FunctionCallInfo fcinfo) { return in_time_range(fcinfo, 1); }

  // in_range(value, base, offset interval, sub, less) compares the times, as in_range of
  // timestamptz does.
  static Datum in_range(FunctionCallInfo fcinfo) {
    return DirectFunctionCall5(in_range_timestamptz_interval,
                               TimestampTzGetDatum(timestamp(get(PG_GETARG_DATUM(0)))),
                               TimestampTzGetDatum(timestamp(get(PG_GETARG_DATUM(1)))),
                               PG_GETARG_DATUM(2), PG_GETARG_DATUM(3), PG_GETARG_DATUM(4));
  }

 private:
  // A boundary that a call has made, with its time.
  struct Boundary {
    TimestampTz at;
    Value value;
    Datum datum;
  };

  // A filter like id >= now() - interval '1 day' asks for the same boundary in each row. So a call
  // keeps the first one it makes: the filter then costs 0.97 to 1.03 times what it costs for a
  // timestamptz, without this 1.14 to 1.38. It keeps no later one, because a boundary that it has
  // returned may be in use and must not change.
  template <auto make>
  static Datum boundary(FunctionCallInfo fcinfo) {
    const TimestampTz at = PG_GETARG_TIMESTAMPTZ(0);
    FmgrInfo* call = fcinfo->flinfo;
    auto* kept = static_cast<Boundary*>(call ? call->fn_extra : nullptr);
    if (likely(kept && kept->at == at)) return kept->datum;
    const Value value = make(unix_us_from_timestamptz(at));
    if (!call || kept) return put(value);
    kept = static_cast<Boundary*>(MemoryContextAlloc(call->fn_mcxt, sizeof *kept));
    kept->at = at;
    kept->value = value;
    kept->datum = C::kByValue ? put(value) : PointerGetDatum(kept->value.data());
    call->fn_extra = kept;
    return kept->datum;
  }

  // These compare an id, which is the argument of that number, with the boundary of the other
  // argument, a time.
  static int compare_first(FunctionCallInfo fcinfo, int id) {
    const Value boundary = first_of<C>(unix_us_from_timestamptz(PG_GETARG_TIMESTAMPTZ(1 - id)));
    return compare_bytes<kSize>(get(PG_GETARG_DATUM(id)).data(), boundary.data());
  }
  static int compare_last(FunctionCallInfo fcinfo, int id) {
    const Value boundary = last_of<C>(unix_us_from_timestamptz(PG_GETARG_TIMESTAMPTZ(1 - id)));
    return compare_bytes<kSize>(get(PG_GETARG_DATUM(id)).data(), boundary.data());
  }
  static Datum in_time_range(FunctionCallInfo fcinfo, int id) {
    PG_RETURN_BOOL(
        TimeRange<C>::argument(fcinfo, 1 - id).contains(C::time(get(PG_GETARG_DATUM(id)))));
  }
};

}  // namespace ids

// Defines the fmgr function of an SQL function name_function, or of function_name.
// clang-format off
#define IDS_TYPE_FUNCTION(name, type, function) \
  IDS_FUNCTION(name##_##function) { return type::function(fcinfo); }
#define IDS_COMMUTATOR(name, type, function) \
  IDS_FUNCTION(function##_##name) { return type::function(fcinfo); }
// clang-format on
