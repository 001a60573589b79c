#ifndef CVALUE_CONVERSION_H
#define CVALUE_CONVERSION_H

/// Calls a function that frees a value, and counts how many such calls of this thread are inside each other.
///
/// Returns 0 without calling it if they are as many as the stack is good for, 2 if this was the outermost one, and 1 otherwise.
int strata_release(void (*release)(void *value), void *value);

/// Memory for a pointer of this thread, NULL at first: to the values that wait until the outermost one is freed.
void **strata_release_pending(void);

#endif
