// SQLite's C API for Swift, the same on every platform. For SQLite, Swift files import CSQLiteShims alone.

#ifndef CSQLITE_SHIMS_H
#define CSQLITE_SHIMS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__APPLE__)
// A module of the SDK (SQLite3) contains this header. The include becomes an import, which `export *` passes on.
#include <sqlite3.h>
#else
// The header is named by its path, so that clang recognises it as CSQLite's, and imports that module, which `export *` passes on.
// Including <sqlite3.h> would declare all of SQLite a second time, in this module.
#include "../../CSQLite/csqlite.h"
#endif

// MARK: Variadic functions
//
// Swift does not import C functions with variable arguments. Each function below calls such a function with fixed arguments.

#if defined(__cplusplus)
extern "C" {
#endif

/// Sets or reads a boolean option of a connection, such as `SQLITE_DBCONFIG_DEFENSIVE`
/// (https://www.sqlite.org/c3ref/c_dbconfig_defensive.html).
///
/// - Parameter op: an option whose arguments are an `int` and an `int *`. SQLITE_DBCONFIG_MAINDBNAME and SQLITE_DBCONFIG_LOOKASIDE
///   have other arguments, and return SQLITE_MISUSE here.
/// - Parameter onoff: 1 for on, 0 for off, negative to leave the option unchanged.
/// - Parameter result: set to the option's value after the call, 1 or 0; may be NULL.
/// - Returns: SQLITE_OK, or SQLITE_ERROR for an option that this SQLite does not know.
int strata_sqlite3_db_config_int(sqlite3 *db, int op, int onoff, int *result);

/// Returns whether closing the last connection keeps the write-ahead log of the main database, because of SQLITE_FCNTL_PERSIST_WAL
/// or SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE.
int strata_sqlite3_keeps_log(sqlite3 *db);

/// Sets SQLITE_FCNTL_PERSIST_WAL of the main database: whether closing the last connection keeps the write-ahead log. By default, only
/// Apple's SQLite does.
void strata_sqlite3_set_keeps_log(sqlite3 *db, int keeps_log);

/// Returns the format of the file of the main database, which SQLite's own handle reads: one of the `STRATA_FORMAT_` constants. It takes
/// no lock, and creates no files.
///
/// Source: https://www.sqlite.org/fileformat.html#the_database_header
int strata_sqlite3_file_format(sqlite3 *db);

enum {
    /// The file does not begin as a database.
    STRATA_FORMAT_OTHER = 0,
    /// The file has no bytes: a new database, or an empty text.
    STRATA_FORMAT_EMPTY = 1,
    /// A database with a rollback journal.
    STRATA_FORMAT_ROLLBACK = 2,
    /// A database in WAL mode.
    STRATA_FORMAT_WAL = 3,
};

/// Sets the process-wide error log (https://www.sqlite.org/errlog.html); a NULL callback removes it.
///
/// Not thread-safe. Must be called before the first use of SQLite in the process.
///
/// - Parameter callback: called with `context`, an extended result code and a message. It must not call SQLite.
/// - Returns: SQLITE_OK, or SQLITE_MISUSE when SQLite is already in use.
int strata_sqlite3_config_log(void (*callback)(void *context, int code, const char *message), void *context);

// MARK: Destructors
//
// SQLITE_STATIC and SQLITE_TRANSIENT are integers cast to function pointers, which Swift does not import.

/// Binds text that SQLite copies before the call returns.
static inline int strata_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds text that the caller keeps alive and unchanged until the parameter is bound again or cleared.
static inline int strata_bind_text_borrowed(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_STATIC, SQLITE_UTF8);
}

/// Binds a blob that SQLite copies before the call returns.
static inline int strata_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Binds a blob that the caller keeps alive and unchanged until the parameter is bound again or cleared.
static inline int strata_bind_blob_borrowed(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_STATIC);
}

