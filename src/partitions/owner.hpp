// Statements that change a table's partitions. They run as the table's owner: a check, a domain, a
// cast or an event trigger may run anybody's code, and a superuser's call must not give that code
// more rights than the owner has.
#pragma once

#include "pg/postgres.hpp"

namespace ids {

[[noreturn]] void undefined_table(Oid table);
Oid owner_of(Oid table);

// Statements run as the owner: if that is a superuser, nobody else may own the objects whose
// expressions they evaluate, or the schemas by whose names they find tables. Raises 42501.
void refuse_other_owner(const char* kind, const char* name, Oid owner);

// The table's schema and name, quoted, by which a statement finds the table in any search_path.
const char* qualified_name(Oid table);

// Raises 42501 unless the caller has the rights of the table's owner, whom it returns.
Oid check_owner(Oid table);

// Runs one statement as the owner of the table. If that is not the caller, the statement is a
// security-restricted operation with a search_path of its own, as REINDEX is. Needs SPI.
void run_as_owner(Oid table, const char* statement);

}  // namespace ids
