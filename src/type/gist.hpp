// A GiST operator class over an identifier type: the order of btree, for exclusion constraints and
// temporal keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/bytes.hpp"
#include "pg/datum.hpp"
#include "pg/postgres.hpp"

namespace ids {

// An index key is a bytea. On a leaf page it holds the id, on an inner page the smallest and the
// greatest id below.
template <class Type>
class GistClass {
 public:
  static Datum gist_compress(FunctionCallInfo fcinfo) {
    GISTENTRY* entry = entry_argument(fcinfo, 0);
    if (!entry->leafkey) PG_RETURN_POINTER(entry);
    const typename Type::Value value = Type::get(entry->key);
    PG_RETURN_POINTER(copy_with_key(entry, bytea_datum(value.data(), kSize)));
  }

  // The id in a leaf's key, for index-only scans.
  static Datum gist_fetch(FunctionCallInfo fcinfo) {
    GISTENTRY* entry = entry_argument(fcinfo, 0);
    typename Type::Value value;
    std::memcpy(value.data(), range_of(entry->key).lower, kSize);
    PG_RETURN_POINTER(copy_with_key(entry, Type::put(value)));
  }

  // Whether an id between the bounds can satisfy the condition. On a leaf both bounds are the id,
  // so the result is exact.
  static Datum gist_consistent(FunctionCallInfo fcinfo) {
    const Range range = range_of(entry_argument(fcinfo, 0)->key);
    const typename Type::Value query = Type::get(PG_GETARG_DATUM(1));
    *reinterpret_cast<bool*>(PG_GETARG_POINTER(4)) = false;
    const int lower = compare(range.lower, query.data());
    const int upper = range.lower == range.upper ? lower : compare(range.upper, query.data());
    switch (PG_GETARG_UINT16(2)) {
      case RTEqualStrategyNumber:
        PG_RETURN_BOOL(lower <= 0 && upper >= 0);
      case RTNotEqualStrategyNumber:
        PG_RETURN_BOOL(lower != 0 || upper != 0);
      case RTLessStrategyNumber:
        PG_RETURN_BOOL(lower < 0);
      case RTLessEqualStrategyNumber:
        PG_RETURN_BOOL(lower <= 0);
      case RTGreaterStrategyNumber:
        PG_RETURN_BOOL(upper > 0);
      case RTGreaterEqualStrategyNumber:
        PG_RETURN_BOOL(upper >= 0);
      default:
        elog(ERROR, "unrecognized strategy number: %d", PG_GETARG_UINT16(2));
    }
  }

  static Datum gist_union(FunctionCallInfo fcinfo) {
    auto* entries = reinterpret_cast<GistEntryVector*>(PG_GETARG_POINTER(0));
    Range range = range_of(entries->vector[0].key);
    for (int i = 1; i < entries->n; ++i) extend(range, range_of(entries->vector[i].key));
    *reinterpret_cast<int*>(PG_GETARG_POINTER(1)) = VARHDRSZ + 2 * kSize;
    return key(range);
  }

  static Datum gist_same(FunctionCallInfo fcinfo) {
    const Range a = range_of(PG_GETARG_DATUM(0));
    const Range b = range_of(PG_GETARG_DATUM(1));
    auto* result = reinterpret_cast<bool*>(PG_GETARG_POINTER(2));
    *result = compare(a.lower, b.lower) == 0 && compare(a.upper, b.upper) == 0;
    PG_RETURN_POINTER(result);
  }

  // How much longer the range becomes when it has to include the added one.
  static Datum gist_penalty(FunctionCallInfo fcinfo) {
    const Range range = range_of(entry_argument(fcinfo, 0)->key);
    const Range added = range_of(entry_argument(fcinfo, 1)->key);
    auto* result = reinterpret_cast<float*>(PG_GETARG_POINTER(2));
    double longer = 0;
    if (compare(added.lower, range.lower) < 0)
      longer += distance_of_bytes<kSize>(added.lower, range.lower);
    if (compare(added.upper, range.upper) > 0)
      longer += distance_of_bytes<kSize>(range.upper, added.upper);
    *result = static_cast<float>(longer);
    PG_RETURN_POINTER(result);
  }

