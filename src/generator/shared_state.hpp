// The state that all sessions of a server share: one tick for each generator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pg/postgres.hpp"

namespace ids {

// One cache line of most processors. Where lines are longer, two generators share one.
inline constexpr std::size_t kCacheLine = 64;

// One generator. It claims a state by its name when it is first used.
struct alignas(kCacheLine) GeneratorState {
  pg_atomic_uint64 tick;        // 0 until first used
  pg_atomic_uint64 backfilled;  // counts identifiers of given times, from a random start
  pg_atomic_uint64 rollbacks;   // how often the clock was seen to have stepped back
  pg_atomic_uint32 behind;      // 1 until the clock has caught up after it stepped back
  std::uint32_t unit_us;        // this and the members below never change once it is claimed
  std::uint32_t shift;
  std::uint32_t column;   // its column in the records of transactions
  std::int64_t max_time;  // the last time that its identifiers can hold, in units
  char name[16];          // empty: a free state
};

// The time of a generator's tick, in microseconds since 1970.
inline std::int64_t time_us(const GeneratorState& state, std::uint64_t tick) {
  return static_cast<std::int64_t>(tick >> state.shift) * state.unit_us;
}

// Several versions of the library may run on one server, and all must take ticks from the same
// place. So neither the name nor the size ever changes. It is small, because on PostgreSQL 15 and
// 16 users' locks may leave no more than 512 bytes of the server's spare room.
struct SharedState {
  static constexpr char kName[] = "ids";
  static constexpr std::size_t kGenerators = 7;

  struct alignas(kCacheLine) {
    std::uint8_t secret[16];    // drawn once per server start
    std::uint64_t boot;         // likewise, with the first bit set, so not 0
    pg_atomic_uint64 floor_us;  // generators that are claimed later begin above this time
    pg_atomic_uint32 resets;    // how often ids_reset_clock() was called
    // See records.hpp.
    dsm_handle records;
    std::uint32_t records_version;
    std::uint32_t records_size;
  } header;
  GeneratorState generators[kGenerators];
};
static_assert(sizeof(SharedState) == 512);

// Attaches to the server's shared state, creating it if this is the first session to ask. Needs no
// shared_preload_libraries. Raises an error if there is no room.
SharedState* shared_state();

// Adds a hint to an error while there is no shared memory.
inline void hint_at_preloading(void*) {
  errhint(
      "Add \"ids\" to shared_preload_libraries and restart the server to reserve memory for it.");
}

// Creates the state in the server's main segment while the server starts.
void create_shared_state();

}  // namespace ids
