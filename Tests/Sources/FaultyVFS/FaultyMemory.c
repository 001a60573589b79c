#include "FaultyMemory.h"

#include <sqlite3.h>
#include <stdatomic.h>

static sqlite3_mem_methods real;
static atomic_int is_armed;
static atomic_int persists_after;
static atomic_llong until;
static atomic_llong failures;

static int fails(void) {
    if (!atomic_load(&is_armed)) return 0;
    long long left = atomic_fetch_sub(&until, 1) - 1;
    if (left > 0 || (left < 0 && !atomic_load(&persists_after))) return 0;
    atomic_fetch_add(&failures, 1);
    return 1;
}

static void *faulty_malloc(int size) { return fails() ? NULL : real.xMalloc(size); }

static void *faulty_realloc(void *memory, int size) { return fails() ? NULL : real.xRealloc(memory, size); }

int faulty_memory_install(void) {
    int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
    if (code != SQLITE_OK) return code;
    sqlite3_mem_methods faulty = real;
    faulty.xMalloc = faulty_malloc;
    faulty.xRealloc = faulty_realloc;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &faulty);
}

void faulty_memory_arm(int64_t n, int persists) {
    atomic_store(&is_armed, 0);
    atomic_store(&persists_after, persists);
    atomic_store(&until, n);
    atomic_store(&failures, 0);
    atomic_store(&is_armed, 1);
}

void faulty_memory_disarm(void) { atomic_store(&is_armed, 0); }

int64_t faulty_memory_failures(void) { return atomic_load(&failures); }
