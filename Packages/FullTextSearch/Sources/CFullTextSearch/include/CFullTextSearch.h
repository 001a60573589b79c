#ifndef CFULL_TEXT_SEARCH_H
#define CFULL_TEXT_SEARCH_H

#include "CSQLiteShims.h"

/// Returns the functions of FTS5 for a connection, or NULL if the connection has no FTS5.
///
/// SQLite passes the pointer through a parameter of the SQL function `fts5`, which no SQL can forge:
/// <https://www.sqlite.org/fts5.html#extending_fts5>
///
/// - Parameter code: set to a result code of SQLite.
fts5_api *strata_fts5_api(sqlite3 *connection, int *code);

/// The error of a tokenizer of this thread, on its way through C code that only carries codes.
typedef struct strata_tokenizer_failure {
    /// The error, or NULL.
    void *error;
    /// The number of calls of this thread that take the error.
    long takers;
} strata_tokenizer_failure;

/// Returns the memory for the errors of this thread's tokenizers, zeroed at first.
strata_tokenizer_failure *strata_tokenizer_failure_slot(void);

#endif
