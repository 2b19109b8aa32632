#include "generator/records.hpp"

#include <cstring>

namespace ids {

Records* records = nullptr;

namespace {

// Atomics begin with zero, too.
void initialize(Records* created) {
  std::memset(static_cast<void*>(created), 0, Records::size());
  for (Finished& place : created->finished) SpinLockInit(&place.lock);
}

// Creates the segment, or attaches to that of a session that was faster.
dsm_segment* create_segment() {
  const std::size_t size = Records::size();
  dsm_segment* segment = dsm_create(size, 0);
  initialize(static_cast<Records*>(dsm_segment_address(segment)));
  auto& header = shared_state()->header;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  const bool first = header.records == DSM_HANDLE_INVALID;
  if (first) {
    dsm_pin_segment(segment);
    header.records_version = Records::kVersion;
    header.records_size = static_cast<std::uint32_t>(size);
    header.records = dsm_segment_handle(segment);
  }
  LWLockRelease(AddinShmemInitLock);
  if (first) return segment;
  dsm_detach(segment);
  return dsm_attach(header.records);
}

// Returns null if another version of the library has made records of another layout.
Records* attach() {
  const auto& header = shared_state()->header;  // which takes the same lock
  LWLockAcquire(AddinShmemInitLock, LW_SHARED);
  const dsm_handle handle = header.records;
  LWLockRelease(AddinShmemInitLock);
  dsm_segment* segment = handle == DSM_HANDLE_INVALID ? create_segment() : dsm_attach(handle);
  if (!segment || header.records_version != Records::kVersion ||
      header.records_size != Records::size())
    return nullptr;
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

// Notes the prepared transactions that exist before this run of the server has recorded any. Others
// may have been committed before that, but after a snapshot that may still ask: they have smaller
// numbers than recovered_below, and no record. The lock keeps transactions from being prepared
// between the two.
void note_recovered() {
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  if (records->recovered_below == 0) {
    LWLockAcquire(TwoPhaseStateLock, LW_SHARED);
    const std::uint64_t next = next_xid();
    for (int i = 0; i < max_prepared_xacts; ++i) {
      const PGPROC& proc = PreparedXactProcs[i];
      if (!TransactionIdIsValid(proc.xid)) continue;
      Writer& writer = records->prepared()[i];
      writer.database = proc.databaseId;
      writer.role = proc.roleId;
      for (pg_atomic_uint64& first : writer.first) pg_atomic_write_u64(&first, kUnknown);
      pg_atomic_write_u64(&writer.xid, full_xid(proc.xid, next));
    }
    LWLockRelease(TwoPhaseStateLock);
    pg_atomic_write_u64(&records->finished_below, next);
    records->recovered_below = next;
  }
  LWLockRelease(AddinShmemInitLock);
}

}  // namespace

bool have_records() {
  static bool ready = false;
  if (likely(ready)) return true;
  if (!records) records = try_attach();
  if (!records) return false;
  note_recovered();
  return ready = true;
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
