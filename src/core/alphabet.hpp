// Digits of a positional notation, with tables for both directions made at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ids {

enum class LetterCase { distinct, either };

template <std::size_t Base>
struct Alphabet {
  // What value() gives for a character that is no digit. No base reaches bit 7, so that the values
  // of many characters can be or-ed together and checked once.
  static constexpr std::uint8_t kNotADigit = 0x80;
  static_assert(Base <= kNotADigit);

  std::array<char, Base> digits{};
  std::array<std::uint8_t, 256> values{};

  consteval Alphabet(const char (&text)[Base + 1], LetterCase letter_case) {
    values.fill(kNotADigit);
    for (std::size_t i = 0; i < Base; ++i) {
      digits[i] = text[i];
      values[static_cast<unsigned char>(text[i])] = static_cast<std::uint8_t>(i);
      if (letter_case == LetterCase::either)
        values[static_cast<unsigned char>(other_case(text[i]))] = static_cast<std::uint8_t>(i);
    }
  }

  constexpr std::uint8_t value(char digit) const noexcept {
    return values[static_cast<unsigned char>(digit)];
  }

 private:
  static constexpr char other_case(char c) noexcept {
    if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
    if (c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 'A');
    return c;
  }
};

// Base 62 is written with either order of its letters.
inline constexpr Alphabet<62> kBase62LowerFirst{
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", LetterCase::distinct};
inline constexpr Alphabet<62> kBase62UpperFirst{
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", LetterCase::distinct};

}  // namespace ids
