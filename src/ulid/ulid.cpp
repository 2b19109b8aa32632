#include "ulid/ulid.hpp"

#include "core/monotonic.hpp"
#include "generator/generator.hpp"
#include "type/fixed_type.hpp"

using namespace ids;

// A uuid, in hexadecimal or base32hex.
template <>
const char* ids::hint_for<Ulid>(std::string_view, std::string_view digits) {
  Uint128 number = 0;
  const auto are_digits = [&](const auto& alphabet) {
    return parse_digits(alphabet, digits, ~number, number).error != ParseError::digit;
  };
  if (digits.size() == 2 * Ulid::kSize && are_digits(kHexDigits))
    return "To read a uuid, cast it: '%s'::uuid::pg_catalog.ulid.";
  if (digits.size() == Ulid::kTextSize && are_digits(kBase32hex))
    return "For a uuid in base32hex see \"Other forms\" in doc/migration.md of extension \"ids\".";
  return nullptr;
}

IDS_TYPE(ulid, Ulid)
IDS_TYPE_FUNCTION(ulid, FixedType<Ulid>, to_base)
IDS_TYPE_FUNCTION(ulid, FixedType<Ulid>, from_base)

namespace {

using Type = FixedType<Ulid>;

// The tick is the ulid's first 64 bits: the time and a counter in the upper 16 bits of randomness.
struct Spec : CodecSpec<Ulid> {
  static constexpr TickLayout kLayout{.shift = 16};
  static constexpr std::uint32_t kColumn = 0;
  static std::uint64_t fresh(std::uint64_t) { return random_bits<15>(); }
};

// The randomness. In the first id of a time its upper bit is clear, so there is room for 2^31
// increments of 48 bits.
MonotonicNumbers<80> backfilled;

Ulid::Value make(std::uint64_t tick, std::uint64_t random) {
  return Ulid::make(Spec::kLayout.time(tick), static_cast<std::uint16_t>(tick), random);
}

}  // namespace

// gen_ulid() -> ulid
IDS_FUNCTION(gen_ulid) { return Type::put(make(Generator<Spec>::next(), random_bits<64>())); }

// ulid_settled() -> ulid
IDS_FUNCTION(ulid_settled) { return Type::put(make(Generator<Spec>::first_unsettled(), 0)); }

// gen_ulid(at timestamptz) -> ulid
IDS_FUNCTION(gen_ulid_at) {
  const std::int64_t time = Type::time_argument(PG_GETARG_TIMESTAMPTZ(0));
  const auto first = [] { return Uint128{Spec::fresh(0)} << 64 | random_bits<64>(); };
  if (!backfilled.next(time, first, random_bits<48>)) time_used_up(Ulid::kName);
  const auto upper = static_cast<Uint128>(time) << 80;
  return Type::put(bytes_of_number<Ulid::kSize>(upper | backfilled.number()));
}

// ulid_from_parts(at timestamptz, randomness bytea) -> ulid
IDS_FUNCTION(ulid_from_parts) {
  const std::uint64_t time = Type::time_field(PG_GETARG_TIMESTAMPTZ(0));
  const auto randomness = Type::bytes_field<10>("randomness", PG_GETARG_BYTEA_PP(1));
  return Type::put(Ulid::make(time, load_big_endian<std::uint16_t>(randomness.data()),
                              load_big_endian<std::uint64_t>(randomness.data() + 2)));
}

// ulid_parts(ulid) -> (at timestamptz, randomness bytea)
IDS_FUNCTION(ulid_parts) {
  const Ulid::Value value = Type::get(PG_GETARG_DATUM(0));
  return row_datum(
      fcinfo, {TimestampTzGetDatum(Type::timestamp(value)), bytea_datum(value.data() + 6, 10)});
}
