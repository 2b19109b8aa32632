// ulid_from_base: the input in every base, also in unsupported ones.
#include "ulid/ulid.hpp"

#include "fuzz.hpp"

void ids::fuzz(std::span<const std::uint8_t> input) { check_bases<Ulid>(as_text(input)); }
