// What must hold for every codec.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <new>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "core/bases.hpp"
#include "core/codec.hpp"
#include "core/input.hpp"
#include "vectors.hpp"

template <ids::Codec C>
std::string format(const typename C::Value& value) {
  std::string text(C::kTextSize, '?');
  C::format(value, std::span<char, C::kTextSize>(text.data(), C::kTextSize));
  return text;
}

// The value of a text that must be accepted.
template <ids::Codec C>
typename C::Value parse(const std::string& text) {
  typename C::Value value{};
  INFO(text);
  REQUIRE(ids::parse_input<C>(text, value) == ids::ParseResult{});
  return value;
}

template <ids::Codec C>
ids::ParseResult parse_result(const std::string& text) {
  typename C::Value value{};
  return ids::parse_input<C>(text, value);
}

// A random value of the type: random bytes between its first and last value of a random time.
template <ids::Codec C>
typename C::Value random_value(std::mt19937_64& random) {
  typename C::Value value;
  do {
    for (auto& byte : value) byte = static_cast<std::uint8_t>(random());
    if (!C::valid(value)) {
      const auto range = static_cast<std::uint64_t>(C::kMaxTime - C::kMinTime) + 1;
      value = C::first(C::kMinTime + static_cast<std::int64_t>(random() % range));
      value.back() = static_cast<std::uint8_t>(random());
    }
  } while (!C::valid(value));
  return value;
}

// Values and texts lie at any address, as in tuples and messages; UBSan finds misaligned access.
template <ids::Codec C>
void check_alignment() {
  using Value = typename C::Value;
  static_assert(sizeof(Value) == C::kSize && alignof(Value) == 1);
  static_assert(std::is_trivially_copyable_v<Value>);
  const Value expected = C::last(C::kMaxTime);
  for (std::size_t offset = 0; offset < 8; ++offset) {
    alignas(8) unsigned char bytes[C::kSize + 8];
    alignas(8) char characters[C::kTextSize + 8];
    auto& value = *new (bytes + offset) Value{};
    char* text = characters + offset;
    C::format(expected, std::span<char, C::kTextSize>(text, C::kTextSize));
    CAPTURE(offset);
    CHECK(C::parse({text, C::kTextSize}, value) == ids::ParseResult{});
    CHECK(value == expected);
    CHECK(C::time(value) == C::kMaxTime);
    C::format(value, std::span<char, C::kTextSize>(text, C::kTextSize));
    CHECK(std::string(text, C::kTextSize) == format<C>(expected));
  }
}

// \x and the hexadecimal digits of the bytes: read in either case, refused for a character that is
// not a digit and for a value out of range.
template <ids::Codec C>
void check_hex_of_bytes() {
  const auto last = C::last(C::kMaxTime);
  const std::string text = "\\x" + to_hex(last);
  CHECK(parse<C>(text) == last);
  for (std::size_t position = 0; position < text.size(); ++position) {
    for (const char bad : {'g', 'G', '/', ':', '@', '`', '-', ' ', '\0', '\x80', '\xff'}) {
      std::string wrong = text;
      wrong[position] = bad;
      CAPTURE(wrong);
      const ids::ParseResult expected = position < 2
                                            ? ids::ParseResult{ids::ParseError::length, 0}
                                            : ids::ParseResult{ids::ParseError::digit, position};
      CHECK(parse_result<C>(wrong) == expected);
    }
  }
  for (const std::string wrong : {"\\", "\\x", "\\x0"})
    CHECK(parse_result<C>(wrong) == ids::ParseResult{ids::ParseError::length, 0});
  for (const std::string& wrong : {text + "0", text + "00", "\\X" + text.substr(2)})
    CHECK(parse_result<C>(wrong) == ids::ParseResult{ids::ParseError::length, 0});
  // The values next to the range, which are not ids.
  for (const auto& value :
       {ids::decrement_bytes(C::first(C::kMinTime)), ids::increment_bytes(last)}) {
    if (C::valid(value)) continue;
    typename C::Value untouched{};
    const std::string outside = "\\x" + to_hex(value);
    CAPTURE(outside);
    const ids::ParseResult result = ids::parse_input<C>(outside, untouched);
    CHECK(result.error == ids::ParseError::range);
    CHECK(untouched == typename C::Value{});
    // Up to there it is the text of a value, from there on it is not.
    const auto& end = value < C::first(C::kMinTime) ? C::first(C::kMinTime) : last;
    const std::string end_text = "\\x" + to_hex(end);
    CHECK(outside.substr(0, result.position) == end_text.substr(0, result.position));
    CHECK(outside[result.position] != end_text[result.position]);
  }
}

