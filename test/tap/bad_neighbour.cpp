// Another extension on the same server. It takes all free shared memory, and if it is preloaded
// after ids, it has the postmaster make an identifier of random bytes.
#include "pg/postgres.hpp"

extern "C" {

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  if (!process_shared_preload_libraries_in_progress) return;
  auto gen_ulid_at =
      reinterpret_cast<PGFunction>(load_external_function("ids", "gen_ulid_at", true, nullptr));
  DirectFunctionCall1(gen_ulid_at, TimestampTzGetDatum(0));
}
}

// take_shared_memory() -> void: all but less than 1 KB
IDS_FUNCTION(take_shared_memory) {
  for (std::size_t size = 1 << 20; size >= 1024; size /= 2)
    while (ShmemAllocNoError(size)) continue;
  PG_RETURN_VOID();
}
