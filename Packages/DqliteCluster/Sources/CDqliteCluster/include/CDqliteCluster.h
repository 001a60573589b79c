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

/// The functions of libdqlite that run a node, as its header declares them (https://github.com/canonical/dqlite).
typedef struct strata_dqlite {
    int (*version_number)(void);
    int (*node_create)(unsigned long long id, const char *address, const char *folder, void **node);
    void (*node_destroy)(void *node);
    int (*node_set_bind_address)(void *node, const char *address);
    int (*node_set_network_latency_ms)(void *node, unsigned milliseconds);
    int (*node_start)(void *node);
    int (*node_stop)(void *node);
    const char *(*node_errmsg)(void *node);
} strata_dqlite;

/// Returns the functions of libdqlite, or NULL if the library is not installed. Thread-safe.
const strata_dqlite *strata_load_dqlite(void);

/// Makes writing to a closed connection an error, and not the end of the process.
void strata_ignore_sigpipe(void);

#endif
