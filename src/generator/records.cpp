#include "generator/records.hpp"

#include <cstring>

namespace ids {

Records* records = nullptr;

namespace {

// Notes the prepared transactions that exist before this run of the server has recorded any. Others
// may have been committed before that, but after a snapshot that may still ask: they have smaller
// numbers than recovered_below, and no record. The lock keeps transactions from being prepared
// between the two.
void note_recovered(Records* created) {
  LWLockAcquire(TwoPhaseStateLock, LW_SHARED);
  const std::uint64_t next = next_xid();
  for (int i = 0; i < max_prepared_xacts; ++i) {
    const PGPROC& proc = PreparedXactProcs[i];
    if (!TransactionIdIsValid(proc.xid)) continue;
    Record& record = created->prepared()[i];
    record.database = proc.databaseId;
    for (pg_atomic_uint64& first : record.first) pg_atomic_write_u64(&first, kUnknown);
    pg_atomic_write_u64(&record.xid, full_xid(proc.xid, next));
  }
  LWLockRelease(TwoPhaseStateLock);
  pg_atomic_write_u64(&created->finished_below, next);
  created->recovered_below = next;
}

Records* reserved = nullptr;  // if the library is preloaded

// The first session initializes the records, whose atomics begin with zero, too. Returns null if
// another version of the library has made records of another layout.
Records* attach(SharedState* shared) {
  auto& header = shared->header;
  const bool first = header.records_version == 0;
  dsm_segment* segment = nullptr;
  Records* found = reserved;
  if (!found) {
    segment = first ? dsm_create(Records::size(), 0) : dsm_attach(header.records);
    if (!segment) return nullptr;
    found = static_cast<Records*>(dsm_segment_address(segment));
  }
  if (first) {
    std::memset(static_cast<void*>(found), 0, Records::size());
    for (FinishedRecord& record : found->finished) SpinLockInit(&record.lock);
    note_recovered(found);
    if (segment) {
      dsm_pin_segment(segment);
      header.records = dsm_segment_handle(segment);
    }
    header.records_size = static_cast<std::uint32_t>(Records::size());
    header.records_version = Records::kVersion;
  }
  if (header.records_version != Records::kVersion || header.records_size != Records::size())
    return nullptr;
  if (segment) dsm_pin_mapping(segment);
  return found;
}

// Returns null if there is no memory, instead of the server's error. A resource owner of our own
// releases what was acquired before that error.
Records* try_attach() {
  SharedState* shared = shared_state();  // which takes the same lock
  MemoryContext context = CurrentMemoryContext;
  ResourceOwner outer = CurrentResourceOwner;
  ResourceOwner own = ResourceOwnerCreate(nullptr, "ids");
  Records* volatile attached = nullptr;
  CurrentResourceOwner = own;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  const auto held = InterruptHoldoffCount;
  PG_TRY();
  { attached = attach(shared); }
  PG_CATCH();
  {
    MemoryContextSwitchTo(context);
    FlushErrorState();
    InterruptHoldoffCount = held;  // which the error has reset
  }
  PG_END_TRY();
  LWLockRelease(AddinShmemInitLock);
  ResourceOwnerRelease(own, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
  CurrentResourceOwner = outer;
  ResourceOwnerDelete(own);
  return attached;
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

bool have_records() {
  if (unlikely(!records)) records = try_attach();
  return records != nullptr;
}

void missing_records(const GeneratorState* generator) {
  ereport(
      ERROR,
      (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
       errmsg("%s_settled() does not know which transactions have generated ids", generator->name),
       errdetail("The server had no dynamic shared memory or no free segment of it for their "
                 "records, or another version of the extension's library has made them."),
       errhint("End the transactions that pg_catalog.ids_unsettled() shows, and try again. To "
               "reserve memory, add \"ids\" to shared_preload_libraries and restart the server; "
               "or provide %zu kB more, and more segments by a greater max_connections.",
               Records::size() / 1024 + 1)));
}

}  // namespace ids
