#include "snowflake/snowflake.hpp"

#include "codec_checks.hpp"
#include "vectors.hpp"

using namespace ids;

namespace {

constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::string encode(std::uint64_t number, bool upper_first) {
  char digits[Snowflake::kTextSize];
  return std::string(digits, write_digits(base62(upper_first), number, digits));
}

std::string format_name(const Snowflake::Value& value) {
  std::string name(Snowflake::kTextSize, '?');
  Snowflake::format_name(value, std::span<char, Snowflake::kTextSize>(name.data(), name.size()));
  return name;
}

std::uint64_t decode(const std::string& text, bool upper_first) {
  std::uint64_t number = 0;
  INFO(text);
  REQUIRE(read_digits(base62(upper_first), text, UINT64_MAX, number) == ParseResult{});
  return number;
}

ParseResult decode_result(const std::string& text, bool upper_first = false) {
  std::uint64_t number = 7;
  const ParseResult result = read_digits(base62(upper_first), text, UINT64_MAX, number);
  if (result.error != ParseError::none) CHECK(number == 7);
  return result;
}

// The id of a row of snowflake.tsv, its fields and all its forms.
void check_row(const Row& row) {
  const auto random = static_cast<std::uint32_t>(row.natural("random12"));
  const auto increment = static_cast<std::uint32_t>(row.natural("increment10"));
  const auto value = Snowflake::make(row.natural("unix_ms"), random, increment);
  const std::uint64_t number = Snowflake::number(value);
  CHECK(number == row.natural("uint64"));
  CHECK(static_cast<std::int64_t>(number) == row.integer("int64"));
  CHECK(Snowflake::from_number(number) == value);
  CHECK(Snowflake::valid(value));
  CHECK(format<Snowflake>(value) == row["base62"]);
  CHECK(parse<Snowflake>(row["base62"]) == value);
  CHECK(encode(number, true) == row["base62_upper_first"]);
  CHECK(decode(row["base62_upper_first"], true) == number);
  CHECK(format_name(value) == row["base62_upper_first"]);
  CHECK(parse<Snowflake>(row["base62_upper_first"]) == value);
  CHECK(Snowflake::time(value) == row.integer("unix_ms"));
  CHECK(Snowflake::random(value) == random);
  CHECK(Snowflake::increment(value) == increment);
}

}  // namespace

TEST_CASE("snowflake: text and order and times and boundaries") { check_codec<Snowflake>(); }

TEST_CASE("snowflake: names of the other alphabet") {
  CHECK(format_name(Snowflake::first(Snowflake::kMinTime)) == "AzL8n0Y58m8");
  CHECK(format_name(Snowflake::last(Snowflake::kMaxTime)) == "LygHa16AHYF");
  // A thousand round trips. These names sort like the numbers; the specification's texts do not.
  std::mt19937_64 random(20261101);
  auto previous = Snowflake::first(Snowflake::kMinTime);
  for (int i = 0; i < 1000; ++i) {
    const auto value = random_value<Snowflake>(random);
    const std::string name = format_name(value);
    CAPTURE(name);
    CHECK(parse<Snowflake>(name) == value);
    CHECK(parse<Snowflake>(format<Snowflake>(value)) == value);
    CHECK((name < format_name(previous)) == (value < previous));
    previous = value;
  }
  // Numbers next to the range are not snowflakes: the error is at the digit that decides.
  CHECK(parse_result<Snowflake>("AzL8n0Y58m7") == ParseResult{ParseError::range, 10});
  CHECK(parse_result<Snowflake>("LygHa16AHYG") == ParseResult{ParseError::overflow, 10});
  CHECK(parse_result<Snowflake>("Application") == ParseResult{ParseError::range, 1});
  CHECK(parse_result<Snowflake>("A0000000000") == ParseResult{ParseError::range, 1});
  CHECK(parse_result<Snowflake>("M0000000000") == ParseResult{ParseError::overflow, 0});
}

TEST_CASE("snowflake: every row of snowflake.tsv") {
  for (const Row& row : read_vectors("snowflake.tsv")) {
    CAPTURE(row["id"]);
    if (!row.field("error")) {
      check_row(row);
      continue;
    }
    // make() must not get such fields.
    const auto outside = [&row](const char* field, std::int64_t min, std::int64_t max) {
      return row.integer(field) < min || row.integer(field) > max;
    };
    if (row["error"] == "timestamp_out_of_range") {
      CHECK(outside("unix_ms", Snowflake::kMinTime, Snowflake::kMaxTime));
    } else if (row["error"] == "random_out_of_range") {
      CHECK(outside("random12", 0, Snowflake::kMaxRandom));
    } else {
      CHECK(row["error"] == "increment_out_of_range");
      CHECK(outside("increment10", 0, Snowflake::kMaxIncrement));
    }
  }
}

