#include "snowflake/snowflake.hpp"

#include "fuzz.hpp"

void ids::fuzz(std::span<const std::uint8_t> input) {
  Snowflake::Value value;
  const std::string_view text = as_text(input);
  if (check_parse<Snowflake>(text, value, Snowflake::parse))
    REQUIRE(text == format<Snowflake>(value));
  check_bytes<Snowflake>(input);
}
