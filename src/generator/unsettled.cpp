// The view of who holds readers back.
#include "generator/settled.hpp"
#include "pg/clock.hpp"

namespace {

using namespace ids;

// How many slots have a lower limit.
int rank_of(std::uint64_t limit, std::size_t column) {
  int rank = 0;
  for (int i = 0; i < MaxBackends + max_prepared_xacts; ++i) {
    const std::uint64_t other = pg_atomic_read_u64(&records->slots[i].limit[column]);
    rank += other != 0 && other < limit;
  }
  return rank;
}

// A row for each generator that the transaction of a session, or a prepared one, has used. If its
// slot is given to another transaction meanwhile, none.
void put_rows(ReturnSetInfo* result, const GeneratorState* const* generators, Slot& slot,
              const PGPROC* proc) {
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::uint64_t xid = pg_atomic_read_u64(&slot.xid);
    const std::uint64_t limit = pg_atomic_read_u64(&slot.limit[i]);
    pg_read_barrier();
    const Oid database = slot.database;
    const std::int64_t since_us = std::int64_t{slot.since} * USECS_PER_SEC;
    const int pid = proc->pid;
    const Oid role = proc->roleId;
    pg_read_barrier();
    if (limit == 0 || limit != pg_atomic_read_u64(&slot.limit[i]) ||
        xid != pg_atomic_read_u64(&slot.xid) || database != MyDatabaseId || !generators[i])
      continue;
    const std::int64_t first_us = time_us(*generators[i], limit);
    const bool is_hidden = !has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) &&
                           !has_privs_of_role(GetUserId(), role);
    bool nulls[] = {pid == 0, pid != 0, false, is_hidden || limit == kUnknown, false, is_hidden};
    Datum values[] = {Int32GetDatum(pid),
                      TransactionIdGetDatum(static_cast<TransactionId>(xid)),
                      CStringGetTextDatum(generators[i]->name),
                      TimestampTzGetDatum(timestamptz_from_unix_us(first_us)),
                      Int32GetDatum(rank_of(limit, i)),
                      TimestampTzGetDatum(timestamptz_from_unix_us(since_us))};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
}

}  // namespace

// unsettled_records() -> setof (pid int, transaction xid, generator text, first_timestamp
// timestamptz, rank int, since timestamptz): the open transactions of this database that have
// generated identifiers.
// It hides what pg_stat_activity would; the ranks still tell whose first identifier is smaller.
IDS_FUNCTION(unsettled_records) {
  InitMaterializedSRF(fcinfo, 0);
  if (RecoveryInProgress())
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
                    errmsg("cannot execute ids_unsettled() during recovery"),
                    errhint("Call it on the primary, which knows the transactions.")));
  if (!records) attach_records();
  const GeneratorState* generators[kColumns] = {};  // null: not used yet
  LWLockAcquire(AddinShmemInitLock, LW_SHARED);
  for (const GeneratorState& state : shared_state()->generators)
    if (state.name[0] != '\0' && state.column < kColumns) generators[state.column] = &state;
  LWLockRelease(AddinShmemInitLock);
  auto* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
  for (int i = 0; i < MaxBackends; ++i)
    put_rows(result, generators, records->sessions()[i], GetPGProcByNumber(i));
  for (int i = 0; i < max_prepared_xacts; ++i)
    put_rows(result, generators, records->prepared()[i], &PreparedXactProcs[i]);
  return (Datum)0;
}
