// In place of src/generator/shared_state.cpp: a state that each session keeps for itself. With a
// library built with it, the ids of each session are in order, but not the ids of several sessions.
// The tests must notice that.
#include "generator/shared_state.hpp"

namespace ids {

SharedState* shared_state() {
  static SharedState state{};
  state.header.boot = 1;
  return &state;
}

void create_shared_state() {}

}  // namespace ids
