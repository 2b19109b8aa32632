// The times of a table's partitions. They come from the relation cache, which is up to date; a
// query would see the catalogs of its snapshot.
#pragma once

#include <span>

#include "pg/postgres.hpp"

namespace ids {

// How to get the time of a bound, and the first bound of a time.
struct TimeKey {
  PartitionKey key;
  FmgrInfo first;
  FmgrInfo extract_timestamp;
  bool is_uuid;

  TimestampTz time(Datum id);
  TimestampTz first_time() { return time(FunctionCall1(&first, TimestampTzGetDatum(DT_NOBEGIN))); }
  TimestampTz last_time() { return time(FunctionCall1(&first, TimestampTzGetDatum(DT_NOEND))); }
};

// A partition has all ids of its times. If a lower bound lies within the ids of a time, that time
// is excluded; if an upper bound does, that time is included.
struct Partition {
  Oid oid;
  RangeBound lower;
  RangeBound upper;
  bool is_detaching;

  // Times are whole microseconds: from begin to before end.
  TimestampTz begin() const {
    return lower.infinite ? DT_NOBEGIN : DatumGetTimestampTz(lower.val) + !lower.inclusive;
  }
  TimestampTz end() const {
    return upper.infinite ? DT_NOEND : DatumGetTimestampTz(upper.val) + upper.inclusive;
  }
  bool overlaps(TimestampTz from, TimestampTz upto) const { return begin() < upto && from < end(); }
};

// Opens the table, which the caller closes; 42809 if it is not partitioned by time.
Relation open_parent(Oid parent, TimeKey& key);

// The partitions in the order of their bounds, without the default partition.
std::span<const Partition> read_partitions(Relation parent, TimeKey& key);

}  // namespace ids
