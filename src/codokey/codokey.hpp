// Codokey, https://github.com/ademilsonfp/codokey 0.0.1: a date as text that counts down, so that
// texts in the order of their bytes are dates from the newest to the oldest.
//
//   groups  until_year - year         as many digits as until_year - since_year needs
//           11 - month                1 digit, months from 0
//           last day of month - day   1
//           23 - hour                 1
//           59 - minute               2
//           59 - second               2
//           until_split - fraction    as many as until_split needs; the fraction of the second in
//                                     units of 1 / (until_split + 1), rounded down
//   text    1 to 17 digits 0-9a-z (base 36, groups padded with zeros), lower case out, either case
//           in; a key's last group determines its unit, and the key stands for that whole period
//   context since_year, until_year, until_split: a key is read with the context it was made with
//   range   1 January of since_year to 31 December of until_year; proleptic Gregorian calendar with
//           the astronomical year 0 (1 BC), UTC, no leap seconds; no years before 0
//   errors  a length that no unit has; a character that is not a digit; a group above its maximum
//           (of a day: in its month); a time or a context out of range
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/alphabet.hpp"
#include "core/calendar.hpp"
#include "core/codec.hpp"
#include "core/digits.hpp"

namespace ids::codokey {

// The specification's precision 0 to 6; also the groups of a key, most significant first.
enum class Unit : std::uint8_t { year, month, day, hour, minute, second, split };

inline constexpr std::size_t kUnits = 7;
inline constexpr std::array<std::string_view, kUnits> kUnitNames = {
    "year", "month", "day", "hour", "minute", "second", "split"};

struct Instant {
  std::int64_t unix_s = 0;
  std::uint32_t nanos = 0;  // 0 to 999,999,999, counted up from unix_s, also before 1970

  constexpr bool operator==(const Instant&) const = default;
};

// From first up to next, which is not part of it.
struct Period {
  Unit unit{};
  Instant first;
  Instant next;

  constexpr bool operator==(const Period&) const = default;
};

inline constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

// The last year whose end PostgreSQL's timestamptz can hold.
inline constexpr std::int32_t kLastYear = 294'275;

inline constexpr std::size_t kBase = 36;
inline constexpr Alphabet<kBase> kAlphabet{"0123456789abcdefghijklmnopqrstuvwxyz",
                                           LetterCase::either};

enum class ContextError : std::uint8_t {
  none,
  since_year,   // before year 0
  until_year,   // after kLastYear
  year_order,   // since_year after until_year
  until_split,  // not 9, 99 ... 999,999,999
};

struct EncodeResult {
  enum class Error : std::uint8_t { none, before_since, after_until };
  Error error = Error::none;
  std::size_t size = 0;  // characters written

  constexpr bool operator==(const EncodeResult&) const = default;
};

struct DecodeResult {
  ParseError error = ParseError::none;
  std::size_t position = 0;    // 0-based, in bytes; all characters before it are ASCII digits
  Unit group{};                // for ParseError::range: the group that begins at the position
  std::uint32_t greatest = 0;  // and its maximum

  constexpr bool operator==(const DecodeResult&) const = default;
};

struct Context {
  static constexpr std::size_t kMaxKeySize = count_digits(std::uint32_t{kLastYear}, kBase) + 1 + 1 +
                                             1 + 2 + 2 + count_digits(999'999'999u, kBase);

  std::int32_t since_year = 1970;
  std::int32_t until_year = 3265;
  std::int32_t until_split = 9;

  // The other functions need a context without an error.
  constexpr ContextError check() const noexcept {
    if (since_year < 0) return ContextError::since_year;
    if (until_year > kLastYear) return ContextError::until_year;
    if (since_year > until_year) return ContextError::year_order;
    for (std::int64_t power = 10; power <= kNanosPerSecond; power *= 10)
      if (until_split == power - 1) return ContextError::none;
    return ContextError::until_split;
  }

  constexpr std::size_t size_of(Unit group) const noexcept {
    return count_digits(greatest_of(group, {}), kBase);
  }

  constexpr std::size_t key_size(Unit unit) const noexcept {
    std::size_t size = 0;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(unit); ++i)
      size += size_of(static_cast<Unit>(i));
    return size;
  }

