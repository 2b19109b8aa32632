#include "scru160/scru160.hpp"

#include "fuzz.hpp"

void ids::fuzz(std::span<const std::uint8_t> input) {
  Scru160::Value value;
  const std::string_view text = as_text(input);
  if (check_input<Scru160>(text, value)) {
    REQUIRE(lower(text) ==
            (text.size() == Scru160::kHexSize ? hex_of(value) : lower(format<Scru160>(value))));
  }
  check_bytes<Scru160>(input);
}
