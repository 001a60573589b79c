// What both sides of the benchmarks need from C: a function that the optimizer can't look into, and the counter of instructions.

#ifndef BLACK_BOX_H
#define BLACK_BOX_H

#include <stdbool.h>

// Keeps the value at an address: for the compiler of the caller, the function may read all of it.
void black_box(const void *value);

// Whether instructions can be counted: the process runs under Valgrind's tool Callgrind, whose header was installed when this was
// compiled.
bool counter_exists(void);

// Begins to count the instructions of the process.
void counter_start(void);

// Stops counting.
void counter_stop(void);

// Lets the thread run only on the last of the processors that it may use, and so on the same one in each process. Does nothing on other
// systems than Linux.
void use_one_processor(void);

#endif