  // Writes the key of the period that an instant is in.
  constexpr EncodeResult encode(Instant instant, Unit unit,
                                std::span<char, kMaxKeySize> out) const noexcept {
    const std::int64_t days = floor_divide(instant.unix_s, kSecondsPerDay);
    const auto second = static_cast<std::uint32_t>(instant.unix_s - days * kSecondsPerDay);
    const Date date = date_from_days(days);
    if (date.year < since_year) return {EncodeResult::Error::before_since};
    if (date.year > until_year) return {EncodeResult::Error::after_until};

    const auto last = static_cast<std::uint32_t>(until_split);
    const std::array<std::uint32_t, kUnits> groups = {
        static_cast<std::uint32_t>(until_year - date.year),
        11 - date.month,
        last_day_of_month(date.year, date.month) - date.day,
        23 - second / 3600,
        59 - second / 60 % 60,
        59 - second % 60,
        last - instant.nanos / split_nanos()};
    std::size_t size = 0;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(unit); ++i) {
      const std::size_t digits = size_of(static_cast<Unit>(i));
      format_digits(kAlphabet, groups[i], out.subspan(size, digits));
      size += digits;
    }
    return {EncodeResult::Error::none, size};
  }

  // Reads a key; sets out only if there is no error. characters: the length of the key, which is
  // less than key.size() if characters have several bytes.
  constexpr DecodeResult decode(std::string_view key, std::size_t characters,
                                Period& out) const noexcept {
    const std::optional<Unit> unit = unit_of_size(characters);
    if (!unit) return {ParseError::length};
    for (std::size_t i = 0; i < key.size(); ++i)
      if (kAlphabet.value(key[i]) == kAlphabet.kNotADigit) return {ParseError::digit, i};

    std::array<std::uint32_t, kUnits> fields{};  // counting up, from 0
    std::size_t position = 0;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(*unit); ++i) {
      const auto group = static_cast<Unit>(i);
      const std::uint32_t greatest = greatest_of(group, fields);
      const std::size_t size = size_of(group);
      std::uint32_t value = 0;
      const std::string_view digits(key.data() + position, size);
      if (parse_digits(kAlphabet, digits, greatest, value).error != ParseError::none)
        return {ParseError::range, position, group, greatest};
      fields[i] = greatest - value;
      position += size;
    }
    out = period(*unit, fields);
    return {};
  }

 private:
  constexpr std::uint32_t split_nanos() const noexcept {
    return static_cast<std::uint32_t>(kNanosPerSecond / (until_split + 1));
  }

  constexpr std::optional<Unit> unit_of_size(std::size_t size) const noexcept {
    std::size_t key = 0;
    for (std::size_t i = 0; i < kUnits; ++i) {
      key += size_of(static_cast<Unit>(i));
      if (key == size) return static_cast<Unit>(i);
    }
    return std::nullopt;
  }

  // A group's maximum. That of the day depends on the fields before it, but not its size.
  constexpr std::uint32_t greatest_of(
      Unit group, const std::array<std::uint32_t, kUnits>& fields) const noexcept {
    if (group == Unit::day)
      return last_day_of_month(since_year + std::int64_t{fields[0]}, fields[1]);
    const std::array<std::uint32_t, kUnits> greatest = {
        static_cast<std::uint32_t>(until_year - since_year),
        11,
        0,
        23,
        59,
        59,
        static_cast<std::uint32_t>(until_split)};
    return greatest[static_cast<std::size_t>(group)];
  }

  constexpr Period period(Unit unit,
                          const std::array<std::uint32_t, kUnits>& fields) const noexcept {
    const auto [year, month, day, hour, minute, second, split] = fields;
    const Date date{since_year + std::int64_t{year}, month, day};
    const Instant first{days_from_date(date) * kSecondsPerDay + hour * 3600 + minute * 60 + second,
                        split * split_nanos()};
    return {unit, first, next(unit, date, first)};
  }

  constexpr Instant next(Unit unit, Date date, Instant first) const noexcept {
    constexpr std::array<std::int64_t, kUnits> kSeconds = {0, 0, kSecondsPerDay, 3600, 60, 1, 1};
    if (unit == Unit::year) return {days_from_date({date.year + 1, 0, 0}) * kSecondsPerDay};
    if (unit == Unit::month)
      return {first.unix_s + (last_day_of_month(date.year, date.month) + 1) * kSecondsPerDay};
    if (unit == Unit::split && first.nanos + split_nanos() < kNanosPerSecond)
      return {first.unix_s, first.nanos + split_nanos()};
    return {first.unix_s + kSeconds[static_cast<std::size_t>(unit)]};
  }
};

// The example of the specification: 2022-12-31T23:59:59.900Z is yj00000000.
static_assert([] {
  constexpr Instant instant{1672531199, 900'000'000};
  char buffer[Context::kMaxKeySize]{};
  const EncodeResult encoded = Context{}.encode(instant, Unit::split, buffer);
  const std::string_view key(buffer, encoded.size);
  Period period;
  return key == "yj00000000" && Context{}.decode(key, key.size(), period) == DecodeResult{} &&
         period == Period{Unit::split, instant, {1672531200, 0}};
}());

}  // namespace ids::codokey
