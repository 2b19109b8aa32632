#include "snowflake/snowflake.hpp"

#include "fuzz.hpp"

namespace {

std::string format_name(const ids::Snowflake::Value& value) {
  std::string name(ids::Snowflake::kTextSize, '?');
  ids::Snowflake::format_name(value, std::span<char, ids::Snowflake::kTextSize>(name));
  return name;
}

}  // namespace

void ids::fuzz(std::span<const std::uint8_t> input) {
  Snowflake::Value value;
  const std::string_view text = as_text(input);
  if (check_input<Snowflake>(text, value))
    REQUIRE(text == format<Snowflake>(value) || text == format_name(value));
  check_bytes<Snowflake>(input);
}
