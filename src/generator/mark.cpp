#include "generator/mark.hpp"

#include "generator/settled.hpp"
#include "generator/ticks.hpp"
#include "pg/clock.hpp"

namespace ids {

KnownMark known_mark;

namespace {

// The last microsecond of 48 bits of milliseconds.
constexpr std::int64_t kGreatestUs = (std::int64_t{1} << 48) * 1000 - 1;
// 2026-01-01: before that, no database had the extension.
constexpr std::int64_t kLeastUs = 1'767'225'600'000'000;

Oid known_relation = InvalidOid;

// Called when the relation was dropped or changed, for example by DROP EXTENSION.
void forget_mark(Datum, Oid relation) {
  if (relation == InvalidOid || relation == known_relation) known_mark = {};
}

constexpr char kCreate[] =
    "CREATE SEQUENCE ids_internal.mark; ALTER EXTENSION ids ADD SEQUENCE ids_internal.mark; "
    "SELECT pg_catalog.ids_reset_clock();";

[[noreturn]] void missing_mark(const char* what, const char* how, const char* statements) {
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
           errmsg("sequence \"ids_internal.mark\" of extension \"ids\" %s", what),
           errdetail("It holds the time up to which ids were generated. Without it, new ids could "
                     "equal existing ones or be smaller."),
           errhint("As a superuser, %s: %s", how, statements)));
}

// The sequence's only row, in its only page; null if that is damaged. last_value is the mark, in
// microseconds since 1970; log_cnt is the boot id of the server that moved it, as a negative
// number.
Form_pg_sequence_data sequence_row(Page page) {
  const bool is_sequence = !PageIsNew(page) && PageGetMaxOffsetNumber(page) == FirstOffsetNumber &&
                           ItemIdIsNormal(PageGetItemId(page, FirstOffsetNumber));
  if (!is_sequence) return nullptr;
  auto* tuple =
      reinterpret_cast<HeapTupleHeader>(PageGetItem(page, PageGetItemId(page, FirstOffsetNumber)));
  return reinterpret_cast<Form_pg_sequence_data>(reinterpret_cast<char*>(tuple) + tuple->t_hoff);
}

// Whether a generator or pg_upgrade may have left the mark like this. pg_upgrade calls setval(), as
// members of pg_write_all_data can, who must not move the clock of the server without a limit.
bool is_sound(const FormData_pg_sequence_data& row) {
  const bool was_set = row.log_cnt >= 0;  // also by nextval(), which only counts down from above 0
  return row.is_called && row.last_value >= (was_set ? kLeastUs : 0) &&
         row.last_value <= (was_set ? Max(unix_now<1>(), kLeastUs) + USECS_PER_DAY : kGreatestUs);
}

[[noreturn]] void no_mark() {
  if (!OidIsValid(get_extension_oid("ids", true)))
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("extension \"ids\" was dropped"),
                    errdetail("The statement that generates ids began before that.")));
  missing_mark("is missing", "create it and set it to the current time", kCreate);
}

// A statement goes on after DROP EXTENSION, when anybody may give another relation the mark's name.
// The install script creates the sequence as a superuser, and the schema, which its owner could
// rename; a stranger owns neither. Looking the extension up takes longer than the rest of a
// session's first identifier, so that is only done if an owner is no superuser any more.
bool is_own(Relation relation, Oid schema_owner) {
  if (superuser_arg(relation->rd_rel->relowner) && superuser_arg(schema_owner)) return true;
  const Oid extension = get_extension_oid("ids", true);
  return OidIsValid(extension) &&
         getExtensionOfObject(RelationRelationId, RelationGetRelid(relation)) == extension;
}

