#include "uuidv7/uuidv7.hpp"

#include "core/monotonic.hpp"
#include "generator/generator.hpp"
#include "planner/planner.hpp"
#include "type/timed_type.hpp"

using namespace ids;

// The type uuid is PostgreSQL's own; these functions work on its 16 bytes.
using Type = TimedType<UuidV7>;
IDS_TYPE_FUNCTION(uuidv7, Type, first)
IDS_TYPE_FUNCTION(uuidv7, Type, last)
IDS_TYPE_FUNCTION(uuidv7, Type, range_first)
IDS_TYPE_FUNCTION(uuidv7, Type, range_last)

namespace {

// The tick is the time in microseconds and a counter of 10 bits.
struct Spec : CodecSpec<UuidV7, 1> {
  static constexpr TickLayout kLayout{.shift = UuidV7::kCounterBits};
  static constexpr std::uint32_t kColumn = 1;
  static constexpr std::int64_t kMaxTime = UuidV7::kMaxGenerateUs;
  static std::uint64_t fresh(std::uint64_t) { return random_bits<UuidV7::kCounterBits - 1>(); }
};

// The counter and the random bits. In the first id of a time their upper bit is clear, so there is
// room for 2^29 increments of 32 bits.
MonotonicNumbers<UuidV7::kCounterBits + UuidV7::kRandomBits> backfilled;

CatalogObjects objects;
constexpr PlannedType kPlannedType{UuidV7::kName, UuidV7::kByValue, &objects, UUIDOID};

UuidV7::Value make(std::uint64_t tick, std::uint64_t random) {
  return UuidV7::make(Spec::kLayout.time(tick), Spec::kLayout.counter(tick), random);
}

}  // namespace

// gen_uuidv7() -> uuid
IDS_FUNCTION(gen_uuidv7) { return Type::put(make(Generator<Spec>::next(), random_bits<64>())); }

// uuidv7_settled() -> uuid
IDS_FUNCTION(uuidv7_settled) {
  const std::uint64_t tick = Generator<Spec>::first_unsettled();
  return Type::put(tick == 0 ? UuidV7::Value{} : make(tick, 0));
}

// gen_uuidv7(at timestamptz) -> uuid
IDS_FUNCTION(gen_uuidv7_at) {
  const TimestampTz at = PG_GETARG_TIMESTAMPTZ(0);
  Type::time_argument(at);
  const std::int64_t unix_us = unix_us_from_timestamptz(at);
  const auto first = [] { return random_bits<UuidV7::kCounterBits - 1 + UuidV7::kRandomBits>(); };
  if (!backfilled.next(unix_us, first, random_bits<32>)) time_used_up(UuidV7::kName);
  return Type::put(UuidV7::make(static_cast<std::uint64_t>(unix_us),
                                backfilled.number() >> UuidV7::kRandomBits, backfilled.number()));
}

// uuidv7_extract_timestamp(uuid) -> timestamptz, or NULL for another version
IDS_FUNCTION(uuidv7_extract_timestamp) {
  const UuidV7::Value value = Type::get(PG_GETARG_DATUM(0));
  if (!UuidV7::is_version_7(value)) PG_RETURN_NULL();
  PG_RETURN_TIMESTAMPTZ(Type::timestamp(value));
}

// uuidv7_within(uuid, tstzrange) -> boolean. It compares ids, not times, as the planner's form
// does: they differ for uuids of another version.
IDS_FUNCTION(uuidv7_within) {
  const UuidV7::Value id = Type::get(PG_GETARG_DATUM(0));
  const auto range = TimeRange<UuidV7>::argument(fcinfo, 1);
  PG_RETURN_BOOL(range.first_id() <= id && id <= range.last_id());
}

// uuidv7_support(internal) -> internal
IDS_FUNCTION(uuidv7_support) { return time_predicate_support(fcinfo, kPlannedType); }
