// Dates of the proleptic Gregorian calendar as days since 1970-01-01; the year 0 is 1 BC.
#pragma once

#include <array>
#include <cstdint>

namespace ids {

// The quotient rounded down, also for times before 1970, which are negative. The divisor is
// positive.
constexpr std::int64_t floor_divide(std::int64_t dividend, std::int64_t divisor) noexcept {
  return dividend / divisor - (dividend % divisor < 0);
}

inline constexpr std::int64_t kSecondsPerDay = 86'400;

// Months and days count from 0.
struct Date {
  std::int64_t year;
  std::uint32_t month;
  std::uint32_t day;
};

// These convert between dates and days since 1970. Years begin in March here, so that a leap day is
// the last day of its year. The calendar repeats after 400 years, which are 146,097 days. 1 March
// of the year 0 is 719,468 days before 1 January 1970.
constexpr std::int64_t days_from_date(Date date) noexcept {
  const std::int64_t year = date.year - (date.month < 2);
  const std::int64_t cycle = floor_divide(year, 400);
  const auto year_of_cycle = static_cast<std::uint32_t>(year - cycle * 400);
  const std::uint32_t month_from_march = (date.month + 10) % 12;
  const std::uint32_t day_of_year = (153 * month_from_march + 2) / 5 + date.day;
  return cycle * 146'097 + year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 +
         day_of_year - 719'468;
}

constexpr Date date_from_days(std::int64_t unix_days) noexcept {
  const std::int64_t days = unix_days + 719'468;
  const std::int64_t cycle = floor_divide(days, 146'097);
  const auto day_of_cycle = static_cast<std::uint32_t>(days - cycle * 146'097);
  const std::uint32_t year_of_cycle =
      (day_of_cycle - day_of_cycle / 1'460 + day_of_cycle / 36'524 - day_of_cycle / 146'096) / 365;
  const std::uint32_t day_of_year =
      day_of_cycle - (year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100);
  const std::uint32_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::uint32_t month = (month_from_march + 2) % 12;
  return {cycle * 400 + year_of_cycle + (month < 2), month,
          day_of_year - (153 * month_from_march + 2) / 5};
}

constexpr std::uint32_t last_day_of_month(std::int64_t year, std::uint32_t month) noexcept {
  constexpr std::array<std::uint8_t, 12> kLastDays = {30, 27, 30, 29, 30, 29,
                                                      30, 30, 29, 30, 29, 30};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kLastDays[month] + (month == 1 && leap);
}

}  // namespace ids
