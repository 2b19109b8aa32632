// Another extension on the same server, which does what harms ids.
#include <cstring>

#include "generator/records.hpp"
#include "pg/postgres.hpp"

extern "C" {
#include "utils/wait_event.h"
}

namespace {

// Waits until the session is told to cancel; meanwhile others see what it waits for.
void wait_for_cancel() {
  pgstat_report_wait_start(PG_WAIT_EXTENSION);
  while (!QueryCancelPending) pg_usleep(10'000);
  QueryCancelPending = false;
  pgstat_report_wait_end();
}

ids::SharedState* state_of_ids() {
  bool found;
#if PG_VERSION_NUM >= 190000
  void* state = GetNamedDSMSegment("ids", sizeof(ids::SharedState), nullptr, &found, nullptr);
#elif PG_VERSION_NUM >= 170000
  void* state = GetNamedDSMSegment("ids", sizeof(ids::SharedState), nullptr, &found);
#else
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  void* state = ShmemInitStruct("ids", sizeof(ids::SharedState), &found);
  LWLockRelease(AddinShmemInitLock);
#endif
  return static_cast<ids::SharedState*>(state);
}

}  // namespace

extern "C" {

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

// Preloaded before ids, it has hooks of its own, which the server calls through those of ids; after
// ids, it has the postmaster make an identifier of random bytes.
void _PG_init(void) {
  if (!process_shared_preload_libraries_in_progress) return;
  if (!shmem_request_hook) {
    shmem_request_hook = [] { elog(LOG, "the neighbour requests memory"); };
    shmem_startup_hook = [] { elog(LOG, "the neighbour starts"); };
    return;
  }
  auto gen_ulid_at =
      reinterpret_cast<PGFunction>(load_external_function("ids", "gen_ulid_at", true, nullptr));
  DirectFunctionCall1(gen_ulid_at, TimestampTzGetDatum(0));
}
}

// bytes_of_state() -> bytea
IDS_FUNCTION(bytes_of_state) {
  const std::size_t size = sizeof(ids::SharedState);
  auto* bytes = static_cast<bytea*>(palloc(VARHDRSZ + size));
  SET_VARSIZE(bytes, VARHDRSZ + size);
  std::memcpy(VARDATA(bytes), state_of_ids(), size);
  PG_RETURN_BYTEA_P(bytes);
}

// take_shared_memory() -> void: all but less than 256 bytes
IDS_FUNCTION(take_shared_memory) {
  for (std::size_t size = 1 << 20; size >= 256; size /= 2)
    while (ShmemAllocNoError(size)) continue;
  PG_RETURN_VOID();
}

// take_segments() -> void: all of dynamic shared memory, until the session ends
IDS_FUNCTION(take_segments) {
  while (dsm_segment* segment = dsm_create(1, DSM_CREATE_NULL_IF_MAXSEGMENTS))
    dsm_pin_mapping(segment);
  PG_RETURN_VOID();
}

// hold_prepared_transactions() -> void: until it is cancelled, none is prepared or finished
IDS_FUNCTION(hold_prepared_transactions) {
  LWLockAcquire(TwoPhaseStateLock, LW_EXCLUSIVE);
  wait_for_cancel();
  LWLockRelease(TwoPhaseStateLock);
  PG_RETURN_VOID();
}

// hold_state() -> void: until it is cancelled, it looks at all generators
IDS_FUNCTION(hold_state) {
  LWLockAcquire(AddinShmemInitLock, LW_SHARED);
  wait_for_cancel();
  LWLockRelease(AddinShmemInitLock);
  PG_RETURN_VOID();
}

// hold_record(xid bigint) -> void: until it is cancelled, that transaction's end is not recorded
IDS_FUNCTION(hold_record) {
  dsm_segment* segment = dsm_attach(state_of_ids()->header.records);
  auto* records = static_cast<ids::Records*>(dsm_segment_address(segment));
  ids::Finished& record = records->finished[PG_GETARG_INT64(0) % ids::kFinished];
  SpinLockAcquire(&record.lock);
  wait_for_cancel();
  SpinLockRelease(&record.lock);
  dsm_detach(segment);
  PG_RETURN_VOID();
}

// change_records() -> void: they are another version's
IDS_FUNCTION(change_records) {
  ++state_of_ids()->header.records_version;
  PG_RETURN_VOID();
}

// lower_ticks_slowly() -> void: by half an hour, as ids_reset_clock() lowers them, when it is
// cancelled
IDS_FUNCTION(lower_ticks_slowly) {
  ids::SharedState* shared = state_of_ids();
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  pg_atomic_fetch_add_u32(&shared->header.resets, 1);
  wait_for_cancel();
  for (ids::GeneratorState& state : shared->generators)
    if (state.name[0] != '\0')
      pg_atomic_fetch_sub_u64(&state.tick, (USECS_PER_HOUR / 2 / state.unit_us) << state.shift);
  LWLockRelease(AddinShmemInitLock);
  PG_RETURN_VOID();
}
