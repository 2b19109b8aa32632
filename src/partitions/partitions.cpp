// The procedures that create and drop partitions by time. A call takes locks only if it finds
// something to do. Once it has them it looks again, because another session may have done it.
#include <algorithm>
#include <span>

#include "partitions/bounds.hpp"
#include "partitions/locks.hpp"
#include "partitions/owner.hpp"
#include "partitions/unit.hpp"
#include "pg/postgres.hpp"

using namespace ids;

namespace {

constexpr int kMaxUnits = 10'000;

// In UTC and ISO format, whatever the settings say.
const char* time_text(TimestampTz time) {
  struct pg_tm tm;
  fsec_t fraction;
  timestamp2tm(time, nullptr, &tm, &fraction, nullptr, nullptr);
  tm.tm_isdst = 0;  // else EncodeDateTime leaves out the time zone
  auto* text = static_cast<char*>(palloc(MAXDATELEN + 1));
  EncodeDateTime(&tm, fraction, true, 0, nullptr, USE_ISO_DATES, text);
  return text;
}

const char* range_text(TimestampTz since, TimestampTz until) {
  return psprintf("[\"%s\",\"%s\")", time_text(since), time_text(until));
}

// As tstzrange writes it.
const char* range_text(const Partition& p) {
  if (p.begin() >= p.end()) return "empty";
  const auto quoted = [](const RangeBound& bound) {
    return bound.infinite ? "" : psprintf("\"%s\"", time_text(DatumGetTimestampTz(bound.val)));
  };
  return psprintf("%c%s,%s%c", p.lower.inclusive ? '[' : '(', quoted(p.lower), quoted(p.upper),
                  p.upper.inclusive ? ']' : ')');
}

// What is to be created.
struct Request {
  Oid parent;
  Unit unit;
  TimestampTz since;
  TimestampTz until;
};

// The table's name, cut to fit, the time where the partition begins, and a number if one is needed.
const char* partition_name(Oid parent, TimestampTz begin, bool is_whole_days,
                           std::uint32_t number = 0) {
  struct pg_tm tm;
  fsec_t fraction;
  timestamp2tm(begin, nullptr, &tm, &fraction, nullptr, nullptr);
  const char* label = psprintf("%04d%02d%02d", tm.tm_year, tm.tm_mon, tm.tm_mday);
  if (!is_whole_days) label = psprintf("%s_%02d%02d%02d", label, tm.tm_hour, tm.tm_min, tm.tm_sec);
  if (number > 0) label = psprintf("%s_%u", label, number);
  return makeObjectName(get_rel_name(parent), nullptr, label);
}

// Up to where partitions cover the times from begin on without a gap, if not up to end.
TimestampTz covered_until(std::span<const Partition> all, TimestampTz begin, TimestampTz end) {
  for (const Partition& partition : all) {
    if (begin >= end || partition.begin() > begin) break;
    if (!partition.is_detaching) begin = std::max(begin, partition.end());
  }
  return begin;
}

// A unit that partitions do not cover.
struct Missing {
  TimestampTz begin;
  TimestampTz end;
  TimestampTz gap;                        // the first time that no partition has
  std::span<const Partition> partitions;  // from the last one before it
};

// The bounds of a new partition in a statement: as its neighbors have them, or the first ids.
const char* bounds_text(const TimeKey& key, std::span<const Partition> neighbors, TimestampTz begin,
                        TimestampTz end) {
  const auto first = [&key](TimestampTz time) {
    return psprintf("%s('%s')%s", key.first_name, time_text(time),
                    key.is_uuid ? "::pg_catalog.uuid" : "");
  };
  const char* from = first(begin);
  const char* to = first(end);
  for (const Partition& other : neighbors) {
    if (other.end() == begin && other.upper.id) from = quote_literal_cstr(other.upper.id);
    if (other.begin() == end && other.lower.id) to = quote_literal_cstr(other.lower.id);
    if (other.begin() >= end) break;
  }
  return psprintf("FOR VALUES FROM (%s) TO (%s)", from, to);
}

std::span<const Missing> find_missing(const Request& request, TimeKey& key, bool is_locked) {
  std::span<const Partition> partitions = read_partitions(request.parent, key, is_locked);
  const TimestampTz first_time = key.first_time();
  const TimestampTz end_time = key.last_time() + 1;
  if (request.since < first_time || request.until > end_time)
    ereport(
        ERROR,
        (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
         errmsg("times of partitions are outside those of type %s", format_type_be(key.type)),
         errdetail("The times are %s, those of the type %s.",
                   range_text(request.since, request.until), range_text(first_time, end_time))));
  const std::int64_t number = request.unit.number(request.since);
  const std::int64_t count = request.unit.number(request.until - 1) - number + 1;
  if (count > kMaxUnits)
    ereport(ERROR,
            (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many partitions for one call"),
             errdetail("There are %lld intervals; a call covers at most %d.",
                       static_cast<long long>(count), kMaxUnits),
             errhint("Use a longer interval, or make several calls for shorter times.")));

  auto* missing = static_cast<Missing*>(palloc(sizeof(Missing) * (count + 1)));
  std::size_t found = 0;
  for (std::int64_t unit = number; unit < number + count; ++unit) {
    const TimestampTz begin = request.unit.begin(unit);
    const TimestampTz end = request.unit.begin(unit + 1);
    const TimestampTz first = std::max(begin, first_time);
    const TimestampTz last = std::min(end, end_time);
    while (partitions.size() > 1 && partitions[1].end() <= first)
      partitions = partitions.subspan(1);
    const TimestampTz gap = covered_until(partitions, first, last);
    if (gap < last) missing[found++] = {begin, end, gap, partitions};
  }
  return {missing, found};
}

// Raises an error if partitions cover a part of the unit.
void refuse_overlap(const Request& request, const TimeKey& key, const Missing& missing) {
  const Partition* other = nullptr;
  TimestampTz gap_end = missing.end;
  for (const Partition& partition : missing.partitions) {
    if (partition.begin() >= gap_end) break;
    if (partition.end() <= missing.begin) continue;
    if (!other || partition.is_detaching) other = &partition;
    if (partition.begin() > missing.gap) gap_end = partition.begin();
  }
  if (!other) return;
  const char* table = qualified_name(request.parent);
  const char* name = qualified_name(other->oid);
  ereport(
      ERROR,
      (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
       errmsg("new partition would overlap partition \"%s\"", name),
       errdetail("The times are %s and %s.", range_text(missing.begin, missing.end),
                 range_text(*other)),
       other->is_detaching
           ? errhint("It is being detached. When no transaction uses it anymore, run: ALTER TABLE "
                     "%s DETACH PARTITION %s FINALIZE;",
                     table, name)
           : errhint("As the owner of the table, fill the gap by hand: CREATE TABLE %s.%s "
                     "PARTITION OF %s %s;",
                     quote_identifier(get_namespace_name(get_rel_namespace(request.parent))),
                     quote_identifier(partition_name(request.parent, missing.gap, false)), table,
                     bounds_text(key, missing.partitions, missing.gap, gap_end))));
}

// Raises the error for a statement that has not had its effect.
[[noreturn]] void changed_during_call(const char* table) {
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_IN_USE),
           errmsg("table \"%s\" or a partition of it was changed during the call", table),
           errdetail("Another session has renamed their schema, or an event trigger acted.")));
}

