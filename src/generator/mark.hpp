// The mark: the time up to which identifiers of this database may have been made. After a crash, a
// restart or a promotion the generators continue above it. It is logged ahead of its use.
#pragma once

#include <cstdint>

#include "generator/shared_state.hpp"
#include "pg/postgres.hpp"

namespace ids {

// How far the mark is moved beyond the time that needs it.
inline constexpr std::int64_t kMarkAheadUs = 100'000;

// The mark, as this session last read it.
struct KnownMark {
  std::int64_t unix_us = 0;  // 0: not read yet
  std::uint32_t resets = 0;  // how often the clock had been reset when the mark was read
};
extern KnownMark known_mark;

// Whether the mark is at or beyond unix_us, so that an identifier may have that time.
inline bool is_marked(SharedState* shared, std::int64_t unix_us) {
  return unix_us <= known_mark.unix_us &&
         pg_atomic_read_u32(&shared->header.resets) == known_mark.resets;
}

// Whether this session has read the mark, since the ticks were last lowered: then they are above
// it.
inline bool knows_mark(SharedState* shared) {
  return known_mark.unix_us != 0 && pg_atomic_read_u32(&shared->header.resets) == known_mark.resets;
}

// If unix_us is beyond the mark, moves the mark beyond unix_us, which writes WAL. The first call of
// a boot also raises all ticks above the old mark, before it moves the mark. Returns false if the
// caller must take another tick, because its tick may be below identifiers that the database has.
// Raises an error if the mark is missing or damaged.
bool ensure_marked(std::int64_t unix_us);

}  // namespace ids
