#include "generator/records.hpp"

#include <cstring>

namespace ids {

Records* records = nullptr;

namespace {

// Notes the prepared transactions that exist before this boot of the server has recorded any.
// Others may have been committed before that, but after a snapshot that may still ask: they have
// smaller numbers than recovered_below, and no record. The lock keeps transactions from being
// prepared between the two.
void note_recovered(Records* created) {
  LWLockAcquire(TwoPhaseStateLock, LW_SHARED);
  const std::uint64_t next = next_xid();
  for (int i = 0; i < max_prepared_xacts; ++i) {
    const PGPROC& proc = PreparedXactProcs[i];
    if (!TransactionIdIsValid(proc.xid)) continue;
    Slot& slot = created->prepared()[i];
    slot.database = proc.databaseId;
    for (pg_atomic_uint64& limit : slot.limit) pg_atomic_write_u64(&limit, kUnknown);
    pg_atomic_write_u64(&slot.xid, full_xid(proc.xid, next));
  }
  LWLockRelease(TwoPhaseStateLock);
  pg_atomic_write_u64(&created->finished_below, next);
  created->recovered_below = next;
}

Records* reserved = nullptr;  // if the library is preloaded

// The first session initializes the records, whose atomics begin with zero, too.
Records* attach(SharedState* shared) {
  auto& header = shared->header;
  const bool is_first = header.records_version == 0;
  dsm_segment* segment = nullptr;
  Records* found = reserved;
  if (!found) {
    segment = is_first ? dsm_create(Records::size(), 0) : dsm_attach(header.records);
    if (!segment) elog(ERROR, "records of extension \"ids\" are missing");
    found = static_cast<Records*>(dsm_segment_address(segment));
  }
  if (is_first) {
    std::memset(static_cast<void*>(found), 0, Records::size());
    for (Finished& finished : found->finished) SpinLockInit(&finished.lock);
    note_recovered(found);
    if (segment) {
      dsm_pin_segment(segment);
      header.records = dsm_segment_handle(segment);
    }
    header.records_size = static_cast<std::uint32_t>(Records::size());
    header.records_version = Records::kVersion;
  }
  if (header.records_version != Records::kVersion || header.records_size != Records::size())
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("another version of extension \"ids\" has made the records"),
                    errhint("Restart the server.")));
  if (segment) dsm_pin_mapping(segment);
  return found;
}

shmem_request_hook_type previous_shmem_request_hook = nullptr;
shmem_startup_hook_type previous_shmem_startup_hook = nullptr;

void request_memory() {
  if (previous_shmem_request_hook) previous_shmem_request_hook();
  RequestAddinShmemSpace(sizeof(SharedState) + Records::size());
}

// The server calls it again when it creates new shared memory after a crash.
void take_memory() {
  if (previous_shmem_startup_hook) previous_shmem_startup_hook();
  create_shared_state();
  bool found;
  reserved = static_cast<Records*>(ShmemInitStruct("ids records", Records::size(), &found));
}

}  // namespace

void reserve_memory() {
  previous_shmem_request_hook = shmem_request_hook;
  shmem_request_hook = request_memory;
  previous_shmem_startup_hook = shmem_startup_hook;
  shmem_startup_hook = take_memory;
}

void attach_records() {
  SharedState* shared = shared_state();  // which takes the same lock
  ErrorContextCallback context{error_context_stack, hint_at_preloading, nullptr};
  error_context_stack = &context;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  records = attach(shared);
  LWLockRelease(AddinShmemInitLock);
  error_context_stack = context.previous;
}

}  // namespace ids
