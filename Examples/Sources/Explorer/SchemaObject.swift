import ExampleSupport
import SQLiteDriver

/// A table or a view, as the schema lists it.
struct SchemaObject {
    enum Kind: String, CustomStringConvertible {
        case table
        case view
        case virtual = "virtual table"

        var description: String { rawValue }
    }

    let name: String
    let kind: Kind
    /// Whether it belongs to a virtual table, which keeps its data there.
    let isShadow: Bool

    /// Whether SQLite made it for itself.
    var isInternal: Bool { isShadow || name.hasPrefix("sqlite_") }

    /// The name, as it can be printed.
    var title: String { name.withoutControlCharacters }
}

/// The tables and views of the main database: tables first, by name.
func schemaObjects(_ db: Database) throws -> [SchemaObject] {
    let statement: Statement
    do {
        // This list knows which tables are the shadows of virtual ones.
        statement = try db.makeStatement(
            sql: """
                SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND name <> 'sqlite_schema'
                ORDER BY type = 'view', name COLLATE NOCASE
                """)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
        // SQLite has it since version 3.37. Before, shadows are shown as the tables that they are.
        statement = try db.makeStatement(
            sql: """
                SELECT name, iif(sql LIKE 'CREATE VIRTUAL %', 'virtual', type) FROM sqlite_master WHERE type IN ('table', 'view')
                ORDER BY type = 'view', name COLLATE NOCASE
                """)
    }
    var objects: [SchemaObject] = []
    while try statement.step() {
        let type = statement.string(at: 1)
        let kind: SchemaObject.Kind = type == "view" ? .view : type == "virtual" ? .virtual : .table
        objects.append(SchemaObject(name: statement.string(at: 0) ?? "", kind: kind, isShadow: type == "shadow"))
    }
    return objects
}
