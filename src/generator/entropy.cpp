#include "generator/entropy.hpp"

#include <cstdint>
#include <cstring>

#include "pg/postgres.hpp"

namespace ids {

namespace {

// pg_strong_random takes as long for 8 bytes as for 256, so each backend asks for many at once.
constexpr std::size_t kPoolSize = 4096;
std::uint8_t pool[kPoolSize];
std::size_t pool_used = kPoolSize;

void draw(void* out, std::size_t size) {
  if (!pg_strong_random(out, size))
    ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values")));
}

}  // namespace

void random_bytes(void* out, std::size_t size) {
  // Every process that the postmaster forks would get a copy of its pool.
  const bool postmaster = IsPostmasterEnvironment && !IsUnderPostmaster;
  if (unlikely(postmaster || size > kPoolSize)) return draw(out, size);
  if (unlikely(size > kPoolSize - pool_used)) {
    pool_used = kPoolSize;  // in case draw() raises an error
    draw(pool, kPoolSize);
    pool_used = 0;
  }
  std::memcpy(out, pool + pool_used, size);
  std::memset(pool + pool_used, 0, size);
  pool_used += size;
}

}  // namespace ids
