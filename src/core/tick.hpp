// The arithmetic of ticks. A tick has 64 bits: a time in units, followed by a counter. The ticks of
// a generator strictly increase. These functions are pure; generator/generator.hpp keeps the state.
#pragma once

#include <cstdint>

namespace ids {

// How a generator divides its tick, most significant first: the time in units, then shift bits of
// counter.
struct TickLayout {
  unsigned shift;

  constexpr std::uint64_t time(std::uint64_t tick) const noexcept { return tick >> shift; }
  constexpr std::uint64_t counter(std::uint64_t tick) const noexcept {
    return tick & ((std::uint64_t{1} << shift) - 1);
  }
  // The greatest tick of a time: every tick above it has a later time.
  constexpr std::uint64_t last(std::uint64_t time) const noexcept {
    return ((time + 1) << shift) - 1;
  }
};

enum class TickEvent : std::uint8_t {
  opened,   // the clock entered a new unit
  counted,  // the unit goes on, or the clock stepped back: the next tick of the unit
  carried,  // the same, but the unit's counter was used up: the first tick of the next unit
};

struct TickStep {
  std::uint64_t next;
  TickEvent event;
};

// The tick after previous (0: there is none) when the clock reads now units; a new unit's counter
// starts at fresh(previous). The next tick is always greater than the previous one.
template <class Fresh>
constexpr TickStep next_tick(TickLayout layout, std::uint64_t previous, std::uint64_t now,
                             Fresh fresh) {
  if (now > layout.time(previous))
    return {now << layout.shift | fresh(previous), TickEvent::opened};
  const std::uint64_t next = previous + 1;
  const bool carried = layout.time(next) != layout.time(previous);
  return {next, carried ? TickEvent::carried : TickEvent::counted};
}

}  // namespace ids
