// Natural numbers as digits of an alphabet, most significant first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/alphabet.hpp"
#include "core/codec.hpp"

namespace ids {

// Reads all of text; the empty text is 0. Returns ParseError::digit with the position of the first
// character that is not a digit, else ParseError::overflow if the number is greater than max. Sets
// number only if there is no error.
template <std::size_t Base, class Number>
constexpr ParseResult parse_digits(const Alphabet<Base>& alphabet, std::string_view text,
                                   Number max, Number& number) noexcept {
  Number value = 0;
  bool overflow = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint8_t digit = alphabet.value(text[i]);
    if (digit == alphabet.kNotADigit) return {ParseError::digit, i};
    overflow |= __builtin_mul_overflow(value, Number{Base}, &value);
    overflow |= __builtin_add_overflow(value, Number{digit}, &value);
  }
  if (overflow || value > max) return {ParseError::overflow, 0};
  number = value;
  return {};
}

// Writes the number's lowest digits into all of out, with leading zeros.
template <std::size_t Base, class Number>
constexpr void format_digits(const Alphabet<Base>& alphabet, Number number,
                             std::span<char> out) noexcept {
  for (std::size_t i = out.size(); i-- > 0; number /= Base)
    out[i] = alphabet.digits[static_cast<std::size_t>(number % Base)];
}

// How many digits the number has in the base, without leading zeros; 1 for zero.
template <class Number>
constexpr std::size_t count_digits(Number number, std::size_t base) noexcept {
  std::size_t count = 1;
  for (; number >= base; number /= base) ++count;
  return count;
}

// Writes the number without leading zeros to the front of out, which must have room for
// count_digits(number, Base); returns how many digits it wrote.
template <std::size_t Base, class Number>
constexpr std::size_t write_digits(const Alphabet<Base>& alphabet, Number number,
                                   std::span<char> out) noexcept {
  const std::size_t count = count_digits(number, Base);
  format_digits(alphabet, number, out.first(count));
  return count;
}

// The position of the first digit that differs, or the last position if none does.
template <class Differs>
constexpr std::size_t first_difference(std::size_t digits, Differs differs) noexcept {
  std::size_t position = 0;
  while (position < digits - 1 && !differs(position)) ++position;
  return position;
}

// The error for a text of Size digits whose value is beyond end, the type's first or last number.
// Its position is the first digit that differs from end's.
template <std::size_t Size, std::size_t Base, class Number>
constexpr ParseResult beyond(const Alphabet<Base>& alphabet, Number end, std::string_view text,
                             ParseError error) noexcept {
  char digits[Size]{};
  format_digits(alphabet, end, digits);
  return {error, first_difference(Size, [&](auto i) { return text[i] != digits[i]; })};
}

// Reads 1 to max_digits digits, leading zeros included, as parse_digits() does; else the error is
// ParseError::length.
template <std::size_t Base, class Number>
constexpr ParseResult read_digits(const Alphabet<Base>& alphabet, std::string_view text, Number max,
                                  Number& number) noexcept {
  if (text.empty() || text.size() > count_digits(max, Base)) return {ParseError::length, 0};
  return parse_digits(alphabet, text, max, number);
}

}  // namespace ids
