#include "generator/settled.hpp"

#include <algorithm>
#include <cstring>

#include "pg/postgres.hpp"

namespace ids {

namespace {

constexpr std::size_t kGenerators = SharedState::kSlots;

// The first tick of a transaction that may have made any identifiers.
constexpr std::uint64_t kUnknown = 1;

// The record of an unfinished transaction. A session does not use the xid.
struct alignas(kCacheLine) Writer {
  pg_atomic_uint64 first[kGenerators];  // 0: no identifiers of that generator
  pg_atomic_uint64 xid;                 // of a prepared transaction; 0: none
  TimestampTz since;                    // when the transaction began; 0: unknown
  Oid database;
};

// The record of a finished transaction: 72 bytes, so the table has 576 kB.
struct Finished {
  pg_atomic_uint64 xid;  // written last
  std::uint64_t first[kGenerators];
  Oid database;
  slock_t lock;
};

constexpr std::uint64_t kFinished = 8192;

struct Records {
  bool knows_recovered;
  Finished finished[kFinished];
  Writer writers[FLEXIBLE_ARRAY_MEMBER];  // of sessions, then of prepared transactions

  Writer* sessions() { return writers; }
  Writer* prepared() { return writers + MaxBackends; }

  static std::size_t size() {
    return offsetof(Records, writers) +
           sizeof(Writer) * static_cast<std::size_t>(MaxBackends + max_prepared_xacts);
  }
};

Records* records = nullptr;

// Full xids, as numbers.
std::uint64_t next_xid() {
  return U64FromFullTransactionId(ReadNextFullTransactionId());
}
std::uint64_t full_xid(TransactionId xid, std::uint64_t next) {
  return next - static_cast<TransactionId>(static_cast<TransactionId>(next) - xid);
}

// The shared memory.

void initialize(Records* created) {
  std::memset(static_cast<void*>(created), 0, Records::size());
  for (Finished& place : created->finished) {
    pg_atomic_init_u64(&place.xid, 0);
    SpinLockInit(&place.lock);
  }
  for (int i = 0; i < MaxBackends + max_prepared_xacts; ++i) {
    for (pg_atomic_uint64& first : created->writers[i].first) pg_atomic_init_u64(&first, 0);
    pg_atomic_init_u64(&created->writers[i].xid, 0);
  }
}

dsm_handle known_handle() {
  const SharedState* shared = shared_state();  // which takes the same lock
  LWLockAcquire(AddinShmemInitLock, LW_SHARED);
  const dsm_handle handle = shared->header.records;
  LWLockRelease(AddinShmemInitLock);
  return handle;
}

// Creates the segment. Returns null if another session was faster.
dsm_segment* create_segment() {
  dsm_segment* segment = dsm_create(Records::size(), 0);
  initialize(static_cast<Records*>(dsm_segment_address(segment)));
  SharedState* shared = shared_state();
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  const bool first = shared->header.records == DSM_HANDLE_INVALID;
  if (first) {
    dsm_pin_segment(segment);
    shared->header.records = dsm_segment_handle(segment);
  }
  LWLockRelease(AddinShmemInitLock);
  if (first) return segment;
  dsm_detach(segment);
  return nullptr;
}

Records* attach() {
  dsm_segment* segment = nullptr;
  if (known_handle() == DSM_HANDLE_INVALID) segment = create_segment();
  if (!segment) segment = dsm_attach(known_handle());
  if (!segment) return nullptr;
  dsm_pin_mapping(segment);
  return static_cast<Records*>(dsm_segment_address(segment));
}

// Returns null if there is no memory, instead of the server's error. A resource owner of our own
// releases what was acquired before that error.
Records* try_attach() {
  MemoryContext context = CurrentMemoryContext;
  ResourceOwner outer = CurrentResourceOwner;
  ResourceOwner own = ResourceOwnerCreate(nullptr, "ids");
  Records* volatile attached = nullptr;
  CurrentResourceOwner = own;
  PG_TRY();
  { attached = attach(); }
  PG_CATCH();
  {
    MemoryContextSwitchTo(context);
    FlushErrorState();
  }
  PG_END_TRY();
  ResourceOwnerRelease(own, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
  CurrentResourceOwner = outer;
  ResourceOwnerDelete(own);
  return attached;
}

// Notes the prepared transactions that exist before this server has recorded any. This happens
// once, after the end of recovery.
void note_recovered() {
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  if (!records->knows_recovered) {
    const std::uint64_t next = next_xid();
    LWLockAcquire(TwoPhaseStateLock, LW_SHARED);
    for (int i = 0; i < max_prepared_xacts; ++i) {
      Writer& writer = records->prepared()[i];
      writer.database = PreparedXactProcs[i].databaseId;
      for (pg_atomic_uint64& first : writer.first) pg_atomic_write_u64(&first, kUnknown);
      if (TransactionIdIsValid(PreparedXactProcs[i].xid))
        pg_atomic_write_u64(&writer.xid, full_xid(PreparedXactProcs[i].xid, next));
    }
    LWLockRelease(TwoPhaseStateLock);
    records->knows_recovered = true;
  }
  LWLockRelease(AddinShmemInitLock);
}

bool have_records() {
  static bool ready = false;
  if (likely(ready)) return true;
  if (!records) records = try_attach();
  if (!records) return false;
  if (!RecoveryInProgress()) {
    note_recovered();
    ready = true;
  }
  return true;
}

// The writer's side.

// This session's transaction.
struct {
  bool enrolled;
  bool unrecorded;
  GeneratorState** generators[kGenerators];
} own;

Writer& own_place() {
#if PG_VERSION_NUM >= 170000
  return records->sessions()[MyProcNumber];
#else
  return records->sessions()[MyProc->pgprocno];
#endif
}

// Step 4.
void finish(std::uint64_t xid, Writer& writer) {
  Finished& place = records->finished[xid % kFinished];
  SpinLockAcquire(&place.lock);
  if (pg_atomic_read_u64(&place.xid) < xid) {
    for (std::size_t g = 0; g < kGenerators; ++g)
      place.first[g] = pg_atomic_read_u64(&writer.first[g]);
    place.database = writer.database;
    pg_write_barrier();
    pg_atomic_write_u64(&place.xid, xid);
  }
  SpinLockRelease(&place.lock);
}

// The prepared transaction keeps the number that the server has given it until it has ended.
Writer& prepared_place(std::uint64_t xid) {
#if PG_VERSION_NUM >= 190000
  PGPROC* proc = TwoPhaseGetDummyProc(FullTransactionIdFromU64(xid), false);
#else
  PGPROC* proc = TwoPhaseGetDummyProc(static_cast<TransactionId>(xid), false);
#endif
  return records->prepared()[proc - PreparedXactProcs];
}

void move_to_prepared(std::uint64_t xid, Writer& writer) {
  Writer& place = prepared_place(xid);
  const std::uint64_t before = pg_atomic_read_u64(&place.xid);
  if (before != 0) finish(before, place);
  pg_atomic_write_u64(&place.xid, 0);
  pg_write_barrier();
  for (std::size_t g = 0; g < kGenerators; ++g)
    pg_atomic_write_u64(&place.first[g], pg_atomic_read_u64(&writer.first[g]));
  place.since = writer.since;
  place.database = writer.database;
  pg_write_barrier();
  pg_atomic_write_u64(&place.xid, xid);
}

// Step 5.
void leave() {
  pg_write_barrier();
  for (std::size_t g = 0; g < kGenerators; ++g) {
    if (!own.generators[g]) continue;
    *own.generators[g] = nullptr;
    if (records) pg_atomic_write_u64(&own_place().first[g], 0);
  }
  if (own.unrecorded) pg_atomic_fetch_sub_u32(&shared_state()->header.unrecorded, 1);
  own = {};
}

// Called by the server as a transaction ends. Nothing in here may raise an error.
void at_end(XactEvent event, void*) {
  if (!own.enrolled) return;
  if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_PREPARE && event != XACT_EVENT_ABORT)
    return;
  const std::uint64_t xid = U64FromFullTransactionId(GetTopFullTransactionIdIfAny());
  if (event != XACT_EVENT_ABORT && xid != 0) {
    if (own.unrecorded)
      pg_atomic_monotonic_advance_u64(&shared_state()->header.last_unrecorded, xid);
    if (records && event == XACT_EVENT_COMMIT) finish(xid, own_place());
    if (records && event == XACT_EVENT_PREPARE) move_to_prepared(xid, own_place());
  }
  leave();
}

void expect_end() {
  static bool expected = false;
  if (likely(expected)) return;
  RegisterXactCallback(at_end, nullptr);
  expected = true;
}

[[noreturn]] void in_parallel_worker(const char* what) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_TRANSACTION_STATE),
                  errmsg("cannot %s in a parallel worker", what),
                  errhint("Declare the function that does so PARALLEL RESTRICTED.")));
}

}  // namespace

