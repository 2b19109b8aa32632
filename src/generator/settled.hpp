// Which identifiers are settled. Below a certain tick, every identifier that was made in this
// database is visible to a snapshot, or never will be, provided that the same transaction made it
// and stores it.
//
// Each transaction that makes identifiers records, for each generator, a tick below which it makes
// none: its first tick. A reader takes the least first tick of all transactions that its snapshot
// does not see. The steps, and why they stand in this order:
//
//   writer  1  lift the tick above the mark; record first = tick + 1 in the place of the session;
//              full barrier
//           2  take ticks, make ids, store them, get an xid
//           3  the server makes the transaction visible
//           4  record the firsts under the xid in the table of finished transactions, then raise
//              finished_below above the xid; full barrier
//           5  clear the place of the session
//   reader  a  the server takes the snapshot
//           b  read the generator's tick; barrier
//           c  read the places of the sessions, then the places of prepared transactions, then
//              finished_below, then the finished transactions below it that the snapshot does not
//              see
//
// Take a transaction that the snapshot does not see. If the reader finds the session's place empty
// because it reads before step 1, then it has also read the tick before step 2, and all ids of the
// transaction are above that (1 before 2, b before c). If it reads after step 5, the transaction is
// in the table of the finished (4 before 5; sessions before finished). It cannot have missed both.
// And since the snapshot is older than all else that the reader knows (a before b and c), and a
// place is cleared only after step 3, the snapshot sees a transaction that is found nowhere.
//
// A transaction that aborts, or has no xid and so has stored nothing, only does step 5. One that
// made identifiers during recovery has no record: what it writes after that, it cannot commit.
//
// PREPARE TRANSACTION moves the record from the session's place to a place for the prepared
// transaction, under the number that the server has given it. The record of the transaction that
// had this number before is moved to the table of finished transactions, even if it was rolled
// back. A record is written to its new place before it is removed from the old one, and readers
// search the old place before the new one.
//
// Transactions that were prepared before the server's start are recovered without a record, so any
// identifier may be theirs. The first call of this run notes those that have not ended. One that
// was committed before, but after the snapshot, has an xid below that call's next xid: it may have
// made any, too. So may a finished transaction whose record was replaced by that of a newer one.
//
// Nothing after the transaction has committed or was prepared may raise an error. So the memory is
// found at step 1. If there is no memory, identifiers are made without a record. Readers then get
// an error as long as such a transaction may exist that their snapshot does not see.
//
// test/model has the protocol in Promela.
#pragma once

#include "generator/records.hpp"

namespace ids {

// Step 1; steps 4 and 5 follow when the transaction ends. Sets *enrolled to the generator, and to
// null when the transaction ends. The tick must be above the mark.
void enrol(GeneratorState* generator, GeneratorState** enrolled);

// Sets the pointers of all enrolled generators to null, because ticks may have been lowered since.
// The transaction keeps its record: enrolling again can only lower it.
void enrol_again();

// The tick below which all identifiers of the generator are settled for the active snapshot; 0 if
// no identifier is known to be settled. The same snapshot always gets the same answer. Raises an
// error during recovery, or if there is no memory. The tick must be above the mark.
std::uint64_t first_unsettled(GeneratorState* generator);

// The answer for a snapshot that has none yet: steps b and c.
std::uint64_t find_first_unsettled(GeneratorState* generator, Snapshot snapshot);

}  // namespace ids
