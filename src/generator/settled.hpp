// Which identifiers are settled: every one below a certain tick is visible to a snapshot, or never
// will be, provided that the same transaction of this database made it and stores it. README.md has
// the protocol: the steps 1 to 5 of a writer, a to c of a reader, and why a reader misses nothing;
// test/model has it in Promela. Each step is seen by others before the next one (by a memory
// barrier, or within the server). A transaction that aborts, or has no xid and so has stored
// nothing, only does step 5. One that made identifiers during recovery has no limit, and cannot
// commit what it writes after that.
#pragma once

#include "generator/records.hpp"

namespace ids {

// A bit for each column that the transaction has enrolled. If ticks were lowered since, it is set
// to 0: the transaction keeps its limits, and enrolling again can only lower them.
extern std::uint32_t enrolled_columns;

// Step 1; steps 4 and 5 follow when the transaction ends. The tick must be above the mark.
void enrol(GeneratorState* generator);

// The tick below which all identifiers of the generator are settled for the snapshot, which is an
// MVCC one that was not taken during recovery; 0 if no identifier is known to be. Steps b and c.
// Raises an error if there is no memory. The tick must be above the mark.
std::uint64_t find_settled_below(GeneratorState* generator, Snapshot snapshot);

}  // namespace ids
