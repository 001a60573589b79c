// A library for LD_PRELOAD, with which each sync of a file takes 2 ms longer, as on a slower disk. Scripts/bench.sh compiles it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int sync_slowly(const char *name, int descriptor) {
    int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    struct timespec delay = {0, 2000000};
    nanosleep(&delay, 0);
    return original(descriptor);
}

int fsync(int descriptor) { return sync_slowly("fsync", descriptor); }
int fdatasync(int descriptor) { return sync_slowly("fdatasync", descriptor); }
