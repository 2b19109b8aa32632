// The view of who holds readers back.
#include "generator/settled.hpp"
#include "pg/clock.hpp"

namespace {

using namespace ids;

// A row of the result.
struct Unsettled {
  const GeneratorState* generator;
  std::uint64_t first;
  std::uint64_t xid;  // of a prepared transaction
  int pid;            // of a session
  TimestampTz since;
  Oid role;

  std::int64_t first_us() const { return time_us(*generator, first); }
};

struct Rows {
  const GeneratorState* generators[kColumns];  // null: not used yet
  Unsettled* row;
  std::size_t count;
};

Rows no_rows() {
  Rows rows{};
  LWLockAcquire(AddinShmemInitLock, LW_SHARED);
  for (const GeneratorState& state : shared_state()->generators)
    if (state.name[0] != '\0' && state.column != kNoColumn) rows.generators[state.column] = &state;
  LWLockRelease(AddinShmemInitLock);
  const auto most = static_cast<std::size_t>(MaxBackends + max_prepared_xacts) * kColumns;
  rows.row = static_cast<Unsettled*>(palloc(most * sizeof(Unsettled)));
  return rows;
}

// Adds a row for each generator that the transaction of a session, or a prepared one, has used. If
// its place is given to another transaction meanwhile, none.
void add_rows(Rows* rows, Record& record, int pid) {
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::uint64_t xid = pg_atomic_read_u64(&record.xid);
    const std::uint64_t first = pg_atomic_read_u64(&record.first[i]);
    pg_read_barrier();
    const Oid database = record.database;
    const Unsettled row{rows->generators[i], first, xid, pid, record.since, record.role};
    pg_read_barrier();
    if (row.generator && first != 0 && first == pg_atomic_read_u64(&record.first[i]) &&
        xid == pg_atomic_read_u64(&record.xid) && database == MyDatabaseId)
      rows->row[rows->count++] = row;
  }
}

// What holds readers back comes before what would hold them back without it.
int compare_rows(const void* left, const void* right) {
  const auto& a = *static_cast<const Unsettled*>(left);
  const auto& b = *static_cast<const Unsettled*>(right);
  if (a.first_us() != b.first_us()) return a.first_us() < b.first_us() ? -1 : 1;
  return a.first < b.first ? -1 : a.first > b.first;
}

// The rule of pg_stat_activity.
bool may_see(Oid role) {
  return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) ||
         has_privs_of_role(GetUserId(), role);
}

void put_row(ReturnSetInfo* result, const Unsettled& row) {
  const bool hidden = !may_see(row.role);
  bool nulls[] = {row.pid == 0, row.pid != 0, false, hidden || row.first == kUnknown,
                  hidden || row.since == 0};
  Datum values[] = {Int32GetDatum(row.pid),
                    TransactionIdGetDatum(static_cast<TransactionId>(row.xid)),
                    CStringGetTextDatum(row.generator->name),
                    TimestampTzGetDatum(timestamptz_from_unix_us(row.first_us())),
                    TimestampTzGetDatum(row.since)};
  tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

}  // namespace

// unsettled_records() -> setof (pid int, transaction xid, generator text, first_timestamp
// timestamptz, since timestamptz): the open transactions of this database that have generated
// identifiers, in the order of these.
IDS_FUNCTION(unsettled_records) {
  InitMaterializedSRF(fcinfo, 0);
  if (RecoveryInProgress()) return (Datum)0;
  if (!have_records()) return (Datum)0;
  Rows rows = no_rows();
  for (int i = 0; i < MaxBackends; ++i)
    add_rows(&rows, records->sessions()[i], GetPGProcByNumber(i)->pid);
  for (int i = 0; i < max_prepared_xacts; ++i)
    if (pg_atomic_read_u64(&records->prepared()[i].xid) != 0)
      add_rows(&rows, records->prepared()[i], 0);
  qsort(rows.row, rows.count, sizeof(Unsettled), compare_rows);
  for (const Unsettled* row = rows.row; row < rows.row + rows.count; ++row)
    put_row(reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo), *row);
  return (Datum)0;
}