// Texts with a bad character at any position, also with a second one at the end: the error names
// the first. Digits that only other alphabets have are bad, too.
template <ids::Codec C>
void check_bad_characters(const std::string& digits_of_others,
                          const std::vector<std::string>& texts) {
  std::vector<std::string> bad{"-", "_", " ", "\n",   "/",    ":",        "@",
                               "[", "`", "{", "\x80", "\xff", "\xc3\xa9", "\xe2\x82\xac"};
  bad.emplace_back(1, '\0');
  for (const char digit : digits_of_others) bad.emplace_back(1, digit);
  for (const std::string& good : texts) {
    for (std::size_t position = 0; position < good.size(); ++position) {
      for (const std::string& character : bad) {
        std::string text = good;
        text.replace(position, 1, character);
        for (int twice = 0; twice < 2; ++twice) {
          CAPTURE(text);
          CHECK(prefer_bad_character(text, parse_result<C>(text)) ==
                ids::ParseResult{ids::ParseError::digit, position});
          text.back() = '-';
        }
      }
    }
  }
}

template <ids::Codec C>
std::string to_base(const typename C::Value& value, int base) {
  char digits[ids::InBases<C>::kMaxDigits];
  return std::string(digits, ids::InBases<C>::write(value, base, digits));
}

template <ids::Codec C>
ids::ParseResult from_base_result(const std::string& text, int base) {
  typename C::Value value{};
  const ids::ParseResult result = ids::InBases<C>::read(text, base, value);
  if (result.error != ids::ParseError::none) CHECK(value == typename C::Value{});
  return result;
}

// Checks a row of T_base.tsv: a number in a base, and what reading it gives.
template <ids::Codec C>
void check_base_row(const Row& row, const typename C::Value& expected) {
  const int base = static_cast<int>(row.integer("base"));
  const std::string& encoded = row["encoded"];
  if (row["result"] == "ok") {
    typename C::Value value{};
    CHECK(ids::InBases<C>::read(encoded, base, value) == ids::ParseResult{});
    CHECK(value == expected);
    CHECK((to_base<C>(value, base) == encoded) == (row["canonical"] == "t"));
    return;
  }
  const ids::ParseResult result = from_base_result<C>(encoded, base);
  CHECK((ids::InBases<C>::max_digits(base) == 0) == (row["result"] == "unsupported_base"));
  if (row["result"] == "bad_character") {
    CHECK(result.error == ids::ParseError::digit);
  } else if (row["result"] == "overflow") {
    CHECK(result == ids::ParseResult{ids::ParseError::overflow, 0});
  } else {
    CHECK(result == ids::ParseResult{ids::ParseError::length, 0});
    CHECK(encoded.empty() == (row["result"] == "empty"));
    if (row["result"] == "too_long") CHECK(encoded.size() > ids::InBases<C>::max_digits(base));
  }
}

// Checks every row of a file of pairs and their order.
template <ids::Codec C>
void check_order(const std::string& file) {
  for (const Row& row : read_vectors(file)) {
    CAPTURE(row["id"]);
    const auto a = parse<C>(row["a"]);
    const auto b = parse<C>(row["b"]);
    const int order = ids::compare_bytes<C::kSize>(a.data(), b.data());
    CHECK((order > 0) - (order < 0) == row.integer("cmp"));
  }
}

