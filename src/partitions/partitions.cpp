// The times of a table's partitions, for the procedures that create and drop them. They come from
// the relation cache, which is up to date; a query would see the catalogs of its snapshot.
#include "pg/datum.hpp"
#include "pg/postgres.hpp"
#include "type/timed_type.hpp"
#include "uuidv7/uuidv7.hpp"

using namespace ids;

namespace {

// How to get the time of a bound, and the first bound of a time.
struct TimeKey {
  PartitionKey key;
  FmgrInfo first;
  FmgrInfo extract_timestamp;
  bool is_uuid;

  // A bound may be a uuid of any version. It gets the time of the ids that it sorts among.
  TimestampTz time(Datum id) {
    if (is_uuid) return TimedType<UuidV7>::timestamp(TimedType<UuidV7>::get(id));
    return DatumGetTimestampTz(FunctionCall1(&extract_timestamp, id));
  }
};

// The function pg_catalog.prefix_suffix(argument) -> result, if there is one.
Oid boundary_function(const char* prefix, const char* suffix, Oid argument, Oid result) {
  List* name =
      list_make2(makeString(pstrdup("pg_catalog")), makeString(psprintf("%s_%s", prefix, suffix)));
  const Oid function = LookupFuncName(name, 1, &argument, true);
  return OidIsValid(function) && get_func_rettype(function) == result ? function : InvalidOid;
}

// Whether the table is partitioned by range on one column, in the usual order of a type whose
// values have times.
bool find_time_key(Relation table, TimeKey& result) {
  if (table->rd_rel->relkind != RELKIND_PARTITIONED_TABLE) return false;
  result.key = RelationGetPartitionKey(table);
  if (result.key->strategy != PARTITION_STRATEGY_RANGE || result.key->partnatts != 1 ||
      result.key->partattrs[0] == 0)
    return false;
  const Oid type = getBaseType(result.key->parttypid[0]);
  const Oid order = GetDefaultOpClass(type, BTREE_AM_OID);
  if (!OidIsValid(order) || get_opclass_family(order) != result.key->partopfamily[0]) return false;

  HeapTuple row = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
  if (!HeapTupleIsValid(row)) return false;
  // UUIDs are assumed to be of version 7.
  result.is_uuid = type == UUIDOID;
  const char* prefix =
      result.is_uuid ? "uuidv7"
                     : pstrdup(NameStr(reinterpret_cast<Form_pg_type>(GETSTRUCT(row))->typname));
  ReleaseSysCache(row);
  const Oid first = boundary_function(prefix, "first", TIMESTAMPTZOID, type);
  const Oid extract_timestamp =
      boundary_function(prefix, "extract_timestamp", type, TIMESTAMPTZOID);
  if (!OidIsValid(first) || !OidIsValid(extract_timestamp)) return false;
  fmgr_info(first, &result.first);
  fmgr_info(extract_timestamp, &result.extract_timestamp);
  return true;
}

// Opens the table, which the caller closes; 42809 if it is not partitioned by time.
Relation open_parent(Oid parent, TimeKey& key) {
  Relation table = relation_open(parent, AccessShareLock);
  if (!find_time_key(table, key))
    ereport(ERROR,
            (errcode(ERRCODE_WRONG_OBJECT_TYPE),
             errmsg("table \"%s\" is not partitioned by range on one column of an identifier type",
                    RelationGetRelationName(table)),
             errhint("Create it with PARTITION BY RANGE (id), where id is a uuid or has a type of "
                     "extension \"ids\".")));
  return table;
}

// A bound as a time. If the bound lies within the ids of a time, a lower bound excludes that time
// and an upper bound includes it: a partition has all ids of the times after its lower bound, and
// none of the times after its upper one.
RangeBound bound_time(TimeKey& key, const PartitionBoundInfoData* bounds, int i, bool lower) {
  RangeBound result{.val = 0, .infinite = true, .inclusive = false, .lower = lower};
  if (bounds->kind[i][0] != PARTITION_RANGE_DATUM_VALUE) return result;
  const Datum id = bounds->datums[i][0];
  result.infinite = false;
  result.val = TimestampTzGetDatum(key.time(id));
  const bool whole =
      DatumGetInt32(FunctionCall2Coll(&key.key->partsupfunc[0], key.key->partcollation[0], id,
                                      FunctionCall1(&key.first, result.val))) <= 0;
  result.inclusive = lower == whole;
  return result;
}

}  // namespace

// ids_partition_key(parent regclass) -> (first regproc, times tstzrange)
IDS_FUNCTION(ids_partition_key) {
  TimeKey key;
  Relation table = open_parent(PG_GETARG_OID(0), key);
  RangeBound limits[2];
  for (const bool lower : {true, false}) {
    const Datum time = TimestampTzGetDatum(lower ? DT_NOBEGIN : DT_NOEND);
    limits[lower] = {.val = TimestampTzGetDatum(key.time(FunctionCall1(&key.first, time))),
                     .infinite = false,
                     .inclusive = true,
                     .lower = lower};
  }
  relation_close(table, AccessShareLock);
  return row_datum(fcinfo, {ObjectIdGetDatum(key.first.fn_oid),
                            tstzrange_datum(fcinfo, limits[true], limits[false])});
}

// ids_partition_times(parent regclass) -> setof (partition regclass, times tstzrange), in their
// order, including partitions that are being detached; the times of a default partition are null.
IDS_FUNCTION(ids_partition_times) {
  InitMaterializedSRF(fcinfo, 0);
  auto* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
  TimeKey key;
  Relation table = open_parent(PG_GETARG_OID(0), key);
  PartitionDesc partitions = RelationGetPartitionDesc(table, false);
  const PartitionBoundInfoData* bounds = partitions->boundinfo;
  // The bounds are in order; a partition reaches from one to the next.
  for (int i = 1; bounds != nullptr && i < bounds->ndatums; ++i) {
    if (bounds->indexes[i] < 0) continue;
    Datum values[] = {ObjectIdGetDatum(partitions->oids[bounds->indexes[i]]),
                      tstzrange_datum(fcinfo, bound_time(key, bounds, i - 1, true),
                                      bound_time(key, bounds, i, false))};
    bool nulls[2] = {};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
  if (bounds != nullptr && bounds->default_index >= 0) {
    Datum values[] = {ObjectIdGetDatum(partitions->oids[bounds->default_index]), 0};
    bool nulls[] = {false, true};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
  relation_close(table, AccessShareLock);
  return (Datum)0;
}
