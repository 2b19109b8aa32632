// Ids as numbers in another base, to be transported as short text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "core/alphabet.hpp"
#include "core/bytes.hpp"
#include "core/codec.hpp"
#include "core/digits.hpp"

namespace ids {

inline constexpr Alphabet<32> kBase32{"0123456789abcdefghijklmnopqrstuv", LetterCase::distinct};
inline constexpr Alphabet<36> kBase36{"0123456789abcdefghijklmnopqrstuvwxyz", LetterCase::distinct};
inline constexpr Alphabet<58> kBase58{"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
                                      LetterCase::distinct};

// C is a codec of at most 128 bits with
//   kBases       some of 16, 32, 36, 58 and 62, ascending
//   kBaseNames   the same in words
template <Codec C>
struct InBases {
  static constexpr unsigned kBits = 8 * C::kSize;
  static constexpr Uint128 kMaxNumber = ~Uint128{0} >> (128 - kBits);
  static constexpr std::size_t kMaxDigits = count_digits(kMaxNumber, C::kBases[0]);

  // The greatest number of digits of an id; 0 for a base that C does not have.
  static constexpr std::size_t max_digits(int base) noexcept {
    return has(base) ? count_digits(kMaxNumber, static_cast<std::size_t>(base)) : 0;
  }

  // Writes the id to the front of out; returns the number of digits, 0 for another base.
  static constexpr std::size_t write(const typename C::Value& value, int base,
                                     std::span<char, kMaxDigits> out) noexcept {
    Uint128 number = 0;
    for (const std::uint8_t byte : value) number = number << 8 | byte;
    return in_base(base, std::size_t{0},
                   [&](const auto& alphabet) { return write_digits(alphabet, number, out); });
  }

  // Reads digits as read_digits() does. The error is ParseError::length for every text in another
  // base.
  static constexpr ParseResult read(std::string_view text, int base,
                                    typename C::Value& out) noexcept {
    return in_base(base, ParseResult{ParseError::length, 0}, [&](const auto& alphabet) {
      Uint128 number = 0;
      const ParseResult result = read_digits(alphabet, text, kMaxNumber, number);
      if (result.error != ParseError::none) return result;
      const auto value = bytes_of_number<C::kSize>(number);
      if (!C::valid(value)) return ParseResult{ParseError::range, 0};
      out = value;
      return result;
    });
  }

 private:
  static constexpr bool has(int base) noexcept {
    return std::ranges::find(C::kBases, base) != std::end(C::kBases);
  }

  // The result of use for the alphabet of the base, or the value of otherwise for another base.
  template <class Result, class Use>
  static constexpr Result in_base(int base, Result otherwise, Use use) noexcept {
    if (!has(base)) return otherwise;
    if (base == 16) return use(kHexDigits);
    if (base == 32) return use(kBase32);
    if (base == 36) return use(kBase36);
    return base == 58 ? use(kBase58) : use(kBase62UpperFirst);
  }
};

}  // namespace ids
