#include "pg/error.hpp"

namespace ids {

bool looks_like_a_time(const char* text) {
  static constexpr const char* kWords[] = {"now",       "today",    "tomorrow",
                                           "yesterday", "infinity", "-infinity"};
  for (const char* word : kWords)
    if (pg_strcasecmp(text, word) == 0) return true;
  // A year of four digits or more, a hyphen and a month.
  const std::size_t year = std::strspn(text, "0123456789");
  return year >= 4 && text[year] == '-' && std::strspn(text + year + 1, "0123456789") == 2;
}

void invalid_digits(const char* what, std::string_view digits, ParseResult result, int base,
                    std::size_t max_digits, int bits, const char* range_rule) {
  result = prefer_bad_character(digits, result);
  const auto size = static_cast<int>(digits.size());
  ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                  errmsg("invalid input syntax for %s: \"%.*s\"", what, size, digits.data()),
                  result.error == ParseError::length
                      ? errdetail("Expected 1 to %zu base %d digits, found %d characters.",
                                  max_digits, base, size)
                  : result.error == ParseError::digit
                      ? errdetail("%s at position %d is not a base %d digit.",
                                  name_character({digits.data() + result.position,
                                                  digits.size() - result.position}),
                                  static_cast<int>(result.position) + 1, base)
                  : result.error == ParseError::overflow
                      ? errdetail("The number has more than %d bits.", bits)
                      : errdetail("The value is out of range: %s.", range_rule)));
}

}  // namespace ids
