// tbsl_from_base: the input in every base, also in unsupported ones.
#include "tbsl/tbsl.hpp"

#include "fuzz.hpp"

void ids::fuzz(std::span<const std::uint8_t> input) {
  const std::string_view text = as_text(input);
  for (int base = -1; base <= 64; ++base) {
    Tbsl::Value value;
    const auto parse = [base](std::string_view digits, Tbsl::Value& out) {
      return Tbsl::from_base(digits, base, out);
    };
    if (!check_parse<Tbsl>(text, value, parse)) continue;
    REQUIRE(text.size() <= Tbsl::max_digits(base));
    char digits[Tbsl::kTextSize];
    const std::size_t size = Tbsl::to_base(value, base, digits);
    REQUIRE(std::string_view(digits, size) == without_leading(base == 58 ? '1' : '0', text));
  }
}
