#include "pg/node_id.hpp"

#include <cstdlib>

#include "pg/postgres.hpp"

namespace ids {

namespace {

constexpr char kName[] = "ids.node_id";
constexpr int kUnset = -1;
constexpr int kGreatest = 65535;

int value = kUnset;

// A text that PostgreSQL held for the setting before the library was loaded, and then refused with
// no more than a warning; empty if it is not known.
char* refused = nullptr;

// Whether the value is one that somebody gave, -1 included. PostgreSQL keeps the mark with the
// value, over RESET and ROLLBACK too.
bool given = false;

int accepted = 0;

bool mark(int*, void** extra, GucSource source) {
  if (source <= PGC_S_DYNAMIC_DEFAULT) {
    if (InitializingParallelWorker && source == PGC_S_DYNAMIC_DEFAULT && !refused)
      refused = strdup("");
    return true;
  }
  ++accepted;
#if PG_VERSION_NUM >= 160000
  *extra = guc_malloc(LOG, 1);
#else
  *extra = std::malloc(1);
#endif
  return *extra;
}

void take(int, void* extra) {
  given = extra;
}

// What PostgreSQL knows of the setting before the library is loaded, or nothing.
const config_generic* placeholder() {
#if PG_VERSION_NUM >= 160000
  return find_option(kName, false, true, 0);
#else
  config_generic** settings = get_guc_variables();
  for (int i = 0; i < GetNumConfigOptions(); ++i)
    if (pg_strcasecmp(settings[i]->name, kName) == 0) return settings[i];
  return nullptr;
#endif
}

// How many values it holds: one to reset to, and those of the session and of its transactions, of
// functions and savepoints. DefineCustomIntVariable takes or refuses each.
int count_values(const config_generic* held) {
  if (!held) return 0;
  int count = held->reset_source != PGC_S_DEFAULT;
  GucSource source = held->source;
  for (const GucStack* stack = held->stack; stack; stack = stack->prev) {
    count += source != PGC_S_DEFAULT;
    count += stack->state == GUC_SET_LOCAL && stack->masked.val.stringval;
    source = stack->source;
  }
  // The last is the value to reset to, if it is not the session's.
  return count + (source >= PGC_S_INTERACTIVE);
}

// Without this, a library that is loaded while a query runs in parallel would refuse every value.
#ifdef GUC_ALLOW_IN_PARALLEL
constexpr int kFlags = GUC_ALLOW_IN_PARALLEL;
#else
constexpr int kFlags = 0;
#endif

}  // namespace

int node_id(const char* type, int greatest) {
  if (unlikely(refused && !given))
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             *refused ? errmsg("invalid value for parameter \"%s\": \"%s\"", kName, refused)
                      : errmsg("invalid value for parameter \"%s\"", kName),
             errdetail("It was refused when the library was loaded: a node id is a number from 0 "
                       "to %d, or -1 for none, set by a superuser.",
                       kGreatest),
             errhint("Correct it where it is set, then connect anew; restart the server if it "
                     "preloads the library.")));
  if (unlikely(value > greatest))
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("%s %d is out of range for type %s", kName, value, type),
                    errdetail("Type %s holds node ids from 0 to %d.", type, greatest)));
  return value;
}

void define_settings() {
  const int held = count_values(placeholder());
  const char* current = held > 0 ? GetConfigOption(kName, true, false) : nullptr;
  char* text = strdup(current ? current : "");
  DefineCustomIntVariable(
      kName, "Node id in the identifiers that this server generates.",
      "Takes the place of random16 in scru160 (0 to 65535), random in snowflake "
      "(0 to 4095) and machine_id in tbsl (0 to 99); -1 is none.",
      &value, kUnset, kUnset, kGreatest, PGC_SUSET, kFlags, mark, take, nullptr);
  MarkGUCPrefixReserved("ids");
  if (accepted < held) {
    if (given) *text = '\0';
    refused = text;
    // Passed to parallel workers, as what is as it was made is not; a value that is given goes
    // first.
    if (kFlags || !IsInParallelMode())
      SetConfigOption(kName, "-1", PGC_SUSET, PGC_S_DYNAMIC_DEFAULT);
  } else {
    std::free(text);
  }
}

}  // namespace ids
