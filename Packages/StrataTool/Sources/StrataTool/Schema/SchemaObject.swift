import RecordGenerator
import Strata
import StrataCommandSupport

/// A table or a view in the schema.
struct SchemaObject {
    let name: String
    let kind: SchemaModel.Kind
    /// Whether it belongs to a virtual table: a shadow table, which stores its data, or what keeps a full-text table in sync with another.
    let isOfVirtualTable: Bool

    /// Whether SQLite or Strata has created it for internal use.
    var isInternal: Bool { isOfVirtualTable || Database.isSQLiteInternalTable(name) || Database.isStrataInternalTable(name) }

    /// The name, safe for printing.
    var title: String { name.withoutControlCharacters }
}

/// Returns the tables and views of the main database: tables first, ordered by name.
func schemaObjects(_ db: Database) throws -> [SchemaObject] {
    let ofVirtualTables = try db.tablesOfVirtualTables()
    func objects(_ selection: String) throws -> [SchemaObject] {
        try db.values("\(selection) ORDER BY type = 'view', name COLLATE NOCASE") { row in
            let (name, type) = (row.string(at: 0) ?? "", row.string(at: 1))
            let kind: SchemaModel.Kind = type == "view" ? .view : type == "virtual" ? .virtualTable : .table
            return SchemaObject(name: name, kind: kind, isOfVirtualTable: ofVirtualTables.contains(name))
        }
    }
    do {
        return try objects("SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND name <> 'sqlite_schema'")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
        // `table_list` requires SQLite 3.37. With older versions, shadow tables are shown as regular tables.
        return try objects(
            "SELECT name, iif(sql LIKE 'CREATE VIRTUAL %', 'virtual', type) FROM sqlite_master WHERE type IN ('table', 'view')")
    }
}

/// Returns the table or view with a name, regardless of the case of ASCII letters.
///
/// - Throws: ``ToolError`` if there is none.
func schemaObject(_ db: Database, named name: String) throws -> SchemaObject {
    let objects = try schemaObjects(db)
    if let object = objects.first(where: { $0.name == name }) { return object }
    if let object = objects.first(where: { $0.name.isEqualIgnoringASCIICase(to: name) }) { return object }
    throw ToolError("the database has no table or view \(name)")
}

/// The result of an operation that can fail for one table or view and succeed for others.
///
/// - Throws: errors that concern the whole file.
func attempt<T>(_ object: SchemaObject, _ work: () throws -> T) throws -> (value: T?, problem: String?) {
    do {
        return (try work(), nil)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR || object.kind != .table {
        return (nil, error.shortMessage)
    } catch let error as DatabaseTimeoutError {
        return (nil, error.problem)
    }
}

extension DatabaseError {
    /// SQLite's message, without the SQL.
    var shortMessage: String { "\(message ?? "\(self)")".withoutControlCharacters }
}
