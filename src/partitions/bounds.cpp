#include "partitions/bounds.hpp"

#include <algorithm>

#include "core/bytes.hpp"
#include "partitions/owner.hpp"
#include "pg/clock.hpp"
#include "pg/datum.hpp"
#include "planner/catalog.hpp"

using namespace ids;

namespace {

// Whether the table is partitioned by range on columns of which the first is in the usual order of
// a type whose values have times.
bool find_time_key(Relation table, TimeKey& result) {
  // RelationGetPartitionKey() evaluates expressions, which the owner wrote, as the caller.
  HeapTuple row = SearchSysCache1(PARTRELID, ObjectIdGetDatum(RelationGetRelid(table)));
  if (!HeapTupleIsValid(row)) return false;
  const auto* stored = reinterpret_cast<Form_pg_partitioned_table>(GETSTRUCT(row));
  const bool is_range = stored->partstrat == PARTITION_STRATEGY_RANGE;
  const int columns = stored->partnatts;
  const bool is_column =
      std::count(stored->partattrs.values, stored->partattrs.values + columns, 0) == 0;
  result.is_alone = columns == 1;
  ReleaseSysCache(row);
  if (!is_range || !is_column) return false;
  PartitionKey key = RelationGetPartitionKey(table);
  result.type = key->parttypid[0];
  const Oid type = getBaseType(result.type);
  const Oid order = GetDefaultOpClass(type, BTREE_AM_OID);
  if (!OidIsValid(order) || get_opclass_family(order) != key->partopfamily[0]) return false;

  row = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
  if (!HeapTupleIsValid(row)) return false;
  result.is_uuid = type == UUIDOID;
  const char* prefix =
      result.is_uuid ? "uuidv7"
                     : pstrdup(NameStr(reinterpret_cast<Form_pg_type>(GETSTRUCT(row))->typname));
  ReleaseSysCache(row);
  // No other type of this name has the latter.
  const Oid first = function_named(prefix, "_first", {TIMESTAMPTZOID});
  const Oid extract_timestamp = function_named(prefix, "_extract_timestamp", {type});
  if (!OidIsValid(first) || !OidIsValid(extract_timestamp)) return false;
  // A uuid is a ulid or of version 7: a time followed by zeros comes before both.
  result.first_name = quote_qualified_identifier(
      "pg_catalog", psprintf("%s_first", result.is_uuid ? "ulid" : prefix));
  fmgr_info(first, &result.first);
  fmgr_info(extract_timestamp, &result.extract_timestamp);
  Oid output;
  bool is_varlena;
  getTypeOutputInfo(type, &output, &is_varlena);
  fmgr_info(output, &result.output);
  return true;
}

Bound read_bound(Relation table, TimeKey& key, const PartitionBoundInfoData* bounds, int i,
                 bool lower) {
  Bound result{{.val = 0, .infinite = true, .inclusive = false, .lower = lower}, nullptr};
  if (bounds->kind[i][0] != PARTITION_RANGE_DATUM_VALUE) return result;
  const Datum id = bounds->datums[i][0];
  result.infinite = false;
  result.val = TimestampTzGetDatum(key.time(id));
  PartitionKey order = RelationGetPartitionKey(table);
  const int to_first = DatumGetInt32(FunctionCall2Coll(
      &order->partsupfunc[0], order->partcollation[0], id, FunctionCall1(&key.first, result.val)));
  result.inclusive = lower == (to_first <= 0);
  if (key.is_uuid || to_first != 0) result.id = OutputFunctionCall(&key.output, id);
  return result;
}

}  // namespace

bool ids::lock_at_once(Oid table, TimeKey& key) {
  if (!ConditionalLockRelationOid(table, AccessShareLock)) return false;
  Relation relation = try_relation_open(table, NoLock);
  const bool is_found = relation && find_time_key(relation, key);
  if (relation) relation_close(relation, NoLock);
  if (!is_found) UnlockRelationOid(table, AccessShareLock);
  return is_found;
}

// A bound may be a uuid of any version, for which extract_timestamp is null. It gets the time of
// the ids that it sorts among.
TimestampTz TimeKey::time(Datum id) {
  if (is_uuid) {
    const std::uint64_t first_bits = load_big_endian<std::uint64_t>(DatumGetUUIDP(id)->data);
    return timestamptz_from_unix_us(static_cast<std::int64_t>(first_bits >> 16) * 1000);
  }
  return DatumGetTimestampTz(FunctionCall1(&extract_timestamp, id));
}

std::span<Partition> ids::read_partitions(Oid parent, TimeKey& key, bool is_locked,
                                          bool by_others_too) {
  Relation table = try_relation_open(parent, AccessShareLock);
  if (!table) undefined_table(parent);
  if (!find_time_key(table, key) || !(key.is_alone || by_others_too))
    ereport(ERROR,
            (errcode(ERRCODE_WRONG_OBJECT_TYPE),
             errmsg("table \"%s\" is not partitioned by range on one column of ids",
                    RelationGetRelationName(table)),
             errhint("Create it with PARTITION BY RANGE (id), where id is a uuid or has a type of "
                     "extension \"ids\".")));

  // Those that a new snapshot sees as being detached are left out, because DETACH CONCURRENTLY may
  // end at any moment. A lock on the table prevents that.
  PushActiveSnapshot(GetCatalogSnapshot(InheritsRelationId));
  PartitionDesc partitions = RelationGetPartitionDesc(table, !is_locked);
  PopActiveSnapshot();
  const PartitionBoundInfoData* bounds = partitions->boundinfo;
  auto* result = static_cast<Partition*>(palloc(sizeof(Partition) * partitions->nparts));
  std::size_t count = 0;
  // The bounds are in order; a partition reaches from one to the next.
  for (int i = 1; bounds != nullptr && i < bounds->ndatums; ++i) {
    if (bounds->indexes[i] < 0) continue;
    const Oid oid = partitions->oids[bounds->indexes[i]];
    result[count++] = {
        .oid = oid,
        .lower = read_bound(table, key, bounds, i - 1, true),
        .upper = read_bound(table, key, bounds, i, false),
        .is_detaching = is_locked && partitions->detached_exist && PartitionHasPendingDetach(oid)};
  }
  relation_close(table, AccessShareLock);
  return {result, count};
}

// partition_times(parent regclass, at_once boolean) -> setof (partition regclass, times tstzrange),
// in their order, without partitions that are being detached, because they take no more rows; the
// times of a default partition are null. With at_once other columns may follow the key's first, and
// a table that is locked, was dropped or has no times has one row of nulls.
IDS_FUNCTION(partition_times) {
  InitMaterializedSRF(fcinfo, 0);
  const Oid parent = PG_GETARG_OID(0);
  const bool at_once = PG_GETARG_BOOL(1);
  const auto put = [fcinfo](Oid partition, Datum times, bool has_none) {
    auto* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
    Datum values[] = {ObjectIdGetDatum(partition), times};
    bool nulls[] = {!OidIsValid(partition), has_none};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  };
  TimeKey key;
  if (at_once && !lock_at_once(parent, key)) {
    put(InvalidOid, 0, true);
    return (Datum)0;
  }
  for (const Partition& partition : read_partitions(parent, key, false, at_once))
    put(partition.oid, tstzrange_datum(fcinfo, partition.lower, partition.upper), false);
  const Oid rest = get_default_partition_oid(parent);
  if (OidIsValid(rest)) put(rest, 0, true);
  if (at_once) UnlockRelationOid(parent, AccessShareLock);
  return (Datum)0;
}
