// The view of who holds readers back.
#include "generator/settled.hpp"
#include "pg/clock.hpp"

namespace {

using namespace ids;

// A row for each generator that the transaction of a session, or a prepared one, has used. If its
// place is given to another transaction meanwhile, none.
void put_rows(ReturnSetInfo* result, const GeneratorState* const* generators, Record& record,
              int pid) {
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::uint64_t xid = pg_atomic_read_u64(&record.xid);
    const std::uint64_t first = pg_atomic_read_u64(&record.first[i]);
    pg_read_barrier();
    const Oid database = record.database;
    pg_read_barrier();
    if (first == 0 || first != pg_atomic_read_u64(&record.first[i]) ||
        xid != pg_atomic_read_u64(&record.xid) || database != MyDatabaseId || !generators[i])
      continue;
    const std::int64_t first_us = time_us(*generators[i], first);
    bool nulls[] = {pid == 0, pid != 0, false, first == kUnknown, false};
    Datum values[] = {Int32GetDatum(pid), TransactionIdGetDatum(static_cast<TransactionId>(xid)),
                      CStringGetTextDatum(generators[i]->name),
                      TimestampTzGetDatum(timestamptz_from_unix_us(first_us)),
                      Int64GetDatum(static_cast<std::int64_t>(first))};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
}

}  // namespace

// unsettled_records() -> setof (pid int, transaction xid, generator text, first_timestamp
// timestamptz, tick bigint): the open transactions of this database that have generated
// identifiers.
IDS_FUNCTION(unsettled_records) {
  InitMaterializedSRF(fcinfo, 0);
  if (RecoveryInProgress() || !have_records()) return (Datum)0;
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
