import QueryInterface

/// The module of FTS4 tables.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "document" USING fts4("title", "body", tokenize=porter)
/// try db.create(virtualTable: "document", using: FTS4()) { t in
///     t.tokenizer = .porter
///     t.column("title")
///     t.column("body")
/// }
/// ```
///
/// Source: <https://www.sqlite.org/fts3.html>
public struct FTS4: VirtualTableModule, Sendable {
    /// The name of the module, "fts4".
    public var moduleName: String { "fts4" }

    /// Creates the module.
    public init() {}

    /// Creates the definition of a table.
    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS4TableDefinition {
        FTS4TableDefinition(configuration: configuration)
    }

    /// Returns the arguments of the module.
    ///
    /// - Throws: ``DatabaseError`` when the SQLite in use lacks an option, or when the content can't be synchronized.
    public func moduleArguments(for definition: FTS4TableDefinition, in db: Database) throws -> [String] {
        try definition.moduleArguments(in: db)
    }

    /// Creates the triggers of a synchronized table, and indexes the rows of its content.
    ///
    /// - Throws: ``DatabaseError``.
    public func database(_ db: Database, didCreate tableName: String, using definition: FTS4TableDefinition) throws {
        try definition.synchronization?.create(
            db, for: TableReference(tableName, in: db), columns: definition.columnNames)
    }
}

/// The definition of an FTS4 table.
///
/// Source: <https://www.sqlite.org/fts3.html#fts4_options>
public final class FTS4TableDefinition {
    let configuration: VirtualTableConfiguration
    private var columns: [FTS4ColumnDefinition] = []
    private(set) var synchronization: TableSynchronization?

    /// The tokenizer. By default ``FTS3TokenizerDescriptor/simple``.
    public var tokenizer: FTS3TokenizerDescriptor?

    /// The name of the table or view that stores the text. An empty string creates a contentless table, which stores no text.
    ///
    /// The program itself must keep the index of such a table up to date. ``synchronize(withTable:)`` does that with triggers.
    public var content: String?

    /// The name of an SQL function that compresses the text.
    public var compress: String?

    /// The name of an SQL function that is the inverse of ``compress``.
    public var uncompress: String?

    /// "fts3" to omit the sizes of the columns' text, which saves space. SQL then can't call `matchinfo` with all its options.
    public var matchinfo: String?

    /// The lengths of the prefixes for which the table has an index, in bytes. Patterns with prefixes of these lengths are faster.
    public var prefixes: Set<Int>?

    init(configuration: VirtualTableConfiguration) {
        self.configuration = configuration
    }

    /// Adds a column.
    @discardableResult
    public func column(_ name: String) -> FTS4ColumnDefinition {
        let column = FTS4ColumnDefinition(name: name)
        columns.append(column)
        return column
    }

    /// Makes the table an index of another table, which stores the text. Triggers keep the index up to date.
    ///
    /// ```swift
    /// try db.create(virtualTable: "document_ft", using: FTS4()) { t in
    ///     t.synchronize(withTable: "document")
    ///     t.column("body")
    /// }
    /// ```
    ///
    /// The same as ``FTS5TableDefinition/synchronize(withTable:)``, also in the names of the triggers. A table without sizes is one whose
    /// ``matchinfo`` is "fts3". `Database.dropFTS4SynchronizationTriggers(forTable:)` drops the triggers.
    ///
    /// - Parameter tableName: the name of the other table.
    public func synchronize(withTable tableName: String) {
        synchronization = TableSynchronization(contentTable: tableName, isFTS5: false)
    }

    /// The names of the columns, without the column of the language ID.
    private var contentColumns: [String] { columns.filter { !$0.isLanguageID }.map(\.name) }

    /// The names of the columns, with the column of the language ID.
    var columnNames: [String] { contentColumns + columns.filter(\.isLanguageID).map(\.name) }

    func moduleArguments(in db: Database) throws -> [String] {
        let options = [content, compress, uncompress, matchinfo].compactMap { $0 }
        try checkForNUL(columns.map(\.name) + options, in: "the names of columns and options")
        var arguments = contentColumns.map(\.quotedDatabaseIdentifier)
        if let tokenizer { arguments.append("tokenize=\(try tokenizer.specification())") }
        if let synchronization {
            if content != nil {
                throw DatabaseError.misuse(
                    "the content of the table is set twice: synchronize(withTable:) sets it, too",
                    advice: "Don't set the content of the table.")
            }
            arguments += try synchronization.moduleArguments(configuration: configuration, columns: columnNames, in: db)
        }
        if let content { arguments.append("content=\(content.quotedDatabaseIdentifier)") }
        if let compress { arguments.append("compress=\(compress.quotedDatabaseIdentifier)") }
        if let uncompress { arguments.append("uncompress=\(uncompress.quotedDatabaseIdentifier)") }
        if let matchinfo { arguments.append("matchinfo=\(matchinfo.quotedDatabaseIdentifier)") }
        if let prefixes, !prefixes.isEmpty {
            arguments.append("prefix=\"\(prefixes.sorted().map(String.init).joined(separator: ","))\"")
        }
        for column in columns {
            if column.isLanguageID { arguments.append("languageid=\(column.name.quotedDatabaseIdentifier)") }
            if !column.isIndexed { arguments.append("notindexed=\(column.name.quotedDatabaseIdentifier)") }
        }
        return arguments
    }
}

/// The definition of a column of an FTS4 table.
public final class FTS4ColumnDefinition {
    let name: String
    private(set) var isIndexed = true
    private(set) var isLanguageID = false

    init(name: String) {
        self.name = name
    }

    /// Excludes the column from the index: the table only stores its values.
    @discardableResult
    public func notIndexed() -> Self {
        isIndexed = false
        return self
    }

    /// Makes the column contain a number for the language of the row, which SQLite passes to tokenizers.
    ///
    /// Source: <https://www.sqlite.org/fts3.html#the_languageid_option>
    @discardableResult
    public func asLanguageId() -> Self {
        isLanguageID = true
        return self
    }
}
