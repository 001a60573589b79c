extension Database {
    /// Whether a table is one of SQLite's own, such as `sqlite_master` or `sqlite_sequence`: its name begins with "sqlite_".
    ///
    /// Source: <https://www.sqlite.org/fileformat2.html#internal_schema_objects>
    ///
    /// - Parameter tableName: the table's name, whatever its case.
    public static func isSQLiteInternalTable(_ tableName: String) -> Bool {
        tableName.hasPrefixIgnoringASCIICase("sqlite_")
    }

    /// Whether a table is one of those in which SQLite keeps a schema.
    ///
    /// Source: <https://www.sqlite.org/schematab.html>
    static func isSchemaTable(_ tableName: String) -> Bool {
        ["sqlite_master", "sqlite_temp_master", "sqlite_schema", "sqlite_temp_schema"].contains {
            $0.isEqualIgnoringASCIICase(to: tableName)
        }
    }

    /// Whether a table is one that this toolkit keeps for itself: its name begins with "strata_", or with "grdb_" in a
    /// database file that GRDB has made.
    ///
    /// - Parameter tableName: the table's name, whatever its case.
    public static func isStrataInternalTable(_ tableName: String) -> Bool {
        tableName.hasPrefixIgnoringASCIICase("strata_") || tableName.hasPrefixIgnoringASCIICase("grdb_")
    }

    /// Whether a table is one that this toolkit keeps for itself: the name by which programs that come from GRDB know
    /// ``isStrataInternalTable(_:)``.
    ///
    /// - Parameter tableName: the table's name, whatever its case.
    public static func isGRDBInternalTable(_ tableName: String) -> Bool {
        isStrataInternalTable(tableName)
    }
}

extension String {
    fileprivate func hasPrefixIgnoringASCIICase(_ prefix: String) -> Bool {
        String(decoding: utf8.prefix(prefix.utf8.count), as: UTF8.self).isEqualIgnoringASCIICase(to: prefix)
    }
}
