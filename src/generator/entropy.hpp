// Random bytes for identifiers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/bytes.hpp"

namespace ids {

// Writes size bytes from pg_strong_random to out. No other call gets the same bytes, and no copy of
// them is kept. Raises an error if the system has no randomness.
void random_bytes(void* out, std::size_t size);

// A random number of kBits bits.
template <unsigned kBits>
auto random_bits() {
  Word<std::bit_ceil((kBits + 7) / 8)> number;
  random_bytes(&number, sizeof number);
  return static_cast<decltype(number)>(number >> (8 * sizeof number - kBits));
}

}  // namespace ids
