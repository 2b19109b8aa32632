// The ticks of all generators, in shared memory, and how they follow the clock.
#pragma once

#include <cstdint>

#include "core/tick.hpp"
#include "generator/shared_state.hpp"

namespace ids {

// How far the clock must be behind the last identifier to count as stepped back.
inline constexpr std::int64_t kRollbackUs = 1'000'000;

// Finds the generator's state, or claims a free one if this server has not used that name yet.
// Raises an error in a parallel worker, whose transaction is the leader's.
GeneratorState* claim_generator(const char* name, std::uint32_t unit_us, TickLayout layout,
                                std::int64_t max_time, std::uint32_t column);

// Makes every generator continue above the time unix_us.
void raise_ticks(std::int64_t unix_us);

// Makes the generators that are more than kRollbackUs ahead of the clock follow it again, and
// counts that. The count rises first, so whoever has taken a lowered tick sees that it has risen.
void lower_ticks();

// The time of the clock, or of the generator that is furthest ahead of it.
std::int64_t greatest_time_us();

// Checks whether the clock stepped back, after a tick of the time unix_us was ahead of it. If so,
// counts and logs it once, until the clock has caught up. This reads the clock again: if the
// backend was delayed after it first read the clock, the tick may be ahead only because other
// sessions took ticks meanwhile.
void count_rollback(GeneratorState* state, std::int64_t unix_us);

// Sleeps until the clock is at unix_us, or for a short time, and returns true. Returns false at
// once if unix_us is so far ahead that the clock must have stepped back. Raises an error if the
// statement is canceled.
bool wait_for_clock(std::int64_t unix_us);

// Raises an error: the clock's time is out of range for the generator's type.
[[noreturn]] void clock_out_of_range(const char* generator);

}  // namespace ids
