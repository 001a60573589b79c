extension Database {
    /// Returns whether a table is internal to SQLite, such as `sqlite_master` or `sqlite_sequence`: its name begins with "sqlite_".
    ///
    /// Source: <https://www.sqlite.org/fileformat2.html#internal_schema_objects>
    ///
    /// - Parameter tableName: the table's name, regardless of case.
    public static func isSQLiteInternalTable(_ tableName: String) -> Bool {
        tableName.hasPrefixIgnoringASCIICase("sqlite_")
    }

    /// Returns whether a table is one of SQLite's schema tables.
    ///
    /// Source: <https://www.sqlite.org/schematab.html>
    static func isSchemaTable(_ tableName: String) -> Bool {
        ["sqlite_master", "sqlite_temp_master", "sqlite_schema", "sqlite_temp_schema"].contains {
            $0.isEqualIgnoringASCIICase(to: tableName)
        }
    }

    /// Returns whether a table is internal to this toolkit: see ``isGRDBInternalTable(_:)``.
    package static func isStrataInternalTable(_ tableName: String) -> Bool {
        tableName.hasPrefixIgnoringASCIICase("strata_") || tableName.hasPrefixIgnoringASCIICase("grdb_")
    }

    /// Returns whether a table is internal to this toolkit: its name begins with "strata_", or with "grdb_" in a database file that
    /// GRDB has created. The name of the method is GRDB's.
    ///
    /// - Parameter tableName: the table's name, regardless of case.
    public static func isGRDBInternalTable(_ tableName: String) -> Bool {
        isStrataInternalTable(tableName)
    }
}
