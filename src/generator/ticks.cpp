#include "generator/ticks.hpp"

#include <cstring>

#include "pg/clock.hpp"

namespace ids {

namespace {

constexpr char kResetHint[] =
    "If the clock was wrong and is now right, a superuser can call pg_catalog.ids_reset_clock() to "
    "make the generators follow it again.";

// Calls function for each claimed generator. The lock keeps others from being claimed meanwhile.
template <typename Function>
void for_each_generator(Function function) {
  SharedState* shared = shared_state();
  LWLockAcquire(AddinShmemInitLock, LW_SHARED);
  for (GeneratorState& state : shared->generators) {
    if (state.name[0] == '\0') break;
    function(state);
  }
  LWLockRelease(AddinShmemInitLock);
}

// Raises the tick so that the next one has a later time than unix_us. If that is the generator's
// last time, there is no next tick.
void raise_tick(GeneratorState& state, std::int64_t unix_us) {
  const std::int64_t time = Min(unix_us / state.unit_us, state.max_time);
  pg_atomic_monotonic_advance_u64(
      &state.tick, TickLayout{.shift = state.shift}.last(static_cast<std::uint64_t>(time)));
}

// Sets a tick that is ahead of the clock back to the unit before the clock's, so that the next tick
// opens a unit. While the clock is right, a tick that other sessions use must not go back. So this
// reads the tick before the clock and leaves it alone if it is at most kRollbackUs ahead.
void lower_tick(GeneratorState& state) {
  Assert(LWLockHeldByMeInMode(AddinShmemInitLock, LW_EXCLUSIVE));
  std::uint64_t tick = pg_atomic_read_u64(&state.tick);
  for (;;) {
    const std::int64_t now_us = unix_now<1>();
    if (time_us(state, tick) - now_us <= kRollbackUs) break;
    const auto now = static_cast<std::uint64_t>(Max(now_us / state.unit_us, 1));
    if (pg_atomic_compare_exchange_u64(&state.tick, &tick, (now - 1) << state.shift)) break;
  }
  pg_atomic_write_u32(&state.behind, 0);
}

void claim(GeneratorState& state, const char* name, std::uint32_t unit_us, TickLayout layout,
           std::int64_t max_time, std::uint32_t column) {
  state.unit_us = unit_us;
  state.shift = layout.shift;
  state.max_time = max_time;
  state.column = column;
  strlcpy(state.name, name, sizeof state.name);
  const std::uint64_t floor_us = pg_atomic_read_u64(&shared_state()->header.floor_us);
  if (floor_us != 0) raise_tick(state, static_cast<std::int64_t>(floor_us));
}

}  // namespace

GeneratorState* claim_generator(const char* name, std::uint32_t unit_us, TickLayout layout,
                                std::int64_t max_time, std::uint32_t column) {
  if (IsParallelWorker())
    ereport(ERROR, (errcode(ERRCODE_INVALID_TRANSACTION_STATE),
                    errmsg("cannot use generator \"%s\" in a parallel worker", name),
                    errhint("Declare the function that does so PARALLEL RESTRICTED.")));
  SharedState* shared = shared_state();
  GeneratorState* claimed = nullptr;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  for (GeneratorState& state : shared->generators) {
    if (state.name[0] == '\0') claim(state, name, unit_us, layout, max_time, column);
    if (std::strcmp(state.name, name) == 0) {
      claimed = &state;
      Assert(state.unit_us == unit_us && state.shift == layout.shift && state.column == column);
      break;
    }
  }
  LWLockRelease(AddinShmemInitLock);
  if (!claimed) elog(ERROR, "no room for generator \"%s\" in shared memory", name);
  return claimed;
}

void raise_ticks(std::int64_t unix_us) {
  pg_atomic_monotonic_advance_u64(&shared_state()->header.floor_us,
                                  static_cast<std::uint64_t>(unix_us));
  for_each_generator([unix_us](GeneratorState& state) { raise_tick(state, unix_us); });
}

void lower_ticks() {
  auto& header = shared_state()->header;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  pg_atomic_fetch_add_u32(&header.resets, 1);
  std::uint64_t floor = pg_atomic_read_u64(&header.floor_us);
  const std::int64_t now_us = Max(unix_now<1>(), 1);
  if (static_cast<std::int64_t>(floor) - now_us > kRollbackUs)
    pg_atomic_compare_exchange_u64(&header.floor_us, &floor, static_cast<std::uint64_t>(now_us));
  for (GeneratorState& state : shared_state()->generators)
    if (state.name[0] != '\0') lower_tick(state);
  LWLockRelease(AddinShmemInitLock);
}

std::int64_t greatest_time_us() {
  std::int64_t greatest =
      Max(unix_now<1>(),
          static_cast<std::int64_t>(pg_atomic_read_u64(&shared_state()->header.floor_us)));
  for_each_generator([&greatest](GeneratorState& state) {
    greatest = Max(greatest, time_us(state, pg_atomic_read_u64(&state.tick)));
  });
  return greatest;
}

void count_rollback(GeneratorState* state, std::int64_t unix_us) {
  const std::int64_t lead_us = unix_us - unix_now<1>();
  if (lead_us <= kRollbackUs) return;
  std::uint32_t no = 0;
  if (!pg_atomic_compare_exchange_u32(&state->behind, &no, 1)) return;
  pg_atomic_fetch_add_u64(&state->rollbacks, 1);
  ereport(LOG,
          (errmsg("the clock is %.3f seconds behind the last id of generator \"%s\"",
                  static_cast<double>(lead_us) / 1e6, state->name),
           errdetail("Identifiers stay unique and in order; their timestamps do not advance until "
                     "the clock has caught up."),
           errhint(kResetHint)));
}

bool wait_for_clock(std::int64_t unix_us) {
  const std::int64_t lead_us = unix_us - unix_now<1>();
  if (lead_us >= kRollbackUs) return false;
  CHECK_FOR_INTERRUPTS();
  // The sleep is short, because a signal that arrives just before it does not end it.
  if (lead_us > 0) pg_usleep(Min(lead_us, 10'000));
  return true;
}

void clock_out_of_range(const char* generator) {
  ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                  errmsg("the server's clock is out of range for generator \"%s\"", generator),
                  errhint(kResetHint)));
}

}  // namespace ids

using namespace ids;

// ids_generators() -> setof (generator text, last_timestamp timestamptz, lead interval,
// clock_rollbacks bigint): the generators used since the server started.
IDS_FUNCTION(ids_generators) {
  InitMaterializedSRF(fcinfo, 0);
  auto* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
  for_each_generator([result](GeneratorState& state) {
    const std::uint64_t tick = pg_atomic_read_u64(&state.tick);
    const TimestampTz last = timestamptz_from_unix_us(time_us(state, tick));
    const TimestampTz now = timestamptz_from_unix_us(unix_now<1>());
    const Datum lead = DirectFunctionCall2(timestamp_mi, TimestampTzGetDatum(Max(last, now)),
                                           TimestampTzGetDatum(now));
    Datum values[] = {CStringGetTextDatum(state.name), TimestampTzGetDatum(last), lead,
                      Int64GetDatum(pg_atomic_read_u64(&state.rollbacks))};
    bool nulls[] = {false, tick == 0, tick == 0, false};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  });
  return (Datum)0;
}