Relation open_sequence() {
  Relation relation;
  Oid schema_owner;
  do {
    HeapTuple schema = SearchSysCache1(NAMESPACENAME, CStringGetDatum("ids_internal"));
    if (!HeapTupleIsValid(schema)) no_mark();
    const auto* row = reinterpret_cast<Form_pg_namespace>(GETSTRUCT(schema));
    schema_owner = row->nspowner;
    const Oid oid = get_relname_relid("mark", row->oid);
    ReleaseSysCache(schema);
    if (!OidIsValid(oid)) no_mark();
    relation = try_relation_open(oid, RowExclusiveLock);
  } while (!relation);  // a session that had locked it may have replaced it
  if (!is_own(relation, schema_owner)) no_mark();
  if (relation->rd_rel->relkind != RELKIND_SEQUENCE)
    missing_mark("is not a sequence", "rename what has this name, then create it again", kCreate);
  if (relation->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
    missing_mark("is not logged", "run", "ALTER SEQUENCE ids_internal.mark SET LOGGED;");
  return relation;
}

// The mark's page, which no other session can lock between open() and close(). Checkpoints wait for
// it, too, so nothing between them fails, or waits for a heavyweight lock or the client.
struct MarkPage {
  Relation relation;
  GenericXLogState* change;
  Buffer buffer;
  Form_pg_sequence_data row;

  void open(bool to_reset = false) {
    static bool registered = false;
    if (!registered) CacheRegisterRelcacheCallback(forget_mark, (Datum)0);
    registered = true;
    shared_state();
    relation = open_sequence();
    known_relation = RelationGetRelid(relation);
    change = GenericXLogStart(relation);
    buffer = ReadBuffer(relation, 0);
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    row = sequence_row(BufferGetPage(buffer));
    if (row && (is_sound(*row) || to_reset)) return;
    UnlockReleaseBuffer(buffer);
    if (!row)
      missing_mark("is damaged", "create it again and set it to the current time",
                   psprintf("ALTER EXTENSION ids DROP SEQUENCE ids_internal.mark; "
                            "DROP SEQUENCE ids_internal.mark; %s",
                            kCreate));
    missing_mark("has an invalid value", "set the current time",
                 "SELECT pg_catalog.ids_reset_clock();");
  }

  // Whether this run of the server has moved the mark.
  bool is_of_this_run() const {
    return static_cast<std::uint64_t>(row->log_cnt) == shared_state()->header.boot;
  }

  // Moves the mark to kMarkAheadUs after the time. The change is in the WAL before any transaction
  // that uses the new mark can commit; if none does, the WAL writer flushes it soon.
  void move_beyond(std::int64_t unix_us) {
    Form_pg_sequence_data changed = sequence_row(GenericXLogRegisterBuffer(change, buffer, 0));
    changed->last_value = Min(unix_us + kMarkAheadUs, kGreatestUs);
    changed->log_cnt = static_cast<std::int64_t>(shared_state()->header.boot);
    changed->is_called = true;
    XLogSetAsyncXactLSN(GenericXLogFinish(change));
    change = nullptr;
  }

  // Remembers what the page holds, then releases it. If ticks were lowered since the session last
  // did that, its transaction must enrol again.
  void close() {
    LWLockAcquire(AddinShmemInitLock, LW_SHARED);
    const std::uint32_t resets = pg_atomic_read_u32(&shared_state()->header.resets);
    LWLockRelease(AddinShmemInitLock);
    if (resets != known_mark.resets) drop_enrolments();
    known_mark = {row->last_value, resets};
    UnlockReleaseBuffer(buffer);
    if (change) GenericXLogAbort(change);
    relation_close(relation, RowExclusiveLock);
  }
};

}  // namespace

bool check_mark(std::int64_t unix_us) {
  // During recovery the mark cannot be written, and no id can be committed.
  if (RecoveryInProgress()) return true;
  const KnownMark known = known_mark;
  MarkPage page;
  page.open();
  const std::int64_t mark = page.row->last_value;
  bool usable =
      known.unix_us != 0 && known.resets == pg_atomic_read_u32(&shared_state()->header.resets);
  if (!page.is_of_this_run()) {
    // The mark is from before this server was started or promoted, or from another server. This
    // server's ticks may be below it.
    raise_ticks(Max(mark, 0));
    page.move_beyond(greatest_time_us());
    usable = false;
  } else if (usable && unix_us > mark) {
    page.move_beyond(unix_us);
  }
  page.close();
  return usable;
}

}  // namespace ids

using namespace ids;

// ids_advance_clock(timestamptz). The marks that sessions remember stay valid, because the mark
// only rises.
IDS_FUNCTION(ids_advance_clock) {
  const TimestampTz at = PG_GETARG_TIMESTAMPTZ(0);
  const std::int64_t at_us = unix_us_from_timestamptz(at);
  if (RecoveryInProgress())
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
                    errmsg("cannot execute ids_advance_clock() during recovery"),
                    errhint("Call it on the primary, or after the promotion.")));
  if (at_us <= 0) PG_RETURN_VOID();
  if (at_us - unix_now<1>() > USECS_PER_DAY)
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("time %s is more than a day ahead of the clock", timestamptz_to_str(at)),
             errdetail("All generators of the server would continue from that time."),
             errhint("Check the time and the server's clock. Ignore ids that a client made with a "
                     "time in the future.")));
  // The time may be taken from an id and have milliseconds only.
  const std::int64_t unix_us = at_us - at_us % 1000 + 999;
  MarkPage page;
  page.open();
  const std::int64_t mark = page.row->last_value;
  const bool moves = !page.is_of_this_run() || unix_us > mark;
  raise_ticks(page.is_of_this_run() ? unix_us : Max(unix_us, mark));
  if (moves) page.move_beyond(greatest_time_us());
  const XLogRecPtr lsn = PageGetLSN(BufferGetPage(page.buffer));
  page.close();
  // The rows that must stay below the mark are committed already, so no later commit flushes the
  // mark in time.
  XLogFlush(lsn);
  PG_RETURN_VOID();
}

// ids_reset_clock()
IDS_FUNCTION(ids_reset_clock) {
  if (RecoveryInProgress()) {
    lower_ticks();
    PG_RETURN_VOID();
  }
  // Lock the page first: a session that has already taken a tick that is too high then sees that
  // the mark was reset.
  MarkPage page;
  page.open(true);
  const FormData_pg_sequence_data& row = *page.row;
  const bool lowers = !is_sound(row) || row.last_value - unix_now<1>() > kRollbackUs;
  const bool moves = lowers || !page.is_of_this_run();
  if (moves) raise_ticks(lowers ? Max(unix_now<1>(), 0) : row.last_value);
  lower_ticks();
  if (moves) page.move_beyond(greatest_time_us());
  page.close();
  PG_RETURN_VOID();
}
