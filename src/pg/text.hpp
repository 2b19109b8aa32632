// Text values, and characters of them in messages.
#pragma once

#include <cstddef>
#include <string_view>

#include "pg/postgres.hpp"

namespace ids {

inline std::string_view text_view(const text* value) {
  return {VARDATA_ANY(value), static_cast<std::size_t>(VARSIZE_ANY_EXHDR(value))};
}

inline Datum text_datum(std::string_view characters) {
  PG_RETURN_TEXT_P(
      cstring_to_text_with_len(characters.data(), static_cast<int>(characters.size())));
}

// The first character of rest, which is not empty, as a message names it: Character "x".
const char* name_character(std::string_view rest);

}  // namespace ids
