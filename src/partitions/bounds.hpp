// The times of a table's partitions. They come from the relation cache, which is up to date; a
// query would see the catalogs of its snapshot.
#pragma once

#include <span>

#include "pg/postgres.hpp"

namespace ids {

// How to get the time of a bound, and the first bound of a time.
struct TimeKey {
  Oid type;                // perhaps a domain
  const char* first_name;  // for statements: its function may be dropped before they run
  FmgrInfo first;
  FmgrInfo extract_timestamp;
  FmgrInfo output;
  bool is_uuid;
  bool is_alone;  // no other columns follow

  TimestampTz time(Datum id);
  TimestampTz first_time() { return time(FunctionCall1(&first, TimestampTzGetDatum(DT_NOBEGIN))); }
  TimestampTz last_time() { return time(FunctionCall1(&first, TimestampTzGetDatum(DT_NOEND))); }
};

// A partition has all ids of its times. If a lower bound lies within the ids of a time, that time
// is excluded; if an upper bound does, that time is included.
struct Bound : RangeBound {
  const char* id;  // if it is not the first id of its time, or may not be
};
struct Partition {
  Oid oid;
  Bound lower;
  Bound upper;
  bool is_detaching;
  const char* bounds = nullptr;  // as the catalog has them, where it is to be dropped

  // Times are whole microseconds: from begin to before end.
  TimestampTz begin() const {
    return lower.infinite ? DT_NOBEGIN : DatumGetTimestampTz(lower.val) + !lower.inclusive;
  }
  TimestampTz end() const {
    return upper.infinite ? DT_NOEND : DatumGetTimestampTz(upper.val) + upper.inclusive;
  }
};

// Locks a table for reading if that need not wait, and if it is partitioned by time.
bool lock_at_once(Oid table, TimeKey& key);

// The partitions in the order of their bounds, without the default partition. Those that are being
// detached are among them only if the caller has a lock on the table that conflicts with DETACH
// CONCURRENTLY. Raises 42P01 if there is no such table, and 42809 if it is not partitioned by time,
// or by other columns, too.
std::span<Partition> read_partitions(Oid parent, TimeKey& key, bool is_locked,
                                     bool by_others_too = false);

}  // namespace ids
