// The records of transactions that make identifiers, in dynamic shared memory. settled.hpp says who
// writes and reads them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "generator/shared_state.hpp"
#include "pg/postgres.hpp"

namespace ids {

// Each record has room for this many generators. Each of these has the same place in all records,
// in all versions of the library: the one that it has in kGenerators, in settled.hpp.
inline constexpr std::size_t kRecorded = 4;

// The record of an unfinished transaction.
struct alignas(kCacheLine) Writer {
  pg_atomic_uint64 first[kRecorded];  // 0: no identifiers of that generator
  pg_atomic_uint64 xid;               // of a prepared transaction; 0: none, or a session's
  TimestampTz since;                  // when the transaction began; 0: unknown
  Oid database;
  Oid role;
};
static_assert(sizeof(Writer) == kCacheLine);

// The record of a finished transaction.
struct Finished {
  pg_atomic_uint64 xid;  // written last
  std::uint64_t first[kRecorded];
  Oid database;
  slock_t lock;
};

// Of transactions whose numbers are equal modulo kFinished the table keeps the newest one.
inline constexpr std::uint64_t kFinished = 8192;

struct Records {
  static constexpr std::uint32_t kVersion = 1;  // changes with the layout

  std::uint64_t recovered_below;  // transactions from this xid on have records
  alignas(kCacheLine) pg_atomic_uint64 finished_below;  // greater than all xids of the finished
  alignas(kCacheLine) Finished finished[kFinished];
  Writer writers[FLEXIBLE_ARRAY_MEMBER];  // of sessions, then of prepared transactions

  Writer* sessions() { return writers; }
  Writer* prepared() { return writers + MaxBackends; }

  static std::size_t size() {
    return offsetof(Records, writers) +
           sizeof(Writer) * static_cast<std::size_t>(MaxBackends + max_prepared_xacts);
  }
};

// The first tick of a transaction that may have made any identifiers.
inline constexpr std::uint64_t kUnknown = 1;

// Null until have_records().
extern Records* records;

// Attaches to the records, after the end of recovery. Returns false if there is no memory for them.
bool have_records();

// Raises an error: transactions may be open that have no record.
[[noreturn]] void missing_records(const char* function);

// Full xids, as numbers.
inline std::uint64_t next_xid() {
  return U64FromFullTransactionId(ReadNextFullTransactionId());
}
inline std::uint64_t full_xid(TransactionId xid, std::uint64_t next) {
  return next - static_cast<TransactionId>(static_cast<TransactionId>(next) - xid);
}

}  // namespace ids
