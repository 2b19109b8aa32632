#include "pg/text.hpp"

namespace ids {

const char* name_character(std::string_view rest) {
  // SQL_ASCII knows no characters, and a part of one could not be sent to the client.
  if (GetDatabaseEncoding() == PG_SQL_ASCII && IS_HIGHBIT_SET(rest[0]))
    return psprintf("Byte 0x%02x", static_cast<unsigned char>(rest[0]));
  const int size = pg_mbcharcliplen(rest.data(), static_cast<int>(rest.size()), 1);
  return psprintf("Character \"%.*s\"", size, rest.data());
}

}  // namespace ids
