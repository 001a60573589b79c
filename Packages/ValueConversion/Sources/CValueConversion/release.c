#include "CValueConversion.h"

#include <stddef.h>

// This is another language for a reason. Swift does not say when exactly it ends a value's life: its optimizer moves the destruction past
// memory accesses that do not use the value, and counting in Swift, before and after it, counted nothing in release builds. A
// destruction can't leave a function that is called from here.

enum { maximum_depth = 64 };

static _Thread_local int depth = 0;
static _Thread_local void *pending = NULL;

int strata_release(void (*release)(void *value), void *value) {
    if (depth >= maximum_depth) return 0;
    depth++;
    release(value);
    return --depth == 0 ? 2 : 1;
}

void **strata_release_pending(void) {
    return &pending;
}
