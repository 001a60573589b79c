// An allocator of SQLite that fails when a test tells it to.
//
// https://www.sqlite.org/malloc.html#testing_for_out_of_memory

#ifndef FAULTY_MEMORY_H
#define FAULTY_MEMORY_H

#include <stdint.h>

// Makes SQLite use the allocator, in the whole process. Must be called before any other function of SQLite.
//
// Returns a result code.
int faulty_memory_install(void);

// Makes the n-th allocation fail, counted from now on and from 1, and all after it if it persists.
void faulty_memory_arm(int64_t n, int persists);

// Stops failing allocations.
void faulty_memory_disarm(void);

// The number of allocations that have failed since the allocator was armed.
int64_t faulty_memory_failures(void);

#endif
