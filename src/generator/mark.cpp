#include "generator/mark.hpp"

#include "generator/settled.hpp"
#include "generator/ticks.hpp"
#include "pg/clock.hpp"

namespace ids {

KnownMark known_mark;

namespace {

constexpr char kSchema[] = "ids_internal";
constexpr char kSequence[] = "mark";

// The last microsecond of 48 bits of milliseconds.
constexpr std::int64_t kGreatestUs = (std::int64_t{1} << 48) * 1000 - 1;
// 2026-01-01: before that, no database had the extension.
constexpr std::int64_t kLeastUs = 1'767'225'600'000'000;

Oid known_relation = InvalidOid;

// Called when the relation was dropped or changed, for example by DROP EXTENSION.
void forget_mark(Datum, Oid relation) {
  if (relation == InvalidOid || relation == known_relation) known_mark = {};
}

[[noreturn]] void missing_mark(const char* what, const char* hint) {
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
           errmsg("sequence \"%s.%s\" of extension \"ids\" %s", kSchema, kSequence, what),
           errdetail("It holds the time up to which ids were generated. Without it, new ids could "
                     "equal existing ones or be smaller."),
           errhint("%s", hint)));
}

// The sequence's only row, in its only page. last_value is the mark, in microseconds since 1970;
// log_cnt is the run of the server that moved it. pg_upgrade sets last_value and clears log_cnt.
Form_pg_sequence_data sequence_row(Page page) {
  const bool is_sequence = !PageIsNew(page) && PageGetMaxOffsetNumber(page) == FirstOffsetNumber &&
                           ItemIdIsNormal(PageGetItemId(page, FirstOffsetNumber));
  if (!is_sequence)
    missing_mark("is damaged", "Restore it from a backup, or drop it and create it again.");
  auto* tuple =
      reinterpret_cast<HeapTupleHeader>(PageGetItem(page, PageGetItemId(page, FirstOffsetNumber)));
  return reinterpret_cast<Form_pg_sequence_data>(reinterpret_cast<char*>(tuple) + tuple->t_hoff);
}

// Whether write() or pg_upgrade may have left the mark like this. pg_upgrade calls setval, which
// clears log_cnt.
bool is_sound(const FormData_pg_sequence_data& row) {
  return row.is_called && row.last_value >= (row.log_cnt == 0 ? kLeastUs : 0) &&
         row.last_value <= kGreatestUs;
}

Oid find_sequence() {
  const Oid schema = get_namespace_oid(kSchema, true);
  const Oid oid = OidIsValid(schema) ? get_relname_relid(kSequence, schema) : InvalidOid;
  if (!OidIsValid(oid))
    missing_mark("is missing",
                 "As a superuser, create it and set it to the current time: CREATE SEQUENCE "
                 "ids_internal.mark; ALTER EXTENSION ids ADD SEQUENCE ids_internal.mark; "
                 "SELECT pg_catalog.ids_reset_clock();");
  return oid;
}

Relation open_sequence() {
  Relation relation;
  // A session that had locked the relation may have replaced it.
  do relation = try_relation_open(find_sequence(), RowExclusiveLock);
  while (!relation);
  if (relation->rd_rel->relkind != RELKIND_SEQUENCE)
    missing_mark("is not a sequence",
                 "Rename the relation that has this name, and create the sequence again.");
  if (relation->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
    missing_mark("is not logged", "Run: ALTER SEQUENCE ids_internal.mark SET LOGGED;");
  return relation;
}

// The mark's page, which no other session can lock between open() and close().
struct MarkPage {
  Relation relation;
  Buffer buffer;
  Form_pg_sequence_data row;

  void open() {
    static bool registered = false;
    if (!registered) CacheRegisterRelcacheCallback(forget_mark, (Datum)0);
    registered = true;
    relation = open_sequence();
    buffer = ReadBuffer(relation, 0);
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    row = sequence_row(BufferGetPage(buffer));
    known_relation = RelationGetRelid(relation);
  }

  // The install script generates the first id, which sets the mark.
  void check() const {
    const bool is_being_created =
        creating_extension &&
        CurrentExtensionObject == getExtensionOfObject(RelationRelationId, known_relation);
    if (!is_sound(*row) && !is_being_created)
      missing_mark("has an invalid value",
                   "As a superuser, set the current time: SELECT pg_catalog.ids_reset_clock();");
  }

  // Whether this run of the server has moved the mark.
  bool is_of_this_run() const {
    return static_cast<std::uint64_t>(row->log_cnt) == shared_state()->header.run;
  }

  // Moves the mark to kMarkAheadUs after the time. The change is in the WAL before any transaction
  // that uses the new mark can commit.
  void move_beyond(std::int64_t unix_us) {
    GenericXLogState* change = GenericXLogStart(relation);
    Form_pg_sequence_data changed = sequence_row(GenericXLogRegisterBuffer(change, buffer, 0));
    changed->last_value = Min(unix_us + kMarkAheadUs, kGreatestUs);
    changed->log_cnt = static_cast<std::int64_t>(shared_state()->header.run);
    changed->is_called = true;
    GenericXLogFinish(change);
  }

  // Remembers what the page holds, then releases it. If ticks were lowered since the session last
  // did that, its transaction must enrol again.
  void close() {
    LWLockAcquire(AddinShmemInitLock, LW_SHARED);
    const std::uint32_t resets = pg_atomic_read_u32(&shared_state()->header.resets);
    LWLockRelease(AddinShmemInitLock);
    if (resets != known_mark.resets) enrol_again();
    known_mark = {row->last_value, resets};
    UnlockReleaseBuffer(buffer);
    relation_close(relation, RowExclusiveLock);
  }
};

}  // namespace

bool move_mark(std::int64_t unix_us) {
  // During recovery the mark cannot be written, and no id can be committed.
  if (RecoveryInProgress()) return true;
  const KnownMark known = known_mark;
  MarkPage page;
  page.open();
  page.check();
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
  const std::int64_t now_us = unix_now<1>();
  const std::int64_t at_us = unix_us_from_timestamptz(at);
  if (RecoveryInProgress())
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
                    errmsg("cannot execute ids_advance_clock() during recovery"),
                    errhint("Call it on the primary, or after the promotion.")));
  if (TIMESTAMP_NOT_FINITE(at))
    ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("time must be finite")));
  if (at_us - now_us > USECS_PER_DAY)
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("time %s is more than a day ahead of the clock", timestamptz_to_str(at)),
             errdetail("All generators of the server would continue from that time."),
             errhint("Check the time and the server's clock. Ignore ids that a client made with a "
                     "time in the future.")));
  if (at_us <= 0) PG_RETURN_VOID();
  // The time may be taken from an id and have milliseconds only.
  const std::int64_t unix_us = at_us - at_us % 1000 + 999;
  MarkPage page;
  page.open();
  page.check();
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
  page.open();
  const FormData_pg_sequence_data& row = *page.row;
  const bool lowers = !is_sound(row) || row.last_value - unix_now<1>() > kRollbackUs;
  const bool moves = lowers || !page.is_of_this_run();
  if (moves) raise_ticks(lowers ? Max(unix_now<1>(), 0) : row.last_value);
  lower_ticks();
  if (moves) page.move_beyond(greatest_time_us());
  page.close();
  PG_RETURN_VOID();
}