bool is_partition_of(Oid table, Oid parent) {
  return get_rel_relispartition(table) && get_partition_parent(table, true) == parent;
}

// A name that is free. Somebody else may have taken the usual one, but not all random ones. A
// relation of the owner may be a partition that was detached.
const char* free_name(const Request& request, Oid schema, const Missing& missing,
                      const char* bounds) {
  for (std::uint32_t number = 0;; number = pg_prng_uint32(&pg_global_prng_state)) {
    const char* name =
        partition_name(request.parent, missing.begin, request.unit.is_whole_days, number);
    const Oid other = get_relname_relid(name, schema);
    if (!OidIsValid(other) &&
        !SearchSysCacheExists2(TYPENAMENSP, CStringGetDatum(name), ObjectIdGetDatum(schema)))
      return name;
    if (OidIsValid(other) && owner_of(other) == owner_of(request.parent))
      ereport(ERROR,
              (errcode(ERRCODE_DUPLICATE_TABLE), errmsg("relation \"%s\" already exists", name),
               errdetail("Table \"%s\" needs a new partition of this name for the times %s.",
                         qualified_name(request.parent), range_text(missing.begin, missing.end)),
               errhint("Rename that relation or this table; if it was detached, attach it %s.",
                       bounds)));
    ereport(WARNING, (errcode(ERRCODE_DUPLICATE_OBJECT),
                      errmsg("name \"%s\" of a new partition is taken", name)));
  }
}

