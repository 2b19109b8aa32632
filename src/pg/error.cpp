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

}  // namespace ids
