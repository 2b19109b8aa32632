// Counts the steps of the planner's estimates and of the comparisons of ulids: in this library they
// are compiled with -fsanitize-coverage=trace-pc.
#include <cstdint>

#include "pg/postgres.hpp"

static std::int64_t count = 0;

extern "C" void __sanitizer_cov_trace_pc() {
  ++count;
}

// steps() -> bigint
IDS_FUNCTION(steps) {
  PG_RETURN_INT64(count);
}
