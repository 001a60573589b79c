// This is C because the optimizer of Swift sees the functions of all Swift files of a module, and those of a C target in no caller.

#ifdef __linux__
#define _GNU_SOURCE
#include <sched.h>
#endif

#include "BlackBox.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define HAS_CALLGRIND 1
#else
#define HAS_CALLGRIND 0
#endif

void black_box(const void *value) {
    __asm__ volatile("" : : "r"(value) : "memory");
}

bool counter_exists(void) {
#if HAS_CALLGRIND
    return RUNNING_ON_VALGRIND != 0;
#else
    return false;
#endif
}

void counter_start(void) {
#if HAS_CALLGRIND
    CALLGRIND_START_INSTRUMENTATION;
#endif
}

void counter_stop(void) {
#if HAS_CALLGRIND
    CALLGRIND_STOP_INSTRUMENTATION;
#endif
}

void use_one_processor(void) {
#ifdef __linux__
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (int processor = CPU_SETSIZE - 1; processor >= 0; processor--) {
        if (!CPU_ISSET(processor, &allowed)) continue;
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
#endif
}
