#include "type/error.hpp"

#include <cstring>

namespace ids {

namespace {

// The letters and digits of a text, without what else was pasted with them.
char* letters_and_digits(const char* text) {
  char* kept = pstrdup(text);
  char* end = kept;
  for (; *text; ++text)
    if (kBase62LowerFirst.value(*text) != kBase62LowerFirst.kNotADigit) *end++ = *text;
  *end = '\0';
  return kept;
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

// What to write for what people write or paste in place of an id. It quotes nothing long, and only
// what has no meaning in a statement: letters, digits and times.
int text_hint(const char* text, const ExpectedText& expected) {
  if (std::strlen(text) > MAXDATELEN) return 0;
  if (is_time(text))
    return errhint(
        "To compare with a time by <, <=, > or >=, cast it: '%s'::timestamptz. A new id of "
        "that time is pg_catalog.gen_%s('%s'). The first id of that time is "
        "pg_catalog.%s_first('%s').",
        text, expected.type, text, expected.type, text);
  if (std::strncmp(text, "urn:uuid:", 9) == 0) text += 9;
  const char* digits = letters_and_digits(text);
  // The hexadecimal digits of a uuid are also digits of a scru160.
  const bool is_uuid = std::strspn(digits, "0123456789abcdefABCDEF") == 2 * UUID_LEN;
  const std::string_view id = text + (std::string_view(text).find_last_of(":_") + 1);
  if (!is_uuid && expected.is_valid(id))
    return errhint("The id follows a prefix: use right(text, %zu).", id.size());
  if (!is_uuid && expected.is_valid(digits))
    return errhint(
        "Only the letters and digits are the id: '%s'. To remove other characters, use "
        "regexp_replace(text, '[^0-9A-Za-z]', '', 'g').",
        digits);
  // Lower and upper case tell 27 base 62 digits from a ulid with one digit too many.
  if (std::strlen(digits) == 27 && std::strcmp(digits, text) == 0 &&
      std::strpbrk(text, "abcdefghijklmnopqrstuvwxyz") &&
      std::strpbrk(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    return errhint("A KSUID has another format: keep it as text COLLATE \"C\".");
  const char* hint = expected.hint(text, digits);
  return hint ? errhint(hint, digits) : 0;
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

bool is_time(const char* text) {
  static constexpr const char* kWords[] = {"now",       "today",    "tomorrow",
                                           "yesterday", "infinity", "-infinity"};
  for (const char* word : kWords)
    if (pg_strcasecmp(text, word) == 0) return true;
  static constexpr char kDigits[] = "0123456789";
  // Perhaps of a day that its month does not have: the cast's error tells.
  return std::strspn(text, kDigits) == 4 && text[4] == '-' && std::strspn(text + 5, kDigits) == 2 &&
         text[7] == '-' && std::strspn(text + 8, kDigits) == 2 &&
         text[std::strspn(text, "0123456789-:.+TZ ")] == '\0';
}

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
           text_detail(text, result, expected), text_hint(text, expected)));
}

void invalid_base(int base, const char* bases) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid base: %d", base),
                  errdetail("Valid bases are %s.", bases)));
}

void invalid_bytes(const char* type, std::size_t expected, std::size_t size, const char* range_rule,
                   const char* or_text) {
  ereport(ERROR,
          (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
           errmsg("invalid binary value for type %s", type),
           size == expected ? errdetail("The value is out of range: %s.", range_rule)
                            : errdetail("Expected %zu bytes%s%s, found %zu.", expected,
                                        or_text ? " or " : "", or_text ? or_text : "", size)));
}

void time_used_up(const char* type) {
  ereport(ERROR,
          (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
           errmsg("gen_%s has no greater id of this time", type),
           errdetail("In a session, ids of the same time ascend, and this time has no more ids."),
           errhint("A new session starts at another random id.")));
}

void time_out_of_range(const char* type, const char* detail, const char* range) {
  ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                  errmsg("timestamp out of range for %s", type), errdetail(detail, type, range)));
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
