// Random bytes for identifiers.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

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

// A random number from 1 to 2^kBits.
template <unsigned kBits>
std::uint64_t random_increment() {
  return 1 + (random_bits<std::uint64_t>() >> (64 - kBits));
}

}  // namespace ids
