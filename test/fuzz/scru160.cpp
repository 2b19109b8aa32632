#include "scru160/scru160.hpp"

#include "fuzz.hpp"

void ids::fuzz(std::span<const std::uint8_t> input) {
  Scru160::Value value;
  const std::string_view text = as_text(input);
  if (check_input<Scru160>(text, value)) {
    char hex[Scru160::kHexSize];
    Scru160::format_hex(value, hex);
    const std::string_view hex_text(hex, Scru160::kHexSize);
    REQUIRE(lower(text) ==
            (text.size() == hex_text.size() ? hex_text : lower(format<Scru160>(value))));
  }
  check_bytes<Scru160>(input);
}
