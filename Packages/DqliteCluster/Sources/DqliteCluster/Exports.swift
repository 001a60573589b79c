@_exported import SQLiteDriver
