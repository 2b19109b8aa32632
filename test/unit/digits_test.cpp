#include "core/digits.hpp"

#include <string>

#include "catch.hpp"

using namespace ids;

namespace {

constexpr Alphabet<10> kDecimal{"0123456789", LetterCase::distinct};
constexpr Uint128 kMax128 = ~Uint128{0};

template <class Number>
std::string write(Number number) {
  char buffer[40];
  return std::string(buffer, write_digits(kDecimal, number, buffer));
}

template <class Number>
ParseResult parse_decimal(const std::string& text, Number max, Number& number) {
  return parse_digits(kDecimal, text, max, number);
}

}  // namespace

TEST_CASE("digits: numbers are written with and without leading zeros") {
  CHECK(write(std::uint64_t{0}) == "0");
  CHECK(write(std::uint64_t{9}) == "9");
  CHECK(write(std::uint64_t{10}) == "10");
  CHECK(write(UINT64_MAX) == "18446744073709551615");
  CHECK(write(kMax128) == "340282366920938463463374607431768211455");
  char buffer[4];
  format_digits(kDecimal, std::uint64_t{57}, buffer);
  CHECK(std::string(buffer, 4) == "0057");
}

TEST_CASE("digits: numbers of every width are read up to the maximum") {
  std::uint64_t number = 1;
  CHECK(parse_decimal<std::uint64_t>("", UINT64_MAX, number) == ParseResult{});
  CHECK(number == 0);
  CHECK(parse_decimal("18446744073709551615", UINT64_MAX, number) == ParseResult{});
  CHECK(number == UINT64_MAX);
  number = 7;
  for (const char* text : {"18446744073709551616", "18446744073709551620", "99999999999999999999",
                           "184467440737095516150", "1844674407370955161600000000000000000000"}) {
    CAPTURE(text);
    CHECK(parse_decimal(text, UINT64_MAX, number) == ParseResult{ParseError::overflow, 0});
  }
  CHECK(parse_decimal<std::uint64_t>("101", 100, number) == ParseResult{ParseError::overflow, 0});
  CHECK(parse_decimal<std::uint64_t>("99999999999999999999x", 100, number) ==
        ParseResult{ParseError::digit, 20});
  CHECK(number == 7);
  CHECK(parse_decimal<std::uint64_t>("000000000000000000000100", 100, number) == ParseResult{});
  CHECK(number == 100);

  Uint128 large = 0;
  CHECK(parse_decimal("340282366920938463463374607431768211455", kMax128, large) == ParseResult{});
  CHECK((large == kMax128));
  CHECK(parse_decimal("340282366920938463463374607431768211456", kMax128, large) ==
        ParseResult{ParseError::overflow, 0});
}

TEST_CASE("digits: the error is about a character of several bytes rather than the length") {
  const ParseResult length{ParseError::length, 0};
  CHECK(prefer_bad_character("abc", length) == length);
  CHECK(prefer_bad_character("", length) == length);
  CHECK(prefer_bad_character("a\xc3\xa9z", length) == ParseResult{ParseError::digit, 1});
  CHECK(prefer_bad_character("\xe9", ParseResult{}) == ParseResult{});
}
