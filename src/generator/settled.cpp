#include "generator/settled.hpp"

#include <algorithm>

namespace ids {

namespace {

// The writer's side.

// This session's transaction.
struct {
  bool enrolled;
  bool unrecorded;
  bool in_recovery;
  GeneratorState** generators[kColumns];
} transaction;

Record& record_of_session() {
  return records->sessions()[MyProcNumber];
}

// Step 4. A newer transaction may have the place already, and not have raised finished_below yet.
void finish(std::uint64_t xid, Record& record) {
  FinishedRecord& finished = records->finished[xid % kFinished];
  SpinLockAcquire(&finished.lock);
  if (pg_atomic_read_u64(&finished.xid) < xid) {
    for (std::size_t i = 0; i < kColumns; ++i)
      finished.first[i] = pg_atomic_read_u64(&record.first[i]);
    finished.database = record.database;
    pg_atomic_write_u64(&finished.xid, xid);
  }
  SpinLockRelease(&finished.lock);
  pg_atomic_monotonic_advance_u64(&records->finished_below, xid + 1);
  pg_memory_barrier();
}

// The prepared transaction keeps the number that the server has given it until it has ended.
void move_to_prepared(std::uint64_t xid, Record& record) {
#if PG_VERSION_NUM >= 190000
  PGPROC* proc = TwoPhaseGetDummyProc(FullTransactionIdFromU64(xid), false);
#else
  PGPROC* proc = TwoPhaseGetDummyProc(static_cast<TransactionId>(xid), false);
#endif
  Record& prepared = records->prepared()[proc - PreparedXactProcs];
  const std::uint64_t before = pg_atomic_read_u64(&prepared.xid);
  if (before != 0) finish(before, prepared);
  pg_atomic_write_u64(&prepared.xid, 0);
  pg_write_barrier();
  for (std::size_t i = 0; i < kColumns; ++i)
    pg_atomic_write_u64(&prepared.first[i], pg_atomic_read_u64(&record.first[i]));
  prepared.database = record.database;
  pg_write_barrier();
  pg_atomic_write_u64(&prepared.xid, xid);
}

// Step 5.
void leave() {
  pg_write_barrier();
  for (std::size_t i = 0; i < kColumns; ++i) {
    if (!transaction.generators[i]) continue;
    *transaction.generators[i] = nullptr;
    if (records) pg_atomic_write_u64(&record_of_session().first[i], 0);
  }
  if (transaction.unrecorded) pg_atomic_fetch_sub_u32(&shared_state()->header.unrecorded, 1);
  transaction = {};
}

// Called by the server before a transaction ends, and afterwards, when nothing may raise an error.
void at_end(XactEvent event, void*) {
  if (!transaction.enrolled) return;
  const std::uint64_t xid = U64FromFullTransactionId(GetTopFullTransactionIdIfAny());
  if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE) {
    if (!transaction.in_recovery || xid == 0) return;
    ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
                    errmsg("cannot commit writes of a transaction that generated ids in recovery"),
                    errhint("Try again in a new transaction.")));
  }
  if (event != XACT_EVENT_ABORT && xid != 0) {
    if (transaction.unrecorded)
      pg_atomic_monotonic_advance_u64(&shared_state()->header.last_unrecorded, xid);
    if (records && event == XACT_EVENT_COMMIT) finish(xid, record_of_session());
    if (records && event == XACT_EVENT_PREPARE) move_to_prepared(xid, record_of_session());
  }
  leave();
}

void record_first(GeneratorState* generator) {
  Record& record = record_of_session();
  record.database = MyDatabaseId;
  pg_write_barrier();
  pg_atomic_uint64* recorded = &record.first[generator->column];
  const std::uint64_t before = pg_atomic_read_u64(recorded);
  const std::uint64_t first = pg_atomic_read_u64(&generator->tick) + 1;
  if (before == 0 || first < before) pg_atomic_write_u64(recorded, first);
}

// ids_unsettled() finds a transaction without a record by its lock on this, which nobody else can
// lock. PREPARE TRANSACTION keeps the lock, too.
void lock_unrecorded() {
  LOCKTAG tag;
  SET_LOCKTAG_ADVISORY(tag, InvalidOid, 0, 0, 3);
  ResourceOwner owner = CurrentResourceOwner;
  CurrentResourceOwner = TopTransactionResourceOwner;
  LockAcquire(&tag, AccessShareLock, false, false);
  CurrentResourceOwner = owner;
}

// The reader's side.

