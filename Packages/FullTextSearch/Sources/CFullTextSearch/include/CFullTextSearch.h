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

#endif
