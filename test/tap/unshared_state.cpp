// In place of src/generator/shared_state.cpp: a state that each session keeps for itself. Sessions
// of a library built with it are each in order, but not with one another, which the tests must
// notice.
#include "generator/shared_state.hpp"

namespace ids {

SharedState* shared_state() {
  static SharedState state{};
  return &state;
}

void reserve_shared_state() {
}

}  // namespace ids
