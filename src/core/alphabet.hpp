// The digits of a positional notation, with tables for reading and writing made at compile time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ids {

enum class LetterCase { distinct, either };

template <std::size_t Base>
struct Alphabet {
  // What value() returns for a character that is not a digit. No digit has this bit, so the values
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
      // One bit tells the cases of a letter apart; all letters are above all digits.
      if (letter_case == LetterCase::either && text[i] >= 'A')
        values[static_cast<unsigned char>(text[i] ^ ' ')] = static_cast<std::uint8_t>(i);
    }
  }

  constexpr std::uint8_t value(char digit) const noexcept {
    return values[static_cast<unsigned char>(digit)];
  }
};

// Writes numbers two digits at a time, in an alphabet whose base is a power of two.
template <std::size_t Base>
struct DigitPairs {
  static constexpr std::size_t kBits = 2 * std::countr_zero(Base);
  static_assert(std::has_single_bit(Base));

  std::array<std::array<char, 2>, Base * Base> pairs{};

  explicit consteval DigitPairs(const Alphabet<Base>& alphabet) {
    for (std::size_t i = 0; i < pairs.size(); ++i)
      pairs[i] = {alphabet.digits[i / Base], alphabet.digits[i % Base]};
  }

  // Writes the number's lowest Count digits.
  template <std::size_t Count>
  constexpr void write(std::uint64_t number, char* out) const noexcept {
    static_assert(Count % 2 == 0 && Count / 2 * kBits <= 64);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (std::copy_n(pair(number >> (Count / 2 - 1 - I) * kBits), 2, out + 2 * I), ...);
    }
    (std::make_index_sequence<Count / 2>{});
  }

 private:
  constexpr const char* pair(std::uint64_t number) const noexcept {
    return pairs[number % pairs.size()].data();
  }
};

inline constexpr Alphabet<10> kDecimalDigits{"0123456789", LetterCase::distinct};
inline constexpr Alphabet<16> kHexDigits{"0123456789abcdef", LetterCase::either};
inline constexpr Alphabet<32> kBase32hex{"0123456789ABCDEFGHIJKLMNOPQRSTUV", LetterCase::either};
// Base 62 is in use with lower case first and with upper case first.
inline constexpr Alphabet<62> kBase62LowerFirst{
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", LetterCase::distinct};
inline constexpr Alphabet<62> kBase62UpperFirst{
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", LetterCase::distinct};

}  // namespace ids
