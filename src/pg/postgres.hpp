// The only file that includes PostgreSQL's headers. Their macros clash with C++ headers: include
// C++ headers first. ereport leaves by longjmp, which runs no destructors: wherever this file is
// included, nothing with a destructor may be alive across a call into the server.
#pragma once

extern "C" {
#include "postgres.h"

#include "access/genam.h"
#include "access/generic_xlog.h"
#include "access/gist.h"
#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/twophase.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_authid_d.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_database_d.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_opfamily_d.h"
#include "catalog/pg_partitioned_table.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/extension.h"
#include "commands/tablespace.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "parser/scansup.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "port/atomics.h"
#include "storage/bufmgr.h"
#include "storage/dsm.h"
#include "storage/ipc.h"
#include "storage/lmgr.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/partcache.h"
#include "utils/rangetypes.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/selfuncs.h"
#include "utils/snapmgr.h"
#include "utils/sortsupport.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"
#include "utils/uuid.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "utils/skipsupport.h"
#endif
}

// From 16 on, the symbols of a module are hidden and PGDLLEXPORT makes them visible.
#if PG_VERSION_NUM < 160000
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
// Soft errors came with 16.
#define ereturn(context, dummy, ...) ereport(ERROR, __VA_ARGS__)
#define make_range(type, lower, upper, empty, context) make_range(type, lower, upper, empty)
// C's () in its declaration takes any arguments, C++'s takes none.
#define expression_tree_walker(node, walker, context)                                              \
  expression_tree_walker(node, reinterpret_cast<bool (*)()>(reinterpret_cast<void (*)()>(walker)), \
                         context)
#endif

#if PG_VERSION_NUM < 170000
#define MyProcNumber MyProc->pgprocno
#define get_rel_relam(partitioned) InvalidOid  // partitioned tables have none
static inline void pg_atomic_monotonic_advance_u64(pg_atomic_uint64* number, uint64 least) {
  uint64 current = pg_atomic_read_u64(number);
  while (current < least && !pg_atomic_compare_exchange_u64(number, &current, least)) continue;
}
#endif

// The head of an SQL-callable function.
#define IDS_FUNCTION(name)                  \
  extern "C" {                              \
  PGDLLEXPORT Datum name(PG_FUNCTION_ARGS); \
  PG_FUNCTION_INFO_V1(name);                \
  }                                         \
  Datum name([[maybe_unused]] PG_FUNCTION_ARGS)
