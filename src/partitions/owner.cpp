#include "partitions/owner.hpp"

using namespace ids;

namespace {

// The cursors that are open and not being read.
List* ready_cursors() {
  List* ready = NIL;
  SPI_execute("SELECT name FROM pg_catalog.pg_cursor()", true, 0);
  for (uint64 i = 0; i < SPI_processed; ++i) {
    Portal cursor = GetPortalByName(SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1));
    if (cursor && cursor->status == PORTAL_READY) ready = lappend(ready, cursor);
  }
  SPI_freetuptable(SPI_tuptable);
  return ready;
}

// PORTAL_ACTIVE: they are being read, so nobody else can read or close them. PORTAL_READY: anybody
// can.
void set_status(List* cursors, PortalStatus status) {
  ListCell* cursor;
  foreach (cursor, cursors) static_cast<Portal>(lfirst(cursor))->status = status;
}

// Whether no code of the owner has raised the error: only statements are in its context up to this
// one, such as PostgreSQL's own for a foreign key, and no function.
bool is_of_statements(const ErrorData* error, const char* statement) {
  if (error->internalquery) return strcmp(error->internalquery, statement) == 0;
  const char* context = error->context;
  const char* found = context ? strstr(context, statement) : nullptr;
  if (!found) return false;
  const char* line = found;
  while (line > context && line[-1] != '\n') --line;
  while (context < line && strncmp(context, line, found - line) == 0)
    context = strchr(context, '\n') + 1;
  return context == line;
}

// PostgreSQL's errors mention neither our recipe nor the role that the statement runs as.
void add_hint(ErrorData* error, char* rights) {
  // The first one is about a row of the default partition; the error of a check names its
  // constraint.
  if (error->sqlerrcode == ERRCODE_CHECK_VIOLATION && error->table_name && !error->constraint_name)
    error->hint = pstrdup(
        "Move these rows to the new partition: see \"Draining a default partition\" in the "
        "cookbook of extension \"ids\".");
  else if (error->sqlerrcode == ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST)
    error->hint = pstrdup("Drop these objects first, or detach the partitions: detach => true.");
  else if (error->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE && !error->hint)
    error->hint = rights;
}

// The owner's code could read rows of the caller's cursors, or close one and open another of its
// name, whose query the caller then runs. PostgreSQL refuses both for a cursor that is being read.
void execute(const char* statement, char* rights) {
  MemoryContext context = CurrentMemoryContext;
  List* held = ready_cursors();
  set_status(held, PORTAL_ACTIVE);
  PG_TRY();
  {
    SPI_execute(statement, false, 0);
    ListCell* left;
    foreach (left, ready_cursors()) PortalDrop(static_cast<Portal>(lfirst(left)), false);
    set_status(held, PORTAL_READY);
  }
  PG_CATCH();
  {
    set_status(held, PORTAL_READY);
    MemoryContextSwitchTo(context);
    ErrorData* error = CopyErrorData();
    FlushErrorState();
    if (is_of_statements(error, statement)) add_hint(error, rights);
    ReThrowError(error);
  }
  PG_END_TRY();
}

}  // namespace

void ids::undefined_table(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", table)));
}

const char* ids::qualified_name(Oid table) {
  const char* name = get_rel_name(table);
  const char* schema = get_namespace_name(get_rel_namespace(table));
  if (!name || !schema) undefined_table(table);
  return quote_qualified_identifier(schema, name);
}

Oid ids::owner_of(Oid table) {
  const Oid owner = GetSysCacheOid1(RELOID, Anum_pg_class_relowner, ObjectIdGetDatum(table));
  if (!OidIsValid(owner)) undefined_table(table);
  return owner;
}

void ids::refuse_other_owner(const char* kind, const char* name, Oid owner) {
  if (!OidIsValid(owner))
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("%s was dropped meanwhile", kind)));
  if (superuser_arg(owner)) return;
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("%s \"%s\" belongs to role \"%s\", who is no superuser", kind, name,
                         GetUserNameFromId(owner, false)),
                  errdetail("Code of that role could run as a superuser."),
                  errhint("Give the partitioned table an owner who is no superuser.")));
}

Oid ids::check_owner(Oid table) {
  const Oid owner = owner_of(table);
  if (!has_privs_of_role(GetUserId(), owner))
    aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(table));
  return owner;
}

void ids::run_as_owner(Oid table, const char* statement) {
  const Oid owner = check_owner(table);
  char* rights = psprintf(
      get_rel_persistence(table) == RELPERSISTENCE_TEMP
          ? "Partitions of a temporary table can only be changed in the session that created it, "
            "connected as its owner, role \"%s\"."
          : "Statements on partitions run as the owner of the partitioned table, role \"%s\", "
            "which needs this permission.",
      GetUserNameFromId(owner, false));
  // After SET ROLE, the owner's code could go back to the user who has connected.
  if (owner == GetUserId() && owner == GetAuthenticatedUserId()) return execute(statement, rights);

  // After an error, the end of the transaction or subtransaction restores all of this.
  Oid user;
  int context;
  GetUserIdAndSecContext(&user, &context);
  SetUserIdAndSecContext(owner, context | SECURITY_RESTRICTED_OPERATION);
  const int settings = NewGUCNestLevel();
  set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
                    GUC_ACTION_SAVE, true, 0, false);
  execute(statement, rights);
  AtEOXact_GUC(false, settings);
  SetUserIdAndSecContext(user, context);
}
