// The module: what PostgreSQL checks and calls when it loads the library.
#include "generator/node_id.hpp"
#include "generator/records.hpp"
#include "pg/postgres.hpp"

extern "C" {

#ifdef PG_MODULE_MAGIC_EXT
PG_MODULE_MAGIC_EXT(.name = "ids", .version = IDS_VERSION);
#else
PG_MODULE_MAGIC;
#endif

PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  ids::define_settings();
  if (process_shared_preload_libraries_in_progress) ids::reserve_memory();
}
}

// ids_version(): the release of the library, such as 1.2.3.
IDS_FUNCTION(ids_version) { PG_RETURN_TEXT_P(cstring_to_text(IDS_VERSION)); }
