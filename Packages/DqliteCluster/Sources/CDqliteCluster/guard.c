#include "CDqliteCluster.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The functions of the SQLite that libdqlite uses. A program may have another one.
static struct {
    int (*auto_extension)(void (*)(void));
    int (*file_control)(sqlite3 *, const char *, int, void *);
    sqlite3_vfs *(*vfs_find)(const char *);
    int (*limit)(sqlite3 *, int, int);
    int (*trace_v2)(sqlite3 *, unsigned, int (*)(unsigned, void *, void *, void *), void *);
    void (*progress_handler)(sqlite3 *, int, int (*)(void *), void *);
    void *(*commit_hook)(sqlite3 *, int (*)(void *), void *);
    int (*db_status)(sqlite3 *, int, int *, int *, int);
    int (*txn_state)(sqlite3 *, const char *);
    int (*create_function_v2)(sqlite3 *, const char *, int, int, void *, void (*)(sqlite3_context *, int, sqlite3_value **),
                              void (*)(sqlite3_context *, int, sqlite3_value **), void (*)(sqlite3_context *), void (*)(void *));
} sqlite;

/// A connection that a node has opened. The thread of the node uses it; other threads read only the atomic member.
typedef struct guarded {
    strata_guard *guard;
    sqlite3 *db;
    /// The thread's processor time when the current statement began, or when the node's loop last ran meanwhile. While a statement waits for
    /// its client to take the rows, or for the processor, this time stands still.
    long long begin;
    /// The rows since the last time that the loop certainly ran.
    int rows;
    /// Since when a transaction that has written waits for its next statement; 0 if there is none.
    atomic_llong idle_since;
    struct guarded *next;
} guarded;

struct strata_guard {
    char vfs[32];
    strata_guard_limits limits;
    guarded *connections;
    strata_guard *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static strata_guard *guards;

static long long nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

long long strata_nanoseconds(void) { return nanoseconds(CLOCK_MONOTONIC); }

/// Begins to measure a statement.
static void restart(guarded *connection) {
    connection->begin = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    connection->rows = 0;
}

/// Called after some instructions of SQLite's virtual machine.
static int check_time(void *context) {
    guarded *connection = context;
    long long limit = connection->guard->limits.statement_time;
    return limit > 0 && nanoseconds(CLOCK_THREAD_CPUTIME_ID) - connection->begin > limit;
}

static int trace(unsigned event, void *context, void *statement, void *detail) {
    guarded *connection = context;
    switch (event) {
        case SQLITE_TRACE_STMT:
            // A trigger is a part of its statement.
            if (detail && strncmp(detail, "--", 2) == 0) break;
            restart(connection);
            atomic_store(&connection->idle_since, 0);
            break;
        case SQLITE_TRACE_ROW:
            // A node sends its rows when they fill a page of 4,096 bytes, and a row has at least 16. Then its loop runs.
            if (++connection->rows >= 256) restart(connection);
            break;
        case SQLITE_TRACE_PROFILE:
            restart(connection);
            int writes = sqlite.txn_state(connection->db, NULL) == SQLITE_TXN_WRITE;
            atomic_store(&connection->idle_since, writes ? strata_nanoseconds() : 0);
            break;
    }
    return 0;
}

/// Refuses a transaction whose changes are too large. SQLite's cache keeps them until the commit, as `cache_spill` is 0, and little else.
static int check_size(void *context) {
    guarded *connection = context;
    int used = 0, highest = 0;
    sqlite.db_status(connection->db, SQLITE_DBSTATUS_CACHE_USED, &used, &highest, 0);
    return connection->guard->limits.transaction_size > 0 && used > connection->guard->limits.transaction_size;
}

/// Called when a connection is closed.
static void forget(void *context) {
    guarded *connection = context;
    pthread_mutex_lock(&lock);
    guarded **place = &connection->guard->connections;
    while (*place && *place != connection) place = &(*place)->next;
    if (*place) *place = connection->next;
    pthread_mutex_unlock(&lock);
    free(connection);
}

static void do_nothing(sqlite3_context *context, int count, sqlite3_value **values) {}

/// Called for each connection that the process opens with this SQLite.
static int watch(sqlite3 *db, char **error, const void *api) {
    sqlite3_vfs *vfs = NULL;
    if (sqlite.file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, &vfs) != SQLITE_OK || !vfs) return SQLITE_OK;
    pthread_mutex_lock(&lock);
    strata_guard *guard = guards;
    while (guard && strcmp(guard->vfs, vfs->zName) != 0) guard = guard->next;
    guarded *connection = guard ? calloc(1, sizeof(guarded)) : NULL;
    if (connection) {
        connection->guard = guard;
        connection->db = db;
        connection->next = guard->connections;
        guard->connections = connection;
    }
    pthread_mutex_unlock(&lock);
    if (!connection) return SQLITE_OK;
    // The function is there for its destructor, which SQLite also calls if this fails.
    if (sqlite.create_function_v2(db, "strata_guard", 0, SQLITE_UTF8, connection, do_nothing, NULL, NULL, forget) != SQLITE_OK) {
        return SQLITE_OK;
    }
    if (guard->limits.value_size > 0) sqlite.limit(db, SQLITE_LIMIT_LENGTH, guard->limits.value_size);
    sqlite.trace_v2(db, SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE, trace, connection);
    sqlite.progress_handler(db, 1000, check_time, connection);
    sqlite.commit_hook(db, check_size, connection);
    return SQLITE_OK;
}

int strata_load_guard(void *library) {
#define LOAD(name) if (!(*(void **)&sqlite.name = dlsym(library, "sqlite3_" #name))) return 0;
    LOAD(auto_extension) LOAD(file_control) LOAD(vfs_find) LOAD(limit) LOAD(trace_v2) LOAD(progress_handler)
    LOAD(commit_hook) LOAD(db_status) LOAD(txn_state) LOAD(create_function_v2)
#undef LOAD
    return sqlite.auto_extension((void (*)(void))watch) == SQLITE_OK;
}

strata_guard *strata_guard_new_node(strata_guard_limits limits) {
    // libdqlite numbers the file systems of nodes.
    static int last = -1;
    char name[32];
    for (int number = last + 1; number < last + 1000; number++) {
        snprintf(name, sizeof name, "dqlite-%d", number);
        if (!sqlite.vfs_find(name)) continue;
        strata_guard *guard = calloc(1, sizeof(strata_guard));
        if (!guard) return NULL;
        last = number;
        memcpy(guard->vfs, name, sizeof name);
        guard->limits = limits;
        pthread_mutex_lock(&lock);
        guard->next = guards;
        guards = guard;
        pthread_mutex_unlock(&lock);
        return guard;
    }
    return NULL;
}

strata_guard_state strata_guard_read(strata_guard *guard) {
    strata_guard_state state = {0, 0};
    pthread_mutex_lock(&lock);
    for (guarded *connection = guard->connections; connection; connection = connection->next) {
        state.connection_count += 1;
        long long since = atomic_load(&connection->idle_since);
        if (since && (!state.idle_since || since < state.idle_since)) state.idle_since = since;
    }
    pthread_mutex_unlock(&lock);
    return state;
}

void strata_guard_free(strata_guard *guard) {
    pthread_mutex_lock(&lock);
    strata_guard **place = &guards;
    while (*place && *place != guard) place = &(*place)->next;
    if (*place) *place = guard->next;
    // Closed connections have left. If one remains, its node was not destroyed, and it still needs the guard.
    int is_unused = !guard->connections;
    pthread_mutex_unlock(&lock);
    if (is_unused) free(guard);
}
