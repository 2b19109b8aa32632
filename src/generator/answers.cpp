#include "generator/answers.hpp"

#include <algorithm>
#include <cstring>

#include "generator/mark.hpp"
#include "generator/settled.hpp"

namespace ids {

namespace {

// A snapshot may have several copies, and a later snapshot may reuse its memory, so an answer is
// found by the snapshot's content. A hash that nobody can foresee stands for the list of running
// transactions.
struct Content {
  TransactionId xmin;
  TransactionId xmax;
  std::uint64_t xip_hash;

  explicit Content(Snapshot snapshot) : xmin(snapshot->xmin), xmax(snapshot->xmax) {
    std::memcpy(&xip_hash, shared_state()->header.secret, sizeof xip_hash);
    const std::size_t size = snapshot->xcnt * sizeof *snapshot->xip;
    auto* list = reinterpret_cast<unsigned char*>(snapshot->xip);
    if (size != 0) xip_hash = hash_bytes_extended(list, static_cast<int>(size), xip_hash);
  }
};
static_assert(sizeof(Content) == 16);  // no padding: it is a key

struct Answer {
  Content snapshot;
  std::uint32_t resets[kColumns];  // how often the clock had been reset
  std::uint64_t limit[kColumns];   // kNothing: not asked yet
};

HTAB* answers = nullptr;
Answer* last = nullptr;  // a statement asks for each row

// Called by the server when a statement has ended, and at other times. A later snapshot with the
// same content should get a new answer, because transactions may have ended since.
void at_release(ResourceReleasePhase phase, bool, bool is_top_level, void*) {
  if (phase != RESOURCE_RELEASE_AFTER_LOCKS || !answers) return;
  if (!is_top_level && HaveRegisteredOrActiveSnapshot()) return;
  hash_destroy(answers);
  answers = nullptr;
  last = nullptr;
}

void create_answers() {
  static bool registered = false;
  if (!registered) RegisterResourceReleaseCallback(at_release, nullptr);
  registered = true;
  HASHCTL layout{};
  layout.keysize = sizeof(Content);
  layout.entrysize = sizeof(Answer);
  layout.hcxt = TopMemoryContext;
  answers = hash_create("settled identifiers", 8, &layout, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

Answer* answer_for(Snapshot snapshot) {
  if (!answers) create_answers();
  const Content content(snapshot);
  if (last && std::memcmp(&last->snapshot, &content, sizeof content) == 0) return last;
  bool found;
  auto* answer = static_cast<Answer*>(hash_search(answers, &content, HASH_ENTER, &found));
  if (!found) std::fill_n(answer->limit, kColumns, kNothing);
  return last = answer;
}

}  // namespace

std::uint64_t settled_below(GeneratorState* generator) {
  if (RecoveryInProgress())
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
                    errmsg("cannot execute %s_settled() during recovery", generator->name),
                    errhint("Read the primary's answer on the standby: see \"On a standby\" in "
                            "doc/several-servers.md of extension \"ids\".")));
  if (!ActiveSnapshotSet() || HistoricSnapshotActive()) return 0;
  Snapshot snapshot = GetActiveSnapshot();
  if (snapshot->snapshot_type != SNAPSHOT_MVCC || snapshot->takenDuringRecovery) return 0;
  Answer* answer = answer_for(snapshot);
  std::uint64_t& limit = answer->limit[generator->column];
  std::uint32_t& resets = answer->resets[generator->column];
  // An answer from before ids_reset_clock() would move the mark up again: take the lower of the old
  // and a new one.
  if (limit == kNothing || resets != known_mark.resets) {
    limit = std::min(limit, find_settled_below(generator, snapshot));
    resets = known_mark.resets;
  }
  return limit;
}

}  // namespace ids
