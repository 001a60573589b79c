import CFullTextSearch
import QueryInterface

/// The module of FTS5 tables, SQLite's current full-text search.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "document" USING fts5("title", "body", tokenize='''porter''')
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///     t.tokenizer = .porter()
///     t.column("title")
///     t.column("body")
/// }
///
/// let pattern = FTS5Pattern(matchingAllTokensIn: "swift sqlite")
/// let documents = try Document.matching(pattern).fetchAll(db)
/// ```
///
/// Source: <https://www.sqlite.org/fts5.html>
public struct FTS5: VirtualTableModule, Sendable {
    /// Whether a tokenizer removes the diacritics of letters.
    public enum Diacritics: Sendable {
        /// Keeps them: "é" does not match "e".
        case keep
        /// Removes them from letters that are one Unicode scalar with one diacritic. SQLite's default.
        case removeLegacy
        /// Removes them from all letters. Needs SQLite 3.27.
        case remove
    }

    /// The name of the module, "fts5".
    public var moduleName: String { "fts5" }

    /// Creates the module.
    public init() {}

    /// Creates the definition of a table.
    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS5TableDefinition {
        FTS5TableDefinition(configuration: configuration)
    }

    /// Returns the arguments of the module.
    ///
    /// - Throws: ``DatabaseError`` when the SQLite in use lacks an option, or when the content can't be synchronized.
    public func moduleArguments(for definition: FTS5TableDefinition, in db: Database) throws -> [String] {
        try definition.moduleArguments(in: db)
    }

    /// Creates the triggers of a synchronized table, and indexes the rows of its content.
    ///
    /// - Throws: ``DatabaseError``.
    public func database(_ db: Database, didCreate tableName: String, using definition: FTS5TableDefinition) throws {
        try definition.synchronization?.create(db, for: TableReference(tableName, in: db), columns: definition.columns.map(\.name))
    }

    /// Returns the functions of FTS5, with which C code can register tokenizers and auxiliary functions.
    ///
    /// Source: <https://www.sqlite.org/fts5.html#extending_fts5>
    ///
    /// - Returns: a pointer that is valid as long as the connection is open.
    /// - Precondition: the connection is open, and its SQLite has FTS5.
    public static func api(_ db: Database) -> UnsafePointer<fts5_api> {
        do {
            return UnsafePointer(try loadAPI(db))
        } catch {
            fatalError("FTS5.api(_:): \(error)")
        }
    }

    /// Returns the functions of FTS5.
    ///
    /// - Throws: ``DatabaseError`` when the connection is closed, or when SQLite has no FTS5.
    static func loadAPI(_ db: Database) throws -> UnsafeMutablePointer<fts5_api> {
        var code: CInt = 0
        guard let connection = db.sqliteConnection else {
            throw DatabaseError.misuse("the connection is closed")
        }
        guard let api = strata_fts5_api(connection, &code) else {
            throw DatabaseError(
                resultCode: code == 0 ? .SQLITE_ERROR : ResultCode(rawValue: code), message: "this SQLite library was built without FTS5")
        }
        return api
    }
}
