// tbsl_from_base: the input in every base, also in unsupported ones.
#include "tbsl/tbsl.hpp"

#include "fuzz.hpp"

void ids::fuzz(std::span<const std::uint8_t> input) { check_bases<Tbsl>(as_text(input)); }
