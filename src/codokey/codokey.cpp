#include "codokey/codokey.hpp"

#include "pg/datum.hpp"
#include "pg/postgres.hpp"
#include "type/error.hpp"

using namespace ids;
using namespace ids::codokey;

namespace {

constexpr std::int64_t kEpochDays = POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE;

[[noreturn]] void invalid_context(const Context& context, ContextError error) {
  // DETAIL and HINT of each ContextError.
  static constexpr const char* kMessages[][2] = {
      {},
      {"Argument \"since_year\" must not be before the year 0 (1 BC)."},
      {"Argument \"until_year\" must not be after %d."},
      {"Argument \"since_year\" must not be after \"until_year\".",
       "Give \"until_year\" as a year, such as 2069, not as a number of years."},
      {"Argument \"until_split\" must be 9, 99, 999 and so on up to 999999999.",
       "Use 9 for tenths of a second, 999 for milliseconds, 999999 for microseconds."}};
  const auto [detail, hint] = kMessages[static_cast<std::size_t>(error)];
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("invalid codokey context: since_year %d, until_year %d, until_split %d",
                         context.since_year, context.until_year, context.until_split),
                  errdetail(detail, kLastYear), hint ? errhint("%s", hint) : 0));
}

// The unit of that name: split, or a name that date_trunc reads, in any case.
Unit unit_argument(text* argument) {
  static constexpr int kFields[] = {DTK_YEAR, DTK_MONTH, DTK_DAY, DTK_HOUR, DTK_MINUTE, DTK_SECOND};
  const std::string_view view = text_view(argument);
  char* name = downcase_truncate_identifier(view.data(), static_cast<int>(view.size()), false);
  if (name == kUnitNames.back()) return Unit::split;
  int field;
  if (DecodeUnits(0, name, &field) == UNITS)
    for (std::size_t i = 0; i < std::size(kFields); ++i)
      if (kFields[i] == field) return static_cast<Unit>(i);
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("invalid codokey unit: \"%s\"", text_to_cstring(argument)),
                  errhint("Use year, month, day, hour, minute, second or split.")));
}

[[noreturn]] void time_out_of_range(const Context& context, bool before) {
  ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                  errmsg("time out of range for the codokey context"),
                  errdetail("The time is %s the context's years, %d to %d in UTC.",
                            before ? "before" : "after", context.since_year, context.until_year)));
}

int key_detail(const Context& context, std::string_view key, std::size_t characters,
               const DecodeResult& result) {
  if (result.error == ParseError::digit) return not_a_digit(key, result.position, "base 36 digit");
  if (result.error == ParseError::range) {
    char greatest[Context::kMaxKeySize];
    const std::size_t size = context.size_of(result.group);
    format_digits(kAlphabet, result.greatest, {greatest, size});
    return errdetail("The %s \"%.*s\" at position %d is out of range: the greatest is \"%.*s\".",
                     kUnitNames[static_cast<std::size_t>(result.group)].data(),
                     static_cast<int>(size), key.data() + result.position,
                     static_cast<int>(result.position) + 1, static_cast<int>(size), greatest);
  }
  std::size_t size[kUnits];
  for (std::size_t i = 0; i < kUnits; ++i) size[i] = context.key_size(static_cast<Unit>(i));
  return errdetail(
      "A key of this context has %zu, %zu, %zu, %zu, %zu, %zu or %zu characters, not %zu.", size[0],
      size[1], size[2], size[3], size[4], size[5], size[6], characters);
}

// Whether the text is a key of the context.
bool is_key(const Context& context, std::string_view text) {
  Period period;
  return context.decode(text, text.size(), period).error == ParseError::none;
}

// The hint about a text that begins with a key of a day or finer.
int key_hint(const Context& context, const char* text, std::string_view view) {
  std::size_t size = 0;
  while (size < view.size() && kAlphabet.value(view[size]) != kAlphabet.kNotADigit) ++size;
  if (size < context.key_size(Unit::day) || is_time(text) || !is_key(context, {view.data(), size}))
    return 0;
  return errhint("The text begins with a key: use left(key, %d).", static_cast<int>(size));
}

// Reports a key that the context refuses.
[[noreturn]] void invalid_key(const Context& context, const char* text, std::string_view view) {
  const auto characters =
      static_cast<std::size_t>(pg_mbstrlen_with_len(view.data(), static_cast<int>(view.size())));
  Period period;
  const DecodeResult result = context.decode(view, characters, period);
  ereport(ERROR,
          (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("invalid codokey: \"%s\"", text),
           key_detail(context, view, characters, result), key_hint(context, text, view)));
}

