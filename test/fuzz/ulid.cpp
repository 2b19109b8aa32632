#include "ulid/ulid.hpp"

#include "fuzz.hpp"

void ids::fuzz(std::span<const std::uint8_t> input) {
  Ulid::Value value;
  const std::string_view text = as_text(input);
  if (check_input<Ulid>(text, value)) REQUIRE(lower(text) == lower(format<Ulid>(value)));
  check_bytes<Ulid>(input);
}
