// UUID version 7, RFC 9562, within PostgreSQL's own type uuid.
//
//   bits   48  Unix time in milliseconds
//           4  version, 7
//          12  fraction of the millisecond: its microsecond * 4096 / 1000, as PostgreSQL 18 has it
//           2  variant, binary 10
//          10  counter within the microsecond, which begins at a random number below 512
//          52  random bits
//   text   as PostgreSQL reads and writes every uuid
//   range  1970-01-01 to 10889-08-02T05:31:50.655Z; the generator, whose tick has microseconds and
//          the counter in 64 bits, ends at 2540-11-07T23:35:09.481983Z
//
// Other generators may have something else after the milliseconds, so only the milliseconds are the
// time.
#pragma once

#include "core/codec.hpp"

namespace ids {

struct UuidV7 : MillisecondsFirst {
  static constexpr std::size_t kSize = 16;
  using Value = Bytes<kSize>;

  static constexpr char kName[] = "uuidv7";
  static constexpr char kTimeRange[] = "1970-01-01 00:00:00+00 to 10889-08-02 05:31:50.655999+00";
  static constexpr bool kByValue = false;

  static constexpr unsigned kCounterBits = 10;
  static constexpr unsigned kRandomBits = 52;
  // The last microsecond that a 64-bit tick can hold above the counter.
  static constexpr std::int64_t kMaxGenerateUs = (std::int64_t{1} << (64 - kCounterBits)) - 1;

  // unix_us: up to kMaxTime * 1000 + 999; counter: 10 bits; random: its lower 52 bits are used.
  static constexpr Value make(std::uint64_t unix_us, std::uint64_t counter,
                              std::uint64_t random) noexcept {
    return join(unix_us / 1000, unix_us % 1000 * 4096 / 1000,
                counter << kRandomBits | (random & ((std::uint64_t{1} << kRandomBits) - 1)));
  }

  // Whether the uuid is of version 7, in the variant of RFC 9562.
  static constexpr bool is_version_7(const Value& value) noexcept {
    return value[6] >> 4 == kVersion && value[8] >> 6 == kVariant;
  }

  static constexpr Value first(std::int64_t time) noexcept {
    return join(static_cast<std::uint64_t>(time), 0, 0);
  }
  static constexpr Value last(std::int64_t time) noexcept {
    return join(static_cast<std::uint64_t>(time), 0xFFF, UINT64_MAX >> 2);
  }

 private:
  static constexpr unsigned kVersion = 7;
  static constexpr unsigned kVariant = 0b10;

  // fraction: 12 bits; rest: 62 bits.
  static constexpr Value join(std::uint64_t unix_ms, std::uint64_t fraction,
                              std::uint64_t rest) noexcept {
    Value value{};
    store_big_endian(value.data(), unix_ms << 16 | std::uint64_t{kVersion} << 12 | fraction);
    store_big_endian(value.data() + 8, std::uint64_t{kVariant} << 62 | rest);
    return value;
  }
};

static_assert(TimeLayout<UuidV7>);

// The example of RFC 9562, A.6: 2022-02-22T19:22:22Z, 017F22E2-79B0-7CC3-98C4-DC0C0C07398F.
static_assert([] {
  constexpr UuidV7::Value value{0x01, 0x7F, 0x22, 0xE2, 0x79, 0xB0, 0x7C, 0xC3,
                                0x98, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F};
  return UuidV7::is_version_7(value) && UuidV7::time(value) == 1645557742000;
}());

}  // namespace ids
