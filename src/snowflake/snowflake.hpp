// Device-name snowflake, https://github.com/Caloriosa/core (commit 7b590b4)
//
//   bits    1  prefix, always 1
//          41  milliseconds since 2017-01-01T00:00Z
//          12  random
//          10  increment
//   text   11 digits 0-9a-zA-Z (base 62). It does not sort like the number, because lower case
//          comes before upper case. Input may also have the digits 0-9A-Za-z, which the project's
//          code writes and which sort like the number; the first digit, a-l or A-L, tells which
//   range  2017-01-01 to 2086-09-07T15:47:35.551Z, text aZl8N0y58M8 to lYGhA16ahyf, names
//          AzL8n0Y58m8 to LygHa16AHYF
//   errors not 11 characters; a character that is not a digit; a number without the prefix (below
//          2^63); a number over 64 bits
#pragma once

#include "core/alphabet.hpp"
#include "core/codec.hpp"
#include "core/digits.hpp"

namespace ids {

// The alphabets of names: 0-9a-zA-Z or, with upper_first, 0-9A-Za-z.
constexpr const Alphabet<62>& base62(bool upper_first) noexcept {
  return upper_first ? kBase62UpperFirst : kBase62LowerFirst;
}

struct Snowflake {
  static constexpr std::size_t kSize = 8;
  static constexpr std::size_t kTextSize = count_digits(UINT64_MAX, 62);
  using Value = Bytes<kSize>;

  static constexpr char kName[] = "snowflake";
  static constexpr char kSyntax[] = "11 base 62 digits";
  static constexpr char kDigit[] = "base 62 digit";
  static constexpr char kRangeRule[] =
      "the first bit of a snowflake is always set, so it is from aZl8N0y58M8 to lYGhA16ahyf, or "
      "from AzL8n0Y58m8 to LygHa16AHYF in digits 0-9A-Za-z";
  static constexpr char kTimeRange[] = "2017-01-01 00:00:00+00 to 2086-09-07 15:47:35.551+00";
  static constexpr bool kByValue = true;

  static constexpr std::uint64_t kPrefix = std::uint64_t{1} << 63;
  static constexpr unsigned kRandomBits = 12;
  static constexpr unsigned kIncrementBits = 10;
  static constexpr std::uint32_t kMaxRandom = (1u << kRandomBits) - 1;
  static constexpr std::uint32_t kMaxIncrement = (1u << kIncrementBits) - 1;

  static constexpr std::int64_t kUnitUs = 1000;
  static constexpr std::int64_t kMinTime = 1'483'228'800'000;  // the epoch
  static constexpr std::int64_t kMaxTime = kMinTime + (std::int64_t{1} << 41) - 1;

  // unix_ms: kMinTime to kMaxTime; random: 0 to kMaxRandom; increment: 0 to kMaxIncrement.
  static constexpr Value make(std::uint64_t unix_ms, std::uint32_t random,
                              std::uint32_t increment) noexcept {
    return from_number(kPrefix | (unix_ms - kMinTime) << (kRandomBits + kIncrementBits) |
                       std::uint64_t{random} << kIncrementBits | increment);
  }

  // The 64 bits as a number, and back.
  static constexpr std::uint64_t number(const Value& value) noexcept {
    return load_big_endian<std::uint64_t>(value.data());
  }
  static constexpr Value from_number(std::uint64_t number) noexcept {
    Value value{};
    store_big_endian(value.data(), number);
    return value;
  }

  static constexpr ParseResult parse(std::string_view text, Value& out) noexcept {
    if (text.size() != kTextSize) return {ParseError::length, 0};
    // Names in the other alphabet begin with upper case. Such a text is above 2^64 in this one.
    const Alphabet<62>& alphabet = base62(text[0] >= 'A' && text[0] <= 'Z');
    std::uint64_t number = 0;
    const ParseResult result = parse_digits(alphabet, text, UINT64_MAX, number);
    if (result.error == ParseError::digit) return result;
    const bool overflow = result.error == ParseError::overflow;
    if (overflow || number < kPrefix)
      return beyond<kTextSize>(alphabet, overflow ? UINT64_MAX : kPrefix, text,
                               overflow ? result.error : ParseError::range);
    out = from_number(number);
    return {};
  }

  static constexpr void format(const Value& value, std::span<char, kTextSize> out) noexcept {
    format_digits(kBase62LowerFirst, number(value), out);
  }

  // The name in the other alphabet.
  static constexpr void format_name(const Value& value, std::span<char, kTextSize> out) noexcept {
    format_digits(kBase62UpperFirst, number(value), out);
  }

  static constexpr bool valid(const Value& value) noexcept { return number(value) >= kPrefix; }

  static constexpr std::int64_t time(const Value& value) noexcept {
    const std::uint64_t since_epoch = (number(value) & ~kPrefix) >> (kRandomBits + kIncrementBits);
    return kMinTime + static_cast<std::int64_t>(since_epoch);
  }
  static constexpr std::uint32_t random(const Value& value) noexcept {
    return static_cast<std::uint32_t>(number(value) >> kIncrementBits) & kMaxRandom;
  }
  static constexpr std::uint32_t increment(const Value& value) noexcept {
    return static_cast<std::uint32_t>(number(value)) & kMaxIncrement;
  }
  static constexpr Value first(std::int64_t time) noexcept {
    return make(static_cast<std::uint64_t>(time), 0, 0);
  }
  static constexpr Value last(std::int64_t time) noexcept {
    return make(static_cast<std::uint64_t>(time), kMaxRandom, kMaxIncrement);
  }
};

static_assert(Codec<Snowflake>);

// The epoch with zero fields, and the number of the project's example.
static_assert(example<Snowflake>("aZl8N0y58M8") == Snowflake::first(Snowflake::kMinTime));
static_assert([] {
  std::uint64_t number = 0;
  return read_digits(base62(false), "katjjMQN", UINT64_MAX, number) == ParseResult{} &&
         number == 71027147798529;
}());

}  // namespace ids
