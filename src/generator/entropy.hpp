// Random bytes for identifiers.
#pragma once

#include <concepts>
#include <cstddef>

namespace ids {

// Writes size bytes from pg_strong_random to out. No other call gets the same bytes, and no copy of
// them is kept. Raises an error if the system has no randomness.
void random_bytes(void* out, std::size_t size);

template <std::unsigned_integral T>
T random_bits() {
  T bits;
  random_bytes(&bits, sizeof bits);
  return bits;
}

}  // namespace ids
