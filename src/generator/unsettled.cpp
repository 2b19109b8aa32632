// The view of who holds readers back.
#include "generator/settled.hpp"
#include "pg/datum.hpp"

namespace {

using namespace ids;

// The rule of pg_stat_activity.
bool may_see(Oid role) {
  return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) ||
         has_privs_of_role(GetUserId(), role);
}

// A row for each generator that the transaction of a session, or a prepared one, has used. If its
// place is given to another transaction meanwhile, none.
void put_rows(ReturnSetInfo* result, Writer& writer, int pid) {
  for (std::size_t g = 0; g < kRecorded; ++g) {
    const std::uint64_t xid = pg_atomic_read_u64(&writer.xid);
    const std::uint64_t first = pg_atomic_read_u64(&writer.first[g]);
    pg_read_barrier();
    const Oid database = writer.database;
    const Oid role = writer.role;
    const TimestampTz since = writer.since;
    pg_read_barrier();
    if (first == 0 || first != pg_atomic_read_u64(&writer.first[g]) ||
        xid != pg_atomic_read_u64(&writer.xid) || database != MyDatabaseId ||
        !kGenerators[g].text_of)
      continue;
    const bool hidden = !may_see(role);
    bool nulls[] = {pid == 0, pid != 0, false, hidden || first == kUnknown, hidden || since == 0};
    Datum values[] = {Int32GetDatum(pid), TransactionIdGetDatum(static_cast<TransactionId>(xid)),
                      text_datum(kGenerators[g].name), nulls[3] ? 0 : kGenerators[g].text_of(first),
                      TimestampTzGetDatum(since)};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
}

}  // namespace

// unsettled_records() -> setof (pid int, transaction xid, generator text, first_id text,
// since timestamptz): the open transactions of this database that have generated identifiers.
IDS_FUNCTION(unsettled_records) {
  InitMaterializedSRF(fcinfo, 0);
  if (RecoveryInProgress()) return (Datum)0;
  if (!have_records() || pg_atomic_read_u32(&shared_state()->header.unrecorded) != 0)
    missing_records("ids_unsettled");
  auto* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
  for (int i = 0; i < MaxBackends; ++i)
    put_rows(result, records->sessions()[i], GetPGProcByNumber(i)->pid);
  for (int i = 0; i < max_prepared_xacts; ++i)
    if (pg_atomic_read_u64(&records->prepared()[i].xid) != 0)
      put_rows(result, records->prepared()[i], 0);
  return (Datum)0;
}