// The context in three arguments, from number first on: since_year, until_year and until_split.
Context context_arguments(FunctionCallInfo fcinfo, int first) {
  const Context context{PG_GETARG_INT32(first), PG_GETARG_INT32(first + 1),
                        PG_GETARG_INT32(first + 2)};
  const ContextError error = context.check();
  if (unlikely(error != ContextError::none)) invalid_context(context, error);
  return context;
}

// The key of an instant. Argument number first is the unit; the context's arguments follow it.
Datum encode(FunctionCallInfo fcinfo, int first, Instant instant) {
  const Unit unit = unit_argument(PG_GETARG_TEXT_PP(first));
  const Context context = context_arguments(fcinfo, first + 1);

  auto* result = static_cast<text*>(palloc(VARHDRSZ + Context::kMaxKeySize));
  const EncodeResult encoded = context.encode(
      instant, unit, std::span<char, Context::kMaxKeySize>(VARDATA(result), Context::kMaxKeySize));
  if (unlikely(encoded.error != EncodeResult::Error::none))
    time_out_of_range(context, encoded.error == EncodeResult::Error::before_since);
  SET_VARSIZE(result, VARHDRSZ + encoded.size);
  PG_RETURN_TEXT_P(result);
}

// The period that a key stands for: argument number 0, before the context's arguments.
Period decode(FunctionCallInfo fcinfo) {
  text* key = PG_GETARG_TEXT_PP(0);
  const Context context = context_arguments(fcinfo, 1);
  const std::string_view view = text_view(key);
  Period period;
  if (unlikely(context.decode(view, view.size(), period).error != ParseError::none))
    invalid_key(context, text_to_cstring(key), view);
  return period;
}

// Converts seconds and microseconds apart, because the microseconds since 1970 of some timestamps
// do not fit into 64 bits. Infinite timestamps become years that no context has.
Instant instant_from_timestamp(Timestamp timestamp) {
  const std::int64_t micros = timestamp % USECS_PER_SEC;
  return {floor_divide(timestamp, USECS_PER_SEC) + kEpochDays * kSecondsPerDay,
          static_cast<std::uint32_t>((micros < 0 ? micros + USECS_PER_SEC : micros) * 1000)};
}

// The microsecond that an instant is in.
TimestampTz timestamptz_from_instant(Instant instant) {
  return (instant.unix_s - kEpochDays * kSecondsPerDay) * USECS_PER_SEC + instant.nanos / 1000;
}

}  // namespace

// codokey(at timestamptz, unit text, since_year int, until_year int, until_split int) -> text
IDS_FUNCTION(codokey) {
  return encode(fcinfo, 1, instant_from_timestamp(PG_GETARG_TIMESTAMPTZ(0)));
}

// codokey(at timestamp, unit text, since_year int, until_year int, until_split int) -> text
IDS_FUNCTION(codokey_timestamp) {
  return encode(fcinfo, 1, instant_from_timestamp(PG_GETARG_TIMESTAMP(0)));
}

// codokey(at date, unit text, since_year int, until_year int, until_split int) -> text
IDS_FUNCTION(codokey_date) {
  return encode(fcinfo, 1, {(PG_GETARG_DATEADT(0) + kEpochDays) * kSecondsPerDay});
}

// gen_codokey(unit text, since_year int, until_year int, until_split int) -> text
IDS_FUNCTION(gen_codokey) {
  return encode(fcinfo, 0, instant_from_timestamp(GetCurrentTimestamp()));
}

// codokey_extract_timestamp(key text, since_year int, until_year int, until_split int)
// -> timestamptz
IDS_FUNCTION(codokey_extract_timestamp) {
  PG_RETURN_TIMESTAMPTZ(timestamptz_from_instant(decode(fcinfo).first));
}

// codokey_range(key text, since_year int, until_year int, until_split int) -> tstzrange
IDS_FUNCTION(codokey_range) {
  const Period period = decode(fcinfo);
  // Rounded outwards, so that the range of a key finer than a microsecond is not empty.
  const TimestampTz next = timestamptz_from_instant(period.next) + (period.next.nanos % 1000 != 0);
  return tstzrange_datum(
      fcinfo, {TimestampTzGetDatum(timestamptz_from_instant(period.first)), false, true, true},
      {TimestampTzGetDatum(next), false, false, false});
}

// codokey_unit(key text, since_year int, until_year int, until_split int) -> text
IDS_FUNCTION(codokey_unit) {
  return text_datum(kUnitNames[static_cast<std::size_t>(decode(fcinfo).unit)]);
}

// codokey_is_valid(key text, since_year int, until_year int, until_split int) -> boolean; raises an
// error for an invalid context.
IDS_FUNCTION(codokey_is_valid) {
  PG_RETURN_BOOL(is_key(context_arguments(fcinfo, 1), text_view(PG_GETARG_TEXT_PP(0))));
}
