#include "pg/error.hpp"

namespace ids {

const char* name_character(std::string_view rest) {
  // In SQL_ASCII a byte may be part of a character, which cannot be sent to the client.
  if (GetDatabaseEncoding() == PG_SQL_ASCII && IS_HIGHBIT_SET(rest[0]))
    return psprintf("Byte 0x%02x", static_cast<unsigned char>(rest[0]));
  const int size = pg_mbcharcliplen(rest.data(), static_cast<int>(rest.size()), 1);
  return psprintf("Character \"%.*s\"", size, rest.data());
}

bool looks_like_a_time(const char* text) {
  static constexpr const char* kWords[] = {"now",       "today",    "tomorrow",
                                           "yesterday", "infinity", "-infinity"};
  for (const char* word : kWords)
    if (pg_strcasecmp(text, word) == 0) return true;
  // A year of four digits or more, a hyphen and a month.
  const std::size_t year = std::strspn(text, "0123456789");
  return year >= 4 && text[year] == '-' && std::strspn(text + year + 1, "0123456789") == 2;
}

static int digits_detail(std::string_view digits, ParseResult result, int base,
                         std::size_t max_digits, int bits, const char* range_rule) {
  switch (result.error) {
    case ParseError::length:
      return errdetail("Expected 1 to %zu base %d digits, found %d characters.", max_digits, base,
                       static_cast<int>(digits.size()));
    case ParseError::digit:
      return errdetail(
          "%s at position %d is not a base %d digit.",
          name_character({digits.data() + result.position, digits.size() - result.position}),
          static_cast<int>(result.position) + 1, base);
    case ParseError::overflow:
      return errdetail("The number has more than %d bits.", bits);
    default:
      return errdetail("The value is out of range: %s.", range_rule);
  }
}

void invalid_digits(const char* what, std::string_view digits, ParseResult result, int base,
                    std::size_t max_digits, int bits, const char* range_rule) {
  result = prefer_bad_character(digits, result);
  ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                  errmsg("invalid input syntax for %s: \"%.*s\"", what,
                         static_cast<int>(digits.size()), digits.data()),
                  digits_detail(digits, result, base, max_digits, bits, range_rule)));
}

void lower_bound_above_upper() {
  ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                  errmsg("range lower bound must be less than or equal to range upper bound")));
}

}  // namespace ids
