#include "scru160/scru160.hpp"

#include "core/monotonic.hpp"
#include "generator/generator.hpp"
#include "generator/node_id.hpp"
#include "type/fixed_type.hpp"

using namespace ids;

IDS_TYPE(scru160, Scru160)

namespace {

using Type = FixedType<Scru160>;

// The tick is the scru160's first 64 bits: the time and the counter.
struct Spec : CodecSpec<Scru160> {
  static constexpr TickLayout kLayout{.shift = 16};
  static constexpr std::int64_t kMinTime = Scru160::kMinGenerateTime;
  static constexpr std::int64_t kMaxTime = Scru160::kMaxGenerateTime;
  static constexpr std::uint32_t kColumn = 2;
  static std::uint64_t first64(std::uint64_t tick) { return tick; }
  static std::uint64_t fresh(std::uint64_t) { return random_bits<15>(); }
};

// The tick is the time in microseconds and a counter of 6 bits. The microsecond within the
// millisecond and the counter share the counter field.
struct MicrosecondSpec : CodecSpec<Scru160, 1> {
  static constexpr char kName[] = "scru160_us";
  static constexpr TickLayout kLayout{.shift = 6};
  static constexpr std::uint32_t kColumn = 3;
  static constexpr std::int64_t kMinTime = Scru160::kMinGenerateTime * 1000;
  static constexpr std::int64_t kMaxTime = Scru160::kMaxGenerateTime * 1000 + 999;
  static std::uint64_t fresh(std::uint64_t) { return 0; }
  static std::uint64_t first64(std::uint64_t tick) {
    const std::uint64_t unix_us = kLayout.time(tick);
    return unix_us / 1000 << 16 | unix_us % 1000 << kLayout.shift | kLayout.counter(tick);
  }
};

// The counter has 32 bits; in new ids its lower half is random. That half is random16, or follows
// the node id, which replaces random16. All bits after it are random.
Datum make(std::uint64_t unix_ms, std::uint64_t counter) {
  const int node = node_id(Scru160::kName, UINT16_MAX);
  const auto upper = static_cast<std::uint16_t>(counter >> 16);
  const auto lower = static_cast<std::uint16_t>(counter);
  const std::uint64_t random64 = random_bits<64>();
  return Type::put(
      node < 0 ? Scru160::make(unix_ms, upper, lower, random_bits<16>(), random64)
               : Scru160::make(unix_ms, upper, static_cast<std::uint16_t>(node), lower, random64));
}

template <class S>
Datum generate() {
  const std::uint64_t first64 = S::first64(Generator<S>::next());
  return make(first64 >> 16, first64 << 16 | random_bits<16>());
}

template <class S>
Datum settled() {
  const std::uint64_t first64 = S::first64(Generator<S>::first_unsettled());
  return Type::put(Scru160::make(first64 >> 16, static_cast<std::uint16_t>(first64), 0, 0, 0));
}

// The counter of ids of given times.
MonotonicNumbers<32> backfilled;

}  // namespace

// gen_scru160() -> scru160
IDS_FUNCTION(gen_scru160) { return generate<Spec>(); }

// gen_scru160_us() -> scru160
IDS_FUNCTION(gen_scru160_us) { return generate<MicrosecondSpec>(); }

// scru160_settled() -> scru160
IDS_FUNCTION(scru160_settled) { return settled<Spec>(); }

// scru160_us_settled() -> scru160
IDS_FUNCTION(scru160_us_settled) { return settled<MicrosecondSpec>(); }

// gen_scru160(at timestamptz) -> scru160
IDS_FUNCTION(gen_scru160_at) {
  const std::int64_t time = Type::time_argument(PG_GETARG_TIMESTAMPTZ(0), Spec::kMinTime,
                                                Spec::kMaxTime, Scru160::kGenerateTimeRange);
  const auto first = [] { return random_bits<31>(); };
  if (!backfilled.next(time, first, [] { return 0; })) time_used_up(Scru160::kName);
  return make(static_cast<std::uint64_t>(time), backfilled.number());
}

// scru160_from_parts(at timestamptz, counter int, random16 int, random80 bytea) -> scru160
IDS_FUNCTION(scru160_from_parts) {
  const std::uint64_t time = Type::time_field(PG_GETARG_TIMESTAMPTZ(0));
  const std::uint32_t counter = Type::number_field("counter", PG_GETARG_INT32(1), UINT16_MAX);
  const std::uint32_t random16 = Type::number_field("random16", PG_GETARG_INT32(2), UINT16_MAX);
  const auto random80 = Type::bytes_field<10>("random80", PG_GETARG_BYTEA_PP(3));
  return Type::put(Scru160::make(time, static_cast<std::uint16_t>(counter),
                                 static_cast<std::uint16_t>(random16),
                                 load_big_endian<std::uint16_t>(random80.data()),
                                 load_big_endian<std::uint64_t>(random80.data() + 2)));
}

// scru160_parts(scru160) -> (at timestamptz, counter int, random16 int, random80 bytea)
IDS_FUNCTION(scru160_parts) {
  const Scru160::Value value = Type::get(PG_GETARG_DATUM(0));
  return row_datum(
      fcinfo, {TimestampTzGetDatum(Type::timestamp(value)), Int32GetDatum(Scru160::counter(value)),
               Int32GetDatum(Scru160::random16(value)), bytea_datum(value.data() + 10, 10)});
}
