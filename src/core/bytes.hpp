// Big-endian bytes. Identifiers are stored with the most significant byte first, so memcmp orders
// them by value.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ids {

template <std::size_t N>
using Bytes = std::array<std::uint8_t, N>;

__extension__ typedef unsigned __int128 Uint128;

static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big,
              "machines that mix the two byte orders are not supported");

// The same value with its bytes in reverse order.
template <std::unsigned_integral T>
constexpr T swap_bytes(T value) noexcept {
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  return value;
}

// Reads sizeof(T) bytes from any address, aligned or not.
template <std::unsigned_integral T>
constexpr T load_big_endian(const std::uint8_t* from) noexcept {
  Bytes<sizeof(T)> bytes;
  std::copy_n(from, sizeof(T), bytes.begin());
  const auto value = std::bit_cast<T>(bytes);
  return std::endian::native == std::endian::little ? swap_bytes(value) : value;
}

// Writes sizeof(T) bytes to any address, aligned or not.
template <std::unsigned_integral T>
constexpr void store_big_endian(std::uint8_t* to, T value) noexcept {
  if (std::endian::native == std::endian::little) value = swap_bytes(value);
  std::copy_n(std::bit_cast<Bytes<sizeof(T)>>(value).begin(), sizeof(T), to);
}

// The number's lowest N bytes.
template <std::size_t N>
constexpr Bytes<N> bytes_of_number(Uint128 number) noexcept {
  static_assert(N <= 16);
  Bytes<16> wide{};
  store_big_endian(wide.data(), static_cast<std::uint64_t>(number >> 64));
  store_big_endian(wide.data() + 8, static_cast<std::uint64_t>(number));
  Bytes<N> bytes{};
  std::copy(wide.end() - N, wide.end(), bytes.begin());
  return bytes;
}

// The largest unsigned integer that N bytes have room for.
template <std::size_t N>
using Word = std::conditional_t<
    (N >= 8), std::uint64_t,
    std::conditional_t<(N >= 4), std::uint32_t,
                       std::conditional_t<(N >= 2), std::uint16_t, std::uint8_t>>>;

// memcmp over N bytes as a few word comparisons: negative, zero or positive.
template <std::size_t N>
constexpr int compare_bytes(const std::uint8_t* a, const std::uint8_t* b) noexcept {
  if constexpr (N == 0) {
    return 0;
  } else {
    const auto x = load_big_endian<Word<N>>(a);
    const auto y = load_big_endian<Word<N>>(b);
    if (x != y) return x < y ? -1 : 1;
    return compare_bytes<N - sizeof x>(a + sizeof x, b + sizeof x);
  }
}

// Add 1 to the bytes as a number, or subtract 1. The number wraps around.
template <std::size_t N>
constexpr Bytes<N> increment_bytes(Bytes<N> value) noexcept {
  for (std::size_t i = N; i-- > 0;)
    if (++value[i] != 0) break;
  return value;
}
template <std::size_t N>
constexpr Bytes<N> decrement_bytes(Bytes<N> value) noexcept {
  for (std::size_t i = N; i-- > 0;)
    if (value[i]-- != 0) break;
  return value;
}

// The distance from a to b, which is not smaller: the difference of the first words that differ.
// Later words are left out, because together they are less than 1 of the word before.
template <std::size_t N>
constexpr double distance_of_bytes(const std::uint8_t* a, const std::uint8_t* b) noexcept {
  const auto x = load_big_endian<Word<N>>(a);
  const auto y = load_big_endian<Word<N>>(b);
  if constexpr (N > sizeof x)
    if (x == y) return distance_of_bytes<N - sizeof x>(a + sizeof x, b + sizeof x) * 0x1p-64;
  return static_cast<double>(y - x);
}

}  // namespace ids
