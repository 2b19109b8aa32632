#include "scru160/scru160.hpp"

#include "codec_checks.hpp"
#include "vectors.hpp"

using namespace ids;

namespace {

// The value of the files' fields: random96 is random16 and random80.
Scru160::Value make(std::uint64_t unix_ms, std::uint64_t counter, const std::string& random96_hex) {
  const auto random = from_hex(random96_hex);
  REQUIRE(random.size() == 12);
  return Scru160::make(unix_ms, static_cast<std::uint16_t>(counter),
                       load_big_endian<std::uint16_t>(random.data()),
                       load_big_endian<std::uint16_t>(random.data() + 2),
                       load_big_endian<std::uint64_t>(random.data() + 4));
}

void check_texts(const Scru160::Value& value, const std::string& hex, const std::string& text) {
  CHECK(to_hex(value) == hex);
  CHECK(format<Scru160>(value) == text);
  CHECK(parse<Scru160>(hex) == value);
  CHECK(parse<Scru160>(text) == value);
}

}  // namespace

TEST_CASE("scru160: text and order and times and boundaries") { check_codec<Scru160>(); }

TEST_CASE("scru160: every row of scru160_encode.tsv") {
  for (const Row& row : read_vectors("scru160_encode.tsv")) {
    CAPTURE(row["id"]);
    const std::uint16_t random16 = static_cast<std::uint16_t>(row.natural("random16"));
    std::uint8_t random16_bytes[2];
    store_big_endian(random16_bytes, random16);
    const auto value = make(row.natural("unix_ms"), row.natural("counter"),
                            to_hex(random16_bytes) + row["random80_hex"]);
    check_texts(value, row["hex"], row["base32hex"]);
    const std::int64_t time = Scru160::time(value);
    CHECK(time == row.integer("unix_ms"));
    CHECK(Scru160::counter(value) == row.natural("counter"));
    CHECK(Scru160::random16(value) == random16);
    CHECK((time < Scru160::kMinGenerateTime || time > Scru160::kMaxGenerateTime) ==
          (row["reserved"] == "t"));
  }
}

TEST_CASE("scru160: every row of scru160_parse.tsv") {
  for (const Row& row : read_vectors("scru160_parse.tsv")) {
    CAPTURE(row["id"], row["input"]);
    Scru160::Value value{};
    const ParseResult result = parse_input<Scru160>(row["input"], value);
    if (!row.field("error")) {
      CHECK(result == ParseResult{});
      CHECK(to_hex(value) == row["expect_hex"]);
      CHECK(format<Scru160>(value) == row["expect_base32hex"]);
    } else {
      if (row["error"] == "bad_length")
        CHECK(result == ParseResult{ParseError::length, 0});
      else
        CHECK(result == ParseResult{ParseError::digit, row["input"].find_first_not_of(
                                                           row["input"].size() == Scru160::kHexSize
                                                               ? "0123456789abcdefABCDEF"
                                                               : "0123456789abcdefghijklmnopqrstuv"
                                                                 "ABCDEFGHIJKLMNOPQRSTUV")});
      CHECK(value == Scru160::Value{});
    }
  }
}

TEST_CASE("scru160: every row of scru160_order.tsv") { check_order<Scru160>("scru160_order.tsv"); }

TEST_CASE("scru160: an error says what is wrong and where") {
  for (const std::size_t length : {0, 1, 31, 33, 36, 39, 41, 64}) {
    CAPTURE(length);
    const std::string digits(length, '0');
    CHECK(parse_result<Scru160>(digits) == ParseResult{ParseError::length, 0});
    CHECK(parse_result<Scru160>(std::string(length, '?')) == ParseResult{ParseError::length, 0});
  }
  check_bad_characters<Scru160>("Wz", {std::string(32, 'F'), std::string(40, 'F')});
  // A digit of the other encoding.
  CHECK(parse_result<Scru160>("017bdf6431bb33750751eb63beb3c3f8c5969d8G") ==
        ParseResult{ParseError::digit, 39});
  CHECK(parse_result<Scru160>("V" + std::string(39, '0')) == ParseResult{ParseError::digit, 0});
}

TEST_CASE("scru160: ends of the range") {
  CHECK(format<Scru160>(Scru160::first(Scru160::kMinTime)) == std::string(32, '0'));
  CHECK(format<Scru160>(Scru160::last(Scru160::kMaxTime)) == std::string(32, 'V'));
  CHECK(Scru160::kMaxTime == 281474976710655);
  CHECK(Scru160::kMinGenerateTime == 1);
  CHECK(Scru160::kMaxGenerateTime == 281474976710654);
}
