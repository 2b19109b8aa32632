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
    "CREATE MATERIALIZED VIEW ids_internal.mark USING heap AS SELECT ids_internal.kept_mark() AS "
    "unix_us, bigint '0' AS boot; ALTER EXTENSION ids ADD MATERIALIZED VIEW ids_internal.mark;";

[[noreturn]] void missing_mark(const char* what, const char* how, const char* statements) {
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
           errmsg("materialized view \"ids_internal.mark\" of extension \"ids\" %s", what),
           errdetail("It holds the time up to which ids were generated. Without it, new ids could "
                     "equal existing ones or be smaller."),
           errhint("As a superuser, %s: %s", how, statements)));
}

// The view's only row.
struct MarkRow {
  std::int64_t unix_us;  // the mark, in microseconds since 1970
  std::int64_t boot;     // of the server that moved it, or 0
};

// The row, in the view's only page; null if that is damaged.
MarkRow* mark_row(Page page) {
  ItemId item = PageGetItemId(page, FirstOffsetNumber);
  const bool is_mark = !PageIsNew(page) && PageGetMaxOffsetNumber(page) == FirstOffsetNumber &&
                       ItemIdIsNormal(item) &&
                       ItemIdGetLength(item) == MAXALIGN(SizeofHeapTupleHeader) + sizeof(MarkRow);
  if (!is_mark) return nullptr;
  auto* tuple = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, item));
  auto* row = reinterpret_cast<MarkRow*>(reinterpret_cast<char*>(tuple) + tuple->t_hoff);
  return row->unix_us >= 0 && row->unix_us <= kGreatestUs ? row : nullptr;
}

[[noreturn]] void no_mark() {
  if (!OidIsValid(get_extension_oid("ids", true)))
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("extension \"ids\" was dropped"),
                    errdetail("The statement that generates ids began before that.")));
  missing_mark("is missing", "create it", kCreate);
}

// A statement goes on after DROP EXTENSION, when anybody may give another relation the mark's name.
// The install script creates the view as a superuser, and the schema, which its owner could
// rename; a stranger owns neither. Looking the extension up takes longer than the rest of a
// session's first identifier, so that is only done if an owner is no superuser any more.
bool is_own(Relation relation, Oid schema) {
  const Oid schema_owner =
      GetSysCacheOid1(NAMESPACEOID, Anum_pg_namespace_nspowner, ObjectIdGetDatum(schema));
  if (superuser_arg(relation->rd_rel->relowner) && superuser_arg(schema_owner)) return true;
  const Oid extension = get_extension_oid("ids", true);
  return OidIsValid(extension) &&
         getExtensionOfObject(RelationRelationId, RelationGetRelid(relation)) == extension;
}

Relation open_view() {
  Relation relation;
  Oid schema;
  do {
    schema = get_namespace_oid("ids_internal", true);
    const Oid oid = get_relname_relid("mark", schema);
    if (!OidIsValid(oid)) no_mark();
    relation = try_relation_open(oid, RowExclusiveLock);
  } while (!relation);  // a session that had locked it may have replaced it
  if (!is_own(relation, schema)) no_mark();
  if (relation->rd_rel->relkind != RELKIND_MATVIEW)
    missing_mark("is another relation", "rename what has this name, then create it again", kCreate);
  return relation;
}

// The mark's page, which no other session can lock between open() and close(). Checkpoints wait for
// it, too, so nothing between them fails, or waits for a heavyweight lock or the client.
struct MarkPage {
  Relation relation;
  GenericXLogState* change;
  Buffer buffer;
  MarkRow* row;

  void open() {
    static bool registered = false;
    if (!registered) CacheRegisterRelcacheCallback(forget_mark, (Datum)0);
    registered = true;
    shared_state();
    relation = open_view();
    known_relation = RelationGetRelid(relation);
    if (RelationIsPopulated(relation)) {
      change = GenericXLogStart(relation);
      buffer = ReadBuffer(relation, 0);
      LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
      row = mark_row(BufferGetPage(buffer));
      if (row) return;
      UnlockReleaseBuffer(buffer);
    }
    missing_mark("is empty or damaged", "set the current time",
                 "REFRESH MATERIALIZED VIEW ids_internal.mark;");
  }

