// TBSL, https://github.com/infocyph/UID (commit 86bf9cc)
//
//   bits   60  payload: the decimal number SSSSSSSSSSUUUUUUMM, that is Unix seconds, microseconds
//              and machine id 00-99, as a binary integer
//          20  suffix, random or counted
//   text   20 digits 0123456789ABCDEF, in upper case only
//   range  1970-01-01 to 2286-11-20T17:46:39.999999Z: a payload below 10^18
//   errors not 20 characters; a character that is not a digit, including lower case; a payload of
//          10^18 or more
//
// For transport the 80 bits are also written in bases 16, 32, 36, 58 and 62, without leading zeros.
#pragma once

#include "core/alphabet.hpp"
#include "core/codec.hpp"
#include "core/digits.hpp"

namespace ids {

struct Tbsl {
  static constexpr std::size_t kSize = 10;
  static constexpr std::size_t kTextSize = 20;
  using Value = Bytes<kSize>;

  static constexpr char kName[] = "tbsl";
  static constexpr char kSyntax[] = "20 upper case hexadecimal digits";
  static constexpr char kDigit[] = "hexadecimal digit (0-9, A-F)";
  static constexpr char kRangeRule[] =
      "the first 15 digits, the time and the machine, are a number below 10^18";
  static constexpr char kTimeRange[] = "1970-01-01 00:00:00+00 to 2286-11-20 17:46:39.999999+00";
  static constexpr bool kByValue = false;

  static constexpr std::uint32_t kMachines = 100;  // two decimal digits of the payload
  static constexpr std::uint32_t kMaxMachine = kMachines - 1;
  static constexpr unsigned kSuffixBits = 20;
  static constexpr std::uint32_t kMaxSuffix = (std::uint32_t{1} << kSuffixBits) - 1;

  static constexpr std::int64_t kUnitUs = 1;
  static constexpr std::int64_t kMinTime = 0;
  static constexpr std::int64_t kMaxTime = 9'999'999'999'999'999;

  static constexpr Alphabet<16> kAlphabet{"0123456789ABCDEF", LetterCase::distinct};
  static constexpr DigitPairs<16> kPairs{kAlphabet};

  static constexpr int kBases[] = {16, 32, 36, 58, 62};
  static constexpr char kBaseNames[] = "16, 32, 36, 58 and 62";

 private:
  static constexpr Uint128 kMaxNumber = (Uint128{1'000'000'000'000'000'000} << kSuffixBits) - 1;

  static constexpr std::uint64_t payload(const Value& value) noexcept {
    return load_big_endian<std::uint64_t>(value.data()) >> 4;
  }

 public:
  // unix_us: kMinTime to kMaxTime; machine_id: 0 to kMaxMachine; suffix: 0 to kMaxSuffix.
  static constexpr Value make(std::uint64_t unix_us, std::uint32_t machine_id,
                              std::uint32_t suffix) noexcept {
    return bytes_of_number<kSize>(Uint128{unix_us * kMachines + machine_id} << kSuffixBits |
                                  suffix);
  }

  static constexpr ParseResult parse(std::string_view text, Value& out) noexcept {
    if (text.size() != kTextSize) return {ParseError::length, 0};
    Uint128 number = 0;
    const ParseResult result = parse_digits(kAlphabet, text, ~Uint128{0}, number);
    if (result.error != ParseError::none) return result;
    const Value value = bytes_of_number<kSize>(number);
    if (!valid(value)) return beyond<kTextSize>(kAlphabet, kMaxNumber, text, ParseError::range);
    out = value;
    return {};
  }

  static constexpr void format(const Value& value, std::span<char, kTextSize> out) noexcept {
    kPairs.write<16>(load_big_endian<std::uint64_t>(value.data()), out.data());
    kPairs.write<4>(load_big_endian<std::uint16_t>(value.data() + 8), out.data() + 16);
  }

  // The suffixes for a counter of 0 to kCounters - 1 within a microsecond. Sequenced ones are 1 to
  // kCounters. Random ones are greater and count up from a start that depends on a hash of the
  // microsecond. So the ids of a microsecond are in order, and no suffix is used twice.
  static constexpr unsigned kCounterBits = 10;
  static constexpr std::uint32_t kCounters = std::uint32_t{1} << kCounterBits;
  static constexpr std::uint32_t kRandomStarts = kMaxSuffix + 1 - 2 * kCounters;
  static constexpr std::uint32_t sequenced_suffix(std::uint32_t counter) noexcept {
    return 1 + counter;
  }
  static constexpr std::uint32_t random_suffix(std::uint32_t counter, std::uint64_t hash) noexcept {
    return 1 + kCounters + static_cast<std::uint32_t>(hash % kRandomStarts) + counter;
  }
  static_assert(kCounters + kRandomStarts + kCounters - 1 == kMaxSuffix);

  static constexpr bool valid(const Value& value) noexcept {
    return payload(value) / kMachines <= std::uint64_t{kMaxTime};
  }

  static constexpr std::int64_t time(const Value& value) noexcept {
    return static_cast<std::int64_t>(payload(value) / kMachines);
  }
  static constexpr std::uint32_t machine_id(const Value& value) noexcept {
    return static_cast<std::uint32_t>(payload(value) % kMachines);
  }
  static constexpr std::uint32_t suffix(const Value& value) noexcept {
    return load_big_endian<std::uint32_t>(value.data() + 6) & kMaxSuffix;
  }
  static constexpr Value first(std::int64_t time) noexcept {
    return make(static_cast<std::uint64_t>(time), 0, 0);
  }
  static constexpr Value last(std::int64_t time) noexcept {
    return make(static_cast<std::uint64_t>(time), kMaxMachine, kMaxSuffix);
  }
};

static_assert(Codec<Tbsl>);

// An example from the conformance data: 2023-11-14T22:13:20.123456Z, machine 7.
static_assert(example<Tbsl>("25BF6196C8D6107ABCDE") == Tbsl::make(1700000000123456, 7, 0xABCDE));

}  // namespace ids
