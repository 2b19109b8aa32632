// Errors about invalid and out-of-range values, worded like PostgreSQL's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/codec.hpp"
#include "core/input.hpp"
#include "pg/postgres.hpp"

namespace ids {

// Whether the text looks like a timestamptz. Users forget to cast one: the literal in
// id >= '2026-11-01' is read as an identifier.
bool is_time(const char* text);

// The DETAIL about the character at that byte of the text, which is not such a digit: digit is, for
// example, "base 36 digit".
int not_a_digit(std::string_view text, std::size_t position, const char* digit);

// Raises 22P02 for a text that is not 1 to max_digits digits of the base, for a number that does
// not fit into that many bits, and for a number that breaks the range rule.
[[noreturn]] void invalid_digits(const char* what, std::string_view digits, ParseResult result,
                                 int base, std::size_t max_digits, int bits,
                                 const char* range_rule);

// Raises 22023 for a base that is not one of these.
[[noreturn]] void invalid_base(int base, const char* bases);

// What the text of a type should be.
struct ExpectedText {
  const char* type;
  const char* syntax;
  const char* digit;
  const char* range_rule;
  bool (*is_valid)(std::string_view text);
  const char* (*hint)(std::string_view text, std::string_view digits);
};

// Reports 22P02 for a text that is not as expected; the error is soft if the caller asked for it.
Datum invalid_text(Node* context, const char* text, ParseResult result,
                   const ExpectedText& expected);

// Raises 22P03 for size bytes that are not a value of the type. or_text: the text that is expected
// if it is not the bytes.
[[noreturn]] void invalid_bytes(const char* type, std::size_t expected, std::size_t size,
                                const char* range_rule, const char* or_text = nullptr);

// Raises 2200H, as nextval does, if gen_T(at) cannot return a greater id of the same time.
[[noreturn]] void time_used_up(const char* type);

// Raise an error for an argument that does not fit into its field: 22008 for a time, 22003 for a
// number, 22P03 for too few or too many bytes. The detail about a time is of a type and its range.
[[noreturn]] void time_out_of_range(const char* type, const char* detail, const char* range);
[[noreturn]] void number_outside(const char* type, const char* field, int number,
                                 std::uint32_t greatest);
[[noreturn]] void wrong_number_of_bytes(const char* type, const char* field, std::size_t expected,
                                        std::size_t size);

// What to write instead of a text that is no id; else null. %s stands for the text's letters and
// digits. A type to which people give such texts specializes it.
template <Codec C>
const char* hint_for(std::string_view /*text*/, std::string_view /*digits*/) {
  return nullptr;
}

// What the characters of the text should be.
template <Codec C>
constexpr const char* digit_name(std::string_view text) {
  if (is_hex_of_bytes<C>(text)) return "hexadecimal digit";
  if constexpr (requires { C::digit_name(text.size()); }) return C::digit_name(text.size());
  return C::kDigit;
}

// Reports a text that parse_input refused.
template <Codec C>
Datum invalid_text(Node* context, const char* text, ParseResult result) {
  constexpr auto is_valid = [](std::string_view other) {
    typename C::Value value;
    return C::parse(other, value) == ParseResult{};
  };
  const char* syntax = std::string_view(text).starts_with(kHexPrefix)
                           ? psprintf("\\x and %zu hexadecimal digits, %zu characters in all",
                                      2 * C::kSize, 2 + 2 * C::kSize)
                           : C::kSyntax;
  return invalid_text(
      context, text, prefer_bad_character(text, result),
      {C::kName, syntax, digit_name<C>(text), C::kRangeRule, is_valid, hint_for<C>});
}

}  // namespace ids