/// Sets a text, which SQLite copies, as the result of an SQL function.
static inline void strata_result_text_copy(sqlite3_context *context, const void *text, sqlite3_uint64 count) {
    sqlite3_result_text64(context, text ? text : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Sets a blob, which SQLite copies, as the result of an SQL function.
static inline void strata_result_blob_copy(sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
    sqlite3_result_blob64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// MARK: Bytes

/// Returns whether two memory areas have the same bytes. FoundationEssentials has no `memcmp`.
static inline int strata_are_same_bytes(const void *lhs, const void *rhs, size_t count) {
    return count == 0 || memcmp(lhs, rhs, count) == 0;
}

/// A byte of a name, with an ASCII letter in lower case.
static inline uint8_t strata_folded(uint8_t byte) { return (uint8_t)(byte - 'A') < 26 ? byte | 0x20 : byte; }

/// Returns whether two memory areas have the same bytes, ignoring the case of ASCII letters.
static inline int strata_are_same_folded(const char *lhs, const char *rhs, size_t count) {
    for (size_t index = 0; index < count; index++) {
        if (strata_folded((uint8_t)lhs[index]) != strata_folded((uint8_t)rhs[index])) return 0;
    }
    return 1;
}

/// The FNV-1a hash of the bytes with ASCII letters in lower case.
static inline uint64_t strata_folded_hash(const char *bytes, size_t count) {
    uint64_t hash = 14695981039346656037u;
    for (size_t index = 0; index < count; index++) hash = (hash ^ strata_folded((uint8_t)bytes[index])) * 1099511628211u;
    return hash;
}

// MARK: Files

enum {
    STRATA_PATH_EXISTS = 1,
    STRATA_PATH_IS_FOLDER = 2,
    STRATA_PATH_IS_READABLE = 4,
    STRATA_PATH_IS_REGULAR = 16,
};

/// Returns what the file system knows of a path, as STRATA_PATH flags; 0 if nothing exists there.
int strata_path_status(const char *path);

/// Creates an empty file with the permissions of another one. Returns whether it has created the file: if a file exists at the path, it stays.
bool strata_create_file(const char *path, const char *model);

/// Removes a file. It does not open the file. Returns 0, or an error number.
int strata_remove_file(const char *path);

/// Makes the names of a folder's files survive a loss of power, as far as the file system can.
void strata_synchronize_folder_of(const char *path);

/// Gives a file a name that no other file has. Returns 0, or an error number: EEXIST if a file has the name.
int strata_name_file(const char *path, const char *new_path);

/// Gives a file the name of another, which it replaces if that exists, and synchronizes the folder. Returns 0, or an error number.
int strata_replace_file(const char *path, const char *replacement);

/// Writes what the standard output of the process has buffered. Returns 0, or an error number. (Swift can't refer to \c stdout, a variable.)
int strata_flush_standard_output(void);

/// Sets the number of the file system and of the file at a path, and the number of names that the file has. It does not open the file.
/// Returns false if no regular file exists there.
bool strata_file_identity(const char *path, uint64_t *device, uint64_t *number, uint64_t *link_count);

/// Returns how many files the process may have open.
int64_t strata_maximum_descriptor_count(void);

// MARK: Threads

/// A number that differs between any two threads that run at the same time.
#if defined(__linux__) && __has_builtin(__builtin_thread_pointer)
#define STRATA_HAS_THREAD_POINTER
static inline uintptr_t strata_current_thread(void) { return (uintptr_t)__builtin_thread_pointer(); }
#else
uintptr_t strata_current_thread(void);
#endif

/// The time of a clock that never goes backwards, in milliseconds, with the resolution of the system's ticks.
uintptr_t strata_milliseconds(void);

/// The size of a file, in bytes; -1 if the path does not lead to a file.
int64_t strata_file_size(const char *path);

/// The connection of the innermost access that is running on this thread; null outside accesses.
void *strata_current_access(void);

/// Sets that connection, and returns the previous one.
void *strata_exchange_current_access(void *access);

/// Starts a thread that runs a function.
///
/// Returns 0 if the system has no more threads.
int strata_start_thread(void (*body)(void));

/// Prints a line to standard error.
void strata_print_warning(const char *message);

// MARK: Atomics
//
// Words that one thread writes while others read them. Swift's own atomics require newer systems than Strata does.

static inline uintptr_t strata_atomic_load(const uintptr_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static inline void strata_atomic_store(uintptr_t *word, uintptr_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

#if defined(__cplusplus)
}
#endif

#endif
