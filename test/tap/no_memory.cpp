// Preloaded into a server by LD_PRELOAD: while the file NO_MEMORY exists, there is no shared memory
// for a segment as large as the one in which ids records transactions.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <cerrno>
#include <cstdlib>

extern "C" __attribute__((visibility("default"))) int posix_fallocate(int file, off_t offset,
                                                                      off_t size) {
  const char* refused = getenv("NO_MEMORY");
  struct stat status;
  if (size > 350'000 && size < 1'000'000 && refused && stat(refused, &status) == 0) return ENOSPC;
  using Function = int (*)(int, off_t, off_t);
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, "posix_fallocate"))(file, offset, size);
}
