import QueryInterface

/// A unique key of a table: the key whose conflict makes an upsert an update, or the key that distinguishes the rows of a list.
struct UniqueKey {
    private let names: [String]

    /// The index of the key; nil for the row ID, and for a key that the table does not have, which SQLite's error reports.
    private let index: IndexInfo?

    private let table: TableReference

    /// Finds the key in the schema.
    ///
    /// - Parameter target: the columns of the key; if there are none, the table must have only one key.
    /// - Throws: ``DatabaseError`` if several partial indexes have these columns, or if there are several keys and no columns.
    init(_ target: [String], of table: TableReference, _ db: Database) throws {
        self.table = table
        let primaryKey = try table.primaryKey(db)
        let unique = try db.indexes(on: table.name, in: table.schema).filter(\.isUnique)
        if target.isEmpty, unique.count > (primaryKey.isRowID ? 0 : 1) {
            throw DatabaseError.misuse(
                "an upsert into \(table.name), which has several keys, needs the columns of one",
                advice: "Pass the columns of one key as onConflict.")
        }
        names = target.isEmpty ? primaryKey.columns : target
        let wanted = Set(names.map(SchemaName.init))
        let matching = unique.filter { !$0.hasExpressions && Set($0.columns.map(SchemaName.init)) == wanted }
        if primaryKey.isRowID, Set(primaryKey.columns.map(SchemaName.init)) == wanted {
            index = nil
        } else if let complete = matching.first(where: { !$0.isPartial }) {
            index = complete
        } else if matching.count > 1 {
            throw DatabaseError.misuse(
                "the table \(table.name) has several partial indexes on \(target.joined(separator: ", ")): "
                    + matching.map(\.name).sorted().joined(separator: ", "),
                advice: "Write the upsert in SQL, with the condition of one of them.")
        } else {
            index = matching.first
        }
    }

    /// Returns the columns of the key, with the collations of their index.
    func columns(_ db: Database) throws -> [(name: String, collation: String?)] {
        guard let index, let schema = try schema(db) else { return names.map { ($0, nil) } }
        let sql = "PRAGMA \(schema.name.quotedDatabaseIdentifier).index_xinfo(\(index.name.quotedDatabaseIdentifier))"
        return try db.withInternalStatements { try Row.fetchAll(db, sql: sql) }.compactMap { row in
            guard row["key"] == 1, let name = row["name"] as String? else { return nil }
            return (name, row["coll"])
        }
    }

    /// Returns the condition of a partial index, which an upsert must repeat.
    ///
    /// Source: <https://www.sqlite.org/lang_upsert.html>
    func condition(_ db: Database) throws -> String? {
        guard let index, index.isPartial, let schema = try schema(db) else { return nil }
        let tokens = try db.definition(of: "index", index.name, in: schema)
        guard let start = tokens.tokens.indices.first(where: { tokens[$0].depth == 0 && tokens.keyword($0) == "WHERE" }),
            start + 1 < tokens.count
        else { return nil }
        // Without the comments at its end.
        return tokens.text(tokens[start + 1].range.lowerBound..<tokens[tokens.count - 1].range.upperBound)
    }

    /// Returns the collation that a column has in comparisons and orders. It need not be the collation of the key's index.
    func declaredCollation(of column: String, _ db: Database) throws -> String {
        let none = "BINARY"
        guard let schema = try schema(db) else { return none }
        let tokens = try db.definition(of: "table", table.name, in: schema)
        guard let open = tokens.tokens.firstIndex(where: { $0.kind == .open }), let close = tokens.indexOfClosing(open) else { return none }
        let depth = tokens[open].depth + 1
        let definitions = tokens.split(open + 1..<close, atCommasOfDepth: depth)
        let definition = definitions.first { tokens.name($0.lowerBound).isEqualIgnoringASCIICase(to: column) }
        let keyword = definition?.last { tokens[$0].depth == depth && tokens.keyword($0) == "COLLATE" }
        return keyword.map { tokens.name($0 + 1) } ?? none
    }

    private func schema(_ db: Database) throws -> DatabaseSchemaID? {
        try db.locateTable(table.name, in: table.schema)?.id.schemaID
    }
}

extension Database {
    /// Returns the statement that has created a table or an index; no tokens if there is none.
    ///
    /// - Parameter type: `table` or `index`.
    func definition(of type: String, _ name: String, in schema: DatabaseSchemaID) throws -> SQLTokens {
        let sql = try withInternalStatements {
            try String.fetchOne(
                self, sql: "SELECT sql FROM \(schema.schemaTableName) WHERE type = ? AND name = ? COLLATE NOCASE", arguments: [type, name])
        }
        return SQLTokens(sql ?? "")
    }
}
