import RowDecoding

/// The name of a table, split into the name of its database, if it states one, and the table's own name.
package struct TableReference: Hashable, Sendable {
    /// The name of the database: "main", "temp", or the name of an attached database. Nil if the table's name does not state one.
    package let schema: String?

    /// The name of the table.
    package let name: String

    /// Splits a table name.
    ///
    /// - Parameters:
    ///   - text: the name of a table, optionally prefixed with the name of a database and a dot. Names can contain dots: a table or a
    ///     view with the whole name takes precedence, and the name is not split if the connection has no such database.
    ///   - db: a connection.
    /// - Throws: ``DatabaseError`` when the schema can't be read.
    package init(_ text: String, in db: Database) throws {
        guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")) else {
            self.init(schema: nil, name: text)
            return
        }
        let schema = String(text[..<dot])
        let name = String(text[text.utf8.index(after: dot)...])
        if try db.hasDatabase(named: schema), try !db.tableExists(text), try !db.viewExists(text) {
            self.init(schema: schema, name: name)
        } else {
            self.init(schema: nil, name: text)
        }
    }

    /// Creates a reference.
    ///
    /// - Parameters:
    ///   - schema: "main", "temp", the name of an attached database, or nil.
    ///   - name: the name of the table.
    package init(schema: String?, name: String) {
        self.schema = schema
        self.name = name
    }

    /// Returns whether two table names, each with or without the name of a database, name the same table.
    ///
    /// A name without a database refers to the first database that has the table.
    ///
    /// - Throws: ``DatabaseError`` when the schema can't be read.
    package static func areEqual(_ one: String, _ other: String, in db: Database) throws -> Bool {
        if one.isEqualIgnoringASCIICase(to: other) { return true }
        // Only one of two different names can be without a database.
        guard one.utf8.contains(UInt8(ascii: ".")) || other.utf8.contains(UInt8(ascii: ".")) else { return false }
        let tables = try [TableReference(one, in: db), TableReference(other, in: db)]
        guard tables[0].name.isEqualIgnoringASCIICase(to: tables[1].name) else { return false }
        let schemas = try tables.map { try $0.schema ?? db.locateTable($0.name, in: nil)?.id.schemaID.name }
        guard let first = schemas[0], let second = schemas[1] else { return false }
        return first.isEqualIgnoringASCIICase(to: second)
    }

    /// The quoted SQL name of the table: `"player"`, or `"aux"."player"`.
    package var sql: String {
        guard let schema else { return name.quotedDatabaseIdentifier }
        return "\(schema.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)"
    }

    /// Returns the columns of the table or view, in order, without hidden columns.
    ///
    /// - Throws: ``DatabaseError`` when the table does not exist.
    package func columns(_ db: Database) throws -> [ColumnInfo] {
        try db.columns(in: name, in: schema)
    }

    /// Returns the names of the columns that `*` selects.
    ///
    /// - Throws: ``DatabaseError`` when the table does not exist.
    package func columnNames(_ db: Database) throws -> [String] {
        try columns(db).map(\.name)
    }

    /// Returns the primary key of the table.
    ///
    /// - Throws: ``DatabaseError`` when the table does not exist, or when it is a view whose key is not known.
    package func primaryKey(_ db: Database) throws -> PrimaryKeyInfo {
        try db.primaryKey(name, in: schema)
    }

    /// Returns the primary key of the table, or nil if it is a view whose key is not known.
    ///
    /// - Throws: ``DatabaseError`` when the table does not exist.
    package func knownPrimaryKey(_ db: Database) throws -> PrimaryKeyInfo? {
        try db.primaryKeyIfKnown(name, in: schema)
    }

    /// Returns whether the table is a view. SQLite does not count the changes that `INSTEAD OF` triggers make.
    package func isView(_ db: Database) throws -> Bool {
        try db.isView(name, in: schema)
    }
}

extension Database {
    /// Returns whether the connection has a database with a name: "main", "temp", or the name of an attached database.
    func hasDatabase(named name: String) throws -> Bool {
        // SQLite lists the temporary database only when it has content.
        if ["main", "temp"].contains(where: { $0.isEqualIgnoringASCIICase(to: name) }) { return true }
        return try withInternalStatements {
            let statement = try cachedStatement(sql: "SELECT 1 FROM pragma_database_list WHERE name = ? COLLATE NOCASE")
            try statement.setArguments([name])
            return try Int.fetchOne(statement) != nil
        }
    }
}
