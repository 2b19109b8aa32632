// The fmgr functions that all identifier types share, written over a codec. Those about times only
// need a TimeLayout.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/codec.hpp"
#include "core/input.hpp"
#include "pg/clock.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/postgres.hpp"
#include "planner/planner.hpp"
#include "type/gist.hpp"
#include "type/time_range.hpp"

namespace ids {

template <TimeLayout C>
struct FixedType {
  using Value = typename C::Value;
  static constexpr std::size_t kSize = C::kSize;
  static_assert(sizeof(Datum) == 8, "ids needs a 64-bit PostgreSQL");
  static_assert(C::kByValue ? kSize == sizeof(Datum) : kSize > sizeof(Datum));

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

  static int compare(Datum a, Datum b) {
    if constexpr (C::kByValue) return a < b ? -1 : a > b;
    return compare_bytes<kSize>(bytes(a), bytes(b));
  }

  static Datum in(FunctionCallInfo fcinfo) {
    return from_text(fcinfo->context, PG_GETARG_CSTRING(0));
  }

  static Datum out(FunctionCallInfo fcinfo) {
    auto* text = static_cast<char*>(palloc(C::kTextSize + 1));
    C::format(get(PG_GETARG_DATUM(0)), std::span<char, C::kTextSize>(text, C::kTextSize));
    text[C::kTextSize] = '\0';
    PG_RETURN_CSTRING(text);
  }

  // Like out, but without a C string that would have to be copied into a text.
  static Datum to_text(FunctionCallInfo fcinfo) {
    constexpr std::size_t size = VARHDRSZ + C::kTextSize;
    auto* result = static_cast<text*>(palloc(size));
    SET_VARSIZE(result, size);
    C::format(get(PG_GETARG_DATUM(0)),
              std::span<char, C::kTextSize>(VARDATA(result), C::kTextSize));
    PG_RETURN_TEXT_P(result);
  }

  static Datum recv(FunctionCallInfo fcinfo) {
    auto* message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    const int size = message->len - message->cursor;
    const char* bytes = pq_getmsgbytes(message, size);
    if (size == int{kSize}) return from_bytes(bytes, size);
    // Some clients send the text in binary format. No text of an id has as many characters as the
    // id has bytes, and it is ASCII, so it is the same in every encoding.
    Value value;
    const ParseResult result = parse_input<C>({bytes, static_cast<std::size_t>(size)}, value);
    if (result.error == ParseError::none) return put(value);
    if (result.error == ParseError::length) invalid_bytes<C>(size);
    // The error shows the text, which may be anything: check and convert its encoding first.
    message->cursor -= size;
    int converted_size;
    return from_text(fcinfo->context, pq_getmsgtext(message, size, &converted_size));
  }

  static Datum send(FunctionCallInfo fcinfo) { return to_bytea(fcinfo); }

  static Datum from_bytea(FunctionCallInfo fcinfo) {
    bytea* source = PG_GETARG_BYTEA_PP(0);
    return from_bytes(VARDATA_ANY(source), VARSIZE_ANY_EXHDR(source));
  }

  static Datum to_bytea(FunctionCallInfo fcinfo) {
    const Value value = get(PG_GETARG_DATUM(0));
    return bytea_datum(value.data(), kSize);
  }

  static Datum is_valid(FunctionCallInfo fcinfo) {
    Value value;
    PG_RETURN_BOOL(parse_input<C>(text_view(PG_GETARG_TEXT_PP(0)), value) == ParseResult{});
  }

  static Datum eq(FunctionCallInfo fcinfo) { PG_RETURN_BOOL(compare_arguments(fcinfo) == 0); }
  static Datum ne(FunctionCallInfo fcinfo) { PG_RETURN_BOOL(compare_arguments(fcinfo) != 0); }
  static Datum lt(FunctionCallInfo fcinfo) { PG_RETURN_BOOL(compare_arguments(fcinfo) < 0); }
  static Datum le(FunctionCallInfo fcinfo) { PG_RETURN_BOOL(compare_arguments(fcinfo) <= 0); }
  static Datum gt(FunctionCallInfo fcinfo) { PG_RETURN_BOOL(compare_arguments(fcinfo) > 0); }
  static Datum ge(FunctionCallInfo fcinfo) { PG_RETURN_BOOL(compare_arguments(fcinfo) >= 0); }
  static Datum cmp(FunctionCallInfo fcinfo) { PG_RETURN_INT32(compare_arguments(fcinfo)); }

