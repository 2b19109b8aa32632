#include "pg/error.hpp"

#include <cstring>

namespace ids {

namespace {

// Whether the user probably meant the invalid text as a time: PostgreSQL reads the literal in
// id >= '2026-11-01' as an identifier.
bool looks_like_a_time(const char* text) {
  static constexpr const char* kWords[] = {"now",       "today",    "tomorrow",
                                           "yesterday", "infinity", "-infinity"};
  for (const char* word : kWords)
    if (pg_strcasecmp(text, word) == 0) return true;
  // A year of four digits or more, a hyphen and a month.
  const std::size_t year = std::strspn(text, "0123456789");
  return year >= 4 && text[year] == '-' && std::strspn(text + year + 1, "0123456789") == 2;
}

// Whether a text has the 32 hexadecimal digits of a uuid, with or without hyphens and braces.
bool looks_like_a_uuid(std::string_view text) {
  int digits = 0;
  for (const char c : text) {
    if (kHexDigits.value(c) != kHexDigits.kNotADigit)
      ++digits;
    else if (c != '-' && c != '{' && c != '}')
      return false;
  }
  return digits == 32;
}

int text_detail(const char* text, ParseResult result, const ExpectedText& expected) {
  switch (result.error) {
    case ParseError::length: {
      const int size = pg_mbstrlen(text);
      return errdetail_plural("Expected %s, found %d character.",
                              "Expected %s, found %d characters.", size, expected.syntax, size);
    }
    case ParseError::digit:
      return not_a_digit(text, result.position, expected.digit);
    default:
      return errdetail("Character \"%c\" at position %d is out of range: %s.",
                       text[result.position], static_cast<int>(result.position) + 1,
                       expected.range_rule);
  }
}

int text_hint(const char* text, ParseResult result, const ExpectedText& expected) {
  if (looks_like_a_time(text))
    return errhint(
        "To compare with a time, cast it: '%s'::timestamptz. The first id of that time is "
        "pg_catalog.%s_first('%s').",
        text, expected.type, text);
  if (expected.casts_to_uuid && looks_like_a_uuid(text))
    return errhint("To read a uuid, cast it: '%s'::uuid::pg_catalog.%s.", text, expected.type);
  if (result.error == ParseError::digit && expected.is_lower_case)
    return errhint("Only upper case is canonical: use upper('%s').", text);
  return 0;
}

int digits_detail(std::string_view digits, ParseResult result, int base, std::size_t max_digits,
                  int bits, const char* range_rule) {
  switch (result.error) {
    case ParseError::length:
      return errdetail("Expected 1 to %zu base %d digits, found %d characters.", max_digits, base,
                       static_cast<int>(digits.size()));
    case ParseError::digit:
      return not_a_digit(digits, result.position, psprintf("base %d digit", base));
    case ParseError::overflow:
      return errdetail("The number has more than %d bits.", bits);
    default:
      return errdetail("The value is out of range: %s.", range_rule);
  }
}

}  // namespace

int not_a_digit(std::string_view text, std::size_t position, const char* digit) {
  const char* at = text.data() + position;
  const int number = static_cast<int>(position) + 1;
  // In SQL_ASCII a byte may be part of a character, which cannot be sent to the client.
  if (GetDatabaseEncoding() == PG_SQL_ASCII && IS_HIGHBIT_SET(*at))
    return errdetail("Byte 0x%02x at position %d is not a %s.", static_cast<unsigned char>(*at),
                     number, digit);
  const int size = pg_mbcharcliplen(at, static_cast<int>(text.size() - position), 1);
  return errdetail("Character \"%.*s\" at position %d is not a %s.", size, at, number, digit);
}

void invalid_digits(const char* what, std::string_view digits, ParseResult result, int base,
                    std::size_t max_digits, int bits, const char* range_rule) {
  result = prefer_bad_character(digits, result);
  ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                  errmsg("invalid input syntax for %s: \"%.*s\"", what,
                         static_cast<int>(digits.size()), digits.data()),
                  digits_detail(digits, result, base, max_digits, bits, range_rule)));
}

Datum invalid_text([[maybe_unused]] Node* context, const char* text, ParseResult result,
                   const ExpectedText& expected) {
  ereturn(context, (Datum)0,
          (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
           errmsg("invalid input syntax for type %s: \"%s\"", expected.type, text),
           text_detail(text, result, expected), text_hint(text, result, expected)));
}

void invalid_bytes(const char* type, std::size_t expected, std::size_t size,
                   const char* range_rule) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                  errmsg("invalid binary value for type %s", type),
                  size == expected ? errdetail("The value is out of range: %s.", range_rule)
                                   : errdetail("Expected %zu bytes, found %zu.", expected, size)));
}

void time_not_generated(const char* type, const char* range) {
  ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                  errmsg("timestamp out of range for %s", type),
                  errdetail("gen_%s accepts times from %s.", type, range)));
}

void time_used_up(const char* type) {
  ereport(ERROR,
          (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
           errmsg("gen_%s has no greater id of this time", type),
           errdetail("In a session, ids of the same time ascend, and this time has no more ids."),
           errhint("A new session starts at another random id.")));
}

void time_out_of_range(const char* type, const char* range) {
  ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                  errmsg("timestamp out of range for %s", type),
                  errdetail("Type %s holds times from %s.", type, range)));
}

void number_outside(const char* type, const char* field, int number, std::uint32_t greatest) {
  ereport(ERROR,
          (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
           errmsg("value %d of argument \"%s\" is out of range for type %s", number, field, type),
           errdetail("Valid values are between 0 and %u.", greatest)));
}

void wrong_number_of_bytes(const char* type, const char* field, std::size_t expected,
                           std::size_t size) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                  errmsg("invalid length of argument \"%s\" for type %s", field, type),
                  errdetail("Expected %zu bytes, found %zu.", expected, size)));
}

}  // namespace ids
