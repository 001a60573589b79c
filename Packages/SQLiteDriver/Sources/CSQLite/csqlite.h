// The header of the CSQLite module: the C API of the system's SQLite.
// It is needed as a module map can only name a header by its path, and the path of <sqlite3.h> depends on the system.

#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>

#endif
