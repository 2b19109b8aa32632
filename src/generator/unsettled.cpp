// The view of who holds readers back.
#include "generator/settled.hpp"
#include "pg/clock.hpp"

namespace {

using namespace ids;

// A row for each generator that the transaction of a session, or a prepared one, has used. If its
// slot is given to another transaction meanwhile, none.
void put_rows(ReturnSetInfo* result, const GeneratorState* const* generators, Slot& slot, int pid) {
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::uint64_t xid = pg_atomic_read_u64(&slot.xid);
    const std::uint64_t limit = pg_atomic_read_u64(&slot.limit[i]);
    pg_read_barrier();
    const Oid database = slot.database;
    pg_read_barrier();
    if (limit == 0 || limit != pg_atomic_read_u64(&slot.limit[i]) ||
        xid != pg_atomic_read_u64(&slot.xid) || database != MyDatabaseId || !generators[i])
      continue;
    const std::int64_t first_us = time_us(*generators[i], limit);
    bool nulls[] = {pid == 0, pid != 0, false, limit == kUnknown, false};
    Datum values[] = {Int32GetDatum(pid), TransactionIdGetDatum(static_cast<TransactionId>(xid)),
                      CStringGetTextDatum(generators[i]->name),
                      TimestampTzGetDatum(timestamptz_from_unix_us(first_us)),
                      Int64GetDatum(static_cast<std::int64_t>(limit))};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
}

}  // namespace

// unsettled_records() -> setof (pid int, transaction xid, generator text, first_timestamp
// timestamptz, tick bigint): the open transactions of this database that have generated
// identifiers.
IDS_FUNCTION(unsettled_records) {
  InitMaterializedSRF(fcinfo, 0);
  if (RecoveryInProgress()) return (Datum)0;
  if (!records) attach_records();
  const GeneratorState* generators[kColumns] = {};  // null: not used yet
  LWLockAcquire(AddinShmemInitLock, LW_SHARED);
  for (const GeneratorState& state : shared_state()->generators)
    if (state.name[0] != '\0' && state.column != kNoColumn) generators[state.column] = &state;
  LWLockRelease(AddinShmemInitLock);
  auto* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
  for (int i = 0; i < MaxBackends; ++i)
    put_rows(result, generators, records->sessions()[i], GetPGProcByNumber(i)->pid);
  for (int i = 0; i < max_prepared_xacts; ++i)
    put_rows(result, generators, records->prepared()[i], 0);
  return (Datum)0;
}