  // Splits the keys into two halves, by their lower bounds. If ids arrive in order, the new key is
  // the last one, and the left page gets no more keys: then 90% stay there.
  static Datum gist_picksplit(FunctionCallInfo fcinfo) {
    auto* entries = reinterpret_cast<GistEntryVector*>(PG_GETARG_POINTER(0));
    auto* split = reinterpret_cast<GIST_SPLITVEC*>(PG_GETARG_POINTER(1));
    const int count = entries->n - 1;  // vector[0] is not used
    auto* sorted = static_cast<Entry*>(palloc(sizeof(Entry) * count));
    for (int i = 0; i < count; ++i)
      sorted[i] = {range_of(entries->vector[i + 1].key), static_cast<OffsetNumber>(i + 1)};
    qsort(sorted, count, sizeof(Entry), compare_entries);
    // A sorted build splits several pages at once.
    const int on_page = PageGetMaxOffsetNumber(entries->vector[1].page);
    const bool in_order = count <= on_page + 2 && sorted[count - 1].offset == count;
    const int left = Max(in_order ? count * 9 / 10 : count / 2, 1);
    split->spl_left = side(sorted, left, split->spl_nleft, split->spl_ldatum);
    split->spl_right = side(sorted + left, count - left, split->spl_nright, split->spl_rdatum);
    PG_RETURN_POINTER(split);
  }

  // Sorts the keys of leaves, so that CREATE INDEX can build the index bottom-up.
  static Datum gist_sortsupport(FunctionCallInfo fcinfo) {
    sort_abbreviated<compare_lower, abbreviate>(
        reinterpret_cast<SortSupport>(PG_GETARG_POINTER(0)));
    PG_RETURN_VOID();
  }

 private:
  static constexpr std::size_t kSize = Type::kSize;

  struct Range {
    const std::uint8_t* lower;
    const std::uint8_t* upper;
  };
  struct Entry {
    Range range;
    OffsetNumber offset;
  };

  static GISTENTRY* entry_argument(FunctionCallInfo fcinfo, int n) {
    return reinterpret_cast<GISTENTRY*>(PG_GETARG_POINTER(n));
  }

  // Keys in the index have a short header and are not aligned.
  static Range range_of(Datum key) {
    const Pointer datum = DatumGetPointer(key);
    const auto* lower = reinterpret_cast<const std::uint8_t*>(VARDATA_ANY(datum));
    return {lower, VARSIZE_ANY_EXHDR(datum) == kSize ? lower : lower + kSize};
  }

  static Datum key(const Range& range) {
    std::uint8_t bytes[2 * kSize];
    std::memcpy(bytes, range.lower, kSize);
    std::memcpy(bytes + kSize, range.upper, kSize);
    return bytea_datum(bytes, sizeof bytes);
  }

  static GISTENTRY* copy_with_key(const GISTENTRY* entry, Datum key) {
    auto* result = static_cast<GISTENTRY*>(palloc(sizeof(GISTENTRY)));
    gistentryinit(*result, key, entry->rel, entry->page, entry->offset, false);
    return result;
  }

  static int compare(const std::uint8_t* a, const std::uint8_t* b) {
    return compare_bytes<kSize>(a, b);
  }
  static void extend(Range& range, const Range& by) {
    if (compare(by.lower, range.lower) < 0) range.lower = by.lower;
    if (compare(by.upper, range.upper) > 0) range.upper = by.upper;
  }

  static OffsetNumber* side(const Entry* entries, int size, int& count, Datum& united) {
    auto* offsets = static_cast<OffsetNumber*>(palloc(sizeof(OffsetNumber) * size));
    Range range = entries[0].range;
    for (int i = 0; i < size; ++i) {
      offsets[i] = entries[i].offset;
      extend(range, entries[i].range);
    }
    count = size;
    united = key(range);
    return offsets;
  }

  static int compare_entries(const void* a, const void* b) {
    const auto* x = static_cast<const Entry*>(a);
    const auto* y = static_cast<const Entry*>(b);
    const int lower = compare(x->range.lower, y->range.lower);
    return lower != 0 ? lower : x->offset - y->offset;
  }
  static int compare_lower(Datum a, Datum b) {
    return compare(range_of(a).lower, range_of(b).lower);
  }
  static Datum abbreviate(Datum original) {
    return load_big_endian<Datum>(range_of(original).lower);
  }
};

}  // namespace ids
