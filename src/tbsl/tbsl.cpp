#include "tbsl/tbsl.hpp"

#include "generator/generator.hpp"
#include "generator/node_id.hpp"
#include "type/fixed_type.hpp"

using namespace ids;

// An id in lower case.
template <>
const char* ids::hint_for<Tbsl>(std::string_view, std::string_view digits) {
  Uint128 number = 0;
  const bool is_id = digits.size() == Tbsl::kTextSize &&
                     parse_digits(kHexDigits, digits, ~Uint128{0}, number) == ParseResult{} &&
                     Tbsl::valid(bytes_of_number<Tbsl::kSize>(number));
  return is_id ? "Only upper case is canonical: use upper('%s')." : nullptr;
}

IDS_TYPE(tbsl, Tbsl)
IDS_TYPE_FUNCTION(tbsl, FixedType<Tbsl>, to_base)
IDS_TYPE_FUNCTION(tbsl, FixedType<Tbsl>, from_base)

namespace {

using Type = FixedType<Tbsl>;

// The tick is the time in microseconds and a counter of 10 bits.
struct Spec : CodecSpec<Tbsl> {
  static constexpr TickLayout kLayout{.shift = Tbsl::kCounterBits};
  static constexpr std::uint32_t kColumn = 4;
  static std::uint64_t fresh(std::uint64_t) { return 0; }
};

std::uint32_t node_machine_id() {
  return static_cast<std::uint32_t>(Max(node_id(Tbsl::kName, Tbsl::kMaxMachine), 0));
}

// The tick is first: a generator whose machine id is an error counts as used, so is monitored.
Datum generate(std::int32_t machine_id, bool sequenced) {
  const std::uint64_t tick = Generator<Spec>::next();
  const std::uint64_t unix_us = Spec::kLayout.time(tick);
  const auto counter = static_cast<std::uint32_t>(Spec::kLayout.counter(tick));
  const std::uint32_t suffix = sequenced ? Tbsl::sequenced_suffix(counter)
                                         : Tbsl::random_suffix(counter, keyed_hash(unix_us));
  return Type::put(Tbsl::make(
      unix_us, machine_id < 0 ? node_machine_id() : static_cast<std::uint32_t>(machine_id),
      suffix));
}

}  // namespace

// gen_tbsl() -> tbsl
IDS_FUNCTION(gen_tbsl) { return generate(-1, false); }

// tbsl_settled() -> tbsl
IDS_FUNCTION(tbsl_settled) {
  return Type::put(Tbsl::make(Generator<Spec>::first_unsettled_time(), 0, 0));
}

// gen_tbsl_machine(machine_id int, sequenced boolean) -> tbsl
IDS_FUNCTION(gen_tbsl_machine) {
  const std::int32_t machine_id = PG_GETARG_INT32(0);
  if (machine_id < -1 || machine_id > std::int32_t{Tbsl::kMaxMachine})
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("value %d of argument \"machine_id\" is out of range for type tbsl",
                           machine_id),
                    errdetail("Valid values are between 0 and %d; -1 stands for ids.node_id.",
                              Tbsl::kMaxMachine)));
  return generate(machine_id, PG_GETARG_BOOL(1));
}

// gen_tbsl(at timestamptz) -> tbsl
IDS_FUNCTION(gen_tbsl_at) {
  const std::int64_t time = Type::time_argument(PG_GETARG_TIMESTAMPTZ(0));
  const std::uint64_t suffix = Generator<Spec>::next_backfilled() & Tbsl::kMaxSuffix;
  return Type::put(Tbsl::make(static_cast<std::uint64_t>(time), node_machine_id(),
                              static_cast<std::uint32_t>(suffix)));
}

// tbsl_parts(tbsl) -> (at timestamptz, machine_id int, suffix int)
IDS_FUNCTION(tbsl_parts) {
  const Tbsl::Value value = Type::get(PG_GETARG_DATUM(0));
  return row_datum(
      fcinfo, {TimestampTzGetDatum(Type::timestamp(value)), Int32GetDatum(Tbsl::machine_id(value)),
               Int32GetDatum(Tbsl::suffix(value))});
}

// tbsl_from_parts(at timestamptz, machine_id int, suffix int) -> tbsl
IDS_FUNCTION(tbsl_from_parts) {
  const std::uint64_t time = Type::time_field(PG_GETARG_TIMESTAMPTZ(0));
  const std::uint32_t machine_id =
      Type::number_field("machine_id", PG_GETARG_INT32(1), Tbsl::kMaxMachine);
  const std::uint32_t suffix = Type::number_field("suffix", PG_GETARG_INT32(2), Tbsl::kMaxSuffix);
  return Type::put(Tbsl::make(time, machine_id, suffix));
}
