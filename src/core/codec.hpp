// What the extension has to know about an identifier type.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/bytes.hpp"
#include "core/calendar.hpp"

namespace ids {

enum class ParseError : std::uint8_t {
  none,
  length,    // no text of the type has this many characters
  digit,     // the character at the position is not a digit of the alphabet
  range,     // the digits are valid, but their value is out of the type's range; the position is
             // the first digit that is too low or too high
  overflow,  // like range; the value has more bits than the type
};

struct ParseResult {
  ParseError error = ParseError::none;
  std::size_t position = 0;  // 0-based, in bytes; all characters before it are ASCII digits

  constexpr bool operator==(const ParseResult&) const = default;
};

// An identifier with a time in it: a struct of constants and constexpr noexcept functions. A Value
// is the identifier's bytes, most significant first. Times count whole units since
// 1970-01-01T00:00Z; the functions that take one need kMinTime <= time <= kMaxTime.
// clang-format off
template <class C>
concept TimeLayout = std::same_as<typename C::Value, Bytes<C::kSize>> &&
    requires(const typename C::Value& value, std::int64_t time) {
  { C::kName } -> std::convertible_to<std::string_view>;       // of the SQL type, or of its functions
  { C::kTimeRange } -> std::convertible_to<std::string_view>;  // "Type T holds times from ..."
  { C::kByValue } -> std::convertible_to<bool>;                // passed in a Datum
  { C::kUnitUs } -> std::convertible_to<std::int64_t>;         // microseconds in a unit
  { C::kMinTime } -> std::convertible_to<std::int64_t>;
  { C::kMaxTime } -> std::convertible_to<std::int64_t>;
  { C::time(value) } noexcept -> std::same_as<std::int64_t>;
  { C::first(time) } noexcept -> std::same_as<typename C::Value>;  // smallest value of that time
  { C::last(time) } noexcept -> std::same_as<typename C::Value>;   // greatest value of that time
};

// A codec describes an identifier type completely, with its text. It may also have
// digit_name(size), like kDigit, for a text of that size.
template <class C>
concept Codec = TimeLayout<C> &&
    requires(std::string_view text, typename C::Value& out, const typename C::Value& value,
             std::span<char, C::kTextSize> buffer) {
  { C::kSyntax } -> std::convertible_to<std::string_view>;     // "Expected ..."
  { C::kDigit } -> std::convertible_to<std::string_view>;      // "... is not a ..."
  { C::kRangeRule } -> std::convertible_to<std::string_view>;  // "... is out of range: ..."
  { C::parse(text, out) } noexcept -> std::same_as<ParseResult>;  // sets out if there is no error
  { C::format(value, buffer) } noexcept -> std::same_as<void>;    // fills buffer, adds no NUL
  { C::valid(value) } noexcept -> std::same_as<bool>;             // whether the bytes are in range
};
// clang-format on

// The time of ids that begin with 48 bits of milliseconds.
struct MillisecondsFirst {
  static constexpr std::int64_t kUnitUs = 1000;
  static constexpr std::int64_t kMinTime = 0;
  static constexpr std::int64_t kMaxTime = (std::int64_t{1} << 48) - 1;

  static constexpr std::int64_t time(const auto& value) noexcept {
    return static_cast<std::int64_t>(load_big_endian<std::uint64_t>(value.data()) >> 16);
  }
};

// The value of an example's text, for static_assert. Such a call does not compile if the text is
// not read, or not written, as the value.
void example_is_wrong();
template <Codec C>
consteval typename C::Value example(std::string_view text) {
  typename C::Value value{};
  char written[C::kTextSize]{};
  if (C::parse(text, value) != ParseResult{}) example_is_wrong();
  C::format(value, written);
  if (std::string_view(written, C::kTextSize) != text) example_is_wrong();
  return value;
}

// Codecs count bytes, but users count characters. So if a text of the wrong length has a character
// of several bytes, the error is about that character, which is not a digit of any type.
constexpr ParseResult prefer_bad_character(std::string_view text, ParseResult result) noexcept {
  if (result.error != ParseError::length) return result;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (static_cast<unsigned char>(text[i]) >= 0x80) return {ParseError::digit, i};
  return result;
}

// The smallest and the greatest value of the unit of time that contains unix_us microseconds since
// 1970. For a time out of range they are the type's first or last value.
template <TimeLayout C>
constexpr typename C::Value first_of(std::int64_t unix_us) noexcept {
  const std::int64_t time = floor_divide(unix_us, C::kUnitUs);
  return time > C::kMaxTime ? C::last(C::kMaxTime) : C::first(std::max(time, C::kMinTime));
}

template <TimeLayout C>
constexpr typename C::Value last_of(std::int64_t unix_us) noexcept {
  const std::int64_t time = floor_divide(unix_us, C::kUnitUs);
  return time < C::kMinTime ? C::first(C::kMinTime) : C::last(std::min(time, C::kMaxTime));
}

}  // namespace ids