  static Datum smaller(FunctionCallInfo fcinfo) {
    return PG_GETARG_DATUM(compare_arguments(fcinfo) <= 0 ? 0 : 1);
  }
  static Datum larger(FunctionCallInfo fcinfo) {
    return PG_GETARG_DATUM(compare_arguments(fcinfo) >= 0 ? 0 : 1);
  }

  static Datum hash(FunctionCallInfo fcinfo) {
    const Datum datum = PG_GETARG_DATUM(0);
    if constexpr (C::kByValue) return hash_uint32(fold(datum));
    return hash_any(bytes(datum), kSize);
  }
  static Datum hash_extended(FunctionCallInfo fcinfo) {
    const Datum datum = PG_GETARG_DATUM(0);
    const std::int64_t seed = PG_GETARG_INT64(1);
    if constexpr (C::kByValue) return hash_uint32_extended(fold(datum), seed);
    return hash_any_extended(bytes(datum), kSize, seed);
  }

  // Sorts by the first 8 bytes, which contain the time.
  static Datum sortsupport(FunctionCallInfo fcinfo) {
    auto* support = reinterpret_cast<SortSupport>(PG_GETARG_POINTER(0));
    if constexpr (C::kByValue)
      support->comparator = ssup_datum_unsigned_cmp;
    else
      sort_abbreviated(support, compare_for_sort, abbreviate);
    PG_RETURN_VOID();
  }

  static Datum extract_timestamp(FunctionCallInfo fcinfo) {
    PG_RETURN_TIMESTAMPTZ(timestamp(get(PG_GETARG_DATUM(0))));
  }

  static Datum first(FunctionCallInfo fcinfo) {
    return put(first_from<C>(unix_us_from_timestamptz(PG_GETARG_TIMESTAMPTZ(0))));
  }
  static Datum last(FunctionCallInfo fcinfo) {
    return put(last_until<C>(unix_us_from_timestamptz(PG_GETARG_TIMESTAMPTZ(0))));
  }

  // The first and last value whose time a tstzrange contains. If there is none, the first is
  // greater than the last.
  static Datum range_first(FunctionCallInfo fcinfo) {
    return put(TimeRange<C>::argument(fcinfo, 0).first_id());
  }
  static Datum range_last(FunctionCallInfo fcinfo) {
    return put(TimeRange<C>::argument(fcinfo, 0).last_id());
  }

  // The same for tstzrange(from, upto), without making the range.
  static Datum range_first_timestamptz(FunctionCallInfo fcinfo) {
    return put(TimeRange<C>::of_two_arguments(fcinfo).first_id());
  }
  static Datum range_last_timestamptz(FunctionCallInfo fcinfo) {
    return put(TimeRange<C>::of_two_arguments(fcinfo).last_id());
  }

  // The time predicates. PostgreSQL calls them where the planner has not turned them into
  // comparisons with a boundary; the result is the same.
  static Datum lt_timestamptz(FunctionCallInfo fcinfo) {
    PG_RETURN_BOOL(from_first(fcinfo, 0) < 0);
  }
  static Datum le_timestamptz(FunctionCallInfo fcinfo) {
    PG_RETURN_BOOL(from_last(fcinfo, 0) <= 0);
  }
  static Datum gt_timestamptz(FunctionCallInfo fcinfo) { PG_RETURN_BOOL(from_last(fcinfo, 0) > 0); }
  static Datum ge_timestamptz(FunctionCallInfo fcinfo) {
    PG_RETURN_BOOL(from_first(fcinfo, 0) >= 0);
  }
  static Datum timestamptz_lt(FunctionCallInfo fcinfo) { PG_RETURN_BOOL(from_last(fcinfo, 1) > 0); }
  static Datum timestamptz_le(FunctionCallInfo fcinfo) {
    PG_RETURN_BOOL(from_first(fcinfo, 1) >= 0);
  }
  static Datum timestamptz_gt(FunctionCallInfo fcinfo) {
    PG_RETURN_BOOL(from_first(fcinfo, 1) < 0);
  }
  static Datum timestamptz_ge(FunctionCallInfo fcinfo) {
    PG_RETURN_BOOL(from_last(fcinfo, 1) <= 0);
  }
  static Datum contained_by_tstzrange(FunctionCallInfo fcinfo) { return in_time_range(fcinfo, 0); }
  static Datum tstzrange_contains(FunctionCallInfo fcinfo) { return in_time_range(fcinfo, 1); }
  static Datum contained_by_tstzmultirange(FunctionCallInfo fcinfo) {
    return in_time_ranges(fcinfo, 0);
  }
  static Datum tstzmultirange_contains(FunctionCallInfo fcinfo) {
    return in_time_ranges(fcinfo, 1);
  }

