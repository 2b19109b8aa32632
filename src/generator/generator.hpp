// Generators: ticks that strictly increase across all sessions of the server, and are above the
// mark.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "core/codec.hpp"
#include "core/tick.hpp"
#include "generator/answers.hpp"
#include "generator/entropy.hpp"
#include "generator/mark.hpp"
#include "generator/settled.hpp"
#include "generator/shared_state.hpp"
#include "generator/ticks.hpp"
#include "pg/clock.hpp"
#include "pg/postgres.hpp"

namespace ids {

// How a generator of identifiers works, as static members.
// clang-format off
template <class S>
concept GeneratorSpec = requires(std::uint64_t previous_tick) {
  { S::kName } -> std::convertible_to<const char*>;
  { S::kLayout } -> std::convertible_to<TickLayout>;
  { S::kUnitUs } -> std::convertible_to<std::int64_t>;   // the tick's unit of time in microseconds
  { S::kMinTime } -> std::convertible_to<std::int64_t>;  // first and last time of its identifiers,
  { S::kMaxTime } -> std::convertible_to<std::int64_t>;  // in units since 1970
  { S::kColumn } -> std::convertible_to<std::uint32_t>;  // in the records of transactions
  { S::kWaits } -> std::convertible_to<bool>;  // wait for the clock rather than carry into a unit
                                               // that is more than one ahead of it
  { S::fresh(previous_tick) } -> std::same_as<std::uint64_t>;  // the counter of a new unit
};
// clang-format on

// What a Spec inherits from its codec, with times in the tick's unit. It may override any member.
template <TimeLayout C, std::int64_t UnitUs = C::kUnitUs>
struct CodecSpec {
  static constexpr std::int64_t kUnits = C::kUnitUs / UnitUs;  // in a unit of the codec
  static_assert(kUnits * UnitUs == C::kUnitUs);

  static constexpr const char* kName = C::kName;
  static constexpr std::int64_t kUnitUs = UnitUs;
  static constexpr std::int64_t kMinTime = C::kMinTime * kUnits;
  static constexpr std::int64_t kMaxTime = (C::kMaxTime + 1) * kUnits - 1;
  static constexpr bool kWaits = false;
};

// A hash of the unit of time of a tick that was just taken, which nobody can compute without the
// server's secret. If the clock reaches the unit again after ids_reset_clock(), it is another one.
inline std::uint64_t keyed_hash(std::uint64_t time) {
  const auto& secret = shared_state()->header.secret;
  return hash_bytes_extended(secret, sizeof secret, std::uint64_t{known_mark.resets} << 54 | time);
}

template <GeneratorSpec Spec>
class Generator {
  static_assert(Spec::kColumn < kColumns);
  static_assert(std::bit_width(std::uint64_t{Spec::kMaxTime}) + Spec::kLayout.shift <= 64);

 public:
  // Returns a tick. It is greater than the tick of every call that finished before this one began,
  // in any session. It is also greater than all ticks that this database used before a crash, a
  // restart or a promotion. Both hold whatever the clock does.
  static std::uint64_t next() {
    while (true) {
      if (unlikely(!(enrolled_columns & 1u << Spec::kColumn))) enrol(claim_above_mark());
      const std::uint64_t tick = take();
      const std::int64_t time_us = unix_us(Spec::kLayout.time(tick));
      if (unlikely(!is_marked(shared_, time_us)) && !ensure_marked(time_us)) continue;
      Assert(RecoveryInProgress() || time_us <= known_mark.unix_us);
      return tick;
    }
  }

  // The first tick whose identifier is not known to be settled for the active snapshot; 0 if no
  // identifier is.
  static std::uint64_t first_unsettled() { return settled_below(claim_above_mark()); }

