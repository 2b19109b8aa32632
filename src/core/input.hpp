// The input of every type: the type's own text, or \x and the hexadecimal digits of its bytes in
// either case, as in bytea.
#pragma once

#include <string_view>

#include "core/alphabet.hpp"
#include "core/bytes.hpp"
#include "core/codec.hpp"
#include "core/digits.hpp"

namespace ids {

inline constexpr std::string_view kHexPrefix = "\\x";

// Whether the text has the prefix and as many characters as the bytes of a C in hexadecimal. No
// codec's own text has this length.
template <Codec C>
constexpr bool is_hex_of_bytes(std::string_view text) noexcept {
  return text.size() == kHexPrefix.size() + 2 * C::kSize && text.starts_with(kHexPrefix);
}

// Reads a text for which is_hex_of_bytes() is true. Returns ParseError::digit with the position of
// the first character that is not a digit, else ParseError::range with the position of the digit
// that puts the bytes out of range. Sets out only if there is no error.
template <Codec C>
constexpr ParseResult parse_hex_of_bytes(std::string_view text, typename C::Value& out) noexcept {
  typename C::Value value{};
  for (std::size_t i = kHexPrefix.size(); i < text.size(); ++i) {
    const std::uint8_t digit = kHexDigits.value(text[i]);
    if (digit == kHexDigits.kNotADigit) return {ParseError::digit, i};
    std::uint8_t& byte = value[(i - kHexPrefix.size()) / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | digit);
  }
  if (!C::valid(value)) {
    const auto first = C::first(C::kMinTime);
    const auto end = value < first ? first : C::last(C::kMaxTime);
    const auto differs = [&](auto i) {
      return (value[i / 2] ^ end[i / 2]) >> (i % 2 ? 0 : 4) != 0;
    };
    return {ParseError::range, kHexPrefix.size() + first_difference(2 * C::kSize, differs)};
  }
  out = value;
  return {};
}

// Reads any text that the type accepts. Sets out only if there is no error.
template <Codec C>
constexpr ParseResult parse_input(std::string_view text, typename C::Value& out) noexcept {
  const ParseResult result = C::parse(text, out);
  if (result.error == ParseError::length && is_hex_of_bytes<C>(text))
    return parse_hex_of_bytes<C>(text, out);
  return result;
}

}  // namespace ids
