import RowDecoding

/// What the SQL of a definition depends on besides the definition: the connection, and the primary keys of other tables.
struct DefinitionContext {
    let database: Database

    /// The table that is created or altered.
    let tableName: String

    /// The database of the table, in which SQLite looks for the tables that its foreign keys name; nil for the first that has them.
    let schema: String?

    /// The primary key of a table that is being created, of which the schema knows nothing yet; nil when it is not known.
    var definedKey: (() throws -> [KeyColumn]?)?

    /// A column of a primary key.
    struct KeyColumn {
        let name: String
        let type: Database.ColumnType?
    }

    /// Whether a name is that of the table that is created or altered.
    func isOwnTable(_ name: String) -> Bool {
        localName(name).isEqualIgnoringASCIICase(to: tableName)
    }

    /// The name of a table that a foreign key refers to, without that of the database: SQLite looks for it in the table's own.
    func localName(_ name: String) -> String {
        guard let schema, name.utf8.count > schema.utf8.count + 1 else { return name }
        let start = String(decoding: name.utf8.prefix(schema.utf8.count + 1), as: UTF8.self)
        return start.isEqualIgnoringASCIICase(to: schema + ".") ? String(name.dropFirst(start.count)) : name
    }

    /// The columns of the primary key of a table, none where it has no primary key, or nil when it can't be known, as the table does
    /// not exist.
    func primaryKey(of table: String) throws -> [KeyColumn]? {
        if let definedKey, isOwnTable(table) { return try definedKey() }
        let table = localName(table)
        guard try database.tableExists(table, in: schema) else { return nil }
        let key = try database.primaryKey(table, in: schema)
        // Foreign keys can't refer to a row id that is no column: https://www.sqlite.org/foreignkeys.html#fk_indexes
        if key.isRowID, key.rowIDColumn == nil { return [] }
        let columns = try database.columns(in: table, in: schema)
        return key.columns.map { name in
            let type = columns.first { $0.name.isEqualIgnoringASCIICase(to: name) }?.type ?? ""
            return KeyColumn(name: name, type: type.isEmpty ? nil : Database.ColumnType(rawValue: type))
        }
    }

    /// The SQL that a closure writes. Definitions take no parameters: values are written into it.
    func sql(_ write: (inout SQLRenderer) throws -> Void) throws -> String {
        try database.definitionSQL(write)
    }
}

extension Database {
    /// The SQL that a closure writes, with its values in it: SQLite takes no parameters in what it keeps in the schema.
    func definitionSQL(_ write: (inout SQLRenderer) throws -> Void) throws -> String {
        var renderer = SQLRenderer(database: self)
        renderer.writesLiterals = true
        try write(&renderer)
        return renderer.sql
    }

    /// Runs the statements of a definition, all of them or none.
    func run(definition statements: [String]) throws {
        // One statement needs no savepoint: SQLite undoes it when it fails.
        guard statements.count != 1 else { return try run(definition: statements[0]) }
        try inSavepoint {
            for sql in statements { try run(definition: sql) }
            return .commit
        }
    }

    /// Runs one statement, which the cache of statements has no use for.
    func run(definition sql: String) throws {
        try makeStatement(sql: sql).execute()
    }
}

extension SQLRenderer {
    /// Writes names in parentheses: `("a", "b")`.
    mutating func append(parenthesizedNames names: [String]) {
        append("(")
        append(names, separator: ", ") { $0.append(identifier: $1) }
        append(")")
    }

    /// Writes what happens when a constraint is violated, if that was said: ` ON CONFLICT REPLACE`.
    mutating func append(onConflict resolution: Database.ConflictResolution?) {
        if let resolution { append(" ON CONFLICT \(resolution.rawValue)") }
    }
}