TEST_CASE("snowflake: every row of snowflake_decode.tsv") {
  for (const Row& row : read_vectors("snowflake_decode.tsv")) {
    CAPTURE(row["id"], row["input"]);
    Snowflake::Value value{};
    const ParseResult result = parse_input<Snowflake>(row["input"], value);
    if (row["expect"] == "ok") {
      CHECK(result == ParseResult{});
      CHECK(Snowflake::number(value) == row.natural("uint64"));
      CHECK(static_cast<std::int64_t>(Snowflake::number(value)) == row.integer("int64"));
      CHECK(Snowflake::time(value) == row.integer("unix_ms"));
      CHECK(Snowflake::random(value) == row.natural("random12"));
      CHECK(Snowflake::increment(value) == row.natural("increment10"));
      const bool is_name = row["input"][0] <= 'L';
      CHECK((is_name ? format_name(value) : format<Snowflake>(value)) == row["input"]);
      continue;
    }
    CHECK(value == Snowflake::Value{});
    if (row["expect"] == "bad_length") {
      CHECK(result == ParseResult{ParseError::length, 0});
    } else if (row["expect"] == "bad_character") {
      CHECK(prefer_bad_character(row["input"], result) ==
            ParseResult{ParseError::digit, row["input"].find_first_not_of(kDigits)});
    } else if (row["expect"] == "overflow") {
      // A number over 64 bits in the specification's alphabet, which may be too small as a name.
      const bool small_name = row["input"][0] == 'A' && result.error == ParseError::range;
      CHECK((result.error == ParseError::overflow || small_name));
    } else {
      CHECK(row["expect"] == "prefix_not_set");
      CHECK(result.error == ParseError::range);
      CHECK(decode(row["input"], false) == row.natural("value_if_unchecked"));
    }
  }
}

TEST_CASE("snowflake: every row of snowflake_base62.tsv") {
  for (const Row& row : read_vectors("snowflake_base62.tsv")) {
    CAPTURE(row["id"]);
    const std::uint64_t number = row.natural("uint64");
    CHECK(encode(number, false) == row["base62"]);
    CHECK(encode(number, true) == row["base62_upper_first"]);
    CHECK(decode(row["base62"], false) == number);
    CHECK(decode(row["base62_upper_first"], true) == number);
  }
}

TEST_CASE("snowflake: an error says what is wrong and where") {
  CHECK(parse_result<Snowflake>("") == ParseResult{ParseError::length, 0});
  CHECK(parse_result<Snowflake>("aZl8N0y58M") == ParseResult{ParseError::length, 0});
  CHECK(parse_result<Snowflake>("0aZl8N0y58M8") == ParseResult{ParseError::length, 0});
  // Below the first, above the last and above 64 bits: the error is at the digit that decides.
  CHECK(parse_result<Snowflake>("aZl8N0y58M7") == ParseResult{ParseError::range, 10});
  CHECK(parse_result<Snowflake>("aZl7ZZZZZZZ") == ParseResult{ParseError::range, 3});
  CHECK(parse_result<Snowflake>("00000000000") == ParseResult{ParseError::range, 0});
  CHECK(parse_result<Snowflake>("lYGhA16ahyg") == ParseResult{ParseError::overflow, 10});
  CHECK(parse_result<Snowflake>("lYH00000000") == ParseResult{ParseError::overflow, 2});
  CHECK(parse_result<Snowflake>("ZZZZZZZZZZZ") == ParseResult{ParseError::overflow, 0});
  check_bad_characters<Snowflake>("", {"aZl8N0y58M8", "00000000000", "ZZZZZZZZZZZ"});
}

TEST_CASE("snowflake: ends of the range") {
  CHECK(format<Snowflake>(Snowflake::first(Snowflake::kMinTime)) == "aZl8N0y58M8");
  CHECK(format<Snowflake>(Snowflake::last(Snowflake::kMaxTime)) == "lYGhA16ahyf");
  CHECK(Snowflake::kMinTime == 1483228800000);
  CHECK(Snowflake::kMaxTime == 3682252055551);
  CHECK(Snowflake::valid(Snowflake::from_number(std::uint64_t{1} << 63)));
  CHECK_FALSE(Snowflake::valid(Snowflake::from_number(INT64_MAX)));
  CHECK_FALSE(Snowflake::valid(Snowflake::from_number(0)));
}

TEST_CASE("base 62: 1 to 11 digits of either alphabet") {
  CHECK(encode(71027147798529, false) == "katjjMQN");
  CHECK(encode(0, false) == "0");
  CHECK(encode(61, false) == "Z");
  CHECK(encode(61, true) == "z");
  CHECK(encode(62, false) == "10");
  CHECK(encode(UINT64_MAX, false) == "lYGhA16ahyf");
  CHECK(decode("00000000000", false) == 0);
  CHECK(decode("000katjjMQN", false) == 71027147798529);
  CHECK(decode_result("") == ParseResult{ParseError::length, 0});
  CHECK(decode_result("000000000000") == ParseResult{ParseError::length, 0});
  CHECK(decode_result("ka-jjMQ!") == ParseResult{ParseError::digit, 2});
  CHECK(decode_result("lYGhA16ahyg") == ParseResult{ParseError::overflow, 0});
  CHECK(decode_result("LygHa16AHYF", true) == ParseResult{});
  CHECK(decode_result("LygHa16AHYG", true) == ParseResult{ParseError::overflow, 0});
}
