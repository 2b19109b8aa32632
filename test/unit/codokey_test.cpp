#include "codokey/codokey.hpp"

#include <algorithm>
#include <random>

#include "catch.hpp"
#include "vectors.hpp"

using namespace ids;
using namespace ids::codokey;

namespace {

Context context_of(const Row& row) {
  return {static_cast<std::int32_t>(row.integer("since_year")),
          static_cast<std::int32_t>(row.integer("until_year")),
          static_cast<std::int32_t>(row.integer("until_split"))};
}

Instant instant_of(const Row& row) {
  return {row.integer("unix_s"), static_cast<std::uint32_t>(row.natural("nanos"))};
}

std::pair<std::int64_t, std::uint32_t> time_of(Instant instant) {
  return {instant.unix_s, instant.nanos};
}

// The key, or the error's name in the conformance data.
std::string encode(const Context& context, Instant instant, Unit unit) {
  if (context.check() != ContextError::none) return "bad_context";
  char buffer[Context::kMaxKeySize];
  const EncodeResult result = context.encode(instant, unit, buffer);
  switch (result.error) {
    case EncodeResult::Error::before_since:
      return "year_before_since";
    case EncodeResult::Error::after_until:
      return "year_after_until";
    default:
      return std::string(buffer, result.size);
  }
}

std::string encode(const Row& row) {
  return encode(context_of(row), instant_of(row), static_cast<Unit>(row.integer("precision")));
}

DecodeResult decode(const Context& context, const std::string& key, Period& period) {
  const auto characters = std::count_if(key.begin(), key.end(),
                                        [](char byte) { return (byte & 0xC0) != 0x80; });  // UTF-8
  return context.decode(key, static_cast<std::size_t>(characters), period);
}

std::string name_of(ParseError error) {
  switch (error) {
    case ParseError::length:
      return "bad_length";
    case ParseError::digit:
      return "bad_character";
    case ParseError::range:
      return "out_of_range";
    default:
      return "ok";
  }
}

// A number as the definition writes it, and a date by counting, without code of the codec.
std::string base36(std::int64_t value, std::int64_t greatest) {
  std::string text;
  for (; greatest > 0 || text.empty(); greatest /= 36, value /= 36)
    text.insert(text.begin(), "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36]);
  return text;
}

struct Calendar {
  std::int64_t unix_days = -719'528;  // 1 January of year 0
  int year = 0;
  int month = 1;
  int day = 1;

  int days_in_month() const {
    const bool leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
    return month == 2 ? 28 + leap : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  }
  void step() {
    ++unix_days;
    if (++day <= days_in_month()) return;
    day = 1;
    if (++month <= 12) return;
    month = 1;
    ++year;
  }
};

constexpr Unit kAllUnits[] = {Unit::year,   Unit::month,  Unit::day,  Unit::hour,
                              Unit::minute, Unit::second, Unit::split};

}  // namespace

TEST_CASE("codokey: every row of codokey_encode.tsv and codokey_encode_diff.tsv") {
  for (const char* file : {"codokey_encode.tsv", "codokey_encode_diff.tsv"}) {
    for (const Row& row : read_vectors(file)) {
      CAPTURE(row["id"]);
      CHECK(encode(row) == row["key"]);
      // The key's period contains the instant, and no other key of the unit begins in it.
      Period period;
      REQUIRE(decode(context_of(row), row["key"], period) == DecodeResult{});
      CHECK(static_cast<std::int64_t>(period.unit) == row.integer("precision"));
      CHECK(time_of(period.first) <= time_of(instant_of(row)));
      CHECK(time_of(instant_of(row)) < time_of(period.next));
      CHECK(encode(context_of(row), period.first, period.unit) == row["key"]);
      CHECK(encode(context_of(row), period.next, period.unit) != row["key"]);
    }
  }
}

TEST_CASE("codokey: every row of codokey_outside.tsv") {
  for (const Row& row : read_vectors("codokey_outside.tsv")) {
    CAPTURE(row["id"]);
    CHECK(encode(row) == row["expect"]);
  }
}

TEST_CASE("codokey: every row of codokey_decode.tsv") {
  constexpr Period kUnset{Unit::split, {-1, 1}, {-2, 2}};
  for (const Row& row : read_vectors("codokey_decode.tsv")) {
    CAPTURE(row["id"], row["key"]);
    Period period = kUnset;
    const DecodeResult result = decode(context_of(row), row["key"], period);
    CHECK(name_of(result.error) == row["expect"]);
    if (row["expect"] == "ok") {
      CHECK(period.first == instant_of(row));
      CHECK(static_cast<std::int64_t>(period.unit) == row.integer("precision"));
    } else {
      CHECK(period == kUnset);
    }
  }
}

// The calendar repeats itself after 400 years.
TEST_CASE("codokey: every day of 1,200 years at every unit") {
  constexpr Context kContext{0, 9999, 999'999};
  std::mt19937_64 random(20260101);
  std::array<std::string, kUnits> newer;
  std::array<Instant, kUnits> next_first;
  for (Calendar date; date.year < 1200; date.step()) {
    const auto second = static_cast<std::int64_t>(random() % 86'400);
    const auto micros = static_cast<std::int64_t>(random() % 1'000'000);
    const Instant instant{date.unix_days * kSecondsPerDay + second,
                          static_cast<std::uint32_t>(micros * 1000 + 999)};
    std::string expected;
    const std::string groups[] = {base36(9999 - date.year, 9999),
                                  base36(12 - date.month, 11),
                                  base36(date.days_in_month() - date.day, 30),
                                  base36(23 - second / 3600, 23),
                                  base36(59 - second / 60 % 60, 59),
                                  base36(59 - second % 60, 59),
                                  base36(999'999 - micros, 999'999)};
    for (const Unit unit : kAllUnits) {
      const auto i = static_cast<std::size_t>(unit);
      expected += groups[i];
      char buffer[Context::kMaxKeySize];
      const std::string_view key(buffer, kContext.encode(instant, unit, buffer).size);
      Period period;
      const bool decoded = kContext.decode(key, key.size(), period) == DecodeResult{};
      char again[Context::kMaxKeySize];
      const std::string_view key_again(again, kContext.encode(period.first, unit, again).size);
      // Day follows day, and each key is smaller than the previous day's key, or equal while the
      // period goes on.
      const bool order =
          newer[i].empty() || key < newer[i] || (key == newer[i] && unit < Unit::day);
      const bool no_gap =
          unit > Unit::day || newer[i].empty() || key == newer[i] || period.first == next_first[i];
      if (!(key == expected && decoded && period.unit == unit && key_again == key && order &&
            no_gap)) {
        CAPTURE(date.year, date.month, date.day, key, newer[i]);
        CHECK(key == expected);
        CHECK(decoded);
        CHECK(period.unit == unit);
        CHECK(key_again == key);
        CHECK(order);
        CHECK(no_gap);
      }
      newer[i] = key;
      next_first[i] = period.next;
    }
  }
}

TEST_CASE("codokey: in any context the order of keys is the reverse of the order of times") {
  std::mt19937_64 random(20260102);
  for (int i = 0; i < 10'000; ++i) {
    Context context;
    context.since_year = static_cast<std::int32_t>(random() % (random() % 2 ? 3000 : kLastYear));
    context.until_year = context.since_year +
                         static_cast<std::int32_t>(random() % (kLastYear - context.since_year + 1));
    context.until_split = 9;
    for (auto zeros = random() % 9; zeros > 0; --zeros)
      context.until_split = context.until_split * 10 + 9;
    REQUIRE(context.check() == ContextError::none);
    const std::int64_t first = days_from_date({context.since_year, 0, 0}) * kSecondsPerDay;
    const std::int64_t end = days_from_date({context.until_year + 1, 0, 0}) * kSecondsPerDay;
    const auto seconds = static_cast<std::uint64_t>(end - first);
    const Instant a{first + static_cast<std::int64_t>(random() % seconds),
                    static_cast<std::uint32_t>(random() % kNanosPerSecond)};
    // Times far from a and close to it, across the ends of seconds, minutes, days and years.
    Instant b{first + static_cast<std::int64_t>(random() % seconds),
              static_cast<std::uint32_t>(random() % kNanosPerSecond)};
    if (random() % 2) b.unix_s = std::min(a.unix_s + (std::int64_t{1} << random() % 26), end - 1);
    if (random() % 4 == 0) b.unix_s = a.unix_s;
    for (const Unit unit : kAllUnits) {
      const std::string key_a = encode(context, a, unit);
      const std::string key_b = encode(context, b, unit);
      Period period;
      CAPTURE(context.since_year, context.until_year, context.until_split, key_a, key_b);
      REQUIRE(decode(context, key_a, period) == DecodeResult{});
      REQUIRE((key_b > key_a) == (time_of(b) < time_of(period.first)));
      REQUIRE((key_b < key_a) == (time_of(b) >= time_of(period.next)));
      REQUIRE(key_a.size() == key_b.size());
    }
  }
}

TEST_CASE("codokey: an error says what is wrong and where") {
  Period period;
  const auto result = [&](const std::string& key, Context context = {}) {
    return decode(context, key, period);
  };
  CHECK(result("") == DecodeResult{ParseError::length});
  CHECK(result("yj0000") == DecodeResult{ParseError::length});
  CHECK(result(std::string(10'000, '0')) == DecodeResult{ParseError::length});
  CHECK(result(std::string(10'000, '-')) == DecodeResult{ParseError::length});
  // A bad character at any position, also after a group that is out of range.
  for (std::size_t position = 0; position < 10; ++position) {
    for (const char bad : {'-', ' ', '\n', '\0', '/', ':', '@', '[', '`', '{'}) {
      std::string key = "zzzzzzzzzz";
      key[position] = bad;
      CAPTURE(key);
      CHECK(result(key) == DecodeResult{ParseError::digit, position});
    }
  }
  // The length is in characters, however many bytes they have.
  CHECK(result("yj0\u00e9") == DecodeResult{ParseError::digit, 3});
  CHECK(result("\uff59\uff4a") == DecodeResult{ParseError::digit, 0});
  CHECK(result("yj00\u00e90") == DecodeResult{ParseError::length});

  CHECK(result("2s", {1970, 2069, 9}) == DecodeResult{ParseError::range, 0, Unit::year, 99});
  CHECK(result("yjcz") == DecodeResult{ParseError::range, 2, Unit::month, 11});
  CHECK(result("yj0v") == DecodeResult{ParseError::range, 3, Unit::day, 30});  // December
  CHECK(result("yjas") == DecodeResult{ParseError::range, 3, Unit::day, 27});  // 2022
  CHECK(result("yhat") == DecodeResult{ParseError::range, 3, Unit::day, 28});  // 2024
  CHECK(result("yj00o") == DecodeResult{ParseError::range, 4, Unit::hour, 23});
  CHECK(result("yj0001o") == DecodeResult{ParseError::range, 5, Unit::minute, 59});
  CHECK(result("yj000001o") == DecodeResult{ParseError::range, 7, Unit::second, 59});
  CHECK(result("yj0000000a") == DecodeResult{ParseError::range, 9, Unit::split, 9});
  CHECK(result("yj0000000gjdgxs", {1970, 3265, 999'999'999}) ==
        DecodeResult{ParseError::range, 9, Unit::split, 999'999'999});
  CHECK(result("yj0000000zzzzzz", {1970, 3265, 999'999'999}) ==
        DecodeResult{ParseError::range, 9, Unit::split, 999'999'999});
  CHECK(result("1b", {2020, 2020, 9}) == DecodeResult{ParseError::range, 0, Unit::year, 0});
}

TEST_CASE("codokey: contexts") {
  CHECK(Context{}.check() == ContextError::none);
  CHECK(Context{0, 0, 9}.check() == ContextError::none);
  CHECK(Context{0, kLastYear, 999'999'999}.check() == ContextError::none);
  CHECK(Context{-1, 2069, 9}.check() == ContextError::since_year);
  CHECK(Context{INT32_MIN, INT32_MAX, 9}.check() == ContextError::since_year);
  CHECK(Context{1970, kLastYear + 1, 9}.check() == ContextError::until_year);
  CHECK(Context{1970, INT32_MAX, 9}.check() == ContextError::until_year);
  CHECK(Context{1970, 1969, 9}.check() == ContextError::year_order);
  CHECK(Context{1970, INT32_MIN, 9}.check() == ContextError::year_order);
  for (const std::int32_t split : {INT32_MIN, -9, -1, 0, 1, 8, 10, 98, 100, 999'999'998,
                                   1'000'000'000, 1'410'065'407, INT32_MAX})
    CHECK(Context{1970, 2069, split}.check() == ContextError::until_split);
}

TEST_CASE("codokey: widths and ends of the widest context") {
  constexpr Context kWidest{0, kLastYear, 999'999'999};
  CHECK(kWidest.key_size(Unit::split) == Context::kMaxKeySize);
  const Instant first{days_from_date({0, 0, 0}) * kSecondsPerDay, 0};
  const Instant end{days_from_date({kLastYear + 1, 0, 0}) * kSecondsPerDay, 0};
  CHECK(encode(kWidest, first, Unit::split) ==
        "6b2bbun1n1n"
        "gjdgxr");
  CHECK(encode(kWidest, {end.unix_s - 1, 999'999'999}, Unit::split) == "00000000000000000");
  CHECK(encode(kWidest, {first.unix_s - 1, 999'999'999}, Unit::split) == "year_before_since");
  CHECK(encode(kWidest, end, Unit::split) == "year_after_until");
  // Ends of 64 bits of microseconds and of 32 bits of days.
  for (const std::int64_t unix_s :
       {INT64_MIN / 1'000'000, std::int64_t{INT32_MIN} * kSecondsPerDay})
    CHECK(encode(kWidest, {unix_s, 0}, Unit::year) == "year_before_since");
  CHECK(encode(kWidest, {std::int64_t{INT32_MAX} * kSecondsPerDay, 0}, Unit::year) ==
        "year_after_until");
  Period period;
  CHECK(decode(kWidest, "0000", period) == DecodeResult{});
  CHECK(period.next == end);
  CHECK(decode(kWidest, "00000000000000000", period) == DecodeResult{});
  CHECK(period == Period{Unit::split, {end.unix_s - 1, 999'999'999}, end});
}
