import RowDecoding

/// The context of a definition's SQL: the connection, and the primary keys of tables.
struct DefinitionContext {
    let database: Database

    /// The name of the table that is created or altered.
    let tableName: String

    /// The database of the table, where SQLite looks for the tables of its foreign keys. Nil for the first database that has the tables.
    let schema: String?

    /// Returns whether the table is `STRICT`.
    let isStrict: () throws -> Bool

    /// Returns the primary key of the table that is being created, which the schema does not contain yet. Returns nil if it is unknown.
    var definedKey: (() throws -> [KeyColumn]?)?

    /// A column of a primary key.
    struct KeyColumn {
        let name: String
        let type: Database.ColumnType?
    }

    /// The types of values that `STRICT` tables don't have, each with the type in which these values are stored by default.
    private static let strictTypes: [String: Database.ColumnType] = [
        Database.ColumnType.uuid.rawValue: .blob, Database.ColumnType.date.rawValue: .text, Database.ColumnType.datetime.rawValue: .text,
        Database.ColumnType.boolean.rawValue: .integer, Database.ColumnType.double.rawValue: .real,
    ]

    /// Returns the type that the table has for a column.
    func storedType(of type: Database.ColumnType) throws -> Database.ColumnType {
        guard let strictType = Self.strictTypes[type.rawValue.uppercased()] else { return type }
        return try isStrict() ? strictType : type
    }

    /// Returns whether a name is the name of the table being created or altered.
    func isOwnTable(_ name: String) -> Bool {
        localName(name).isEqualIgnoringASCIICase(to: tableName)
    }

    /// Returns the name of a foreign key's table without its database: SQLite looks for it in the database of the table itself.
    func localName(_ name: String) -> String {
        guard let schema, name.utf8.count > schema.utf8.count + 1 else { return name }
        let start = String(decoding: name.utf8.prefix(schema.utf8.count + 1), as: UTF8.self)
        return start.isEqualIgnoringASCIICase(to: schema + ".") ? String(name.dropFirst(start.count)) : name
    }

    /// Returns whether a table exists, or is the one being created or altered.
    func hasTable(_ name: String) throws -> Bool {
        try isOwnTable(name) || database.tableExists(localName(name), in: schema)
    }

    /// Returns the columns of a table's primary key: an empty array if the table has no primary key, nil if that is unknown because the
    /// table does not exist.
    func primaryKey(of table: String) throws -> [KeyColumn]? {
        if let definedKey, isOwnTable(table) { return try definedKey() }
        let table = localName(table)
        guard try database.tableExists(table, in: schema) else { return nil }
        let key = try database.primaryKey(table, in: schema)
        // Foreign keys can't refer to a row ID that is not a column: https://www.sqlite.org/foreignkeys.html#fk_indexes
        if key.isRowID, key.rowIDColumn == nil { return [] }
        let columns = try database.columns(in: table, in: schema)
        return key.columns.map { name in
            let type = columns.first { $0.name.isEqualIgnoringASCIICase(to: name) }?.type ?? ""
            return KeyColumn(name: name, type: type.isEmpty ? nil : Database.ColumnType(rawValue: type))
        }
    }
}

extension Database {
    /// Returns the SQL that a closure writes, with literal values: SQLite does not allow parameters in SQL that it stores in the schema.
    func definitionSQL(_ write: (inout SQLRenderer) throws -> Void) throws -> String {
        var renderer = SQLRenderer(database: self)
        renderer.writesLiterals = true
        try write(&renderer)
        return renderer.sql
    }

    /// Runs the statements of a definition. If one fails, all of them are undone.
    func run(definition statements: [String]) throws {
        // A single statement needs no savepoint: SQLite rolls it back when it fails.
        guard statements.count != 1 else { return try run(definition: statements[0]) }
        try inSavepoint {
            for sql in statements { try run(definition: sql) }
            return .commit
        }
    }

    /// Runs one statement of a definition, without the statement cache, because it won't run again.
    func run(definition sql: String) throws {
        do {
            try makeStatement(sql: sql).execute()
        } catch let error as DatabaseError where error.message?.hasPrefix("unknown datatype for ") == true {
            throw error.advising(
                "Strict tables have the types .integer, .real, .text, .blob and .any, and take .boolean, .date, .datetime, .double and .uuid "
                    + "for the types in which these values are stored.")
        }
    }
}

extension SQLRenderer {
    /// Writes names in parentheses: `("a", "b")`.
    mutating func append(parenthesizedNames names: [String]) {
        parenthesize { $0.append(names, separator: ", ") { $0.append(identifier: $1) } }
    }

    /// Writes the conflict resolution of a constraint, if it has one: ` ON CONFLICT REPLACE`.
    mutating func append(onConflict resolution: Database.ConflictResolution?) {
        if let resolution { append(" ON CONFLICT \(resolution.rawValue)") }
    }
}
