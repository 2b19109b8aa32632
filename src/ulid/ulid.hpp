// ULID, https://github.com/ulid/spec with the binary layout of oklog/ulid.
//
//   bits   48  Unix time in milliseconds
//          80  randomness; the generator counts in its upper 16 bits
//   text   26 digits 0123456789ABCDEFGHJKMNPQRSTVWXYZ (Crockford base32), upper case out, either
//          case in, without Crockford's aliases I, L, O and without hyphens
//   range  1970-01-01 to 10889-08-02T05:31:50.655Z; any 16 bytes are a ULID
//   errors not 26 characters; a character that is not a digit; a first digit above 7 (over 128
//          bits)
#pragma once

#include "core/alphabet.hpp"
#include "core/codec.hpp"
#include "core/digits.hpp"

namespace ids {

struct Ulid : MillisecondsFirst {
  static constexpr std::size_t kSize = 16;
  static constexpr std::size_t kTextSize = 26;
  using Value = Bytes<kSize>;

  static constexpr char kName[] = "ulid";
  static constexpr char kSyntax[] = "26 Crockford base32 digits";
  static constexpr char kDigit[] = "Crockford base32 digit";
  static constexpr char kRangeRule[] = "a ulid has 128 bits, so its first digit is at most 7";
  static constexpr char kTimeRange[] = "1970-01-01 00:00:00+00 to 10889-08-02 05:31:50.655+00";
  static constexpr bool kByValue = false;

  static constexpr Alphabet<32> kAlphabet{"0123456789ABCDEFGHJKMNPQRSTVWXYZ", LetterCase::either};
  static constexpr DigitPairs<32> kPairs{kAlphabet};

  static constexpr int kBases[] = {58, 62};
  static constexpr char kBaseNames[] = "58 and 62";

  // unix_ms: 48 bits; random16 and random64: the randomness, its upper 16 and lower 64 bits.
  static constexpr Value make(std::uint64_t unix_ms, std::uint16_t random16,
                              std::uint64_t random64) noexcept {
    return join(unix_ms << 16 | random16, random64);
  }

  static constexpr ParseResult parse(std::string_view text, Value& out) noexcept {
    if (text.size() != kTextSize) return {ParseError::length, 0};
    // The 130 bits of the digits are 2 unused bits and the value. The first 13 digits and one bit
    // of the next are its upper half; the other four bits and the last 12 digits are its lower.
    std::uint8_t seen = 0;
    const auto read = [&](std::size_t from, std::size_t to, std::uint64_t number) {
      for (std::size_t i = from; i < to; ++i) {
        const std::uint8_t digit = kAlphabet.value(text[i]);
        seen |= digit;
        number = number << 5 | digit;
      }
      return number;
    };
    const std::uint64_t upper = read(0, 13, 0);
    const std::uint64_t middle = read(13, 14, 0);
    const std::uint64_t lower = read(14, kTextSize, middle);
    if (seen & kAlphabet.kNotADigit) {
      std::size_t position = 0;
      while (kAlphabet.value(text[position]) != kAlphabet.kNotADigit) ++position;
      return {ParseError::digit, position};
    }
    if (kAlphabet.value(text[0]) > 7) return {ParseError::range, 0};
    out = join(upper << 1 | middle >> 4, lower);
    return {};
  }

  static constexpr void format(const Value& value, std::span<char, kTextSize> out) noexcept {
    const auto upper = load_big_endian<std::uint64_t>(value.data());
    const auto lower = load_big_endian<std::uint64_t>(value.data() + 8);
    kPairs.write<2>(upper >> 56, out.data());
    kPairs.write<12>(upper << 4 | lower >> 60, out.data() + 2);
    kPairs.write<12>(lower, out.data() + 14);
  }

  static constexpr bool valid(const Value&) noexcept { return true; }

  static constexpr Value first(std::int64_t time) noexcept {
    return make(static_cast<std::uint64_t>(time), 0, 0);
  }
  static constexpr Value last(std::int64_t time) noexcept {
    return make(static_cast<std::uint64_t>(time), UINT16_MAX, UINT64_MAX);
  }

 private:
  static constexpr Value join(std::uint64_t upper, std::uint64_t lower) noexcept {
    Value value{};
    store_big_endian(value.data(), upper);
    store_big_endian(value.data() + 8, lower);
    return value;
  }
};

static_assert(Codec<Ulid>);

// The example of the specification's string representation.
static_assert(Ulid::time(example<Ulid>("01AN4Z07BY79KA1307SR9X4MV3")) == 1465824320894);

}  // namespace ids