void enrol(GeneratorState* generator, GeneratorState** enrolled) {
  if (IsParallelWorker()) in_parallel_worker("generate an identifier");
  expect_end();
  SharedState* shared = shared_state();
  const auto g = static_cast<std::size_t>(generator - shared->generators);
  if (likely(have_records())) {
    Writer& place = own_place();
    if (!own.enrolled) {
      place.database = MyDatabaseId;
      place.since = GetCurrentTransactionStartTimestamp();
      pg_write_barrier();
    }
    const std::uint64_t recorded = own.generators[g] ? pg_atomic_read_u64(&place.first[g]) : 0;
    const std::uint64_t first = pg_atomic_read_u64(&generator->tick) + 1;
    if (recorded == 0 || first < recorded) pg_atomic_write_u64(&place.first[g], first);
  } else if (!own.unrecorded) {
    pg_atomic_fetch_add_u32(&shared->header.unrecorded, 1);
    own.unrecorded = true;
  }
  pg_memory_barrier();
  own.enrolled = true;
  own.generators[g] = enrolled;
  *enrolled = generator;
}

void enrol_again() {
  for (GeneratorState** enrolled : own.generators)
    if (enrolled) *enrolled = nullptr;
}

namespace {

// The reader's side.

[[noreturn]] void no_memory(const char* function) {
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
           errmsg("%s() does not know which transactions have generated ids", function),
           errdetail("The server had no shared memory for their records."),
           errhint("Provide %zu kB more of the memory that dynamic_shared_memory_type selects, and "
                   "try again after all current transactions have ended.",
                   Records::size() / 1024 + 1)));
}