  // Whether this boot of the server has moved the mark.
  bool is_of_this_boot() const {
    return static_cast<std::uint64_t>(row->boot) == shared_state()->header.boot;
  }

  // Moves the mark to kMarkAheadUs after the time. The change is in the WAL before any transaction
  // that uses the new mark can commit; if none does, the WAL writer flushes it soon.
  void move_beyond(std::int64_t unix_us) {
    Assert(unix_us >= 0 && row->unix_us <= kGreatestUs);
    *mark_row(GenericXLogRegisterBuffer(change, buffer, 0)) = {
        .unix_us = Min(unix_us + kMarkAheadUs, kGreatestUs),
        .boot = static_cast<std::int64_t>(shared_state()->header.boot)};
    XLogSetAsyncXactLSN(GenericXLogFinish(change));
    change = nullptr;
  }

  // Remembers what the page holds, then releases it. If ticks were lowered since the session last
  // did that, returns false: its transaction must enrol again, and a tick that it took be dropped.
  bool close() {
    LWLockAcquire(AddinShmemInitLock, LW_SHARED);
    const std::uint32_t resets = pg_atomic_read_u32(&shared_state()->header.resets);
    LWLockRelease(AddinShmemInitLock);
    const bool is_known = resets == known_mark.resets;
    if (!is_known) enrolled_columns = 0;
    known_mark = {row->unix_us, resets};
    UnlockReleaseBuffer(buffer);
    if (change) GenericXLogAbort(change);
    relation_close(relation, RowExclusiveLock);
    return is_known;
  }
};

}  // namespace

bool ensure_marked(std::int64_t unix_us) {
  // During recovery the mark cannot be written, and no id can be committed.
  if (RecoveryInProgress()) return true;
  MarkPage page;
  page.open();
  const std::int64_t mark = page.row->unix_us;
  bool usable = knows_mark(shared_state());
  if (!page.is_of_this_boot()) {
    // The mark is from before this server was started or promoted, or from another server. This
    // server's ticks may be below it.
    raise_ticks(mark);
    page.move_beyond(greatest_time_us());
    usable = false;
  } else if (usable && unix_us > mark) {
    page.move_beyond(unix_us);
  }
  return page.close() && usable;
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
  const std::int64_t mark = page.row->unix_us;
  const bool moves = !page.is_of_this_boot() || unix_us > mark;
  raise_ticks(page.is_of_this_boot() ? unix_us : Max(unix_us, mark));
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
  const bool lowers = page.row->unix_us - unix_now<1>() > kRollbackUs;
  const bool moves = lowers || !page.is_of_this_boot();
  if (moves) raise_ticks(lowers ? Max(unix_now<1>(), 0) : page.row->unix_us);
  lower_ticks();
  if (moves) page.move_beyond(greatest_time_us());
  page.close();
  PG_RETURN_VOID();
}

// ids_internal.kept_mark(): what CREATE and REFRESH MATERIALIZED VIEW write. The latter keeps the
// mark: it has locked the view, whose old file is still there.
IDS_FUNCTION(kept_mark) {
  Relation relation = open_view();
  std::int64_t kept = Max(greatest_time_us(), kLeastUs);
  if (RelationGetNumberOfBlocks(relation) > 0) {
    Buffer buffer = ReadBuffer(relation, 0);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    if (const MarkRow* row = mark_row(BufferGetPage(buffer))) kept = row->unix_us;
    UnlockReleaseBuffer(buffer);
  }
  relation_close(relation, RowExclusiveLock);
  PG_RETURN_INT64(kept);
}

// ids_internal.mark_is_free(): whether generators need not wait for a lock of the mark. The session
// then reads the mark again.
IDS_FUNCTION(mark_is_free) {
  if (RecoveryInProgress()) PG_RETURN_BOOL(true);
  known_mark = {};
  const Oid mark = get_relname_relid("mark", get_namespace_oid("ids_internal", true));
  if (!OidIsValid(mark)) PG_RETURN_BOOL(true);
  const bool is_free = ConditionalLockRelationOid(mark, RowExclusiveLock);
  if (is_free) UnlockRelationOid(mark, RowExclusiveLock);
  PG_RETURN_BOOL(is_free);
}
