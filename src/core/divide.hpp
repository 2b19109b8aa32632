// Quotients rounded down and up, also for times before 1970, which are negative. Divisors are
// positive.
#pragma once

#include <cstdint>

namespace ids {

constexpr std::int64_t floor_divide(std::int64_t dividend, std::int64_t divisor) noexcept {
  return dividend / divisor - (dividend % divisor < 0);
}
constexpr std::int64_t ceil_divide(std::int64_t dividend, std::int64_t divisor) noexcept {
  return dividend / divisor + (dividend % divisor > 0);
}

}  // namespace ids
