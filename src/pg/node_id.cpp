#include "pg/node_id.hpp"

#include <cstdlib>

#include "pg/postgres.hpp"

namespace ids {

namespace {

constexpr char kName[] = "ids.node_id";
constexpr int kUnset = -1;
constexpr int kGreatest = 65535;

int value = kUnset;

// A text that PostgreSQL held for the setting before the library was loaded, and then refused. It
// leaves the setting unset with no more than a warning.
char* refused = nullptr;

// Whether somebody set such a text, and did not take it back: a placeholder that was reset is
// empty.
bool is_set(const char* text) {
#if PG_VERSION_NUM >= 160000
  return text && find_option(kName, false, true, 0)->source != PGC_S_DEFAULT;
#else
  return text != nullptr;
#endif
}

// Whether the value is one that somebody gave, -1 included. PostgreSQL keeps the mark with the
// value, over RESET and ROLLBACK too.
bool given = false;

bool mark(int*, void** extra, GucSource source) {
  if (source <= PGC_S_DYNAMIC_DEFAULT) {
    if (InitializingParallelWorker && source == PGC_S_DYNAMIC_DEFAULT && !refused)
      refused = strdup("");
    return true;
  }
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
  const char* placeholder = GetConfigOption(kName, true, false);
  if (is_set(placeholder)) refused = strdup(placeholder);
  DefineCustomIntVariable(
      kName, "Node id in the identifiers that this server generates.",
      "Takes the place of random16 in scru160 (0 to 65535), random in snowflake "
      "(0 to 4095) and machine_id in tbsl (0 to 99); -1 is none.",
      &value, kUnset, kUnset, kGreatest, PGC_SUSET, 0, mark, take, nullptr);
  MarkGUCPrefixReserved("ids");
  if (given) {
    std::free(refused);
    refused = nullptr;
  } else if (refused && !IsInParallelMode()) {
    // What is as it was made is not passed to parallel workers, this is.
    SetConfigOption(kName, "-1", PGC_SUSET, PGC_S_DYNAMIC_DEFAULT);
  }
}

}  // namespace ids
