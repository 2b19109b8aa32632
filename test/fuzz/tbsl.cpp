#include "tbsl/tbsl.hpp"

#include "fuzz.hpp"

void ids::fuzz(std::span<const std::uint8_t> input) {
  Tbsl::Value value;
  const std::string_view text = as_text(input);
  if (check_input<Tbsl>(text, value)) {
    REQUIRE(text == format<Tbsl>(value));
    REQUIRE(Tbsl::machine_id(value) <= Tbsl::kMaxMachine);
    REQUIRE(Tbsl::suffix(value) <= Tbsl::kMaxSuffix);
  }
  check_bytes<Tbsl>(input);
}
