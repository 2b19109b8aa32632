// The module: what PostgreSQL checks and calls when it loads the library.
#include "generator/node_id.hpp"
#include "generator/settled.hpp"
#include "generator/shared_state.hpp"
#include "pg/postgres.hpp"

namespace ids {

Datum ulid_text(std::uint64_t tick);
Datum uuidv7_text(std::uint64_t tick);

// The generators that have a T_settled(), by their kRecord. That never changes, because several
// versions of the library may share a server's records.
constexpr RecordedGenerator recorded_generators[kRecorded] = {
    {"ulid", ulid_text},
    {"uuidv7", uuidv7_text},
};

}  // namespace ids

extern "C" {

#ifdef PG_MODULE_MAGIC_EXT
PG_MODULE_MAGIC_EXT(.name = "ids", .version = IDS_VERSION);
#else
PG_MODULE_MAGIC;
#endif

PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  ids::define_settings();
  if (process_shared_preload_libraries_in_progress) ids::reserve_shared_state();
}
}