// Whether the snapshot sees the transaction, which may have ended long ago. Its xid is below next.
bool sees(Snapshot snapshot, std::uint64_t xid, std::uint64_t next) {
  return xid < full_xid(snapshot->xmin, next) ||
         !XidInMVCCSnapshot(static_cast<TransactionId>(xid), snapshot);
}

// The first tick of the generator in the record; UINT64_MAX if it has none in this database.
std::uint64_t first_of(Record& record, std::size_t column) {
  const std::uint64_t first = pg_atomic_read_u64(&record.first[column]);
  if (first == 0) return UINT64_MAX;
  pg_read_barrier();
  return record.database == MyDatabaseId ? first : UINT64_MAX;
}

// Whether a transaction without a record may have committed: its record was replaced, or it was
// prepared before the server's start.
std::uint64_t first_of_unrecorded(std::uint64_t xid) {
  const auto number = static_cast<TransactionId>(xid);
  const bool committed = !TransactionIdIsInProgress(number) && TransactionIdDidCommit(number);
  return committed ? kUnknown : UINT64_MAX;
}

// The first tick of a transaction that the snapshot does not see and that was found in no other
// place.
std::uint64_t first_of_finished(std::uint64_t xid, std::size_t column) {
  FinishedRecord& record = records->finished[xid % kFinished];
  if (pg_atomic_read_u64(&record.xid) < xid)
    return xid < records->recovered_below ? first_of_unrecorded(xid) : UINT64_MAX;
  SpinLockAcquire(&record.lock);
  const std::uint64_t found = pg_atomic_read_u64(&record.xid);
  const std::uint64_t first = record.first[column];
  const Oid database = record.database;
  SpinLockRelease(&record.lock);
  if (found != xid) return first_of_unrecorded(xid);
  return first == 0 || database != MyDatabaseId ? UINT64_MAX : first;
}

}  // namespace

void enrol(GeneratorState* generator, GeneratorState** enrolled) {
  static bool expects_end = false;
  if (unlikely(!expects_end)) RegisterXactCallback(at_end, nullptr);
  expects_end = true;
  if (RecoveryInProgress()) {
    transaction.in_recovery = true;
  } else if (likely(have_records())) {
    record_first(generator);
  } else if (!transaction.unrecorded) {
    lock_unrecorded();
    pg_atomic_fetch_add_u32(&shared_state()->header.unrecorded, 1);
    transaction.unrecorded = true;
  }
  pg_memory_barrier();
  transaction.enrolled = true;
  transaction.generators[generator->column] = enrolled;
  *enrolled = generator;
}

void enrol_again() {
  for (GeneratorState** enrolled : transaction.generators)
    if (enrolled) *enrolled = nullptr;
}

std::uint64_t find_first_unsettled(GeneratorState* generator, Snapshot snapshot) {
  if (!have_records()) missing_records(generator);
  const std::size_t column = generator->column;
  SharedState* shared = shared_state();
  // b
  std::uint64_t first = pg_atomic_read_u64(&generator->tick) + 1;
  pg_memory_barrier();
  // c
  if (pg_atomic_read_u32(&shared->header.unrecorded) != 0) missing_records(generator);
  for (int i = 0; i < MaxBackends; ++i)
    first = std::min(first, first_of(records->sessions()[i], column));
  pg_memory_barrier();
  const std::uint64_t next = next_xid();
  if (pg_atomic_read_u64(&shared->header.last_unrecorded) >= full_xid(snapshot->xmin, next))
    missing_records(generator);
  for (int i = 0; i < max_prepared_xacts; ++i) {
    Record& record = records->prepared()[i];
    const std::uint64_t xid = pg_atomic_read_u64(&record.xid);
    pg_read_barrier();
    // If the place is given to another transaction now, this one is among the finished, and the
    // other one was found in its session.
    if (xid != 0 && !sees(snapshot, xid, next)) first = std::min(first, first_of(record, column));
  }
  pg_memory_barrier();
  const std::uint64_t end = pg_atomic_read_u64(&records->finished_below);
  pg_memory_barrier();
  for (std::uint32_t i = 0; i < snapshot->xcnt && first != kUnknown; ++i)
    first = std::min(first, first_of_finished(full_xid(snapshot->xip[i], next), column));
  for (std::uint64_t xid = full_xid(snapshot->xmax, next); xid < end && first != kUnknown; ++xid) {
    CHECK_FOR_INTERRUPTS();
    first = std::min(first, first_of_finished(xid, column));
  }
  return first == kUnknown ? 0 : first;
}

}  // namespace ids