  // The unit of time before which all identifiers are settled for the active snapshot, for types
  // whose ids of one unit are not in the order of their ticks. The last unit can be settled when
  // the next one has begun, so this begins it if the clock is there; no id gets that tick. Like an
  // id, the answer is never above the mark.
  static std::uint64_t first_unsettled_time() {
    GeneratorState* generator = claim_above_mark();
    std::uint64_t time;
    do {
      std::uint64_t previous = pg_atomic_read_u64(&generator->tick);
      const std::uint64_t now = Min(clock(), Spec::kLayout.time(previous) + 1);
      const TickStep step = next_tick(Spec::kLayout, previous, now, Spec::fresh);
      if (step.event == TickEvent::opened)
        pg_atomic_compare_exchange_u64(&generator->tick, &previous, step.next);
      time = Spec::kLayout.time(settled_below(generator));
    } while (!is_marked(shared_, unix_us(time)) && !ensure_marked(unix_us(time)));
    return time;
  }

  // Counts the identifiers that all sessions make for given times; the count starts at a random
  // number.
  static std::uint64_t next_backfilled() {
    return pg_atomic_fetch_add_u64(&claim()->backfilled, 1);
  }

 private:
  static GeneratorState* claim() {
    if (unlikely(!claimed_)) {
      shared_ = shared_state();
      claimed_ =
          claim_generator(Spec::kName, Spec::kUnitUs, Spec::kLayout, Spec::kMaxTime, Spec::kColumn);
    }
    return claimed_;
  }

  // After a restart or a promotion the tick may be below the mark, until a session has read that.
  static GeneratorState* claim_above_mark() {
    GeneratorState* generator = claim();
    if (!knows_mark(shared_)) ensure_marked(0);
    return generator;
  }

  // The next tick of the server.
  static std::uint64_t take() {
    // If other sessions generate too, another processor has the cache line: fetch it while the
    // clock is read.
    __builtin_prefetch(&claimed_->tick, 1);
    std::uint64_t now = clock();
    std::uint64_t previous = pg_atomic_read_u64(&claimed_->tick);
    std::uint64_t tick;
    while (!try_take(now, previous, tick)) continue;
    const std::uint64_t time = Spec::kLayout.time(tick);
    if (unlikely(time > now + kRollbackUs / Spec::kUnitUs)) count_rollback(claimed_, unix_us(time));
    return tick;
  }

  // Takes the tick after previous. If another session took it first, or after waiting for the
  // clock, updates now and previous and returns false.
  static bool try_take(std::uint64_t& now, std::uint64_t& previous, std::uint64_t& tick) {
    const TickStep step = next_tick(Spec::kLayout, previous, now, Spec::fresh);
    tick = step.next;
    if (step.event == TickEvent::opened) {
      if (!pg_atomic_compare_exchange_u64(&claimed_->tick, &previous, tick)) return false;
      if (unlikely(pg_atomic_read_u32(&claimed_->behind)))
        pg_atomic_write_u32(&claimed_->behind, 0);
      return true;
    }
    // There is no unit after the last one to carry into.
    if (unlikely(Spec::kLayout.time(previous) >= std::uint64_t{Spec::kMaxTime}))
      clock_out_of_range(Spec::kName);
    if constexpr (Spec::kWaits) {
      const std::uint64_t time = Spec::kLayout.time(tick);
      if (step.event == TickEvent::carried && time > now + 1 && wait_for_clock(unix_us(time - 1))) {
        now = clock();
        previous = pg_atomic_read_u64(&claimed_->tick);
        return false;
      }
      return pg_atomic_compare_exchange_u64(&claimed_->tick, &previous, tick);
    }
    // Other sessions may have moved the tick on meanwhile, but this one is greater in any case.
    tick = pg_atomic_fetch_add_u64(&claimed_->tick, 1) + 1;
    return true;
  }

  static std::uint64_t clock() {
    const std::int64_t now = unix_now<Spec::kUnitUs>();
    if (unlikely(now < Spec::kMinTime || now > Spec::kMaxTime)) clock_out_of_range(Spec::kName);
    return static_cast<std::uint64_t>(now);
  }
  static std::int64_t unix_us(std::uint64_t time) {
    return static_cast<std::int64_t>(time) * Spec::kUnitUs;
  }

  static inline SharedState* shared_ = nullptr;
  static inline GeneratorState* claimed_ = nullptr;
};

}  // namespace ids
