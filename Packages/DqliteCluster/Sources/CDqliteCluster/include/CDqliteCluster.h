#ifndef CDQLITE_CLUSTER_H
#define CDQLITE_CLUSTER_H

#include "CSQLiteShims.h"

/// A virtual table, with the engine and the plan that it belongs to, and the number of its columns that are not hidden.
typedef struct strata_remote_table {
    sqlite3_vtab base;
    void *engine;
    long long plan;
    int column_count;
} strata_remote_table;

/// A cursor of a virtual table, with the object that reads the rows.
typedef struct strata_remote_cursor {
    sqlite3_vtab_cursor base;
    void *reader;
} strata_remote_cursor;

// MARK: libdqlite
//
// The library is loaded when the first node is created. So programs that only use a cluster need not have it.

/// A member of a cluster, as libdqlite takes it. The role 0 is that of a voter.
typedef struct strata_dqlite_info {
    uint64_t size;
    uint64_t id;
    uint64_t address;
    uint64_t role;
} strata_dqlite_info;

/// The functions of libdqlite that run a node, as its header declares them (https://github.com/canonical/dqlite).
typedef struct strata_dqlite {
    int (*version_number)(void);
    int (*node_create)(unsigned long long id, const char *address, const char *folder, void **node);
    void (*node_destroy)(void *node);
    int (*node_set_bind_address)(void *node, const char *address);
    int (*node_set_network_latency_ms)(void *node, unsigned milliseconds);
    int (*node_start)(void *node);
    int (*node_stop)(void *node);
    int (*node_recover_ext)(void *node, strata_dqlite_info *members, int count);
    const char *(*node_errmsg)(void *node);
} strata_dqlite;

/// Returns the functions of libdqlite, or NULL if the library is not installed. Thread-safe.
const strata_dqlite *strata_load_dqlite(void);

// MARK: Limits of a node
//
// SQLite calls an extension of ours for each connection that a node in this process opens: what a client does there can be limited, although
// libdqlite has no such limits.

/// Limits of the connections of a node; 0 for no limit.
typedef struct strata_guard_limits {
    /// The nanoseconds for which a statement may keep the node's loop from running.
    long long statement_time;
    /// The number of bytes that a transaction may change.
    int transaction_size;
    /// The number of bytes of a value, or of a row.
    int value_size;
} strata_guard_limits;

typedef struct strata_guard strata_guard;

typedef struct strata_guard_state {
    int connection_count;
    /// Since when the oldest transaction that has written waits for its next statement, in `strata_nanoseconds`; 0 if there is none.
    long long idle_since;
} strata_guard_state;

/// Guards the node that was created last. Call it under the lock under which nodes are created.
///
/// Returns NULL if the SQLite of libdqlite does not know the node.
strata_guard *strata_guard_new_node(strata_guard_limits limits);

/// Returns what the clients of a node do. Thread-safe.
strata_guard_state strata_guard_read(strata_guard *guard);

/// Ends the guard of a node that was destroyed.
void strata_guard_free(strata_guard *guard);

/// The time of a clock that is never set.
long long strata_nanoseconds(void);

/// Looks up the functions of the SQLite that a library uses, and begins to guard nodes. Returns 0 if one is missing.
int strata_load_guard(void *library);

/// Makes writing to a closed connection an error, and not the end of the process.
void strata_ignore_sigpipe(void);

#endif
