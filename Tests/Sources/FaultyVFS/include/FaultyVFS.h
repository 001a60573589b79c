// A virtual file system of SQLite that fails when a test tells it to. Everything else it passes on to the default one.
//
// https://www.sqlite.org/vfs.html

#ifndef FAULTY_VFS_H
#define FAULTY_VFS_H

#include <stdint.h>

#include "FaultyMemory.h"

// The operations that can fail. Unlocking and closing never fail.
enum {
    FAULTY_OPEN = 1,
    FAULTY_READ = 2,
    FAULTY_WRITE = 4,
    FAULTY_SYNC = 8,
    FAULTY_TRUNCATE = 16,
    FAULTY_LOCK = 32,
    FAULTY_SHARED_MEMORY = 64,
    FAULTY_DELETE = 128,
    FAULTY_ALL = 255,
};

// What a watched checkpoint does next, beside the operations above.
enum {
    // It takes the lock of checkpoints.
    FAULTY_CHECKPOINT = 256,
    // It continues with the header of the log, which it has just read, and which differs from the last one that the connection has read.
    FAULTY_HEADER = 512,
};

typedef struct faulty_vfs faulty_vfs;

// Registers a file system. It must have a name of its own, which a URI gives: file:///folder/file?vfs=NAME. Returns NULL without memory.
faulty_vfs *faulty_vfs_create(const char *name);

// Unregisters a file system, and frees it. None of its files may be open.
void faulty_vfs_destroy(faulty_vfs *vfs);

// Makes the n-th of some operations fail, counted from now on and from 1.
//
// operations: a sum of the constants above
// code: a result code; SQLITE_IOERR stands for the extended code of each operation
// persists: whether all of these operations fail after it, too
void faulty_vfs_arm(faulty_vfs *vfs, int operations, int code, int64_t n, int persists);

// Stops failing operations.
void faulty_vfs_disarm(faulty_vfs *vfs);

// Calls a function before each operation of a checkpoint, on its thread: from the lock of checkpoints, which comes first, to its release; or
// while the last connection, which is being closed, has the file for itself.
// Meanwhile, the function may use other connections. NULL ends that; no checkpoint may be running then.
void faulty_vfs_watch_checkpoints(faulty_vfs *vfs, void (*watch)(void *context, int operation), void *context);

// The number of operations that have failed since the file system was armed.
int64_t faulty_vfs_failures(const faulty_vfs *vfs);

// The operation that was the first to fail since the file system was armed, one of the constants above, or 0.
int faulty_vfs_first_failure(const faulty_vfs *vfs);

// The number of files of the file system that are open.
int64_t faulty_vfs_open_files(const faulty_vfs *vfs);

#endif
