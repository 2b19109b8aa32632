// An output plugin for logical decoding. For each change it writes ulid_settled() twice: for the
// active snapshot, if there is one, and for the historic snapshot that the server has set.
#include "pg/postgres.hpp"

extern "C" {
#include "replication/logical.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_output_plugin_init(OutputPluginCallbacks* callbacks);
}

namespace {

void start(LogicalDecodingContext*, OutputPluginOptions* options, bool) {
  options->output_type = OUTPUT_PLUGIN_TEXTUAL_OUTPUT;
}

void begin(LogicalDecodingContext*, ReorderBufferTXN*) {}

void commit(LogicalDecodingContext*, ReorderBufferTXN*, XLogRecPtr) {}

void write_settled(LogicalDecodingContext* context, const char* snapshot, bool last) {
  auto ulid_settled =
      reinterpret_cast<PGFunction>(load_external_function("ids", "ulid_settled", true, nullptr));
  auto ulid_out =
      reinterpret_cast<PGFunction>(load_external_function("ids", "ulid_out", true, nullptr));
  const Datum settled = DirectFunctionCall1(ulid_settled, 0);
  OutputPluginPrepareWrite(context, last);
  appendStringInfo(context->out, "%s: %s", snapshot,
                   DatumGetCString(DirectFunctionCall1(ulid_out, settled)));
  OutputPluginWrite(context, last);
}

void change(LogicalDecodingContext* context, ReorderBufferTXN*, Relation, ReorderBufferChange*) {
  write_settled(context, "active", false);
  PushActiveSnapshot(GetCatalogSnapshot(InvalidOid));
  write_settled(context, "historic", true);
  PopActiveSnapshot();
}

}  // namespace

void _PG_output_plugin_init(OutputPluginCallbacks* callbacks) {
  callbacks->startup_cb = start;
  callbacks->begin_cb = begin;
  callbacks->change_cb = change;
  callbacks->commit_cb = commit;
}
