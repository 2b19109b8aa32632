// The answers of T_settled(): one for each snapshot, while that may be in use.
#pragma once

#include <cstdint>

#include "generator/shared_state.hpp"

namespace ids {

// The tick below which all identifiers of the generator are settled for the active snapshot; 0 if
// no identifier is known to be settled. The same snapshot always gets the same answer; after
// ids_reset_clock() it may be lower. Raises an error during recovery, or if there is no memory. The
// tick must be above the mark, which the session must have read since the last reset.
std::uint64_t settled_below(GeneratorState* generator);

}  // namespace ids
