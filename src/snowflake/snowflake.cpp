#include "snowflake/snowflake.hpp"

#include <charconv>
#include <cstring>

#include "generator/generator.hpp"
#include "generator/node_id.hpp"
#include "type/fixed_type.hpp"

using namespace ids;

// The HINT about a number that is no snowflake.
static constexpr char kOtherSnowflakes[] =
    "A snowflake of Twitter or Discord has another format: keep it as bigint.";

// A number, or a name of the first layout. Ids of Twitter have 17 to 19 digits.
template <>
const char* ids::hint_for<Snowflake>(std::string_view text, std::string_view digits) {
  const bool negative = text.starts_with('-');
  std::uint64_t number = 0;
  if (text.substr(negative) != digits) return nullptr;
  if (read_digits(kDecimalDigits, digits, UINT64_MAX, number) != ParseResult{})
    return text.size() == 8 ? "A name of 8 digits may have the first layout: see \"From names of "
                              "devices\" in doc/migration.md of extension \"ids\"."
                            : nullptr;
  if (negative)
    return number > 0 && number <= Snowflake::kPrefix
               ? "To read a number, cast it: '-%s'::bigint::pg_catalog.snowflake."
               : nullptr;
  if (number >= Snowflake::kPrefix)
    return "To read a number, cast it: '%s'::numeric::pg_catalog.snowflake.";
  return digits.size() < 17 ? nullptr : kOtherSnowflakes;
}

IDS_TYPE(snowflake, Snowflake)

namespace {

using Type = FixedType<Snowflake>;

// The tick is the time and the increment, which runs on across milliseconds. After increment 1023
// the tick carries into the next millisecond, so that no id follows a greater one of its
// millisecond.
struct Spec : CodecSpec<Snowflake> {
  static constexpr TickLayout kLayout{.shift = Snowflake::kIncrementBits};
  static constexpr std::uint32_t kColumn = 5;
  static constexpr bool kWaits = true;
  static std::uint64_t fresh(std::uint64_t previous) { return kLayout.counter(previous + 1); }
};

// The random bits of new ids stand above the increment. If each id had its own random bits, new
// keys would go to all pages of an index that hold their millisecond, and an index would be 1.4
// times as large. So all ids of a millisecond have the same random bits, which nobody can predict.
Datum make(std::uint64_t unix_ms, std::uint32_t random, std::uint64_t increment) {
  const int node = node_id(Snowflake::kName, Snowflake::kMaxRandom);
  return Type::put(Snowflake::make(unix_ms, node < 0 ? random : static_cast<std::uint32_t>(node),
                                   static_cast<std::uint32_t>(increment)));
}

// Raises 22003 for a number that is not a snowflake.
[[noreturn]] void out_of_range(const char* number, bool is_bigint, const char* detail) {
  ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                  errmsg("value %s is out of range for type snowflake", number),
                  errdetail("%s", detail), is_bigint ? errhint("%s", kOtherSnowflakes) : 0));
}

}  // namespace

// gen_snowflake() -> snowflake
IDS_FUNCTION(gen_snowflake) {
  const std::uint64_t tick = Generator<Spec>::next();
  const std::uint64_t unix_ms = Spec::kLayout.time(tick);
  return make(unix_ms, keyed_hash(unix_ms) & Snowflake::kMaxRandom, Spec::kLayout.counter(tick));
}

// snowflake_settled() -> snowflake
IDS_FUNCTION(snowflake_settled) {
  const std::uint64_t unix_ms = Generator<Spec>::first_unsettled_time();
  return Type::put(Snowflake::make(Max(unix_ms, Snowflake::kMinTime), 0, 0));
}

// gen_snowflake(at timestamptz) -> snowflake
IDS_FUNCTION(gen_snowflake_at) {
  const std::int64_t time = Type::time_argument(PG_GETARG_TIMESTAMPTZ(0));
  const std::uint64_t count = Generator<Spec>::next_backfilled();
  return make(
      static_cast<std::uint64_t>(time),
      static_cast<std::uint32_t>(count >> Snowflake::kIncrementBits) & Snowflake::kMaxRandom,
      count & Snowflake::kMaxIncrement);
}

// snowflake_parts(snowflake) -> (at timestamptz, random int, increment int)
IDS_FUNCTION(snowflake_parts) {
  const Snowflake::Value value = Type::get(PG_GETARG_DATUM(0));
  return row_datum(
      fcinfo, {TimestampTzGetDatum(Type::timestamp(value)), Int32GetDatum(Snowflake::random(value)),
               Int32GetDatum(Snowflake::increment(value))});
}

// snowflake_from_parts(at timestamptz, random int, increment int) -> snowflake
IDS_FUNCTION(snowflake_from_parts) {
  const std::uint64_t time = Type::time_field(PG_GETARG_TIMESTAMPTZ(0));
  const std::uint32_t random =
      Type::number_field("random", PG_GETARG_INT32(1), Snowflake::kMaxRandom);
  const std::uint32_t increment =
      Type::number_field("increment", PG_GETARG_INT32(2), Snowflake::kMaxIncrement);
  return Type::put(Snowflake::make(time, random, increment));
}

// snowflake_name(snowflake) -> text
IDS_FUNCTION(snowflake_name) {
  char name[Snowflake::kTextSize];
  Snowflake::format_name(Type::get(PG_GETARG_DATUM(0)), name);
  return text_datum({name, sizeof name});
}

// snowflake_from_bigint(bigint) -> snowflake
IDS_FUNCTION(snowflake_from_bigint) {
  const std::int64_t number = PG_GETARG_INT64(0);
  if (number >= 0)
    out_of_range(psprintf("%lld", static_cast<long long>(number)), true,
                 "The first bit of a snowflake is always set, so it is negative as a bigint.");
  PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

// snowflake_from_numeric(numeric) -> snowflake
IDS_FUNCTION(snowflake_from_numeric) {
  const char* digits = numeric_normalize(PG_GETARG_NUMERIC(0));
  const char* end = digits + std::strlen(digits);
  std::uint64_t number = 0;
  const auto [read, error] = std::from_chars(digits, end, number);
  if (error != std::errc{} || read != end || !Snowflake::valid(Snowflake::from_number(number)))
    out_of_range(digits, error == std::errc{} && read == end,
                 "As a numeric, a snowflake is an integer from 9223372036854775808 (2^63) to "
                 "18446744073709551615.");
  return Type::put(Snowflake::from_number(number));
}

// ids_base62_encode(bigint, upper_first boolean) -> text
IDS_FUNCTION(ids_base62_encode) {
  char digits[Snowflake::kTextSize];
  const auto number = static_cast<std::uint64_t>(PG_GETARG_INT64(0));
  return text_datum({digits, write_digits(base62(PG_GETARG_BOOL(1)), number, digits)});
}

// ids_base62_decode(text, upper_first boolean) -> bigint
IDS_FUNCTION(ids_base62_decode) {
  const std::string_view digits = text_view(PG_GETARG_TEXT_PP(0));
  std::uint64_t number;
  const ParseResult result = read_digits(base62(PG_GETARG_BOOL(1)), digits, UINT64_MAX, number);
  if (result.error != ParseError::none)
    invalid_digits("base 62 number", digits, result, 62, Snowflake::kTextSize, 64, "");
  PG_RETURN_INT64(static_cast<std::int64_t>(number));
}
