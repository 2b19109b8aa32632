// The fmgr functions that all identifier types share, written over a codec: order, text and bytes.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/bases.hpp"
#include "core/codec.hpp"
#include "core/input.hpp"
#include "pg/clock.hpp"
#include "pg/datum.hpp"
#include "pg/postgres.hpp"
#include "planner/planner.hpp"
#include "type/error.hpp"
#include "type/gist.hpp"
#include "type/timed_type.hpp"

namespace ids {

template <Codec C>
struct FixedType : TimedType<C> {
  using Times = TimedType<C>;
  using Times::get;
  using Times::kSize;
  using Times::put;
  using typename Times::Value;

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
    if (result.error == ParseError::length)
      invalid_bytes(C::kName, kSize, size, C::kRangeRule, C::kSyntax);
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
    PG_RETURN_BOOL(C::parse(text_view(PG_GETARG_TEXT_PP(0)), value) == ParseResult{});
  }

  // The functions T_to_base and T_from_base of a type with kBases.
  static Datum to_base(FunctionCallInfo fcinfo) {
    char digits[InBases<C>::kMaxDigits];
    const int base = base_argument(fcinfo);
    return text_datum({digits, InBases<C>::write(get(PG_GETARG_DATUM(0)), base, digits)});
  }
  static Datum from_base(FunctionCallInfo fcinfo) {
    const std::string_view digits = text_view(PG_GETARG_TEXT_PP(0));
    const int base = base_argument(fcinfo);
    Value value{};
    const ParseResult result = InBases<C>::read(digits, base, value);
    if (result.error != ParseError::none)
      invalid_digits(psprintf("type %s", C::kName), digits, result, base,
                     InBases<C>::max_digits(base), InBases<C>::kBits, C::kRangeRule);
    return put(value);
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
    if constexpr (C::kByValue) return hashint8(fcinfo);
    return hash_any(bytes(PG_GETARG_DATUM(0)), kSize);
  }
  static Datum hash_extended(FunctionCallInfo fcinfo) {
    if constexpr (C::kByValue) return hashint8extended(fcinfo);
    return hash_any_extended(bytes(PG_GETARG_DATUM(0)), kSize, PG_GETARG_INT64(1));
  }

  // Sorts by the first 8 bytes, which contain the time.
  static Datum sortsupport(FunctionCallInfo fcinfo) {
    auto* support = reinterpret_cast<SortSupport>(PG_GETARG_POINTER(0));
    if constexpr (C::kByValue)
      support->comparator = ssup_datum_unsigned_cmp;
    else
      sort_abbreviated<compare, abbreviate>(support);
    PG_RETURN_VOID();
  }

  static Datum support(FunctionCallInfo fcinfo) {
    return time_predicate_support(fcinfo, kPlannedType);
  }
  static Datum ineqsel(FunctionCallInfo fcinfo) {
    PG_RETURN_FLOAT8(comparison_selectivity(fcinfo, kPlannedType, now(), PG_GETARG_INT32(3)));
  }
  static Datum ineqjoinsel(FunctionCallInfo fcinfo) {
    PG_RETURN_FLOAT8(comparison_selectivity(fcinfo, kPlannedType, now(), 0));
  }

