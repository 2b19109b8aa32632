#include "partitions/locks.hpp"

#include <algorithm>

#include "partitions/owner.hpp"

using namespace ids;

namespace {

// The tables that are connected with a table by foreign keys.
struct ForeignKeys {
  List* referenced = NIL;   // by the table
  List* referencing = NIL;  // the table

  explicit ForeignKeys(Oid table) {
    Relation constraints = table_open(ConstraintRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(constraints, InvalidOid, false, nullptr, 0, nullptr);
    while (HeapTuple row = systable_getnext(scan)) {
      const auto* constraint = reinterpret_cast<Form_pg_constraint>(GETSTRUCT(row));
      if (constraint->contype != CONSTRAINT_FOREIGN) continue;
      if (constraint->conrelid == table)
        referenced = list_append_unique_oid(referenced, constraint->confrelid);
      if (constraint->confrelid == table)
        referencing = list_append_unique_oid(referencing, constraint->conrelid);
    }
    systable_endscan(scan);
    table_close(constraints, AccessShareLock);
  }
};

// Locks a table and its partitions, as LOCK TABLE does. If the caller may not lock the table, the
// statement itself locks it later; if another session has dropped it, nobody needs to.
void lock_table(Oid table, LOCKMODE mode) {
  bool is_missing = false;
  if (pg_class_aclcheck_ext(table, GetUserId(), ACL_UPDATE | ACL_DELETE | ACL_TRUNCATE,
                            &is_missing) != ACLCHECK_OK)
    return;
  LockRelationOid(table, mode);
  if (get_rel_name(table)) find_all_inheritors(table, mode, nullptr);
}

// A schema such as public belongs to whoever owns the database.
Oid owner_of_schema(Oid schema) {
  const Oid owner =
      GetSysCacheOid1(NAMESPACEOID, Anum_pg_namespace_nspowner, ObjectIdGetDatum(schema));
  if (owner != ROLE_PG_DATABASE_OWNER) return owner;
  return GetSysCacheOid1(DATABASEOID, Anum_pg_database_datdba, ObjectIdGetDatum(MyDatabaseId));
}

// PostgreSQL evaluates the checks of the key's domains with each new bound, and expressions of all
// tables in the trees of partitions that these tables are in, when it attaches or detaches one.
void refuse_others(Oid key_type, List* tables) {
  for (const Oid base = getBaseType(key_type); key_type != base;
       key_type = GetSysCacheOid1(TYPEOID, Anum_pg_type_typbasetype, ObjectIdGetDatum(key_type)))
    refuse_other_owner("domain", format_type_be(key_type),
                       GetSysCacheOid1(TYPEOID, Anum_pg_type_typowner, ObjectIdGetDatum(key_type)));
  ListCell* table;
  foreach (table, tables) {
    List* line = lcons_oid(lfirst_oid(table), get_partition_ancestors(lfirst_oid(table)));
    ListCell* cell;
    foreach (cell, find_all_inheritors(llast_oid(line), NoLock, nullptr)) {
      const char* name = get_rel_name(lfirst_oid(cell));
      if (!name) continue;
      refuse_other_owner("table", name, owner_of(lfirst_oid(cell)));
      const Oid schema = get_rel_namespace(lfirst_oid(cell));
      refuse_other_owner("schema", get_namespace_name(schema), owner_of_schema(schema));
    }
  }
}

}  // namespace

bool ids::lock_tables(Oid parent, Oid key_type, Change change) {
  check_owner(parent);
  const ForeignKeys keys(parent);
  // A partition that nothing references is dropped without being detached.
  const LOCKMODE referenced_mode = change != Change::drop    ? ShareRowExclusiveLock
                                   : keys.referencing != NIL ? AccessExclusiveLock
                                                             : NoLock;
  const LOCKMODE referencing_mode =
      change == Change::create ? ShareRowExclusiveLock : AccessExclusiveLock;
  LOCKMODE parent_mode = change == Change::create ? ShareUpdateExclusiveLock : AccessExclusiveLock;

  List* connected = list_concat_unique_oid(list_copy(keys.referenced), keys.referencing);
  list_sort(connected, list_oid_cmp);
  ListCell* cell;
  foreach (cell, connected) {
    const Oid table = lfirst_oid(cell);
    const LOCKMODE mode =
        list_member_oid(keys.referencing, table) ? referencing_mode : referenced_mode;
    if (table == parent)
      parent_mode = std::max(parent_mode, mode);
    else if (mode != NoLock)
      lock_table(table, mode);
  }
  LockRelationOid(parent, parent_mode);
  // While this session read the list of partitions without that lock, another one may have changed
  // it: PostgreSQL then keeps the old list.
  RelationCacheInvalidateEntry(parent);
  const Oid rest = get_default_partition_oid(parent);
  if (OidIsValid(rest)) lock_table(rest, AccessExclusiveLock);
  // Without that lock, another session may have created or dropped a foreign key.
  const ForeignKeys now(parent);
  List* others = list_concat(list_make1_oid(parent), now.referenced);
  if (superuser_arg(owner_of(parent)))
    refuse_others(key_type, list_concat(others, now.referencing));
  return now.referencing != NIL;
}
