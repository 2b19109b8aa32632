#include "ulid/ulid.hpp"

#include "codec_checks.hpp"
#include "vectors.hpp"

using namespace ids;

TEST_CASE("ulid: text and order and times and boundaries") { check_codec<Ulid>(); }

TEST_CASE("ulid: every row of ulid_encode.tsv") {
  for (const Row& row : read_vectors("ulid_encode.tsv")) {
    CAPTURE(row["id"]);
    if (row.field("error")) {
      // A time that needs more than 48 bits: such a value cannot be written, and boundaries
      // saturate there.
      if (row["error"] == "time_negative") CHECK(row.integer("unix_ms") < Ulid::kMinTime);
      if (row["error"] == "time_too_big") CHECK(row.natural("unix_ms") > Ulid::kMaxTime);
      continue;
    }
    const auto entropy = from_hex(row["entropy_hex"]);
    const auto value =
        Ulid::make(row.natural("unix_ms"), load_big_endian<std::uint16_t>(entropy.data()),
                   load_big_endian<std::uint64_t>(entropy.data() + 2));
    CHECK(to_hex(value) == row["bytes_hex"]);
    CHECK(format<Ulid>(value) == row["text"]);
    CHECK(parse<Ulid>(row["text"]) == value);
    CHECK(Ulid::time(value) == row.integer("unix_ms"));
  }
}

// The numbers are those of the npm package base-x 4.0.1.
TEST_CASE("ulid: every row of ulid_base.tsv") {
  for (const Row& row : read_vectors("ulid_base.tsv")) {
    CAPTURE(row["id"], row["base"], row["encoded"]);
    Ulid::Value expected{};
    if (row.field("hex")) std::ranges::copy(from_hex(row["hex"]), expected.begin());
    check_base_row<Ulid>(row, expected);
  }
}

TEST_CASE("ulid: numbers in bases 58 and 62, without leading zeros, and back") {
  std::mt19937_64 random(20261102);
  for (int i = 0; i < 1000; ++i) {
    const auto value =
        i % 2 ? random_value<Ulid>(random) : Ulid::make(0, 0, random() >> i / 2 % 64);
    for (const int base : {58, 62}) {
      CAPTURE(base, format<Ulid>(value));
      const std::string digits = to_base<Ulid>(value, base);
      CHECK((digits.size() == 1 || digits[0] != (base == 58 ? '1' : '0')));
      Ulid::Value same{};
      CHECK(InBases<Ulid>::read(digits, base, same) == ParseResult{});
      CHECK(same == value);
    }
  }
}

TEST_CASE("ulid: every row of ulid_parse.tsv") {
  for (const Row& row : read_vectors("ulid_parse.tsv")) {
    CAPTURE(row["id"], row["input"]);
    Ulid::Value value{};
    const ParseResult result = parse_input<Ulid>(row["input"], value);
    if (row["expect"] == "ERROR") {
      CHECK(result.error != ParseError::none);
      CHECK(value == Ulid::Value{});
    } else {
      CHECK(result == ParseResult{});
      CHECK(to_hex(value) == row["expect"]);
    }
  }
}

TEST_CASE("ulid: every row of ulid_order.tsv") { check_order<Ulid>("ulid_order.tsv"); }

TEST_CASE("ulid: an error says what is wrong and where") {
  CHECK(parse_result<Ulid>("") == ParseResult{ParseError::length, 0});
  CHECK(parse_result<Ulid>("0000XSNJG0MQJHBF4QX1EFD6Y") == ParseResult{ParseError::length, 0});
  CHECK(parse_result<Ulid>("0000XSNJG0MQJHBF4QX1EFD6Y33") == ParseResult{ParseError::length, 0});
  CHECK(parse_result<Ulid>("8ZZZZZZZZZZZZZZZZZZZZZZZZZ") == ParseResult{ParseError::range, 0});
  CHECK(parse_result<Ulid>("zzzzzzzzzzzzzzzzzzzzzzzzzz") == ParseResult{ParseError::range, 0});
  // Also if the first digit is too great.
  check_bad_characters<Ulid>("IlOu", {std::string(26, '7'), std::string(26, 'Z')});
}

TEST_CASE("ulid: ends of the range") {
  CHECK(format<Ulid>(Ulid::first(Ulid::kMinTime)) == "00000000000000000000000000");
  CHECK(format<Ulid>(Ulid::last(Ulid::kMaxTime)) == "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
  CHECK(Ulid::kMaxTime == 281474976710655);
}
