#include "generator/settled.hpp"

#include <algorithm>

#include "pg/clock.hpp"

namespace ids {

std::uint32_t enrolled_columns = 0;

namespace {

// The writer's side.

// This session's transaction: whether it has enrolled, and in recovery.
bool has_enrolled = false;
bool in_recovery = false;

Slot& own_slot() {
  Assert(MyProcNumber >= 0 && MyProcNumber < MaxBackends);
  return records->sessions()[MyProcNumber];
}

// Step 4. A newer transaction may be in its place of the table, and not have raised finished_below
// yet.
void finish(std::uint64_t xid, Slot& slot) {
  Assert(xid != 0);
  Finished& finished = records->finished[xid % kFinished];
  SpinLockAcquire(&finished.lock);
  if (pg_atomic_read_u64(&finished.xid) < xid) {
    for (std::size_t i = 0; i < kColumns; ++i)
      finished.limit[i] = pg_atomic_read_u64(&slot.limit[i]);
    finished.database = slot.database;
    pg_atomic_write_u64(&finished.xid, xid);
  }
  SpinLockRelease(&finished.lock);
  pg_atomic_monotonic_advance_u64(&records->finished_below, xid + 1);
  pg_memory_barrier();
}

// The prepared transaction keeps the number that the server has given it until it has ended.
void move_to_prepared(std::uint64_t xid, Slot& slot) {
#if PG_VERSION_NUM >= 190000
  PGPROC* proc = TwoPhaseGetDummyProc(FullTransactionIdFromU64(xid), false);
#else
  PGPROC* proc = TwoPhaseGetDummyProc(static_cast<TransactionId>(xid), false);
#endif
  Assert(proc->xid == static_cast<TransactionId>(xid) && proc->databaseId == MyDatabaseId);
  Slot& prepared = records->prepared()[proc - PreparedXactProcs];
  const std::uint64_t before = pg_atomic_read_u64(&prepared.xid);
  if (before != 0) finish(before, prepared);
  pg_atomic_write_u64(&prepared.xid, 0);
  pg_write_barrier();
  for (std::size_t i = 0; i < kColumns; ++i)
    pg_atomic_write_u64(&prepared.limit[i], pg_atomic_read_u64(&slot.limit[i]));
  prepared.database = slot.database;
  pg_write_barrier();
  pg_atomic_write_u64(&prepared.xid, xid);
}

// Step 5. A transaction that began in recovery may have published limits after the promotion.
void leave() {
  pg_write_barrier();
  if (records)
    for (pg_atomic_uint64& limit : own_slot().limit) pg_atomic_write_u64(&limit, 0);
  enrolled_columns = 0;
  has_enrolled = in_recovery = false;
}

// Called by the server before a transaction ends, and afterwards, when nothing may raise an error.
void at_end(XactEvent event, void*) {
  if (!has_enrolled) return;
  const std::uint64_t xid = U64FromFullTransactionId(GetTopFullTransactionIdIfAny());
  if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE) {
    if (!in_recovery || xid == 0) return;
    ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
                    errmsg("cannot commit writes of a transaction that generated ids in recovery"),
                    errhint("Try again in a new transaction.")));
  }
  if (event == XACT_EVENT_COMMIT && xid != 0) finish(xid, own_slot());
  if (event == XACT_EVENT_PREPARE && xid != 0) move_to_prepared(xid, own_slot());
  leave();
}

void publish_limit(GeneratorState* generator) {
  Slot& slot = own_slot();
  slot.database = MyDatabaseId;
  if (!has_enrolled) slot.since = static_cast<std::uint32_t>(unix_now<USECS_PER_SEC>());
  pg_write_barrier();
  pg_atomic_uint64* published = &slot.limit[generator->column];
  const std::uint64_t before = pg_atomic_read_u64(published);
  const std::uint64_t limit = pg_atomic_read_u64(&generator->tick) + 1;
  if (before == 0 || limit < before) pg_atomic_write_u64(published, limit);
}

// The reader's side.

