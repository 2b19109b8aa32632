// Preloaded into a server by LD_PRELOAD: while the file NO_RANDOMNESS exists, requests for as many
// random bytes as ids draws at once fail. If the file is not empty, they wait instead.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

extern "C" __attribute__((visibility("default"))) int RAND_bytes(unsigned char* out, int size) {
  const char* file = getenv("NO_RANDOMNESS");
  struct stat status;
  if (size >= 1024 && file && stat(file, &status) == 0) {
    while (status.st_size > 0) sleep(1);
    return 0;
  }
  using Function = int (*)(unsigned char*, int);
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, "RAND_bytes"))(out, size);
}
