#include "core/monotonic.hpp"

#include <optional>

#include "codec_checks.hpp"
#include "ulid/ulid.hpp"
#include "vectors.hpp"

using namespace ids;

namespace {

// The number that follows first if some are skipped, or nothing if there is none.
template <unsigned kBits>
std::optional<Uint128> after(Uint128 first, Uint128 skipped) {
  using Number = typename MonotonicNumbers<kBits>::Number;
  MonotonicNumbers<kBits> numbers;
  const auto next = [&] {
    return numbers.next(
        0, [=] { return static_cast<Number>(first); },
        [=] { return static_cast<Number>(skipped); });
  };
  CHECK(next());
  CHECK((numbers.number() == first));
  if (next()) return numbers.number();
  CHECK((numbers.number() == first));
  return {};
}

// The randomness of a ulid as a number.
Uint128 randomness(const Ulid::Value& value) {
  return Uint128{load_big_endian<std::uint16_t>(value.data() + 6)} << 64 |
         load_big_endian<std::uint64_t>(value.data() + 8);
}

}  // namespace

TEST_CASE("monotonic: a number stays within its bits") {
  constexpr Uint128 kMax80 = (Uint128{1} << 80) - 1;
  constexpr std::uint64_t kMax62 = (std::uint64_t{1} << 62) - 1;
  CHECK((after<80>(0, 0) == 1));
  CHECK((after<80>(UINT64_MAX, 0) == Uint128{1} << 64));
  CHECK((after<80>(kMax80 - 1, 0) == kMax80));
  CHECK((after<80>(kMax80 - 1, 1) == std::nullopt));
  CHECK((after<80>(kMax80, 0) == std::nullopt));
  CHECK((after<80>(kMax80 - 5, UINT64_MAX) == std::nullopt));
  CHECK((after<62>(kMax62 - 1, 0) == kMax62));
  CHECK((after<62>(kMax62, 0) == std::nullopt));
  CHECK((after<62>(0, kMax62) == std::nullopt));
  CHECK((after<62>(kMax62, UINT64_MAX) == std::nullopt));
  CHECK((after<32>(UINT32_MAX - 1, 0) == UINT32_MAX));
  CHECK((after<32>(UINT32_MAX, 0) == std::nullopt));
}

TEST_CASE(
    "monotonic: another unit of time begins with its first number even if it was used before") {
  MonotonicNumbers<80> numbers;
  const auto next = [&numbers](std::int64_t unit, std::uint64_t first) {
    CHECK(numbers.next(
        unit, [=] { return first; }, [] { return 2; }));
    return static_cast<std::uint64_t>(numbers.number());
  };
  CHECK(next(0, 7) == 7);
  CHECK(next(0, 1) == 10);
  CHECK(next(9, 1) == 1);
  CHECK(next(0, 1) == 1);
  CHECK(next(0, 9) == 4);
}

// The references' generators, given the random bits that they drew. The npm package keeps the
// previous time when the clock steps back; ms_out is the time that it used.
TEST_CASE("monotonic: every row of ulid_monotonic.tsv") {
  std::string scenario;
  MonotonicNumbers<80> numbers;
  int used_up = 0;
  for (const Row& row : read_vectors("ulid_monotonic.tsv")) {
    CAPTURE(row["id"]);
    if (row["result"] == "time_too_big") {
      CHECK(row.integer("ms_in") > Ulid::kMaxTime);
      continue;
    }
    if (row["scenario"] != scenario) numbers = {};
    scenario = row["scenario"];
    const bool fits = row["result"] == "ok";
    const Uint128 expected = fits ? randomness(parse<Ulid>(row["text"])) : 0;
    const Uint128 before = numbers.number();
    const auto first = [&] {
      Ulid::Value value{};
      std::ranges::copy(from_hex(row["entropy_hex"]), value.begin() + 6);
      return randomness(value);
    };
    // The file does not say which increment oklog derived from its random bits.
    const auto skip = [&] {
      return !fits || row["entropy_hex"].empty() ? Uint128{0} : expected - before - 1;
    };
    CHECK(numbers.next(row.integer(fits ? "ms_out" : "ms_in"), first, skip) == fits);
    if (fits) {
      CHECK((numbers.number() == expected));
    } else {
      CHECK((numbers.number() == before));
      ++used_up;
    }
  }
  CHECK(used_up > 0);
}
