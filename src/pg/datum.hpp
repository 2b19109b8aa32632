// Texts, bytes, ranges and rows as PostgreSQL passes them, and how it sorts Datums.
#pragma once

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
  PG_RETURN_TEXT_P(
      cstring_to_text_with_len(characters.data(), static_cast<int>(characters.size())));
}

inline Datum bytea_datum(const std::uint8_t* bytes, std::size_t size) {
  auto* result = static_cast<bytea*>(palloc(VARHDRSZ + size));
  SET_VARSIZE(result, VARHDRSZ + size);
  std::memcpy(VARDATA(result), bytes, size);
  PG_RETURN_BYTEA_P(result);
}

inline Datum tstzrange_datum(FunctionCallInfo fcinfo, RangeBound lower, RangeBound upper) {
  TypeCacheEntry* type = range_get_typcache(fcinfo, TSTZRANGEOID);
  PG_RETURN_RANGE_P(make_range(type, &lower, &upper, false, nullptr));
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

// Sets up a sort by abbreviated keys, which compare as unsigned integers. Each must cost one load
// and nearly always decide, because the abbreviation is never aborted.
inline void sort_abbreviated(SortSupport support, int (*compare)(Datum, Datum, SortSupport),
                             Datum (*abbreviate)(Datum, SortSupport)) {
  support->comparator = compare;
  if (!support->abbreviate) return;
  support->comparator = ssup_datum_unsigned_cmp;
  support->abbrev_converter = abbreviate;
  support->abbrev_abort = [](int, SortSupport) { return false; };
  support->abbrev_full_comparator = compare;
}

}  // namespace ids