// A snapshot, with full xids.
struct Seen {
  Snapshot snapshot;
  std::uint64_t next;
  std::uint64_t xmin;
  std::uint64_t xmax;

  Seen(Snapshot of, std::uint64_t next_xid)
      : snapshot(of),
        next(next_xid),
        xmin(full_xid(of->xmin, next)),
        xmax(full_xid(of->xmax, next)) {}

  bool sees(std::uint64_t xid) const {
    if (xid < xmin) return true;
    if (xid >= xmax) return false;
    TransactionId* end = snapshot->xip + snapshot->xcnt;
    return std::find(snapshot->xip, end, static_cast<TransactionId>(xid)) == end;
  }
};

// The first tick that the writer has recorded; UINT64_MAX if it has none of this generator and
// database.
std::uint64_t first_of(Writer& writer, std::size_t g) {
  const std::uint64_t first = pg_atomic_read_u64(&writer.first[g]);
  if (first == 0) return UINT64_MAX;
  pg_read_barrier();
  return writer.database == MyDatabaseId ? first : UINT64_MAX;
}

std::uint64_t first_of_prepared(Writer& writer, std::size_t g, const Seen& seen) {
  const std::uint64_t xid = pg_atomic_read_u64(&writer.xid);
  if (xid == 0 || seen.sees(xid)) return UINT64_MAX;
  pg_read_barrier();
  const std::uint64_t first = first_of(writer, g);
  pg_read_barrier();
  // If the xid changed meanwhile, the former transaction is among the finished ones, and the new
  // one was found in its session.
  return pg_atomic_read_u64(&writer.xid) == xid ? first : UINT64_MAX;
}

// The first tick of a transaction that the snapshot does not see and that was found in no other
// place.
std::uint64_t first_of_finished(std::uint64_t xid, std::size_t g) {
  Finished& place = records->finished[xid % kFinished];
  if (pg_atomic_read_u64(&place.xid) < xid) return UINT64_MAX;
  SpinLockAcquire(&place.lock);
  const std::uint64_t found = pg_atomic_read_u64(&place.xid);
  const std::uint64_t first = place.first[g];
  const Oid database = place.database;
  SpinLockRelease(&place.lock);
  if (found == xid) return first == 0 || database != MyDatabaseId ? UINT64_MAX : first;
  const auto displaced = static_cast<TransactionId>(xid);
  const bool may_have = !TransactionIdIsInProgress(displaced) && TransactionIdDidCommit(displaced);
  return may_have ? kUnknown : UINT64_MAX;
}

