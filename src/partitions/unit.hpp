// The lengths of time that partitions have.
#pragma once

#include <cstdint>

#include "core/calendar.hpp"
#include "pg/postgres.hpp"

namespace ids {

// A length of time. It divides time into numbered units: months from January of the year 1, days
// and seconds from a Monday, so that weeks begin on Mondays.
struct Unit {
  std::int64_t months;
  std::int64_t us;
  bool is_whole_days;

  explicit Unit(const Interval& every)
      : months(every.month), us(0), is_whole_days(every.time == 0) {
    const bool valid = months != 0 ? months > 0 && every.day == 0 && every.time == 0
                                   : !__builtin_mul_overflow(every.day, USECS_PER_DAY, &us) &&
                                         !__builtin_add_overflow(us, every.time, &us) && us > 0 &&
                                         us % USECS_PER_SEC == 0;
    if (!valid)
      ereport(
          ERROR,
          (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
           errmsg("invalid partition interval: \"%s\"",
                  DatumGetCString(DirectFunctionCall1(interval_out, IntervalPGetDatum(&every)))),
           errhint("Use a positive interval of whole months and years, or of days and "
                   "whole seconds.")));
  }

  // The number of the unit that contains the time.
  std::int64_t number(TimestampTz time) const {
    if (months == 0) return floor_divide(time - kMonday, us);
    struct pg_tm tm;
    fsec_t fraction;
    if (timestamp2tm(time, nullptr, &tm, &fraction, nullptr, nullptr) != 0) out_of_range();
    return floor_divide((std::int64_t{tm.tm_year} - 1) * 12 + tm.tm_mon - 1, months);
  }

  TimestampTz begin(std::int64_t number) const {
    TimestampTz time;
    bool overflows;
    if (months == 0) {
      overflows =
          __builtin_mul_overflow(number, us, &time) || __builtin_add_overflow(time, kMonday, &time);
    } else {
      const auto month = static_cast<int>(number * months);
      const int year = month / 12 + 1;
      const int day = date2j(year, month % 12 + 1, 1) - POSTGRES_EPOCH_JDATE;
      // Beyond these years, date2j itself overflows.
      overflows = !IS_VALID_JULIAN(year, 1, 1) || __builtin_mul_overflow(day, USECS_PER_DAY, &time);
    }
    if (overflows || !IS_VALID_TIMESTAMP(time)) out_of_range();
    return time;
  }

 private:
  static constexpr TimestampTz kMonday = 366 * USECS_PER_DAY;  // 2001-01-01

  [[noreturn]] static void out_of_range() {
    ereport(ERROR,
            (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("timestamp out of range")));
  }
};

}  // namespace ids
