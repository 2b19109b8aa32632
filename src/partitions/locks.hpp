// The locks under which partitions are created and dropped.
#pragma once

#include "pg/postgres.hpp"

namespace ids {

enum class Change { create, detach, drop };

// Takes the locks that the change needs, always in the same order: tables connected by foreign
// keys, the table itself, its default partition. So a call that holds one of these locks never
// waits for an earlier one. Returns whether a foreign key references the table. Raises 42501 if the
// caller may not change it.
bool lock_tables(Oid parent, Oid key_type, Change change);

}  // namespace ids
