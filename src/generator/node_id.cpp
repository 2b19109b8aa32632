// Servers that share a node id, or have none, may make the same snowflakes. So no ordinary user may
// change or remove the server's node id, and no value may get lost silently. Once the library is
// loaded, PGC_SUSET ensures both. Before that, anybody can set the parameter to anything; when the
// library defines the parameter, PostgreSQL drops a value that is not valid or not permitted.
// Hence:
// - While the parameter is being defined, every text is valid, such as 70000 in postgresql.conf; a
//   call that needs the node id raises an error.
// - If a client's value has hidden the server's, as PGOPTIONS can, the value becomes "refused". Its
//   source is the client: if it were a lesser source, a reload would replace the value of a role by
//   that of the server.
// - The value becomes "refused", too, if the value that RESET would restore is lost, which a SET
//   clause may hide.
// - A parallel query may be the first to need the library, in its leader or in a worker. So the
//   parameter is defined when the library is loaded, not when a generator first asks for it.
// Defining it costs half of a session's first id on PostgreSQL 15, which then sorts all settings,
// and a 50th from 16 on.
#include "generator/node_id.hpp"

#include <charconv>

#include "pg/postgres.hpp"

namespace ids {

namespace {

constexpr char kName[] = "ids.node_id";
constexpr int kNone = -1;
constexpr int kGreatest = 65535;
constexpr int kInvalid = -2;
constexpr char kRefused[] = "refused";

char* text = nullptr;
int value = kNone;
bool defining = false;

int parse(const char* given) {
  int number = kInvalid;
  const char* end = given + strlen(given);
  const bool is_read = std::from_chars(given, end, number).ptr == end;
  return is_read && number >= kNone && number <= kGreatest ? number : kInvalid;
}

// A parallel worker accepts any value that its leader has: a query that needs no node id must not
// fail.
bool check(char** given, void**, GucSource) {
  if (defining || InitializingParallelWorker || parse(*given) != kInvalid) return true;
  GUC_check_errdetail("A node id is a number from 0 to %d, or -1 for none.", kGreatest);
  return false;
}

void assign(const char* given, void*) { value = parse(given); }

// Changes the setting; NULL does what RESET does. Returns less than 0 if another value overrides
// this one. GUC_ACTION_SAVE is the action that PostgreSQL allows while a query runs in parallel.
int set(const char* given, GucSource source) {
  return set_config_option(kName, given, PGC_SUSET, source, GUC_ACTION_SAVE, true, WARNING, false);
}

// Whether somebody has set the value that is in force, and the value that RESET would restore. Such
// a value overrides a default.
struct Given {
  bool now;
  bool after_reset;
};

Given given_values() {
  const int level = NewGUCNestLevel();
  const bool now = set(nullptr, PGC_S_DYNAMIC_DEFAULT) < 0;
  set(nullptr, PGC_S_SESSION);
  const bool after_reset = set(nullptr, PGC_S_DYNAMIC_DEFAULT) < 0;
  AtEOXact_GUC(false, level);
  return {now, after_reset};
}

// Without this flag, a value would be lost if the library is loaded during a parallel query. Early
// minor releases have none.
#ifndef GUC_ALLOW_IN_PARALLEL
#define GUC_ALLOW_IN_PARALLEL 0
#endif

void define_node_id() {
  DefineCustomStringVariable(
      kName, "Sets the node id in the ids that this server generates.",
      "It replaces random16 in scru160 (0 to 65535), random in snowflake (0 to 4095) and "
      "machine_id in tbsl (0 to 99); -1 means none.",
      &text, "-1", PGC_SUSET, GUC_ALLOW_IN_PARALLEL, check, assign, nullptr);
}

}  // namespace

int node_id(const char* type, int greatest) {
  if (unlikely(value == kInvalid))
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("invalid value for parameter \"%s\": \"%s\"", kName, text),
             errdetail("A node id is a number from 0 to %d, or -1 for none.", kGreatest),
             errhint("Correct or remove the setting. If its value is \"%s\", it was set without "
                     "permission: then reconnect, too.",
                     kRefused)));
  if (unlikely(value > greatest))
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("value %d of parameter \"%s\" is out of range for type %s", value, kName, type),
             errdetail("Valid values for type %s are between 0 and %d.", type, greatest)));
  return value;
}

void define_settings() {
  defining = true;
  // The postmaster has no values from users. If nobody has set a value, none can be lost. This test
  // comes first, because given_values() takes as long as opening the mark.
  if (!IsTransactionState() || !GetConfigOption(kName, true, false)) {
    define_node_id();
  } else {
    const Given before = given_values();
    define_node_id();
    const Given after = given_values();
    if ((before.now && !after.now) || (before.after_reset && !after.after_reset))
      set(kRefused, PGC_S_CLIENT);
  }
  defining = false;
  MarkGUCPrefixReserved("ids");
}

}  // namespace ids