  static Datum support(FunctionCallInfo fcinfo) {
    return time_predicate_support(fcinfo, kPlannedType);
  }
  static Datum ineqsel(FunctionCallInfo fcinfo) {
    const Value now = first_from<C>(unix_now<1>());
    return comparison_selectivity(fcinfo, kPlannedType, load_big_endian<std::uint64_t>(now.data()));
  }

  // in_range(value, base, offset interval, sub, less) compares the times, as in_range of
  // timestamptz does.
  static Datum in_range(FunctionCallInfo fcinfo) {
    return DirectFunctionCall5(in_range_timestamptz_interval,
                               TimestampTzGetDatum(timestamp(get(PG_GETARG_DATUM(0)))),
                               TimestampTzGetDatum(timestamp(get(PG_GETARG_DATUM(1)))),
                               PG_GETARG_DATUM(2), PG_GETARG_DATUM(3), PG_GETARG_DATUM(4));
  }

  // The distance from the first value to the second, which is not smaller: minmax_multi merges the
  // ranges that are closest.
  static Datum distance(FunctionCallInfo fcinfo) {
    const Value a = get(PG_GETARG_DATUM(0));
    const Value b = get(PG_GETARG_DATUM(1));
    PG_RETURN_FLOAT8(distance_of_bytes<kSize>(a.data(), b.data()));
  }

#if PG_VERSION_NUM >= 180000
  static Datum skipsupport(FunctionCallInfo fcinfo) {
    auto* support = reinterpret_cast<SkipSupport>(PG_GETARG_POINTER(0));
    support->decrement = decrement;
    support->increment = increment;
    support->low_elem = put(C::first(C::kMinTime));
    support->high_elem = put(C::last(C::kMaxTime));
    PG_RETURN_VOID();
  }
#endif

  // For the functions that only one type has: the time of a value; the argument of gen_T(at), in
  // units since 1970 (22008 if it is out of range); and the arguments of T_from_parts, which may be
  // a time (else 22008), a number (22003) or bytes (22P03).
  static TimestampTz timestamp(const Value& value) {
    return timestamptz_from_unix_us(C::time(value) * C::kUnitUs);
  }
  static std::int64_t time_argument(TimestampTz timestamp) {
    const std::int64_t time = floor_divide(unix_us_from_timestamptz(timestamp), C::kUnitUs);
    if (time < min_generate_time<C>() || time > max_generate_time<C>()) time_not_generated<C>();
    return time;
  }
  static std::uint64_t time_field(TimestampTz timestamp) {
    const std::int64_t time = floor_divide(unix_us_from_timestamptz(timestamp), C::kUnitUs);
    if (time < C::kMinTime || time > C::kMaxTime) time_does_not_fit<C>();
    return static_cast<std::uint64_t>(time);
  }
  static std::uint32_t number_field(const char* name, std::int32_t number, std::uint32_t greatest) {
    if (number < 0 || static_cast<std::uint32_t>(number) > greatest)
      number_outside<C>(name, number, greatest);
    return static_cast<std::uint32_t>(number);
  }
  template <std::size_t N>
  static Bytes<N> bytes_field(const char* name, const bytea* source) {
    Bytes<N> bytes;
    if (VARSIZE_ANY_EXHDR(source) != N)
      wrong_number_of_bytes<C>(name, N, VARSIZE_ANY_EXHDR(source));
    std::memcpy(bytes.data(), VARDATA_ANY(source), N);
    return bytes;
  }

 private:
  static inline CatalogObjects objects;
  static constexpr PlannedType kPlannedType{C::kName,
                                            C::kByValue,
                                            {{"_first", first},
                                             {"_last", last},
                                             {"_range_first", range_first},
                                             {"_range_last", range_last},
                                             {"_range_first", range_first_timestamptz},
                                             {"_range_last", range_last_timestamptz}},
                                            &objects};

