// What must hold for every input of a parser. A target is a file that defines ids::fuzz().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "core/bases.hpp"
#include "core/codec.hpp"
#include "core/input.hpp"

// Ends the run, which makes libFuzzer write the input to a file.
#define REQUIRE(condition)                                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                  \
    }                                                                                \
  } while (false)

namespace ids {

void fuzz(std::span<const std::uint8_t> input);

inline std::string_view as_text(std::span<const std::uint8_t> input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

inline std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

inline std::string without_leading(char zero, std::string_view digits) {
  return std::string(digits.substr(std::min(digits.find_first_not_of(zero), digits.size() - 1)));
}

// An error has a position in the text, and only ASCII characters come before it.
template <class Result>
void check_error(std::string_view text, const Result& result) {
  REQUIRE(result.error != ParseError::none);
  if (result.error == ParseError::length) {
    REQUIRE(result.position == 0);
  } else {
    REQUIRE(result.position < text.size());
    for (const char c : text.substr(0, result.position))
      REQUIRE(static_cast<unsigned char>(c) < 0x80);
  }
}

template <Codec C>
std::string format(const typename C::Value& value) {
  std::string text(C::kTextSize, '?');
  C::format(value, std::span<char, C::kTextSize>(text.data(), C::kTextSize));
  return text;
}

template <std::size_t N>
std::string hex_of(const Bytes<N>& bytes) {
  std::string hex;
  for (const std::uint8_t byte : bytes) {
    hex += kHexDigits.digits[byte >> 4];
    hex += kHexDigits.digits[byte & 15];
  }
  return hex;
}

// A value of the type has a text that is read as the same value, and a time within the range.
template <Codec C>
void check_value(const typename C::Value& value) {
  typename C::Value again{};
  REQUIRE(C::valid(value));
  REQUIRE(C::parse(format<C>(value), again) == ParseResult{});
  REQUIRE(again == value);
  const std::int64_t time = C::time(value);
  REQUIRE(C::kMinTime <= time && time <= C::kMaxTime);
  REQUIRE(C::first(time) <= value && value <= C::last(time));
}

// The input as a text, given to parse(text, out). Returns whether it was accepted.
template <Codec C, class Parse>
bool check_parse(std::string_view text, typename C::Value& value, Parse parse) {
  value.fill(0xa5);
  const typename C::Value untouched = value;
  const ParseResult result = parse(text, value);
  if (result.error == ParseError::none) {
    REQUIRE(result.position == 0);
    check_value<C>(value);
    return true;
  }
  check_error(text, result);
  REQUIRE(value == untouched);
  if (result.error == ParseError::digit) {
    // The error must be about that character: if a digit of every alphabet replaces it, the error
    // is about a later character, or there is none.
    std::string mended(text);
    mended[result.position] = '1';
    const ParseResult next = parse(mended, value);
    REQUIRE(next.error != ParseError::length);
    REQUIRE(next.error != ParseError::digit || next.position > result.position);
  }
  return false;
}

// The same for the input function. Returns whether the input was accepted as the type's own text,
// not as the hexadecimal digits of its bytes.
template <Codec C>
bool check_input(std::string_view text, typename C::Value& value) {
  if (!check_parse<C>(text, value, parse_input<C>)) return false;
  if (!text.starts_with(kHexPrefix)) return true;
  REQUIRE(lower(text) == std::string(kHexPrefix) + hex_of(value));
  return false;
}

// The input as a number in every base, also in unsupported ones.
template <Codec C>
void check_bases(std::string_view text) {
  for (int base = -1; base <= 64; ++base) {
    typename C::Value value;
    const auto parse = [base](std::string_view digits, typename C::Value& out) {
      return InBases<C>::read(digits, base, out);
    };
    if (!check_parse<C>(text, value, parse)) continue;
    const std::size_t size = InBases<C>::max_digits(base);
    REQUIRE(text.size() <= size);
    char digits[InBases<C>::kMaxDigits];
    const std::string_view written(digits, InBases<C>::write(value, base, digits));
    const char zero = base == 58 ? '1' : '0';
    REQUIRE(written ==
            (base == 16 ? lower(without_leading(zero, text)) : without_leading(zero, text)));
  }
}

// The input as the type's binary format: what recv and the cast from bytea do.
template <Codec C>
void check_bytes(std::span<const std::uint8_t> input) {
  typename C::Value value;
  if (input.size() != C::kSize) return;
  std::copy(input.begin(), input.end(), value.begin());
  if (C::valid(value)) check_value<C>(value);
}

}  // namespace ids

// NOLINTNEXTLINE(misc-definitions-in-headers): a target is one file
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ids::fuzz({data, size});
  return 0;
}
