#include "core/tick.hpp"

#include "catch.hpp"

using namespace ids;

namespace {

constexpr TickLayout kLayout{.shift = 16};
constexpr std::uint64_t kNow = 1'700'000'000'000;  // ms
constexpr std::uint64_t kPrevious = kNow << 16 | 0x1234;

// A new unit's counter that does not depend on the previous tick.
constexpr auto fresh(std::uint64_t counter) {
  return [counter](std::uint64_t) { return counter; };
}

void check(const TickStep& step, std::uint64_t next, TickEvent event) {
  CHECK(step.next == next);
  CHECK(step.event == event);
}

}  // namespace

TEST_CASE("the first call opens the clock's unit") {
  check(next_tick(kLayout, 0, kNow, fresh(0x7fff)), kNow << 16 | 0x7fff, TickEvent::opened);
}

TEST_CASE("within a unit the counter grows and the fresh number is ignored") {
  check(next_tick(kLayout, kPrevious, kNow, fresh(0x7fff)), kPrevious + 1, TickEvent::counted);
}

TEST_CASE("a new unit starts at the fresh number even below the previous counter") {
  check(next_tick(kLayout, kPrevious, kNow + 1, fresh(0)), (kNow + 1) << 16, TickEvent::opened);
}

TEST_CASE("the tick grows whatever the clock does") {
  const std::uint64_t back = GENERATE(1, 3'600'000, 10ULL * 365 * 86'400'000);
  CAPTURE(back);
  check(next_tick(kLayout, kPrevious, kNow - back, fresh(0x7fff)), kPrevious + 1,
        TickEvent::counted);
}

TEST_CASE("a clock at zero counts as a clock that stepped back") {
  check(next_tick(kLayout, kPrevious, 0, fresh(0x7fff)), kPrevious + 1, TickEvent::counted);
}

TEST_CASE("a used-up counter carries into the next unit and counts on from zero") {
  const std::uint64_t full = kNow << 16 | 0xffff;
  const TickStep carried = next_tick(kLayout, full, kNow, fresh(0x7fff));
  check(carried, (kNow + 1) << 16, TickEvent::carried);
  // When the clock reaches the unit that the carry entered, its counter is not drawn again.
  check(next_tick(kLayout, carried.next, kNow + 1, fresh(0x7fff)), carried.next + 1,
        TickEvent::counted);
  check(next_tick(kLayout, carried.next, kNow + 2, fresh(0x7fff)), (kNow + 2) << 16 | 0x7fff,
        TickEvent::opened);
}

TEST_CASE("a tick divides into time and counter") {
  static_assert(kLayout.time(kPrevious) == kNow);
  static_assert(kLayout.counter(kPrevious) == 0x1234);
  static_assert(next_tick(kLayout, kPrevious, kNow, fresh(0)).next == kPrevious + 1);
}

TEST_CASE("a thousand calls a unit are strictly increasing over a clock that jumps about") {
  std::uint64_t tick = 0;
  std::uint64_t random = 1;
  for (int unit = 0; unit < 2000; ++unit) {
    random = random * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t now = kNow + (random >> 33) % 1000;
    for (int call = 0; call < 1000; ++call) {
      const std::uint64_t next = next_tick(kLayout, tick, now, fresh(random >> 49)).next;
      if (next <= tick) FAIL("tick " << tick << " was followed by " << next);
      tick = next;
    }
  }
}

TEST_CASE("above the last tick of a unit is the next unit") {
  const std::uint64_t last = kLayout.last(kNow);
  CHECK(kLayout.time(last) == kNow);
  const TickStep step = next_tick(kLayout, last, kNow - 5000, fresh(0));
  CHECK(kLayout.time(step.next) == kNow + 1);
  CHECK(step.event == TickEvent::carried);
}

TEST_CASE("the last tick of the last unit is the greatest number") {
  CHECK(kLayout.last((std::uint64_t{1} << 48) - 1) == UINT64_MAX);
}
