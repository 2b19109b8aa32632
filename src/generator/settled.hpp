// Which identifiers are settled: every one below a certain tick is visible to a snapshot, or never
// will be, provided that the same transaction of this database made it and stores it. Each
// transaction that makes identifiers publishes a limit for each generator, and makes none below it.
// A reader takes the least limit of all transactions that its snapshot does not see.
//
//   writer  1  lift the tick above the mark; publish limit = tick + 1 in the session's slot
//           2  take ticks, make ids, store them, get an xid
//           3  the server makes the transaction visible
//           4  put the limits under the xid into the table of finished transactions, then raise
//              finished_below above the xid
//           5  clear the slot
//   reader  a  the server takes the snapshot
//           b  read the generator's tick
//           c  read the sessions' slots, then the slots of prepared transactions, then
//              finished_below, then those in the table that the snapshot does not see
//
// Each step is seen by others before the next one (by a memory barrier, or within the server).
// README.md says why a reader misses nothing, and what happens to prepared transactions; test/model
// has the protocol in Promela. A transaction that aborts, or has no xid and so has stored nothing,
// only does step 5. One that made identifiers during recovery has no limit, and cannot commit what
// it writes after that.
#pragma once

#include "generator/records.hpp"

namespace ids {

// Step 1; steps 4 and 5 follow when the transaction ends. Sets *enrolled to the generator, and to
// null when the transaction ends. The tick must be above the mark.
void enrol(GeneratorState* generator, GeneratorState** enrolled);

// Sets the pointers of all enrolled generators to null, because ticks may have been lowered since.
// The transaction keeps its limits: enrolling again can only lower them.
void drop_enrolments();

// The tick below which all identifiers of the generator are settled for the snapshot, which is an
// MVCC one that was not taken during recovery; 0 if no identifier is known to be. Steps b and c.
// Raises an error if there is no memory. The tick must be above the mark.
std::uint64_t find_settled_below(GeneratorState* generator, Snapshot snapshot);

}  // namespace ids
