// The server's clock, and PostgreSQL's timestamps (microseconds since 2000) as Unix time.
#pragma once

#include <sys/time.h>

#include <cstdint>

#include "pg/postgres.hpp"

namespace ids {

inline constexpr std::int64_t kUnixEpochUs =
    std::int64_t{POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE} * USECS_PER_DAY;

// The time since 1970, in units of UnitUs microseconds.
template <std::int64_t UnitUs>
std::int64_t unix_now() noexcept {
  struct timeval now;
  gettimeofday(&now, nullptr);
  return std::int64_t{now.tv_sec} * (1'000'000 / UnitUs) + now.tv_usec / UnitUs;
}

// Saturates, so infinity is the greatest number; -infinity is far below the time of any id.
inline std::int64_t unix_us_from_timestamptz(TimestampTz timestamp) noexcept {
  std::int64_t unix_us;
  return __builtin_add_overflow(timestamp, kUnixEpochUs, &unix_us) ? INT64_MAX : unix_us;
}

inline TimestampTz timestamptz_from_unix_us(std::int64_t unix_us) noexcept {
  return unix_us - kUnixEpochUs;
}

}  // namespace ids
