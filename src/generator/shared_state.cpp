#include "generator/shared_state.hpp"

#include <cstring>

#include "generator/entropy.hpp"

namespace ids {

namespace {

// Random numbers are drawn first: nothing may fail between allocating shared memory and
// initializing it.
struct {
  std::uint8_t secret[sizeof(SharedState::header.secret)];
  std::uint64_t boot;
  std::uint64_t backfilled[SharedState::kGenerators];
} drawn;

// Atomics begin with zero, too.
void initialize(void* segment) {
  auto* state = static_cast<SharedState*>(segment);
  std::memset(segment, 0, sizeof *state);
  std::memcpy(state->header.secret, drawn.secret, sizeof drawn.secret);
  state->header.boot = drawn.boot | std::uint64_t{1} << 63;
  for (std::size_t i = 0; i < SharedState::kGenerators; ++i)
    pg_atomic_init_u64(&state->generators[i].backfilled, drawn.backfilled[i]);
}

SharedState* state = nullptr;

SharedState* attach_in_main_segment() {
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  bool found;
  void* segment = ShmemInitStruct(SharedState::kName, sizeof(SharedState), &found);
  if (!found) initialize(segment);
  LWLockRelease(AddinShmemInitLock);
  return static_cast<SharedState*>(segment);
}

#if PG_VERSION_NUM >= 170000

SharedState* attach() {
  bool found;
#if PG_VERSION_NUM >= 190000
  const auto initialize_segment = [](void* segment, void*) { initialize(segment); };
  return static_cast<SharedState*>(GetNamedDSMSegment(SharedState::kName, sizeof(SharedState),
                                                      initialize_segment, &found, nullptr));
#else
  return static_cast<SharedState*>(
      GetNamedDSMSegment(SharedState::kName, sizeof(SharedState), initialize, &found));
#endif
}

#else

// A running server has some spare room in its main segment.
SharedState* attach() {
  ErrorContextCallback context{error_context_stack, hint_at_preloading, nullptr};
  error_context_stack = &context;
  SharedState* attached = attach_in_main_segment();
  error_context_stack = context.previous;
  return attached;
}

#endif

void attach_by(SharedState* (*attach)()) {
  random_bytes(&drawn, sizeof drawn);
  state = attach();
  std::memset(&drawn, 0, sizeof drawn);
}

}  // namespace

SharedState* shared_state() {
  if (!state) attach_by(attach);
  return state;
}

void create_shared_state() { attach_by(attach_in_main_segment); }

}  // namespace ids
