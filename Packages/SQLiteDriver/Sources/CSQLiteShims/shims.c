#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CSQLiteShims.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

int strata_sqlite3_db_config_int(sqlite3 *db, int op, int onoff, int *result) {
    // These two have other arguments: SQLite would read a pointer from an int.
    if (op == SQLITE_DBCONFIG_MAINDBNAME || op == SQLITE_DBCONFIG_LOOKASIDE) {
        return SQLITE_MISUSE;
    }
    return sqlite3_db_config(db, op, onoff, result);
}

int strata_sqlite3_keeps_log(sqlite3 *db) {
    int is_persistent = -1;
    int is_left_alone = 0;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &is_persistent) != SQLITE_OK) {
        is_persistent = 0;
    }
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, -1, &is_left_alone);
    return is_persistent > 0 || is_left_alone > 0;
}

void strata_sqlite3_set_keeps_log(sqlite3 *db, int keeps_log) {
    sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps_log);
}

int strata_sqlite3_file_format(sqlite3 *db) {
    static const char magic[16] = "SQLite format 3";
    unsigned char header[20];
    sqlite3_int64 size = 0;
    sqlite3_file *file = NULL;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file || !file->pMethods) {
        return STRATA_FORMAT_OTHER;
    }
    if (file->pMethods->xRead(file, header, sizeof header, 0) != SQLITE_OK) {
        // Fewer bytes than the header has: SQLite fills the rest with zeros. Some files of /proc have bytes, although their size is 0.
        return file->pMethods->xFileSize(file, &size) == SQLITE_OK && size == 0 && header[0] == 0 ? STRATA_FORMAT_EMPTY : STRATA_FORMAT_OTHER;
    }
    if (memcmp(header, magic, sizeof magic) != 0) return STRATA_FORMAT_OTHER;
    return header[18] == 2 && header[19] == 2 ? STRATA_FORMAT_WAL : STRATA_FORMAT_ROLLBACK;
}

int strata_sqlite3_config_log(void (*callback)(void *context, int code, const char *message), void *context) {
    return sqlite3_config(SQLITE_CONFIG_LOG, callback, context);
}

int strata_path_status(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        return 0;
    }
    int flags = STRATA_PATH_EXISTS;
    if (S_ISDIR(status.st_mode)) flags |= STRATA_PATH_IS_FOLDER;
    if (S_ISREG(status.st_mode)) flags |= STRATA_PATH_IS_REGULAR;
    if (access(path, R_OK) == 0) flags |= STRATA_PATH_IS_READABLE;
    return flags;
}

bool strata_create_file(const char *path, const char *model) {
    struct stat status;
    if (stat(model, &status) != 0) return false;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor < 0) return false;
    // Nothing is in the file yet: if other permissions fail, its owner alone can read it.
    (void)!fchmod(descriptor, status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO));
    close(descriptor);
    return true;
}

int strata_remove_file(const char *path) { return unlink(path) == 0 ? 0 : errno; }

int strata_replace_file(const char *path, const char *replacement) {
    if (rename(replacement, path) != 0) return errno;
    // The new name may still be lost with the power.
    strata_synchronize_folder_of(path);
    return 0;
}

int strata_name_file(const char *path, const char *new_path) {
#if defined(__APPLE__)
    if (renamex_np(path, new_path, RENAME_EXCL) == 0) return 0;
#elif defined(__linux__) && defined(SYS_renameat2)
    // RENAME_NOREPLACE, which older headers lack.
    if (syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, new_path, 1u) == 0) return 0;
#else
    errno = ENOSYS;
#endif
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return errno;
    // The file system has no such operation: for a moment, the file has both names.
    if (link(path, new_path) != 0) return errno;
    unlink(path);
    return 0;
}

void strata_synchronize_folder_of(const char *path) {
    // Some file systems can't synchronize folders.
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int descriptor = folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    free(folder);
    if (descriptor >= 0) {
        (void)!fsync(descriptor);
        close(descriptor);
    }
}

int strata_flush_standard_output(void) {
    // On a terminal, or without a buffer, the failed write came before.
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    int code = errno;
    clearerr(stdout);
    return code ? code : EIO;
}

bool strata_file_identity(const char *path, uint64_t *device, uint64_t *number, uint64_t *link_count) {
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    *device = (uint64_t)status.st_dev;
    *number = (uint64_t)status.st_ino;
    *link_count = (uint64_t)status.st_nlink;
    return true;
}

int64_t strata_maximum_descriptor_count(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT32_MAX) return INT32_MAX;
    return (int64_t)limit.rlim_cur;
}

int64_t strata_file_size(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (int64_t)status.st_size : -1;
}

uintptr_t strata_milliseconds(void) {
    struct timespec time;
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
#else
    clock_gettime(CLOCK_MONOTONIC, &time);
#endif
    return (uintptr_t)time.tv_sec * 1000 + (uintptr_t)(time.tv_nsec / 1000000);
}

static _Thread_local void *current_access;

void *strata_current_access(void) { return current_access; }

void *strata_exchange_current_access(void *access) {
    void *outer = current_access;
    current_access = access;
    return outer;
}

static void *run_thread(void *argument) {
    void (*body)(void) = *(void (**)(void))argument;
    free(argument);
    body();
    return NULL;
}

int strata_start_thread(void (*body)(void)) {
    void (**argument)(void) = malloc(sizeof body);
    if (!argument) return 0;
    *argument = body;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int code = pthread_create(&thread, &attributes, run_thread, argument);
    pthread_attr_destroy(&attributes);
    if (code != 0) free(argument);
    return code == 0;
}

void strata_print_warning(const char *message) { fprintf(stderr, "warning: %s\n", message); }

#ifndef STRATA_HAS_THREAD_POINTER

// The address of a thread-local variable is unique among the threads that exist, and takes a single instruction to read.
static _Thread_local char thread_marker;

uintptr_t strata_current_thread(void) {
    return (uintptr_t)&thread_marker;
}

#endif