void create_partition(const Request& request, const TimeKey& key, const Missing& missing) {
  refuse_overlap(request, key, missing);
  const Oid schema = get_rel_namespace(request.parent);
  const char* bounds = bounds_text(key, missing.partitions, missing.begin, missing.end);
  const char* name = free_name(request, schema, missing, bounds);
  const char* table = qualified_name(request.parent);
  const char* partition = quote_qualified_identifier(get_namespace_name(schema), name);
  const char* create = psprintf(
      "CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING CONSTRAINTS "
      "INCLUDING STORAGE INCLUDING COMPRESSION)",
      partition, table);
  // What LIKE does not copy.
  if (const Oid method = get_rel_relam(request.parent); OidIsValid(method))
    create = psprintf("%s USING %s", create, quote_identifier(get_am_name(method)));
  if (const Oid space = get_rel_tablespace(request.parent); OidIsValid(space))
    create = psprintf("%s TABLESPACE %s", create, quote_identifier(get_tablespace_name(space)));
  run_as_owner(request.parent, create);
  const Oid made = get_relname_relid(name, schema);
  // Unlike PARTITION OF, attaching lets others read and write the parent meanwhile.
  run_as_owner(request.parent,
               psprintf("ALTER TABLE %s ATTACH PARTITION %s %s", table, partition, bounds));
  if (!is_partition_of(made, request.parent)) changed_during_call(table);
}

const char* catalog_bounds(Oid partition) {
  HeapTuple row = SearchSysCache1(RELOID, ObjectIdGetDatum(partition));
  if (!HeapTupleIsValid(row)) return "";
  bool is_null;
  const Datum bounds = SysCacheGetAttr(RELOID, row, Anum_pg_class_relpartbound, &is_null);
  const char* found = is_null ? "" : TextDatumGetCString(bounds);
  ReleaseSysCache(row);
  return found;
}

std::span<const Partition> find_expired(Oid parent, TimeKey& key, TimestampTz before) {
  const std::span<Partition> partitions = read_partitions(parent, key, false);
  // The time stands for its unit of the type.
  if (before <= key.last_time())
    before = std::min(before, key.time(FunctionCall1(&key.first, TimestampTzGetDatum(before))));
  std::size_t count = 0;
  for (Partition& partition : partitions) {
    if (partition.upper.infinite || partition.end() > before) break;
    partition.bounds = catalog_bounds(partition.oid);
    ++count;
  }
  return partitions.first(count);
}

void drop_partition(Oid parent, const Partition& expired, Change change, bool is_referenced) {
  // This keeps others from renaming it.
  LockRelationOid(expired.oid, AccessExclusiveLock);
  // An event trigger may have detached or dropped it, or attached it again.
  if (!is_partition_of(expired.oid, parent)) return;
  const char* table = qualified_name(parent);
  if (strcmp(catalog_bounds(expired.oid), expired.bounds) != 0) changed_during_call(table);
  const char* partition = qualified_name(expired.oid);
  const char* kind =
      get_rel_relkind(expired.oid) == RELKIND_FOREIGN_TABLE ? "FOREIGN TABLE" : "TABLE";
  // If a foreign key references the table, PostgreSQL drops a partition only after it has been
  // detached.
  if (change == Change::detach || is_referenced) {
    run_as_owner(parent, psprintf("ALTER TABLE %s DETACH PARTITION %s", table, partition));
    if (is_partition_of(expired.oid, parent)) changed_during_call(table);
  }
  if (change == Change::drop) {
    run_as_owner(parent, psprintf("DROP %s %s", kind, partition));
    if (get_rel_name(expired.oid)) changed_during_call(table);
  }
  ereport(NOTICE, (errmsg("%s partition \"%s\" of table \"%s\" with the times %s",
                          change == Change::detach ? "detached" : "dropped", partition, table,
                          range_text(expired))));
}

