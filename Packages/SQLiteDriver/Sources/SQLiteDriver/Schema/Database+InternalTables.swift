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
        isSQLiteInternalTable(tableName)
            && ["sqlite_master", "sqlite_temp_master", "sqlite_schema", "sqlite_temp_schema"].contains {
                $0.isEqualIgnoringASCIICase(to: tableName)
            }
    }

    /// Returns the shadow tables of a database, in which virtual tables keep their content. SQLite before 3.37 does not report them.
    ///
    /// Source: <https://www.sqlite.org/vtab.html#xshadowname>
    package func shadowTables(in schemaName: String = "main") throws -> Set<String> {
        let names = try InternalQuery("PRAGMA \(schemaName.quotedDatabaseIdentifier).table_list").values(in: self) { row in
            row.string(at: 2) == "shadow" && row.string(at: 0)?.isEqualIgnoringASCIICase(to: schemaName) == true ? row.string(at: 1) : nil
        }
        return Set(names)
    }

    /// The objects that keep a full-text table in sync with another table: FullTextSearch creates them.
    package struct SynchronizationNames {
        package let view: String
        package let replaced: String

        /// The triggers, including those of earlier versions.
        package let triggers: [String]

        package init(ofFullTextTable name: String) {
            view = "__\(name)_content"
            replaced = "__\(name)_replaced"
            triggers = ["ai", "ar", "ad", "au", "bi", "bu", "bd"].map { "__\(name)_\($0)" }
        }
    }

    /// Returns the triggers and tables of a database that follow from the declarations of synchronized full-text tables: a
    /// `CREATE VIRTUAL TABLE`, and the view with its content. Their SQL depends on the version that created them, so comparisons of schemas
    /// leave them out.
    package func derivedSynchronizationObjects(in schemaName: String = "main") throws -> Set<SchemaName> {
        var names: Set<SchemaName> = []
        let sql =
            "SELECT name, sql FROM \(schemaName.quotedDatabaseIdentifier).sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL %'"
        try InternalQuery(sql).forEachRow(in: self) { row in
            guard let definition = VirtualTableDefinition(row.string(at: 1) ?? ""), ["fts4", "fts5"].contains(definition.module) else {
                return
            }
            let helpers = SynchronizationNames(ofFullTextTable: row.string(at: 0) ?? "")
            // The triggers of other libraries, and of programs, have a table as content.
            guard definition.value(ofOption: "content") == helpers.view else { return }
            names.formUnion((helpers.triggers + [helpers.replaced]).map { SchemaName($0) })
        }
        return names
    }

    /// Returns the tables and views of a database that belong to its virtual tables: shadow tables, and those that keep full-text tables in
    /// sync with others. A user's own object with such a name belongs to no virtual table, and is left out.
    package func tablesOfVirtualTables(in schemaName: String = "main") throws -> Set<String> {
        var names = try shadowTables(in: schemaName)
        let sql =
            "SELECT name FROM \(schemaName.quotedDatabaseIdentifier).sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL %'"
        try InternalQuery(sql).forEachRow(in: self) { row in
            let helpers = SynchronizationNames(ofFullTextTable: row.string(at: 0) ?? "")
            names.formUnion([helpers.view, helpers.replaced])
        }
        return names
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
