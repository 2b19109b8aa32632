// ULID's rule of monotonicity, for ids of given times: the bits after the time are a number, and an
// id of the same unit of time as the previous id has a greater one. It never has another time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/bytes.hpp"

namespace ids {

// The numbers of kBits bits that one session makes.
template <unsigned kBits>
class MonotonicNumbers {
 public:
  using Number = std::conditional_t<(kBits > 64), Uint128, std::uint64_t>;

  // Makes number() the next one of the unit of time, which is not negative: first() if the previous
  // call was for another unit, else the number after the previous one and skip() more. Returns
  // false, and leaves number() as it is, if the numbers of the unit are used up.
  template <class First, class Skip>
  constexpr bool next(std::int64_t unit, First first, Skip skip) {
    if (unit != unit_) {
      left_ = kGreatest - first();
      unit_ = unit;
      return true;
    }
    const Number skipped = skip();
    if (skipped >= left_) return false;
    left_ -= skipped + 1;
    return true;
  }

  constexpr Number number() const noexcept { return kGreatest - left_; }

 private:
  static constexpr Number kGreatest = ~Number{0} >> (8 * sizeof(Number) - kBits);

  std::int64_t unit_ = -1;
  Number left_ = kGreatest;  // how far number() may still go
};

}  // namespace ids