std::uint64_t compute(GeneratorState* generator, Snapshot snapshot, const char* function) {
  SharedState* shared = shared_state();
  const auto g = static_cast<std::size_t>(generator - shared->generators);
  // b
  std::uint64_t first = pg_atomic_read_u64(&generator->tick) + 1;
  pg_memory_barrier();
  // c
  if (pg_atomic_read_u32(&shared->header.unrecorded) != 0) no_memory(function);
  for (int i = 0; i < MaxBackends; ++i)
    first = std::min(first, first_of(records->sessions()[i], g));
  pg_memory_barrier();
  const Seen seen(snapshot, next_xid());
  if (pg_atomic_read_u64(&shared->header.last_unrecorded) >= seen.xmin) no_memory(function);
  for (int i = 0; i < max_prepared_xacts; ++i)
    first = std::min(first, first_of_prepared(records->prepared()[i], g, seen));
  pg_memory_barrier();
  for (std::uint32_t i = 0; i < snapshot->xcnt && first != kUnknown; ++i)
    first = std::min(first, first_of_finished(full_xid(snapshot->xip[i], seen.next), g));
  for (std::uint64_t xid = seen.xmax; xid < seen.next && first != kUnknown; ++xid) {
    CHECK_FOR_INTERRUPTS();
    first = std::min(first, first_of_finished(xid, g));
  }
  return first == kUnknown ? 0 : first;
}

// The answers for snapshots that may still be in use. A snapshot may have several copies, and a
// later one may reuse its memory, so an answer is found by the snapshot's content.
struct Answer {
  Answer* next;
  std::uint64_t first[kGenerators];
  bool known[kGenerators];
  TransactionId xmin;
  TransactionId xmax;
  std::uint32_t xcnt;
  TransactionId xip[FLEXIBLE_ARRAY_MEMBER];

  bool is_of(Snapshot snapshot) const {
    return xmax == snapshot->xmax && xmin == snapshot->xmin && xcnt == snapshot->xcnt &&
           (xcnt == 0 || std::memcmp(xip, snapshot->xip, xcnt * sizeof *xip) == 0);
  }
};

Answer* answers = nullptr;

void forget_answers(bool all) {
  Answer** link = &answers;
  while (Answer* answer = *link) {
    if (all || TransactionIdPrecedes(answer->xmin, MyProc->xmin)) {
      *link = answer->next;
      pfree(answer);
    } else {
      link = &answer->next;
    }
  }
}

// Called by the server when a statement has ended, and at other times. A later snapshot may have
// the same content. It should get a new answer, because transactions may have ended since.
void at_release(ResourceReleasePhase phase, bool, bool is_top_level, void*) {
  if (phase == RESOURCE_RELEASE_AFTER_LOCKS && answers &&
      (is_top_level || !HaveRegisteredOrActiveSnapshot()))
    forget_answers(true);
}

Answer* answer_for(Snapshot snapshot) {
  for (Answer* answer = answers; answer; answer = answer->next)
    if (answer->is_of(snapshot)) return answer;
  static bool registered = false;
  if (!registered) {
    RegisterResourceReleaseCallback(at_release, nullptr);
    registered = true;
  }
  forget_answers(false);
  const std::size_t xip_size = snapshot->xcnt * sizeof *Answer::xip;
  auto* answer = static_cast<Answer*>(
      MemoryContextAllocZero(TopMemoryContext, offsetof(Answer, xip) + xip_size));
  answer->xmin = snapshot->xmin;
  answer->xmax = snapshot->xmax;
  answer->xcnt = snapshot->xcnt;
  if (xip_size > 0) std::memcpy(answer->xip, snapshot->xip, xip_size);
  answer->next = answers;
  answers = answer;
  return answer;
}

}  // namespace