  static const std::uint8_t* bytes(Datum datum) {
    return reinterpret_cast<const std::uint8_t*>(DatumGetPointer(datum));
  }

  // Combines the two halves of a value for hash_uint32, as hashint8 does.
  static std::uint32_t fold(Datum datum) {
    return static_cast<std::uint32_t>(datum) ^ static_cast<std::uint32_t>(datum >> 32);
  }

  static int compare_arguments(FunctionCallInfo fcinfo) {
    return compare(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1));
  }

  static Datum from_text([[maybe_unused]] Node* context, const char* text) {
    Value value;
    const ParseResult result = parse_input<C>(text, value);
    if (unlikely(result.error != ParseError::none)) return invalid_text<C>(context, text, result);
    return put(value);
  }

  static Datum from_bytes(const char* source, std::size_t size) {
    Value value;
    if (size != kSize) invalid_bytes<C>(size);
    std::memcpy(value.data(), source, kSize);
    if (!C::valid(value)) invalid_bytes<C>(size);
    return put(value);
  }

  // These compare an id, which is the argument of that number, with the boundary of the other
  // argument, a time.
  static int from_first(FunctionCallInfo fcinfo, int id) {
    const Value boundary = first_from<C>(unix_us_from_timestamptz(PG_GETARG_TIMESTAMPTZ(1 - id)));
    return compare_bytes<kSize>(get(PG_GETARG_DATUM(id)).data(), boundary.data());
  }
  static int from_last(FunctionCallInfo fcinfo, int id) {
    const Value boundary = last_until<C>(unix_us_from_timestamptz(PG_GETARG_TIMESTAMPTZ(1 - id)));
    return compare_bytes<kSize>(get(PG_GETARG_DATUM(id)).data(), boundary.data());
  }
  static Datum in_time_range(FunctionCallInfo fcinfo, int id) {
    PG_RETURN_BOOL(
        TimeRange<C>::argument(fcinfo, 1 - id).contains(C::time(get(PG_GETARG_DATUM(id)))));
  }
  static Datum in_time_ranges(FunctionCallInfo fcinfo, int id) {
    MultirangeType* ranges = PG_GETARG_MULTIRANGE_P(1 - id);
    const TypeCacheEntry* type = multirange_get_typcache(fcinfo, MultirangeTypeGetOid(ranges));
    const TimestampTz time = timestamp(get(PG_GETARG_DATUM(id)));
    PG_RETURN_BOOL(
        multirange_contains_elem_internal(type->rngtype, ranges, TimestampTzGetDatum(time)));
  }

#if PG_VERSION_NUM >= 180000
  static Datum decrement(Relation, Datum existing, bool* underflow) {
    const Value value = get(existing);
    *underflow = value == C::first(C::kMinTime);
    return *underflow ? (Datum)0 : put(decrement_bytes(value));
  }
  static Datum increment(Relation, Datum existing, bool* overflow) {
    const Value value = get(existing);
    *overflow = value == C::last(C::kMaxTime);
    return *overflow ? (Datum)0 : put(increment_bytes(value));
  }
#endif

  static int compare_for_sort(Datum a, Datum b, SortSupport) {
    return compare(a, b);
  }
  static Datum abbreviate(Datum original, SortSupport) {
    return load_big_endian<Datum>(bytes(original));
  }
};

}  // namespace ids

