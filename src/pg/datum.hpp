// Texts, bytes, ranges and rows as PostgreSQL passes them, and how it sorts Datums.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "pg/postgres.hpp"

namespace ids {

inline std::string_view text_view(const text* value) {
  return {VARDATA_ANY(value), static_cast<std::size_t>(VARSIZE_ANY_EXHDR(value))};
}

inline Datum text_datum(std::string_view characters) {
  return PointerGetDatum(
      cstring_to_text_with_len(characters.data(), static_cast<int>(characters.size())));
}

inline Datum bytea_datum(const std::uint8_t* bytes, std::size_t size) {
  auto* result = static_cast<bytea*>(palloc(VARHDRSZ + size));
  SET_VARSIZE(result, VARHDRSZ + size);
  std::memcpy(VARDATA(result), bytes, size);
  return PointerGetDatum(result);
}

inline Datum tstzrange_datum(FunctionCallInfo fcinfo, RangeBound lower, RangeBound upper) {
  TypeCacheEntry* type = range_get_typcache(fcinfo, TSTZRANGEOID);
  return RangeTypePGetDatum(make_range(type, &lower, &upper, false, nullptr));
}

// A row of the type that the SQL function is declared to return.
template <std::size_t N>
Datum row_datum(FunctionCallInfo fcinfo, Datum (&&values)[N]) {
  TupleDesc description;
  if (get_call_result_type(fcinfo, nullptr, &description) != TYPEFUNC_COMPOSITE)
    elog(ERROR, "return type must be a row type");
  bool nulls[N] = {};
  return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(description), values, nulls));
}

// Sets up a sort by abbreviated keys, which compare as unsigned integers. It does without them if
// they are few and decide nothing, as those of rows with one date: each sets one of 64 bits.
template <int (*compare)(Datum, Datum), Datum (*abbreviate)(Datum)>
void sort_abbreviated(SortSupport support) {
  support->comparator = [](Datum a, Datum b, SortSupport) { return compare(a, b); };
  if (!support->abbreviate) return;
  support->abbrev_full_comparator = support->comparator;
  support->comparator = ssup_datum_unsigned_cmp;
  support->ssup_extra = MemoryContextAllocZero(support->ssup_cxt, sizeof(std::uint64_t));
  support->abbrev_converter = [](Datum original, SortSupport sort) {
    const Datum key = abbreviate(original);
    *static_cast<std::uint64_t*>(sort->ssup_extra) |= 1ull << (key * 0x9E3779B97F4A7C15 >> 58);
    return key;
  };
  support->abbrev_abort = [](int keys, SortSupport sort) {
    return keys >= 10000 && std::popcount(*static_cast<std::uint64_t*>(sort->ssup_extra)) < 32;
  };
}

}  // namespace ids
