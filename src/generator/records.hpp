// The records of transactions that make identifiers, in shared memory. README.md says who writes
// and reads them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "generator/shared_state.hpp"
#include "pg/postgres.hpp"

namespace ids {

// Slots and the table have a column for each generator with a T_settled(): the one that its Spec
// names, which is the same in all versions of the library.
inline constexpr std::size_t kColumns = 6;

// Where an unfinished transaction publishes its limits: a writer's step 1 sets them, step 5 clears
// them. It makes no identifier below its limit.
struct alignas(kCacheLine) Slot {
  pg_atomic_uint64 limit[kColumns];  // 0: no identifiers of that generator
  pg_atomic_uint64 xid;              // of a prepared transaction; 0: none, or a session's
  Oid database;
  std::uint32_t since;  // when a session's transaction first enrolled, in seconds since 1970
};
static_assert(sizeof(Slot) == kCacheLine);

// The limits of a finished transaction: step 4 copies them from its slot, then raises
// finished_below.
struct Finished {
  pg_atomic_uint64 xid;  // written last; readers take the others under the lock
  std::uint64_t limit[kColumns];
  Oid database;
  slock_t lock;
};

// Of transactions whose numbers are equal modulo kFinished the table keeps the newest one.
inline constexpr std::uint64_t kFinished = 8192;

struct Records {
  static constexpr std::uint32_t kVersion = 1 << 8 | sizeof(slock_t);  // changes with the layout

  std::uint64_t recovered_below;  // transactions from this xid on have records
  alignas(kCacheLine) pg_atomic_uint64 finished_below;  // greater than all xids of the finished
  alignas(kCacheLine) Finished finished[kFinished];
  Slot slots[FLEXIBLE_ARRAY_MEMBER];  // of sessions, then of prepared transactions

  Slot* sessions() { return slots; }
  Slot* prepared() { return slots + MaxBackends; }

  static std::size_t size() {
    return offsetof(Records, slots) +
           sizeof(Slot) * static_cast<std::size_t>(MaxBackends + max_prepared_xacts);
  }
};

// The limit of a transaction that may have made any identifiers, and of one that has made none.
inline constexpr std::uint64_t kUnknown = 1;
inline constexpr std::uint64_t kNothing = UINT64_MAX;

// Null until attach_records().
extern Records* records;

// Attaches to the records, after the end of recovery. Raises an error if there is no memory for
// them.
void attach_records();

// Reserves memory for the shared state and for the records, if the library is preloaded.
void reserve_memory();

// Full xids, as numbers.
inline std::uint64_t next_xid() { return U64FromFullTransactionId(ReadNextFullTransactionId()); }
inline std::uint64_t full_xid(TransactionId xid, std::uint64_t next) {
  const auto age = static_cast<TransactionId>(static_cast<TransactionId>(next) - xid);
  Assert(age <= next && age < TransactionId{1} << 31);
  return next - age;
}

}  // namespace ids
