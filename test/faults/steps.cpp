// Counts the steps of the planner's estimates, of the generators and of the comparisons of ulids,
// and stops a session at a step: in this library they are compiled with
// -fsanitize-coverage=trace-pc, which calls a function wherever the code branches.
#include <csignal>
#include <cstdint>
#include <cstdio>

#include "generator/shared_state.hpp"
#include "pg/postgres.hpp"

extern "C" {
#include "storage/fd.h"
}

static std::int64_t count = 0;
static std::int32_t left = 0;
static TimestampTz armed_at;

extern "C" void __sanitizer_cov_trace_pc() {
  ++count;
  if (left > 0 && GetCurrentStatementStartTimestamp() != armed_at && --left == 0) raise(SIGSTOP);
}

// steps() -> bigint
IDS_FUNCTION(steps) { PG_RETURN_INT64(count); }

// stop_after(steps int): the process of this session stops after so many steps of the statements
// that follow this one; 0: it does not.
IDS_FUNCTION(stop_after) {
  armed_at = GetCurrentStatementStartTimestamp();
  left = PG_GETARG_INT32(0);
  PG_RETURN_VOID();
}

// is_stopped(pid int) -> boolean
IDS_FUNCTION(is_stopped) {
  FILE* file = AllocateFile(psprintf("/proc/%d/stat", PG_GETARG_INT32(0)), "r");
  char state = '\0';
  const bool read = file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
  if (file) FreeFile(file);
  PG_RETURN_BOOL(read && state == 'T');
}

// go_on(pid int)
IDS_FUNCTION(go_on) {
  kill(PG_GETARG_INT32(0), SIGCONT);
  PG_RETURN_VOID();
}

// lose_memory(): what sessions share is as after a crash. Those that have used it must have ended.
IDS_FUNCTION(lose_memory) {
  using namespace ids;
  for (GeneratorState& state : shared_state()->generators) state = {};
  auto& header = shared_state()->header;
  pg_atomic_write_u64(&header.floor_us, 0);
  header.boot += 2;
  PG_RETURN_VOID();
}
