// Preloaded into a server by LD_PRELOAD: while the file NO_MEMORY exists, there is no shared memory
// for a segment as large as the one in which ids records transactions; while the file SLOW_MEMORY
// exists, it is not there yet.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>

namespace {

bool exists(const char* variable) {
  const char* file = getenv(variable);
  struct stat status;
  return file && stat(file, &status) == 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int posix_fallocate(int file, off_t offset,
                                                                      off_t size) {
  if (size > 350'000 && size < 1'000'000) {
    if (exists("NO_MEMORY")) return ENOSPC;
    while (exists("SLOW_MEMORY")) usleep(10'000);
  }
  using Function = int (*)(int, off_t, off_t);
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, "posix_fallocate"))(file, offset, size);
}
