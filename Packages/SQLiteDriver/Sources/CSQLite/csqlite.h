// The header of the CSQLite module: the C API of the system's SQLite, and nothing else.
// It exists because a module map can only name a header next to it, and <sqlite3.h> is somewhere on the system.

#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>

#endif
