#include "uuidv7/uuidv7.hpp"

#include <string>

#include "codec_checks.hpp"
#include "core/tick.hpp"
#include "vectors.hpp"

using namespace ids;

namespace {

UuidV7::Value from_text(const std::string& text) {
  std::string digits;
  for (const char character : text)
    if (character != '-') digits += character;
  UuidV7::Value value{};
  const auto bytes = from_hex(digits);
  REQUIRE(bytes.size() == value.size());
  std::copy(bytes.begin(), bytes.end(), value.begin());
  return value;
}

constexpr TickLayout kLayout{.shift = UuidV7::kCounterBits};

UuidV7::Value of_tick(std::uint64_t tick, std::uint64_t random) {
  return UuidV7::make(kLayout.time(tick), kLayout.counter(tick), random);
}

}  // namespace

TEST_CASE("uuidv7: boundaries of times") {
  check_boundaries<UuidV7>();
  CHECK(to_hex(UuidV7::first(0)) == "00000000000070008000000000000000");
  CHECK(to_hex(UuidV7::last(0)) == "0000000000007fffbfffffffffffffff");
  CHECK(to_hex(UuidV7::first(UuidV7::kMaxTime)) == "ffffffffffff70008000000000000000");
  CHECK(to_hex(UuidV7::last(UuidV7::kMaxTime)) == "ffffffffffff7fffbfffffffffffffff");
}

TEST_CASE("uuidv7: the example of RFC 9562 (A.6)") {
  const auto value = from_text("017F22E2-79B0-7CC3-98C4-DC0C0C07398F");
  CHECK(UuidV7::is_version_7(value));
  CHECK(UuidV7::time(value) == 1645557742000);
  CHECK(UuidV7::first(1645557742000) < value);
  CHECK(value < UuidV7::last(1645557742000));
  CHECK(UuidV7::last(1645557741999) < value);
  CHECK(value < UuidV7::first(1645557742001));
}

TEST_CASE("uuidv7: other versions and variants are recognized") {
  // RFC 9562, A.1 to A.5, A.7 and A.8; nil and max; versions 7 of the other variants.
  for (const char* text :
       {"C232AB00-9414-11EC-B3C8-9F6BDECED846", "5df41881-3aed-3515-88a7-2f4a814cf09e",
        "919108f7-52d1-4320-9bac-f847db4148a8", "2ed6657d-e927-568b-95e1-2665a8aea6a2",
        "1EC9414C-232A-6B00-B3C8-9F6BDECED846", "2489E9AD-2EE2-8E00-8EC9-32D5F69181C0",
        "5c146b14-3c52-8afd-938a-375d0df1fbf6", "00000000-0000-0000-0000-000000000000",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "017F22E2-79B0-7CC3-78C4-DC0C0C07398F",
        "017F22E2-79B0-7CC3-C8C4-DC0C0C07398F"}) {
    CAPTURE(text);
    CHECK_FALSE(UuidV7::is_version_7(from_text(text)));
  }
}

TEST_CASE("uuidv7: bits of time and fraction and counter and random") {
  constexpr std::uint64_t kUnixUs = 1645557742000 * 1000;
  CHECK(to_hex(UuidV7::make(kUnixUs, 0, 0)) == "017f22e279b070008000000000000000");
  CHECK(to_hex(UuidV7::make(kUnixUs + 1, 1, 1)) == "017f22e279b070048010000000000001");
  CHECK(to_hex(UuidV7::make(kUnixUs + 500, 0x2aa, 0x123456789abcd)) ==
        "017f22e279b07800aaa123456789abcd");
  // The bits of random above the 52nd are not used.
  CHECK(to_hex(UuidV7::make(kUnixUs + 999, 0x3ff, UINT64_MAX)) ==
        "017f22e279b07ffbbfffffffffffffff");
  CHECK(to_hex(UuidV7::make(kUnixUs + 1000, 0, 0)) == "017f22e279b170008000000000000000");
  CHECK(to_hex(UuidV7::make(UuidV7::kMaxTime * 1000 + 999, 0x3ff, UINT64_MAX)) ==
        "ffffffffffff7ffbbfffffffffffffff");
}

TEST_CASE("uuidv7: the fraction is PostgreSQL 18's in every microsecond") {
  for (std::uint64_t us = 0; us < 1000; ++us) {
    const auto value = UuidV7::make(us, 0, 0);
    const unsigned fraction = (value[6] & 0xfu) << 8 | value[7];
    // get_real_time_ns_ascending() and generate_uuidv7() have nanoseconds.
    const std::uint64_t expected = us * 1000 % 1'000'000 * (1 << 12) / 1'000'000;
    if (fraction != expected) FAIL("microsecond " << us << " gave " << fraction);
  }
}

TEST_CASE("uuidv7: ids are in the order of their ticks whatever the random bits") {
  std::mt19937_64 random(20260101);
  std::uint64_t tick = std::uint64_t{1700000000000000} << UuidV7::kCounterBits;
  auto previous = of_tick(tick, UINT64_MAX);
  for (int i = 0; i < 1'000'000; ++i) {
    tick += 1 + (random() & 1 ? 0 : random() % 4096);
    const auto next = of_tick(tick, i % 2 ? 0 : UINT64_MAX);
    if (next <= previous || !UuidV7::is_version_7(next)) FAIL("tick " << tick);
    previous = next;
  }
  // The last time that a tick can hold.
  const auto last = of_tick(UINT64_MAX, 0);
  CHECK(kLayout.time(UINT64_MAX) == UuidV7::kMaxGenerateUs);
  CHECK(UuidV7::time(last) == UuidV7::kMaxGenerateUs / 1000);
  CHECK(of_tick(UINT64_MAX - 1, UINT64_MAX) < last);
}
