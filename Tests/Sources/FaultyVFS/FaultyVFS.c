#include "FaultyVFS.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct faulty_vfs {
    sqlite3_vfs base;  // first: SQLite passes a pointer to it
    sqlite3_vfs *real;
    char *name;
    atomic_int operations;
    atomic_int code;
    atomic_int persists;
    atomic_llong until;  // the number of operations until the first that fails
    atomic_int first_failure;
    atomic_llong failures;
    atomic_llong open_files;
    void (*watch)(void *, int);
    void *watch_context;
};

typedef struct {
    sqlite3_file base;  // first, as above
    faulty_vfs *vfs;
    sqlite3_file *real;  // behind this structure
} faulty_file;

// Whether this thread runs a checkpoint, and whether it calls the function that watches it.
static _Thread_local int runs_checkpoint;
static _Thread_local int is_watching;

static void watch(faulty_vfs *vfs, int operation) {
    if (!vfs->watch || !runs_checkpoint || is_watching) return;
    is_watching = 1;
    vfs->watch(vfs->watch_context, operation);
    is_watching = 0;
}

// Returns SQLITE_OK, or the code that an operation fails with.
static int fault(faulty_vfs *vfs, int operation, int io_error) {
    watch(vfs, operation);
    if (!(atomic_load(&vfs->operations) & operation)) return SQLITE_OK;
    long long left = atomic_fetch_sub(&vfs->until, 1) - 1;
    if (left > 0 || (left < 0 && !atomic_load(&vfs->persists))) return SQLITE_OK;
    atomic_fetch_add(&vfs->failures, 1);
    if (left == 0) atomic_store(&vfs->first_failure, operation);
    int code = atomic_load(&vfs->code);
    return code == SQLITE_IOERR ? io_error : code;
}

static faulty_file *cast(sqlite3_file *file) { return (faulty_file *)file; }

#define FAIL_IF_TOLD(operation, io_error)                                  \
    do {                                                                   \
        int fault_code = fault(cast(file)->vfs, (operation), (io_error));  \
        if (fault_code != SQLITE_OK) return fault_code;                    \
    } while (0)

#define REAL (cast(file)->real)

