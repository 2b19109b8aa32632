// SCRU160 v0.1.0, https://github.com/scru160/spec
//
//   bits   48  Unix time in milliseconds
//          16  counter; the microsecond generator divides it: 10 bits of microseconds 0-999 within
//              the millisecond, then a 6-bit counter
//          16  random16
//          80  random80
//   text   32 digits 0123456789ABCDEFGHIJKLMNOPQRSTUV (base32hex, RFC 4648), upper case out;
//          either case in, or 40 hexadecimal digits; the length tells which
//   range  1970-01-01 to 10889-08-02T05:31:50.655Z; any 20 bytes are a SCRU160, but generators do
//          not use the first and the last millisecond, which are reserved
//   errors neither 32 nor 40 characters; a character that is not a digit of that encoding
#pragma once

#include "core/alphabet.hpp"
#include "core/codec.hpp"
#include "core/digits.hpp"

namespace ids {

struct Scru160 : MillisecondsFirst {
  static constexpr std::size_t kSize = 20;
  static constexpr std::size_t kTextSize = 32;
  static constexpr std::size_t kHexSize = 40;
  using Value = Bytes<kSize>;

  static constexpr char kName[] = "scru160";
  static constexpr char kSyntax[] = "32 base32hex digits or 40 hexadecimal digits";
  static constexpr char kDigit[] = "base32hex digit";
  static constexpr char kRangeRule[] = "any 20 bytes are a scru160";  // cannot be broken
  static constexpr char kTimeRange[] = "1970-01-01 00:00:00+00 to 10889-08-02 05:31:50.655+00";
  static constexpr char kGenerateTimeRange[] =
      "1970-01-01 00:00:00.001+00 to 10889-08-02 05:31:50.654+00";
  static constexpr bool kByValue = false;

  // The times that generators may use.
  static constexpr std::int64_t kMinGenerateTime = kMinTime + 1;
  static constexpr std::int64_t kMaxGenerateTime = kMaxTime - 1;

  static constexpr DigitPairs<32> kBase32hexPairs{kBase32hex};

 private:
  // In both encodings a quarter of the digits encodes a quarter of the bytes, 40 bits.
  static constexpr std::size_t kQuarter = kSize / 4;
  static constexpr std::uint64_t kMaxQuarter = (std::uint64_t{1} << 40) - 1;

  template <std::size_t TextSize, std::size_t Base>
  static constexpr ParseResult parse_quarters(const Alphabet<Base>& alphabet, std::string_view text,
                                              Value& out) noexcept {
    constexpr std::size_t kDigits = TextSize / 4;
    Value value{};
    for (std::size_t i = 0; i < 4; ++i) {
      std::uint64_t quarter = 0;
      const std::string_view digits(text.data() + i * kDigits, kDigits);
      const ParseResult result = parse_digits(alphabet, digits, kMaxQuarter, quarter);
      if (result.error != ParseError::none) return {result.error, i * kDigits + result.position};
      value[i * kQuarter] = static_cast<std::uint8_t>(quarter >> 32);
      store_big_endian(value.data() + i * kQuarter + 1, static_cast<std::uint32_t>(quarter));
    }
    out = value;
    return {};
  }

 public:
  // unix_ms: 48 bits; random80_upper and random80_lower: random80's upper 16 and lower 64 bits.
  static constexpr Value make(std::uint64_t unix_ms, std::uint16_t counter, std::uint16_t random16,
                              std::uint16_t random80_upper, std::uint64_t random80_lower) noexcept {
    Value value{};
    store_big_endian(value.data(), unix_ms << 16 | counter);
    store_big_endian(value.data() + 8, random16);
    store_big_endian(value.data() + 10, random80_upper);
    store_big_endian(value.data() + 12, random80_lower);
    return value;
  }

  static constexpr ParseResult parse(std::string_view text, Value& out) noexcept {
    if (text.size() == kTextSize) return parse_quarters<kTextSize>(kBase32hex, text, out);
    if (text.size() == kHexSize) return parse_quarters<kHexSize>(kHexDigits, text, out);
    return {ParseError::length, 0};
  }

  static constexpr void format(const Value& value, std::span<char, kTextSize> out) noexcept {
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint8_t* bytes = value.data() + i * kQuarter;
      const std::uint64_t quarter =
          std::uint64_t{bytes[0]} << 32 | load_big_endian<std::uint32_t>(bytes + 1);
      kBase32hexPairs.write<kTextSize / 4>(quarter, out.data() + i * kTextSize / 4);
    }
  }

  // What the characters of a text of that size should be.
  static constexpr const char* digit_name(std::size_t text_size) noexcept {
    return text_size == kHexSize ? "hexadecimal digit" : kDigit;
  }

  static constexpr bool valid(const Value&) noexcept { return true; }

  static constexpr std::uint16_t counter(const Value& value) noexcept {
    return load_big_endian<std::uint16_t>(value.data() + 6);
  }
  static constexpr std::uint16_t random16(const Value& value) noexcept {
    return load_big_endian<std::uint16_t>(value.data() + 8);
  }
  static constexpr Value first(std::int64_t time) noexcept {
    return make(static_cast<std::uint64_t>(time), 0, 0, 0, 0);
  }
  static constexpr Value last(std::int64_t time) noexcept {
    return make(static_cast<std::uint64_t>(time), UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT64_MAX);
  }
};

static_assert(Codec<Scru160>);

// The first example of the specification, in both encodings.
static_assert([] {
  const auto value = example<Scru160>("05TTUP1HNCPNA1QHTDHRTCU3V32PD7C6");
  Scru160::Value same{};
  return Scru160::parse("017bdf6431bb33750751eb63beb3c3f8c5969d86", same) == ParseResult{} &&
         same == value && Scru160::time(value) == 1631540490683 &&
         Scru160::counter(value) == 0x3375;
}());

}  // namespace ids
