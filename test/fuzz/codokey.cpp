// The input: a context of three big-endian integers, then a key, of which the first bytes are also
// taken as a time.
#include "codokey/codokey.hpp"

#include <optional>

#include "fuzz.hpp"

namespace {

using namespace ids;
using namespace ids::codokey;

constexpr std::size_t kContextSize = 12;

std::int32_t integer(std::span<const std::uint8_t> input, std::size_t from) {
  return static_cast<std::int32_t>(load_big_endian<std::uint32_t>(input.data() + from));
}

std::string encode(const Context& context, Instant instant, Unit unit) {
  char key[Context::kMaxKeySize];
  const EncodeResult result = context.encode(instant, unit, key);
  return {key, result.size};  // an error has size 0
}

std::optional<Period> decode(const Context& context, std::string_view key) {
  // Characters as UTF-8 counts them.
  const auto characters =
      static_cast<std::size_t>(std::count_if(key.begin(), key.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
      }));
  const Period untouched{Unit::split, {-1, 1}, {-2, 2}};
  Period period = untouched;
  const DecodeResult result = context.decode(key, characters, period);
  if (result.error == ParseError::none) return period;
  check_error(key, result);
  REQUIRE(period == untouched);
  if (result.error == ParseError::range)
    REQUIRE(result.position + context.size_of(result.group) <= key.size());
  return std::nullopt;
}

bool before(Instant a, Instant b) {
  return a.unix_s != b.unix_s ? a.unix_s < b.unix_s : a.nanos < b.nanos;
}

// The key stands for all of its period and no more, and a later key sorts before it.
void check_key(const Context& context, std::string_view key, const Period& period) {
  REQUIRE(before(period.first, period.next));
  REQUIRE(period.first.nanos < kNanosPerSecond && period.next.nanos < kNanosPerSecond);
  REQUIRE(lower(key) == encode(context, period.first, period.unit));
  const Instant last = period.next.nanos > 0 ? Instant{period.next.unix_s, period.next.nanos - 1}
                                             : Instant{period.next.unix_s - 1, kNanosPerSecond - 1};
  REQUIRE(lower(key) == encode(context, last, period.unit));
  REQUIRE(encode(context, period.next, period.unit) < lower(key));
}

// Any time of PostgreSQL has a key of every unit that decodes to a period with that time in it, or
// is outside the context's years.
void check_time(const Context& context, std::span<const std::uint8_t> input) {
  if (input.size() < 12) return;
  const auto time = static_cast<std::int64_t>(load_big_endian<std::uint64_t>(input.data()));
  const auto nanos = static_cast<std::uint32_t>(integer(input, 8)) % 1'000'000'000;
  const Instant instant{time >> 15, nanos};
  for (std::size_t i = 0; i < kUnits; ++i) {
    const auto unit = static_cast<Unit>(i);
    const std::string key = encode(context, instant, unit);
    const std::int64_t year = date_from_days(floor_divide(instant.unix_s, kSecondsPerDay)).year;
    REQUIRE(key.empty() == (year < context.since_year || year > context.until_year));
    if (key.empty()) continue;
    REQUIRE(key.size() == context.key_size(unit));
    const std::optional<Period> period = decode(context, key);
    REQUIRE(period && period->unit == unit);
    REQUIRE(!before(instant, period->first) && before(instant, period->next));
    check_key(context, key, *period);
  }
}

}  // namespace

void ids::fuzz(std::span<const std::uint8_t> input) {
  if (input.size() < kContextSize) return;
  const Context context{integer(input, 0), integer(input, 4), integer(input, 8)};
  if (context.check() != ContextError::none) return;
  const auto rest = input.subspan(kContextSize);
  const std::string_view key = as_text(rest);
  if (const std::optional<Period> period = decode(context, key)) check_key(context, key, *period);
  check_time(context, rest);
}