static int file_close(sqlite3_file *file) {
    atomic_fetch_sub(&cast(file)->vfs->open_files, 1);
    if (!is_watching) runs_checkpoint = 0;
    return REAL->pMethods->xClose(REAL);
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    FAIL_IF_TOLD(FAULTY_READ, SQLITE_IOERR_READ);
    return REAL->pMethods->xRead(REAL, bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    FAIL_IF_TOLD(FAULTY_WRITE, SQLITE_IOERR_WRITE);
    return REAL->pMethods->xWrite(REAL, bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    FAIL_IF_TOLD(FAULTY_TRUNCATE, SQLITE_IOERR_TRUNCATE);
    return REAL->pMethods->xTruncate(REAL, size);
}

static int file_sync(sqlite3_file *file, int flags) {
    FAIL_IF_TOLD(FAULTY_SYNC, SQLITE_IOERR_FSYNC);
    return REAL->pMethods->xSync(REAL, flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    FAIL_IF_TOLD(FAULTY_READ, SQLITE_IOERR_FSTAT);
    return REAL->pMethods->xFileSize(REAL, size);
}

static int file_lock(sqlite3_file *file, int level) {
    FAIL_IF_TOLD(FAULTY_LOCK, SQLITE_IOERR_LOCK);
    int code = REAL->pMethods->xLock(REAL, level);
    // The last connection to a file with a log locks it for its checkpoint when it is closed.
    if (level == SQLITE_LOCK_EXCLUSIVE && code == SQLITE_OK && !is_watching) runs_checkpoint = 1;
    return code;
}

static int file_unlock(sqlite3_file *file, int level) {
    if (!is_watching) runs_checkpoint = 0;
    return REAL->pMethods->xUnlock(REAL, level);
}

static int file_check_reserved_lock(sqlite3_file *file, int *result) {
    FAIL_IF_TOLD(FAULTY_LOCK, SQLITE_IOERR_CHECKRESERVEDLOCK);
    return REAL->pMethods->xCheckReservedLock(REAL, result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return REAL->pMethods->xFileControl(REAL, operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return REAL->pMethods->xSectorSize(REAL); }

static int file_characteristics(sqlite3_file *file) { return REAL->pMethods->xDeviceCharacteristics(REAL); }

static int file_shm_map(sqlite3_file *file, int region, int size, int extends, void volatile **memory) {
    FAIL_IF_TOLD(FAULTY_SHARED_MEMORY, SQLITE_IOERR_SHMMAP);
    return REAL->pMethods->xShmMap(REAL, region, size, extends, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    // The second lock is that of checkpoints: https://www.sqlite.org/walformat.html#wal_locks
    int is_checkpoint = offset == 1 && count == 1 && (flags & SQLITE_SHM_EXCLUSIVE) && !is_watching;
    if (flags & SQLITE_SHM_LOCK) {
        if (is_checkpoint) {
            runs_checkpoint = 1;
            watch(cast(file)->vfs, FAULTY_CHECKPOINT);
        }
        int code = fault(cast(file)->vfs, FAULTY_SHARED_MEMORY, SQLITE_IOERR_SHMLOCK);
        if (code == SQLITE_OK) code = REAL->pMethods->xShmLock(REAL, offset, count, flags);
        if (is_checkpoint && code != SQLITE_OK) runs_checkpoint = 0;
        return code;
    }
    if (is_checkpoint) runs_checkpoint = 0;
    return REAL->pMethods->xShmLock(REAL, offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { REAL->pMethods->xShmBarrier(REAL); }

static int file_shm_unmap(sqlite3_file *file, int removes) { return REAL->pMethods->xShmUnmap(REAL, removes); }

// There are no memory-mapped reads, which no operation would count.
static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **page) {
    *page = NULL;
    return SQLITE_OK;
}

// SQLite also calls this to end all memory-mapped reads, when a checkpoint has found another header.
static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page) {
    watch(cast(file)->vfs, FAULTY_HEADER);
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 3,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
    .xFetch = file_fetch,
    .xUnfetch = file_unfetch,
};

static int vfs_open(sqlite3_vfs *base, sqlite3_filename path, sqlite3_file *file, int flags, int *result) {
    faulty_vfs *vfs = (faulty_vfs *)base;
    file->pMethods = NULL;
    int code = fault(vfs, FAULTY_OPEN, SQLITE_IOERR);
    if (code != SQLITE_OK) return code;
    cast(file)->vfs = vfs;
    cast(file)->real = (sqlite3_file *)(cast(file) + 1);
    code = vfs->real->xOpen(vfs->real, path, REAL, flags, result);
    if (REAL->pMethods) {
        file->pMethods = &methods;
        atomic_fetch_add(&vfs->open_files, 1);
    }
    return code;
}

static int vfs_delete(sqlite3_vfs *base, const char *path, int syncs) {
    faulty_vfs *vfs = (faulty_vfs *)base;
    int code = fault(vfs, FAULTY_DELETE, SQLITE_IOERR_DELETE);
    return code != SQLITE_OK ? code : vfs->real->xDelete(vfs->real, path, syncs);
}

static int vfs_access(sqlite3_vfs *base, const char *path, int flags, int *result) {
    faulty_vfs *vfs = (faulty_vfs *)base;
    int code = fault(vfs, FAULTY_OPEN, SQLITE_IOERR_ACCESS);
    return code != SQLITE_OK ? code : vfs->real->xAccess(vfs->real, path, flags, result);
}

static int vfs_full_pathname(sqlite3_vfs *base, const char *path, int size, char *full) {
    sqlite3_vfs *real = ((faulty_vfs *)base)->real;
    return real->xFullPathname(real, path, size, full);
}

static int vfs_randomness(sqlite3_vfs *base, int size, char *bytes) {
    sqlite3_vfs *real = ((faulty_vfs *)base)->real;
    return real->xRandomness(real, size, bytes);
}

static int vfs_sleep(sqlite3_vfs *base, int microseconds) {
    sqlite3_vfs *real = ((faulty_vfs *)base)->real;
    return real->xSleep(real, microseconds);
}

static int vfs_current_time(sqlite3_vfs *base, double *time) {
    sqlite3_vfs *real = ((faulty_vfs *)base)->real;
    return real->xCurrentTime(real, time);
}

static int vfs_last_error(sqlite3_vfs *base, int size, char *message) {
    sqlite3_vfs *real = ((faulty_vfs *)base)->real;
    return real->xGetLastError ? real->xGetLastError(real, size, message) : 0;
}

faulty_vfs *faulty_vfs_create(const char *name) {
    faulty_vfs *vfs = calloc(1, sizeof(faulty_vfs));
    if (!vfs) return NULL;
    vfs->real = sqlite3_vfs_find(NULL);
    vfs->name = strdup(name);
    vfs->base = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = (int)sizeof(faulty_file) + vfs->real->szOsFile,
        .mxPathname = vfs->real->mxPathname,
        .zName = vfs->name,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_pathname,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_current_time,
        .xGetLastError = vfs_last_error,
    };
    if (!vfs->name || sqlite3_vfs_register(&vfs->base, 0) != SQLITE_OK) {
        free(vfs->name);
        free(vfs);
        return NULL;
    }
    return vfs;
}

void faulty_vfs_destroy(faulty_vfs *vfs) {
    sqlite3_vfs_unregister(&vfs->base);
    free(vfs->name);
    free(vfs);
}

void faulty_vfs_arm(faulty_vfs *vfs, int operations, int code, int64_t n, int persists) {
    atomic_store(&vfs->operations, 0);
    atomic_store(&vfs->code, code);
    atomic_store(&vfs->persists, persists);
    atomic_store(&vfs->until, n);
    atomic_store(&vfs->first_failure, 0);
    atomic_store(&vfs->failures, 0);
    atomic_store(&vfs->operations, operations);
}

void faulty_vfs_watch_checkpoints(faulty_vfs *vfs, void (*function)(void *, int), void *context) {
    vfs->watch = function;
    vfs->watch_context = context;
}

void faulty_vfs_disarm(faulty_vfs *vfs) { atomic_store(&vfs->operations, 0); }

int64_t faulty_vfs_failures(const faulty_vfs *vfs) { return atomic_load(&((faulty_vfs *)vfs)->failures); }

int faulty_vfs_first_failure(const faulty_vfs *vfs) { return atomic_load(&((faulty_vfs *)vfs)->first_failure); }

int64_t faulty_vfs_open_files(const faulty_vfs *vfs) { return atomic_load(&((faulty_vfs *)vfs)->open_files); }
