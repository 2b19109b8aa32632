// The mark: the time up to which identifiers of this database may have been made. A relation holds
// it, and it is logged ahead as a sequence is, so it outlives the server. No identifier has a time
// beyond the mark; after a crash, a restart or a promotion the generators go on above it.
#pragma once

#include <cstdint>

#include "pg/postgres.hpp"
#include "pg/shared_state.hpp"

namespace ids {

// How far ahead of what is needed the mark is logged.
inline constexpr std::int64_t kMarkAheadUs = 100'000;

// What this session knows of the mark.
struct KnownMark {
  std::int64_t unix_us = 0;  // 0: nothing
  std::uint32_t resets = 0;  // of the clock, when it was read
};
extern KnownMark known_mark;

// Whether the mark is at or beyond unix_us, so that an identifier of that time may be given.
inline bool is_marked(SharedState* shared, std::int64_t unix_us) {
  return unix_us <= known_mark.unix_us &&
         pg_atomic_read_u32(&shared->header.resets) == known_mark.resets;
}

// Moves the mark beyond unix_us. False if the tick must be taken again, since only now it is known
// to be above what the database has. Raises an error if the mark is missing or damaged.
bool move_mark(std::int64_t unix_us);

// Lets the ticks and the mark that are ahead of the clock follow it again.
void reset_clock();

}  // namespace ids
