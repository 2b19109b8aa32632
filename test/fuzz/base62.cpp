// ids_base62_decode: the input in both alphabets.
#include "snowflake/snowflake.hpp"

#include "fuzz.hpp"

void ids::fuzz(std::span<const std::uint8_t> input) {
  const std::string_view text = as_text(input);
  for (const bool upper_first : {false, true}) {
    constexpr std::uint64_t kUntouched = 0xa5a5a5a5a5a5a5a5;
    std::uint64_t number = kUntouched;
    const ParseResult result = read_digits(base62(upper_first), text, UINT64_MAX, number);
    if (result.error != ParseError::none) {
      check_error(text, result);
      REQUIRE(number == kUntouched);
      continue;
    }
    char digits[Snowflake::kTextSize];
    const std::size_t size = write_digits(base62(upper_first), number, digits);
    REQUIRE(std::string_view(digits, size) == without_leading('0', text));
  }
}