std::uint64_t first_unsettled(GeneratorState* generator, const char* function) {
  if (IsParallelWorker()) in_parallel_worker("ask which identifiers are settled");
  if (RecoveryInProgress())
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
                    errmsg("cannot execute %s() during recovery", function),
                    errhint("Call it on the primary: a standby does not know which transactions "
                            "have generated ids.")));
  SharedState* shared = shared_state();
  const auto g = static_cast<std::size_t>(generator - shared->generators);
  if (!ActiveSnapshotSet() || HistoricSnapshotActive()) return 0;
  Snapshot snapshot = GetActiveSnapshot();
  if (snapshot->snapshot_type != SNAPSHOT_MVCC || snapshot->takenDuringRecovery) return 0;
  Answer* answer = answer_for(snapshot);
  if (!answer->known[g]) {
    if (!have_records()) no_memory(function);
    answer->first[g] = compute(generator, snapshot, function);
    answer->known[g] = true;
  }
  return answer->first[g];
}

namespace {

struct Prepared {
  Datum gid;
  Datum at;
  Oid owner;
};

// Returns false if the prepared transaction has ended meanwhile.
bool look_up_prepared(TransactionId xid, Prepared* prepared) {
  Oid types[] = {XIDOID};
  Datum values[] = {TransactionIdGetDatum(xid)};
  SPI_execute_with_args(
      "SELECT gid, prepared, ownerid FROM pg_catalog.pg_prepared_xact() "
      "WHERE transaction OPERATOR(pg_catalog.=) $1",
      1, types, values, nullptr, true, 1);
  if (SPI_processed == 0) return false;
  const auto column = [](int number) {
    bool ignored;
    return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, number, &ignored);
  };
  *prepared = {column(1), column(2), DatumGetObjectId(column(3))};
  return true;
}

// The rule of pg_stat_activity.
bool may_see(Oid role) {
  return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) ||
         has_privs_of_role(GetUserId(), role);
}

enum { kPid, kGid, kGenerator, kFirstId, kSince, kColumns };

// The slot of a generator: if it has not been used since the server's start, the first free one.
std::size_t slot_of(const char* generator) {
  std::size_t g = 0;
  for (const GeneratorState& slot : shared_state()->generators) {
    if (slot.name[0] == '\0' || std::strcmp(slot.name, generator) == 0) break;
    ++g;
  }
  return g;
}

// A row for each generator that the writer has used.
void put_rows(ReturnSetInfo* result, Writer& writer, Datum* values, bool* nulls) {
  const bool hidden = nulls[kFirstId];
  for (const auto& generator : kSettledGenerators) {
    const std::size_t g = slot_of(generator.name);
    const std::uint64_t first = g < kGenerators ? first_of(writer, g) : UINT64_MAX;
    if (first == UINT64_MAX) continue;
    values[kGenerator] = CStringGetTextDatum(generator.name);
    nulls[kFirstId] = hidden || first == kUnknown;
    if (!nulls[kFirstId]) values[kFirstId] = generator.text_of(first);
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
}

}  // namespace

}  // namespace ids

using namespace ids;

// ids_unsettled() -> setof (pid int, gid text, generator text, first_id text, since timestamptz):
// the open transactions of this database that have generated identifiers.
IDS_FUNCTION(ids_unsettled) {
  InitMaterializedSRF(fcinfo, 0);
  auto* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
  if (!have_records() || pg_atomic_read_u32(&shared_state()->header.unrecorded) != 0)
    no_memory("ids_unsettled");
  for (int i = 0; i < MaxBackends; ++i) {
    Writer& writer = records->sessions()[i];
    const PGPROC* proc = GetPGProcByNumber(i);
    const bool hidden = !may_see(proc->roleId);
    Datum values[kColumns] = {Int32GetDatum(proc->pid)};
    bool nulls[kColumns] = {false, true, false, hidden, hidden};
    values[kSince] = TimestampTzGetDatum(writer.since);
    put_rows(result, writer, values, nulls);
  }
  SPI_connect();
  for (int i = 0; i < max_prepared_xacts; ++i) {
    Writer& writer = records->prepared()[i];
    const auto xid = static_cast<TransactionId>(pg_atomic_read_u64(&writer.xid));
    if (!TransactionIdIsValid(xid) || writer.database != MyDatabaseId) continue;
    Prepared prepared;
    if (!look_up_prepared(xid, &prepared)) continue;
    const bool hidden = !may_see(prepared.owner);
    Datum values[kColumns] = {0, prepared.gid};
    bool nulls[kColumns] = {true, false, false, hidden, hidden};
    values[kSince] = writer.since != 0 ? TimestampTzGetDatum(writer.since) : prepared.at;
    put_rows(result, writer, values, nulls);
  }
  SPI_finish();
  return (Datum)0;
}