  // The distance from the first value to the second, which is not smaller: minmax_multi merges the
  // ranges that are closest.
  static Datum minmax_multi_distance(FunctionCallInfo fcinfo) {
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

  // The arguments of T_from_parts: a time (else 22008), a number (22003) or bytes (22P03).
  static std::uint64_t time_field(TimestampTz timestamp) {
    const std::int64_t time = floor_divide(unix_us_from_timestamptz(timestamp), C::kUnitUs);
    if (time < C::kMinTime || time > C::kMaxTime)
      time_out_of_range(C::kName, "Type %s holds times from %s.", C::kTimeRange);
    return static_cast<std::uint64_t>(time);
  }
  static std::uint32_t number_field(const char* name, std::int32_t number, std::uint32_t greatest) {
    if (number < 0 || static_cast<std::uint32_t>(number) > greatest)
      number_outside(C::kName, name, number, greatest);
    return static_cast<std::uint32_t>(number);
  }
  template <std::size_t N>
  static Bytes<N> bytes_field(const char* name, const bytea* source) {
    Bytes<N> bytes;
    if (VARSIZE_ANY_EXHDR(source) != N)
      wrong_number_of_bytes(C::kName, name, N, VARSIZE_ANY_EXHDR(source));
    std::memcpy(bytes.data(), VARDATA_ANY(source), N);
    return bytes;
  }

 private:
  static inline CatalogObjects objects;
  static constexpr PlannedType kPlannedType{C::kName, C::kByValue, &objects};

  // The first 64 bits of an id of the current time.
  static std::uint64_t now() {
    return load_big_endian<std::uint64_t>(first_of<C>(unix_now<1>()).data());
  }

  static const std::uint8_t* bytes(Datum datum) {
    return reinterpret_cast<const std::uint8_t*>(DatumGetPointer(datum));
  }

  static int base_argument(FunctionCallInfo fcinfo) {
    const int base = PG_GETARG_INT32(1);
    if (InBases<C>::max_digits(base) == 0) invalid_base(base, C::kBaseNames);
    return base;
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
    Value value{};
    if (size == kSize) std::memcpy(value.data(), source, kSize);
    if (size != kSize || !C::valid(value)) invalid_bytes(C::kName, kSize, size, C::kRangeRule);
    return put(value);
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

  static Datum abbreviate(Datum original) { return load_big_endian<Datum>(bytes(original)); }
};

}  // namespace ids

// Defines the fmgr functions of an identifier type. They have the names of the SQL functions.
// clang-format off
#define IDS_TYPE(name, codec)                                                              \
  IDS_TYPE_FUNCTIONS(IDS_TYPE_FUNCTION, IDS_COMMUTATOR, name, ids::FixedType<codec>,       \
                     ids::GistClass<ids::FixedType<codec>>)

#define IDS_TYPE_FUNCTIONS(F, C, n, t, g)                                                  \
  F(n, t, in) F(n, t, out) F(n, t, recv) F(n, t, send) F(n, t, to_text) F(n, t, is_valid)  \
  F(n, t, from_bytea) F(n, t, to_bytea) F(n, t, eq) F(n, t, ne) F(n, t, lt) F(n, t, le)    \
  F(n, t, gt) F(n, t, ge) F(n, t, cmp) F(n, t, smaller) F(n, t, larger) F(n, t, in_range)  \
  F(n, t, sortsupport) F(n, t, minmax_multi_distance) F(n, t, hash) F(n, t, hash_extended) \
  F(n, t, extract_timestamp) F(n, t, first) F(n, t, last)                                  \
  F(n, t, range_first) F(n, t, range_last) F(n, t, contained_by_tstzrange)                 \
  F(n, t, lt_timestamptz) F(n, t, le_timestamptz) F(n, t, gt_timestamptz)                  \
  F(n, t, ge_timestamptz) F(n, t, support) F(n, t, ineqsel) F(n, t, ineqjoinsel)           \
  C(n, t, timestamptz_lt) C(n, t, timestamptz_le) C(n, t, timestamptz_gt)                  \
  C(n, t, timestamptz_ge) C(n, t, tstzrange_contains)                                      \
  F(n, g, gist_compress) F(n, g, gist_fetch) F(n, g, gist_consistent) F(n, g, gist_union)  \
  F(n, g, gist_same) F(n, g, gist_penalty) F(n, g, gist_picksplit) F(n, g, gist_sortsupport) \
  IDS_FUNCTIONS_SINCE_18(F, n, t)

#if PG_VERSION_NUM >= 180000
#define IDS_FUNCTIONS_SINCE_18(F, n, t) F(n, t, skipsupport)
#else
#define IDS_FUNCTIONS_SINCE_18(F, n, t)
#endif
// clang-format on