// Whether the snapshot sees the transaction, which may have ended long ago, or begun since next was
// read.
bool sees(Snapshot snapshot, std::uint64_t xid, std::uint64_t next) {
  return xid < full_xid(snapshot->xmin, next) ||
         !XidInMVCCSnapshot(static_cast<TransactionId>(xid), snapshot);
}

// The generator's limit in the slot; kNothing if there is none, or in another database.
std::uint64_t limit_in(Slot& slot, std::size_t column) {
  const std::uint64_t limit = pg_atomic_read_u64(&slot.limit[column]);
  if (limit == 0) return kNothing;
  pg_read_barrier();
  return slot.database == MyDatabaseId ? limit : kNothing;
}

// Whether a transaction without a record may have committed: its record was replaced, or it was
// prepared before the server's start.
std::uint64_t limit_of_unrecorded(std::uint64_t xid) {
  const auto number = static_cast<TransactionId>(xid);
  const bool committed = !TransactionIdIsInProgress(number) && TransactionIdDidCommit(number);
  return committed ? kUnknown : kNothing;
}

// The limit of a transaction that the snapshot does not see and that was found in no slot.
std::uint64_t limit_of_finished(std::uint64_t xid, std::size_t column) {
  Finished& finished = records->finished[xid % kFinished];
  if (pg_atomic_read_u64(&finished.xid) < xid)
    return xid < records->recovered_below ? limit_of_unrecorded(xid) : kNothing;
  SpinLockAcquire(&finished.lock);
  const std::uint64_t found = pg_atomic_read_u64(&finished.xid);
  const std::uint64_t limit = finished.limit[column];
  const Oid database = finished.database;
  SpinLockRelease(&finished.lock);
  if (found != xid) return limit_of_unrecorded(xid);
  return limit == 0 || database != MyDatabaseId ? kNothing : limit;
}

}  // namespace

void enrol(GeneratorState* generator) {
  Assert(IsTransactionState() && !IsParallelWorker());
  static bool expects_end = false;
  if (unlikely(!expects_end)) RegisterXactCallback(at_end, nullptr);
  expects_end = true;
  if (RecoveryInProgress()) {
    in_recovery = true;
  } else {
    if (unlikely(!records)) attach_records();
    publish_limit(generator);
  }
  pg_memory_barrier();
  has_enrolled = true;
  enrolled_columns |= 1u << generator->column;
}

std::uint64_t find_settled_below(GeneratorState* generator, Snapshot snapshot) {
  if (!records) attach_records();
  const std::size_t column = generator->column;
  // b
  std::uint64_t limit = pg_atomic_read_u64(&generator->tick) + 1;
  pg_memory_barrier();
  // c
  for (int i = 0; i < MaxBackends; ++i)
    limit = std::min(limit, limit_in(records->sessions()[i], column));
  pg_memory_barrier();
  const std::uint64_t next = next_xid();
  for (int i = 0; i < max_prepared_xacts; ++i) {
    Slot& slot = records->prepared()[i];
    const std::uint64_t xid = pg_atomic_read_u64(&slot.xid);
    pg_read_barrier();
    // If the slot is given to another transaction now, this one is among the finished, and the
    // other one was found in its session.
    if (xid != 0 && !sees(snapshot, xid, next)) limit = std::min(limit, limit_in(slot, column));
  }
  pg_memory_barrier();
  const std::uint64_t end = pg_atomic_read_u64(&records->finished_below);
  pg_memory_barrier();
  for (std::uint32_t i = 0; i < snapshot->xcnt && limit != kUnknown; ++i)
    limit = std::min(limit, limit_of_finished(full_xid(snapshot->xip[i], next), column));
  for (std::uint64_t xid = full_xid(snapshot->xmax, next); xid < end && limit != kUnknown; ++xid) {
    CHECK_FOR_INTERRUPTS();
    limit = std::min(limit, limit_of_finished(xid, column));
  }
  Assert(limit != 0 && limit != kNothing);
  return limit == kUnknown ? 0 : limit;
}

}  // namespace ids
