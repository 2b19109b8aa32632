#include "core/monotonic.hpp"

#include "codec_checks.hpp"
#include "scru160/scru160.hpp"
#include "ulid/ulid.hpp"
#include "uuidv7/uuidv7.hpp"
#include "vectors.hpp"

using namespace ids;

namespace {

template <unsigned kBits, std::size_t N>
std::string sum(Bytes<N> value, std::uint64_t increment) {
  const Bytes<N> before = value;
  if (add_to_low_bits<kBits>(value, increment)) return to_hex(value);
  CHECK(value == before);
  return "used up";
}

// The difference of the lower 64 bits of a and b.
std::uint64_t difference(const Ulid::Value& a, const Ulid::Value& b) {
  return load_big_endian<std::uint64_t>(a.data() + 8) -
         load_big_endian<std::uint64_t>(b.data() + 8);
}

}  // namespace

TEST_CASE("monotonic: the sum stays within the low bits") {
  constexpr auto ulid = [](std::uint16_t upper, std::uint64_t lower) {
    return Ulid::make(0x123456789abc, upper, lower);
  };
  CHECK(sum<80>(ulid(0, 0), 1) == "123456789abc00000000000000000001");
  CHECK(sum<80>(ulid(0x7fff, UINT64_MAX), 1) == "123456789abc80000000000000000000");
  CHECK(sum<80>(ulid(0x00ff, UINT64_MAX), std::uint64_t{1} << 48) ==
        "123456789abc01000000ffffffffffff");
  CHECK(sum<80>(ulid(0xffff, UINT64_MAX - 1), 1) == "123456789abcffffffffffffffffffff");
  CHECK(sum<80>(ulid(0xffff, UINT64_MAX), 1) == "used up");
  CHECK(sum<80>(ulid(0xffff, 2), UINT64_MAX) == "used up");

  constexpr auto scru160 = [](std::uint16_t upper, std::uint64_t lower) {
    return Scru160::make(1, 0xffff, 0xffff, upper, lower);
  };
  CHECK(sum<80>(scru160(1, UINT64_MAX), 2) == "000000000001ffffffff00020000000000000001");
  CHECK(sum<80>(scru160(0xffff, UINT64_MAX), 1) == "used up");

  constexpr auto uuid = [](std::uint64_t counter, std::uint64_t random) {
    return UuidV7::make(1'000'999, counter, random);
  };
  CHECK(sum<62>(uuid(0, 0), 1) == "0000000003e87ffb8000000000000001");
  CHECK(sum<62>(uuid(0x1ff, UINT64_MAX), 1) == "0000000003e87ffba000000000000000");
  CHECK(sum<62>(uuid(0x3ff, UINT64_MAX - 1), 1) == "0000000003e87ffbbfffffffffffffff");
  CHECK(sum<62>(uuid(0x3ff, UINT64_MAX), 1) == "used up");
  CHECK(sum<62>(uuid(0, 0), std::uint64_t{1} << 62) == "used up");
  CHECK(sum<62>(uuid(0x3ff, UINT64_MAX), UINT64_MAX) == "used up");
}

TEST_CASE("monotonic: another unit of time begins with its first id even if it was used before") {
  MonotonicIds<Ulid::Value, 80> ids;
  const auto next = [&ids](std::int64_t ms, std::uint16_t upper) {
    CHECK(ids.next(
        ms, [=] { return Ulid::make(static_cast<std::uint64_t>(ms), upper, 0); },
        [] { return std::uint64_t{3}; }));
    return to_hex(ids.value());
  };
  CHECK(next(0, 7) == "00000000000000070000000000000000");
  CHECK(next(0, 1) == "00000000000000070000000000000003");
  CHECK(next(9, 1) == "00000000000900010000000000000000");
  CHECK(next(0, 1) == "00000000000000010000000000000000");
  CHECK(next(0, 9) == "00000000000000010000000000000003");
}

// The references' generators, given the random bits that they drew. The npm package keeps the
// previous time when the clock steps back; ms_out is the time that it used.
TEST_CASE("monotonic: every row of ulid_monotonic.tsv") {
  std::string scenario;
  MonotonicIds<Ulid::Value, 80> ids;
  int used_up = 0;
  for (const Row& row : read_vectors("ulid_monotonic.tsv")) {
    CAPTURE(row["id"]);
    if (row["result"] == "time_too_big") {
      CHECK(row.integer("ms_in") > Ulid::kMaxTime);
      continue;
    }
    if (row["scenario"] != scenario) ids = {};
    scenario = row["scenario"];
    const bool fits = row["result"] == "ok";
    const Ulid::Value expected = fits ? parse<Ulid>(row["text"]) : Ulid::last(Ulid::kMaxTime);
    const Ulid::Value before = ids.value();
    const auto first = [&] {
      const auto entropy = from_hex(row["entropy_hex"]);
      return Ulid::make(row.natural("ms_out"), load_big_endian<std::uint16_t>(entropy.data()),
                        load_big_endian<std::uint64_t>(entropy.data() + 2));
    };
    // The file does not say which increment oklog derived from its random bits.
    const auto increment = [&] {
      return row["entropy_hex"].empty() ? std::uint64_t{1} : difference(expected, before);
    };
    const bool same_unit = fits && Ulid::time(before) == row.integer("ms_out");
    CHECK(ids.next(row.integer(fits ? "ms_out" : "ms_in"), first, increment) == fits);
    if (fits) {
      CHECK(format<Ulid>(ids.value()) == row["text"]);
      if (same_unit) CHECK(before < ids.value());
    } else {
      CHECK(ids.value() == before);
      ++used_up;
    }
  }
  CHECK(used_up > 0);
}
