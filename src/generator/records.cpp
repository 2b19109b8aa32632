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
    Writer& writer = created->prepared()[i];
    writer.database = proc.databaseId;
    writer.role = proc.roleId;
    for (pg_atomic_uint64& first : writer.first) pg_atomic_write_u64(&first, kUnknown);
    pg_atomic_write_u64(&writer.xid, full_xid(proc.xid, next));
  }
  LWLockRelease(TwoPhaseStateLock);
  pg_atomic_write_u64(&created->finished_below, next);
  created->recovered_below = next;
}

// The first session creates the segment, whose atomics begin with zero, too. Returns null if
// another version of the library has made records of another layout.
Records* attach(SharedState* shared) {
  auto& header = shared->header;
  const bool first = header.records == DSM_HANDLE_INVALID;
  dsm_segment* segment = first ? dsm_create(Records::size(), 0) : dsm_attach(header.records);
  if (!segment) return nullptr;
  auto* found = static_cast<Records*>(dsm_segment_address(segment));
  if (first) {
    std::memset(static_cast<void*>(found), 0, Records::size());
    for (Finished& place : found->finished) SpinLockInit(&place.lock);
    note_recovered(found);
    dsm_pin_segment(segment);
    header.records_version = Records::kVersion;
    header.records_size = static_cast<std::uint32_t>(Records::size());
    header.records = dsm_segment_handle(segment);
  }
  if (header.records_version != Records::kVersion || header.records_size != Records::size())
    return nullptr;
  dsm_pin_mapping(segment);
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

}  // namespace

bool have_records() {
  if (unlikely(!records)) records = try_attach();
  return records != nullptr;
}

void missing_records(const char* function) {
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
           errmsg("%s() does not know which transactions have generated ids", function),
           errdetail("The server had no shared memory for their records, or another version of the "
                     "extension's library has made them."),
           errhint("Provide %zu kB more of the memory that dynamic_shared_memory_type selects, and "
                   "try again after all current transactions have ended; or restart the server.",
                   Records::size() / 1024 + 1)));
}

}  // namespace ids
