// Generators: a tick that strictly increases over all sessions of the server.
#pragma once

#include <cstdint>

#include "core/tick.hpp"
#include "pg/clock.hpp"
#include "pg/entropy.hpp"
#include "pg/postgres.hpp"
#include "pg/shared_state.hpp"

namespace ids {

// Finds the generator's slot, claiming a free one if it is the server's first use of that name.
GeneratorState* claim_generator(const char* name, std::uint32_t unit_us, TickLayout layout);

// Counts and logs a clock that stepped back, if it did: a tick ahead of a clock reading made before
// it may be a delay of this backend, so the clock is read once more. tick_time in units.
void check_clock(GeneratorState* state, std::uint64_t tick_time);

// Raises the error for a clock that the generator's type cannot hold.
[[noreturn]] void clock_out_of_range(const char* generator);

// How far the clock must be behind the last identifier to count as stepped back.
inline constexpr std::int64_t kRollbackUs = 1'000'000;

// Spec has the static members kName, kLayout, kUnitUs, kMaxTime (in units since 1970) and
// kFreshBits, the size of the random number that a new unit's counter starts at.
template <class Spec>
class Generator {
 public:
  // A tick greater than any that a call finished before this one returned, in any session, whatever
  // the clock does.
  static std::uint64_t next() {
    if (unlikely(!state_)) state_ = claim_generator(Spec::kName, Spec::kUnitUs, Spec::kLayout);

    const std::int64_t clock = unix_now<Spec::kUnitUs>();
    if (unlikely(clock <= 0 || clock > Spec::kMaxTime)) clock_out_of_range(Spec::kName);
    const auto now = static_cast<std::uint64_t>(clock);
    std::uint64_t previous = pg_atomic_read_u64(&state_->tick);
    std::uint64_t tick;
    while (true) {
      const std::uint64_t fresh = now > Spec::kLayout.time(previous) ? fresh_counter() : 0;
      const TickStep step = next_tick(Spec::kLayout, previous, now, fresh);
      if (step.event != TickEvent::opened) {
        // Whatever the tick has become in the meantime, one more is greater.
        tick = pg_atomic_fetch_add_u64(&state_->tick, Spec::kLayout.step) + Spec::kLayout.step;
        break;
      }
      if (pg_atomic_compare_exchange_u64(&state_->tick, &previous, step.next)) {
        tick = step.next;
        if (unlikely(pg_atomic_read_u32(&state_->behind))) pg_atomic_write_u32(&state_->behind, 0);
        break;
      }
    }

    const std::uint64_t time = Spec::kLayout.time(tick);
    if (unlikely(time > now + kRollbackUs / Spec::kUnitUs)) check_clock(state_, time);
    if (unlikely(time > std::uint64_t{Spec::kMaxTime})) clock_out_of_range(Spec::kName);
    return tick;
  }

 private:
  static std::uint64_t fresh_counter() {
    if constexpr (Spec::kFreshBits == 0) return 0;
    return random_bits<std::uint16_t>() & ((1u << Spec::kFreshBits) - 1);
  }

  static inline GeneratorState* state_ = nullptr;
};

}  // namespace ids