// Whether nothing is in the way of what is missing.
bool is_possible(const Request& request) {
  TimeKey key;
  for (const Missing& missing : find_missing(request, key, false)) {
    const char* name = partition_name(request.parent, missing.begin, request.unit.is_whole_days);
    if (OidIsValid(get_relname_relid(name, get_rel_namespace(request.parent)))) return false;
    for (const Partition& other : missing.partitions)
      if (other.begin() < missing.end && other.end() > missing.begin) return false;
  }
  return true;
}

void refuse_nulls(FunctionCallInfo fcinfo, const char* procedure) {
  for (int i = 0; i < PG_NARGS(); ++i)
    if (PG_ARGISNULL(i))
      ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                      errmsg("arguments of %s must not be null", procedure)));
}

}  // namespace

// ids_create_partitions(parent regclass, every interval, since timestamptz, until timestamptz)
IDS_FUNCTION(ids_create_partitions) {
  refuse_nulls(fcinfo, "ids_create_partitions");
  const TimestampTz since = PG_GETARG_TIMESTAMPTZ(2);
  const TimestampTz until = PG_GETARG_TIMESTAMPTZ(3);
  if (TIMESTAMP_NOT_FINITE(since) || TIMESTAMP_NOT_FINITE(until) || since >= until)
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("argument \"since\" must be before argument \"until\", and both finite")));
  const Request request{PG_GETARG_OID(0), Unit(*PG_GETARG_INTERVAL_P(1)), since, until};
  TimeKey key;
  if (find_missing(request, key, false).empty()) return (Datum)0;

  PreventCommandIfReadOnly("ids_create_partitions");
  lock_tables(request.parent, key.type, Change::create);
  SPI_connect();
  for (const Missing& missing : find_missing(request, key, true))
    create_partition(request, key, missing);
  SPI_finish();
  return (Datum)0;
}

// ids_drop_partitions(parent regclass, before timestamptz, detach boolean)
IDS_FUNCTION(ids_drop_partitions) {
  refuse_nulls(fcinfo, "ids_drop_partitions");
  const Oid parent = PG_GETARG_OID(0);
  const TimestampTz before = PG_GETARG_TIMESTAMPTZ(1);
  const Change change = PG_GETARG_BOOL(2) ? Change::detach : Change::drop;
  if (change == Change::drop && before > GetCurrentTimestamp())
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("argument \"before\" must not be later than the clock"),
                    errhint("For what is older than a year, write now() - interval '1 year'. "
                            "Later partitions can only be detached; to detach all: CALL "
                            "pg_catalog.ids_drop_partitions(%s, 'infinity', detach => true);",
                            quote_literal_cstr(qualified_name(parent)))));
  TimeKey key;
  if (find_expired(parent, key, before).empty()) return (Datum)0;

  PreventCommandIfReadOnly("ids_drop_partitions");
  const bool is_referenced = lock_tables(parent, key.type, change);
  SPI_connect();
  for (const Partition& expired : find_expired(parent, key, before))
    drop_partition(parent, expired, change, is_referenced);
  SPI_finish();
  return (Datum)0;
}

// create_statement(parent regclass, every interval, lower timestamptz, since timestamptz, until
// timestamptz) -> text: a call that creates partitions of the times since to until, if it would
// have created one from lower on, and nothing is in the way; else null.
IDS_FUNCTION(create_statement) {
  const Oid parent = PG_GETARG_OID(0);
  const Interval* every = PG_GETARG_INTERVAL_P(1);
  const TimestampTz lower = PG_GETARG_TIMESTAMPTZ(2);
  TimeKey key;
  if (every->time % USECS_PER_SEC != 0 || !lock_at_once(parent, key)) PG_RETURN_NULL();
  const Request request{parent, Unit(*every), PG_GETARG_TIMESTAMPTZ(3), PG_GETARG_TIMESTAMPTZ(4)};
  const char* statement = nullptr;
  if (key.is_alone && request.unit.begin(request.unit.number(lower)) == lower &&
      request.since >= key.first_time() && request.until <= key.last_time() + 1 &&
      is_possible(request))
    statement =
        psprintf("CALL pg_catalog.ids_create_partitions(%s, '%s', '%s', '%s')",
                 quote_literal_cstr(qualified_name(parent)),
                 DatumGetCString(DirectFunctionCall1(interval_out, IntervalPGetDatum(every))),
                 time_text(request.since), time_text(request.until));
  UnlockRelationOid(parent, AccessShareLock);
  if (!statement) PG_RETURN_NULL();
  return CStringGetTextDatum(statement);
}