// Boundaries of times between units, and of times out of range. The first 64 bits grow evenly with
// the time, from 0 to 1 within the type's range.
template <ids::TimeLayout C>
void check_boundaries() {
  const auto first_bits = [](const auto& value) {
    return static_cast<double>(ids::load_big_endian<std::uint64_t>(value.data()));
  };
  const double lowest = first_bits(C::first(C::kMinTime));
  const double highest = first_bits(C::last(C::kMaxTime));
  for (std::int64_t n = 0; n <= 1000; ++n) {
    const std::int64_t time = C::kMinTime + (C::kMaxTime - C::kMinTime) / 1000 * n;
    const double share = (first_bits(C::first(time)) - lowest) / (highest - lowest);
    CAPTURE(time);
    CHECK(std::abs(share - static_cast<double>(n) / 1000) < 1e-6);
  }
  // A time stands for the unit that contains it.
  for (const std::int64_t time : {C::kMinTime, C::kMinTime + 1, C::kMaxTime - 1, C::kMaxTime}) {
    CAPTURE(time);
    for (const std::int64_t us : {std::int64_t{0}, C::kUnitUs / 2, C::kUnitUs - 1}) {
      CHECK(ids::first_of<C>(time * C::kUnitUs + us) == C::first(time));
      CHECK(ids::last_of<C>(time * C::kUnitUs + us) == C::last(time));
    }
  }
  // Times out of range saturate.
  for (const std::int64_t unix_us : {C::kMinTime * C::kUnitUs - 1, INT64_MIN, INT64_MIN + 1}) {
    CAPTURE(unix_us);
    CHECK(ids::first_of<C>(unix_us) == C::first(C::kMinTime));
    CHECK(ids::last_of<C>(unix_us) == C::first(C::kMinTime));
  }
  for (const std::int64_t unix_us : {(C::kMaxTime + 1) * C::kUnitUs, INT64_MAX, INT64_MAX - 1}) {
    CAPTURE(unix_us);
    CHECK(ids::first_of<C>(unix_us) == C::last(C::kMaxTime));
    CHECK(ids::last_of<C>(unix_us) == C::last(C::kMaxTime));
  }
}

// Text, order, times and boundaries of 100,000 random values.
template <ids::Codec C>
void check_codec() {
  check_alignment<C>();
  check_hex_of_bytes<C>();
  std::mt19937_64 random(20260101);
  typename C::Value previous = C::first(C::kMinTime);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = random_value<C>(random);
    const auto time = C::time(value);
    std::string hex = to_hex(value);
    if (i % 2 == 0) std::transform(hex.begin(), hex.end(), hex.begin(), ::toupper);
    const bool round_trip = parse<C>(format<C>(value)) == value && parse<C>("\\x" + hex) == value;
    const bool in_range = time >= C::kMinTime && time <= C::kMaxTime;
    const bool bounded = C::first(time) <= value && value <= C::last(time);
    const bool bounds_time = C::time(C::first(time)) == time && C::time(C::last(time)) == time;
    const bool order =
        (ids::compare_bytes<C::kSize>(value.data(), previous.data()) < 0) ==
        std::lexicographical_compare(value.begin(), value.end(), previous.begin(), previous.end());
    const bool time_order =
        value < previous ? time <= C::time(previous) : time >= C::time(previous);
    if (!(round_trip && in_range && bounded && bounds_time && order && time_order)) {
      CAPTURE(format<C>(value), format<C>(previous));
      CHECK(round_trip);
      CHECK(in_range);
      CHECK(bounded);
      CHECK(bounds_time);
      CHECK(order);
      CHECK(time_order);
    }
    previous = value;
  }

  check_boundaries<C>();
}
