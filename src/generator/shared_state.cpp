#include "generator/shared_state.hpp"

#include <cstring>

#include "generator/entropy.hpp"

namespace ids {

namespace {

// Random numbers are drawn first: nothing may fail between allocating shared memory and
// initializing it.
struct {
  std::uint8_t secret[sizeof(SharedState::header.secret)];
  std::uint64_t run;
  std::uint64_t backfilled[SharedState::kSlots];
} drawn;

// Atomics begin with zero, too.
void initialize(void* segment) {
  auto* state = static_cast<SharedState*>(segment);
  std::memset(segment, 0, sizeof *state);
  std::memcpy(state->header.secret, drawn.secret, sizeof drawn.secret);
  state->header.run = drawn.run;
  state->header.records = DSM_HANDLE_INVALID;
  for (std::size_t i = 0; i < SharedState::kSlots; ++i)
    pg_atomic_init_u64(&state->generators[i].backfilled, drawn.backfilled[i]);
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

shmem_request_hook_type previous_shmem_request_hook = nullptr;
shmem_startup_hook_type previous_shmem_startup_hook = nullptr;

void request_shmem() {
  if (previous_shmem_request_hook) previous_shmem_request_hook();
  RequestAddinShmemSpace(sizeof(SharedState));
}

void hint_at_preloading(void*) {
  errhint(
      "Add \"ids\" to shared_preload_libraries and restart the server to reserve memory for it.");
}

// A running server has some spare room in its main segment.
SharedState* attach() {
  ErrorContextCallback context{error_context_stack, hint_at_preloading, nullptr};
  error_context_stack = &context;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  bool found;
  auto* state =
      static_cast<SharedState*>(ShmemInitStruct(SharedState::kName, sizeof(SharedState), &found));
  if (!found) initialize(state);
  LWLockRelease(AddinShmemInitLock);
  error_context_stack = context.previous;
  return state;
}

#endif

SharedState* draw_and_attach() {
  random_bytes(&drawn, sizeof drawn);
  SharedState* state = attach();
  std::memset(&drawn, 0, sizeof drawn);
  return state;
}

#if PG_VERSION_NUM < 170000

// Allocates the memory that request_shmem() asked for while the server starts. Later a growing lock
// table could take that memory. The postmaster keeps no pointer, because it creates new shared
// memory after a crash.
void take_reserved() {
  if (previous_shmem_startup_hook) previous_shmem_startup_hook();
  draw_and_attach();
}

#endif

}  // namespace

SharedState* shared_state() {
  static SharedState* state = nullptr;
  if (!state) state = draw_and_attach();
  return state;
}

void reserve_shared_state() {
#if PG_VERSION_NUM < 170000
  previous_shmem_request_hook = shmem_request_hook;
  shmem_request_hook = request_shmem;
  previous_shmem_startup_hook = shmem_startup_hook;
  shmem_startup_hook = take_reserved;
#endif
}

}  // namespace ids