// Defines the fmgr functions of an identifier type. They have the names of the SQL functions.
// clang-format off
#define IDS_TYPE(name, codec)                             \
  IDS_TYPE_FUNCTION(name, codec, in)                      \
  IDS_TYPE_FUNCTION(name, codec, out)                     \
  IDS_TYPE_FUNCTION(name, codec, to_text)                 \
  IDS_TYPE_FUNCTION(name, codec, recv)                    \
  IDS_TYPE_FUNCTION(name, codec, send)                    \
  IDS_TYPE_FUNCTION(name, codec, is_valid)                \
  IDS_TYPE_FUNCTION(name, codec, from_bytea)              \
  IDS_TYPE_FUNCTION(name, codec, to_bytea)                \
  IDS_TYPE_FUNCTION(name, codec, eq)                      \
  IDS_TYPE_FUNCTION(name, codec, ne)                      \
  IDS_TYPE_FUNCTION(name, codec, lt)                      \
  IDS_TYPE_FUNCTION(name, codec, le)                      \
  IDS_TYPE_FUNCTION(name, codec, gt)                      \
  IDS_TYPE_FUNCTION(name, codec, ge)                      \
  IDS_TYPE_FUNCTION(name, codec, cmp)                     \
  IDS_TYPE_FUNCTION(name, codec, smaller)                 \
  IDS_TYPE_FUNCTION(name, codec, larger)                  \
  IDS_TYPE_FUNCTION(name, codec, hash)                    \
  IDS_TYPE_FUNCTION(name, codec, hash_extended)           \
  IDS_TYPE_FUNCTION(name, codec, sortsupport)             \
  IDS_SKIPSUPPORT(name, codec)                            \
  IDS_TYPE_FUNCTION(name, codec, in_range)                \
  IDS_TYPE_FUNCTION(name, codec, distance)                \
  IDS_GIST_FUNCTION(name, codec, gist_compress)           \
  IDS_GIST_FUNCTION(name, codec, gist_fetch)              \
  IDS_GIST_FUNCTION(name, codec, gist_consistent)         \
  IDS_GIST_FUNCTION(name, codec, gist_union)              \
  IDS_GIST_FUNCTION(name, codec, gist_same)               \
  IDS_GIST_FUNCTION(name, codec, gist_penalty)            \
  IDS_GIST_FUNCTION(name, codec, gist_picksplit)          \
  IDS_GIST_FUNCTION(name, codec, gist_sortsupport)        \
  IDS_TYPE_FUNCTION(name, codec, extract_timestamp)       \
  IDS_TYPE_FUNCTION(name, codec, first)                   \
  IDS_TYPE_FUNCTION(name, codec, last)                    \
  IDS_TYPE_FUNCTION(name, codec, range_first)             \
  IDS_TYPE_FUNCTION(name, codec, range_last)              \
  IDS_TYPE_FUNCTION(name, codec, range_first_timestamptz) \
  IDS_TYPE_FUNCTION(name, codec, range_last_timestamptz)  \
  IDS_TIME_PREDICATES(name, codec)                        \
  IDS_TYPE_FUNCTION(name, codec, support)                 \
  IDS_TYPE_FUNCTION(name, codec, ineqsel)

#define IDS_TIME_PREDICATES(name, codec)                      \
  IDS_TYPE_FUNCTION(name, codec, lt_timestamptz)              \
  IDS_TYPE_FUNCTION(name, codec, le_timestamptz)              \
  IDS_TYPE_FUNCTION(name, codec, gt_timestamptz)              \
  IDS_TYPE_FUNCTION(name, codec, ge_timestamptz)              \
  IDS_TYPE_FUNCTION(name, codec, contained_by_tstzrange)      \
  IDS_TYPE_FUNCTION(name, codec, contained_by_tstzmultirange) \
  IDS_FUNCTION_OF_TYPE(name, codec, timestamptz_lt)           \
  IDS_FUNCTION_OF_TYPE(name, codec, timestamptz_le)           \
  IDS_FUNCTION_OF_TYPE(name, codec, timestamptz_gt)           \
  IDS_FUNCTION_OF_TYPE(name, codec, timestamptz_ge)           \
  IDS_FUNCTION_OF_TYPE(name, codec, tstzrange_contains)       \
  IDS_FUNCTION_OF_TYPE(name, codec, tstzmultirange_contains)

#define IDS_TYPE_FUNCTION(name, codec, function) \
  IDS_FUNCTION(name##_##function) { return ids::FixedType<codec>::function(fcinfo); }
#define IDS_FUNCTION_OF_TYPE(name, codec, function) \
  IDS_FUNCTION(function##_##name) { return ids::FixedType<codec>::function(fcinfo); }

#define IDS_GIST_FUNCTION(name, codec, function) \
  IDS_FUNCTION(name##_##function) { return ids::GistClass<ids::FixedType<codec>>::function(fcinfo); }

#if PG_VERSION_NUM >= 180000
#define IDS_SKIPSUPPORT(name, codec) IDS_TYPE_FUNCTION(name, codec, skipsupport)
#else
#define IDS_SKIPSUPPORT(name, codec)
#endif
// clang-format on
