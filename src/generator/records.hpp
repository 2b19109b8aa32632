// The records of transactions that make identifiers, in shared memory. settled.hpp says who writes
// and reads them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "generator/shared_state.hpp"
#include "pg/postgres.hpp"

namespace ids {

// A record has a column for each generator with a T_settled(): the one that its Spec names, which
// is the same in all versions of the library.
inline constexpr std::size_t kColumns = 4;

// The record of an unfinished transaction.
struct alignas(kCacheLine) Record {
  pg_atomic_uint64 first[kColumns];  // 0: no identifiers of that generator
  pg_atomic_uint64 xid;              // of a prepared transaction; 0: none, or a session's
  Oid database;
};
static_assert(sizeof(Record) == kCacheLine);

// The record of a finished transaction.
struct FinishedRecord {
  pg_atomic_uint64 xid;  // written last
  std::uint64_t first[kColumns];
  Oid database;
  slock_t lock;
};

// Of transactions whose numbers are equal modulo kFinished the table keeps the newest one.
inline constexpr std::uint64_t kFinished = 8192;

struct Records {
  static constexpr std::uint32_t kVersion = 1;  // changes with the layout

  std::uint64_t recovered_below;  // transactions from this xid on have records
  alignas(kCacheLine) pg_atomic_uint64 finished_below;  // greater than all xids of the finished
  alignas(kCacheLine) FinishedRecord finished[kFinished];
  Record unfinished[FLEXIBLE_ARRAY_MEMBER];  // of sessions, then of prepared transactions

  Record* sessions() { return unfinished; }
  Record* prepared() { return unfinished + MaxBackends; }

  static std::size_t size() {
    return offsetof(Records, unfinished) +
           sizeof(Record) * static_cast<std::size_t>(MaxBackends + max_prepared_xacts);
  }
};

// The first tick of a transaction that may have made any identifiers.
inline constexpr std::uint64_t kUnknown = 1;

// Null until have_records().
extern Records* records;

// Attaches to the records, after the end of recovery. Returns false if there is no memory for them.
bool have_records();

// Reserves memory for the shared state and for the records, if the library is preloaded.
void reserve_memory();

// Raises an error: transactions may be open that have no record.
[[noreturn]] void missing_records(const GeneratorState* generator);

// Full xids, as numbers.
inline std::uint64_t next_xid() {
  return U64FromFullTransactionId(ReadNextFullTransactionId());
}
inline std::uint64_t full_xid(TransactionId xid, std::uint64_t next) {
  return next - static_cast<TransactionId>(static_cast<TransactionId>(next) - xid);
}

}  // namespace ids
