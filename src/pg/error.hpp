// Errors about invalid and out-of-range values, worded like PostgreSQL's own.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "core/codec.hpp"
#include "core/input.hpp"
#include "pg/postgres.hpp"

namespace ids {

// How a message names the first character of rest, which must not be empty: Character "x".
const char* name_character(std::string_view rest);

// Whether the user probably meant the invalid text as a time: PostgreSQL reads the literal in
// id >= '2026-11-01' as an identifier.
bool looks_like_a_time(const char* text);

// Raises 22P02 for a text that is not 1 to max_digits digits of the base, for a number that does
// not fit into that many bits, and for one that breaks the range rule.
[[noreturn]] void invalid_digits(const char* what, std::string_view digits, ParseResult result,
                                 int base, std::size_t max_digits, int bits,
                                 const char* range_rule);

// Raises 22000, as tstzrange() does.
[[noreturn]] void lower_bound_above_upper();

// What the characters of the text should be.
template <Codec C>
constexpr const char* digit_name(std::string_view text) {
  if (is_hex_of_bytes<C>(text)) return "hexadecimal digit";
  if constexpr (requires { C::digit_name(text.size()); }) return C::digit_name(text.size());
  return C::kDigit;
}

// Whether the character is refused only for being in lower case.
template <Codec C>
constexpr bool wants_upper_case([[maybe_unused]] char character) {
  if constexpr (requires { C::kUpperCaseOnly; })
    return character >= 'a' && character <= 'z' &&
           C::kAlphabet.value(static_cast<char>(character - 'a' + 'A')) != C::kAlphabet.kNotADigit;
  return false;
}

// Whether a text has the 32 hexadecimal digits of a uuid, with or without hyphens and braces.
template <Codec C>
constexpr bool looks_like_a_uuid([[maybe_unused]] std::string_view text) {
  if constexpr (requires { C::kCastsToUuid; }) {
    int digits = 0;
    for (const char c : text) {
      if (kHexDigits.value(c) != kHexDigits.kNotADigit)
        ++digits;
      else if (c != '-' && c != '{' && c != '}')
        return false;
    }
    return digits == 32;
  }
  return false;
}

template <Codec C>
int text_detail(const char* text, ParseResult result) {
  const char* at = text + result.position;
  const int position = static_cast<int>(result.position) + 1;
  switch (result.error) {
    case ParseError::length: {
      const int size = pg_mbstrlen(text);
      return errdetail_plural("Expected %s, found %d character.",
                              "Expected %s, found %d characters.", size, C::kSyntax, size);
    }
    case ParseError::digit:
      return errdetail("%s at position %d is not a %s.", name_character(at), position,
                       digit_name<C>(text));
    default:
      return errdetail("%s at position %d is out of range: %s.", name_character(at), position,
                       range_rule<C>(result.error));
  }
}

template <Codec C>
int text_hint(const char* text, ParseResult result) {
  if (looks_like_a_time(text))
    return errhint(
        "To compare with a time, cast it: '%s'::timestamptz. The first id of that time is "
        "%s_first('%s').",
        text, C::kName, text);
  if (looks_like_a_uuid<C>(text))
    return errhint("To read a uuid, cast it: '%s'::uuid::%s.", text, C::kName);
  if (result.error == ParseError::digit && wants_upper_case<C>(text[result.position]))
    return errhint("Only upper case is canonical: use upper('%s').", text);
  return 0;
}

// Reports 22P02 for a text that parse_input refused; the error is soft if the caller asked for it.
template <Codec C>
Datum invalid_text([[maybe_unused]] Node* context, const char* text, ParseResult result) {
  result = prefer_bad_character(text, result);
  ereturn(context, (Datum)0,
          (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
           errmsg("invalid input syntax for type %s: \"%s\"", C::kName, text),
           text_detail<C>(text, result), text_hint<C>(text, result)));
}

// Raises 22P03 for size bytes that are not a C.
template <Codec C>
[[noreturn]] void invalid_bytes(std::size_t size) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                  errmsg("invalid binary value for type %s", C::kName),
                  size == C::kSize ? errdetail("The value is out of range: %s.", C::kRangeRule)
                                   : errdetail("Expected %zu bytes, found %zu.", C::kSize, size)));
}

// Raises 22008 for a time that the generators of C do not use.
template <TimeLayout C>
[[noreturn]] void time_not_generated() {
  ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                  Codec<C> ? errmsg("timestamp out of range for type %s", C::kName)
                           : errmsg("timestamp out of range for %s", C::kName),
                  errdetail("gen_%s accepts times from %s.", C::kName, generate_time_range<C>())));
}

// Raise an error for an argument of T_from_parts that does not fit into its field: 22008 for a
// time, 22003 for a number, 22P03 for too few or too many bytes.
template <Codec C>
[[noreturn]] void time_does_not_fit() {
  ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                  errmsg("timestamp out of range for type %s", C::kName),
                  errdetail("Type %s holds times from %s.", C::kName, C::kTimeRange)));
}
template <Codec C>
[[noreturn]] void number_outside(const char* field, int number, std::uint32_t greatest) {
  ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                  errmsg("value %d of argument \"%s\" is out of range for type %s", number, field,
                         C::kName),
                  errdetail("Valid values are between 0 and %u.", greatest)));
}
template <Codec C>
[[noreturn]] void wrong_number_of_bytes(const char* field, std::size_t expected, std::size_t size) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                  errmsg("invalid length of argument \"%s\" for type %s", field, C::kName),
                  errdetail("Expected %zu bytes, found %zu.", expected, size)));
}

}  // namespace ids
