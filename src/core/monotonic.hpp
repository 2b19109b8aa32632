// ULID's rule of monotonicity, for ids of given times. An id of the same unit of time as the
// previous id is the previous id plus an increment, so it is greater. It never has another time.
#pragma once

#include <cstdint>

#include "core/bytes.hpp"

namespace ids {

// Adds to the lowest kBits bits of the bytes as a number. Returns false, and leaves the value as it
// is, if the sum needs more bits.
template <unsigned kBits, std::size_t N>
constexpr bool add_to_low_bits(Bytes<N>& value, std::uint64_t increment) noexcept {
  static_assert(kBits < 128 && N >= 16 && kBits != 64);
  std::uint8_t* const upper_at = value.data() + N - 16;
  std::uint8_t* const lower_at = value.data() + N - 8;
  const auto lower = load_big_endian<std::uint64_t>(lower_at);
  const std::uint64_t lower_sum = lower + increment;
  const bool carry = lower_sum < lower;
  if constexpr (kBits < 64) {
    if (carry || (lower_sum ^ lower) >> kBits) return false;
  } else if (carry) {
    const auto upper = load_big_endian<std::uint64_t>(upper_at);
    const std::uint64_t upper_sum = upper + 1;
    if ((upper_sum ^ upper) >> (kBits - 64)) return false;

    store_big_endian(upper_at, upper_sum);
  }
  store_big_endian(lower_at, lower_sum);
  return true;
}

// The ids that one session makes of given times. Their lowest kBits bits are random and count.
template <class Value, unsigned kBits>
class MonotonicIds {
 public:
  // Makes value() the next id of the unit of time, which is not negative: first() if the previous
  // call was for another unit, else the previous id plus increment(). Returns false, and leaves
  // value() as it is, if the ids of the unit are used up.
  template <class First, class Increment>
  constexpr bool next(std::int64_t unit, First first, Increment increment) {
    if (unit == unit_) return add_to_low_bits<kBits>(value_, increment());
    value_ = first();
    unit_ = unit;
    return true;
  }

  constexpr const Value& value() const noexcept { return value_; }

 private:
  std::int64_t unit_ = -1;
  Value value_{};
};

}  // namespace ids
