import QueryInterface

/// The definition of an FTS5 table.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///     t.tokenizer = .unicode61()
///     t.prefixes = [2, 3]
///     t.column("title")
///     t.column("author").notIndexed()
/// }
/// ```
///
/// Source: <https://www.sqlite.org/fts5.html#fts5_table_creation_and_initialization>
public final class FTS5TableDefinition {
    let configuration: VirtualTableConfiguration
    private(set) var columns: [FTS5ColumnDefinition] = []
    private(set) var synchronization: TableSynchronization?

    /// The tokenizer. By default unicode61.
    public var tokenizer: FTS5TokenizerDescriptor?

    /// The name of the table or view that stores the text. An empty string creates a contentless table, which stores no text.
    ///
    /// The program itself must keep the index of such a table up to date. ``synchronize(withTable:)`` does that with triggers.
    public var content: String?

    /// The column of ``content`` that contains the row ids of this table. By default `rowid`.
    public var contentRowID: String?

    /// The lengths of the prefixes for which the table has an index, in characters. Patterns with prefixes of these lengths are faster.
    public var prefixes: Set<Int>?

    /// 0 to omit the sizes of columns, which saves space, and makes `bm25` and ``Column/rank`` slower. A synchronized table then can't follow
    /// all triggers of your own: see ``synchronize(withTable:)``.
    public var columnSize: Int?

    /// The detail of the index: "full", the default; "column", without positions; or "none", without positions and columns.
    ///
    /// Without positions, the table does not support `NEAR`, or phrases of several tokens.
    public var detail: String?

    /// Whether rows of a contentless table can be deleted and replaced. Needs SQLite 3.43.
    public var contentlessDelete: Bool?

    /// Whether a contentless table stores the values of columns that are not indexed. Needs SQLite 3.47.
    public var contentlessUnindexed: Bool?

    /// Whether values can have a locale, which custom tokenizers get. Needs SQLite 3.47.
    public var locale: Bool?

    init(configuration: VirtualTableConfiguration) {
        self.configuration = configuration
    }

    /// Adds a column.
    @discardableResult
    public func column(_ name: String) -> FTS5ColumnDefinition {
        let column = FTS5ColumnDefinition(name: name)
        columns.append(column)
        return column
    }

    /// Makes the table an index of another table, which stores the text. Triggers keep the index up to date.
    ///
    /// ```swift
    /// try db.create(virtualTable: "document_ft", using: FTS5()) { t in
    ///     t.synchronize(withTable: "document")
    ///     t.column("title")
    ///     t.column("body")
    /// }
    /// ```
    ///
    /// The columns of this table must have names of columns of the other table. Rows that the other table already has are indexed when
    /// this table is created.
    ///
    /// Other objects are created as well, and are named after this table: the view `__document_ft_content`, through which the index reads
    /// the other table; the triggers `__document_ft_ai`, `…_ar`, `…_ad`, `…_au`, `…_bi` and `…_bu`; and the table `__document_ft_replaced`,
    /// where the triggers keep rows that a REPLACE may delete. The other table and its columns can be renamed, because SQLite updates views and
    /// triggers. The index itself can't be renamed: drop it, and create another. `Database.dropFTS5SynchronizationTriggers(forTable:)`
    /// drops the objects.
    ///
    /// The triggers know the unique indexes that the other table has when this table is created. After you create a unique index on the
    /// other table, call ``FTS5Index/rebuild(_:)``, which also updates the triggers; otherwise a REPLACE that deletes a row because of
    /// that index leaves the row in this table. `Database.rebuild(table:)` does both on its own.
    ///
    /// Your own triggers may change other rows and, in `AFTER` triggers, the row that was just written. SQLite leaves no way to follow these
    /// changes:
    ///
    /// - A `BEFORE` trigger, or with `PRAGMA recursive_triggers` a trigger of a row that a REPLACE deletes, changes indexed text or unique
    ///   columns of the rows that the statement is about to write or replace, or a `BEFORE UPDATE` trigger inserts rows.
    /// - An `AFTER DELETE` trigger inserts a row with the same row ID again.
    /// - An `AFTER` trigger ends the statement by `RAISE(FAIL)`, or by a violation of a constraint in a statement with `OR FAIL`.
    /// - The index has no sizes (``columnSize`` is 0), and an `AFTER` trigger changes or deletes the row that was just inserted, or whose row
    ///   ID has just changed.
    ///
    /// The index then does not match its table, which `DatabaseCheck.fullTextIndexes` finds, and ``FTS5Index/rebuild(_:)`` mends.
    ///
    /// A database keeps the triggers of the version that created the index. `Database.renewFullTextTriggers()` writes those of this version.
    ///
    /// The other table must have row ids. If its row ids are not a column (`INTEGER PRIMARY KEY`), `VACUUM` may change them.
    /// `Database.vacuum()` then rebuilds the index; call ``FTS5Index/rebuild(_:)`` after the `VACUUM` of another program.
    ///
    /// - Parameter tableName: the name of the other table.
    public func synchronize(withTable tableName: String) {
        synchronization = TableSynchronization(contentTable: tableName, isFTS5: true)
    }

    func moduleArguments(in db: Database) throws -> [String] {
        try checkForNUL(columns.map(\.name), in: "the names of columns")
        var arguments = columns.map { $0.name.quotedDatabaseIdentifier + ($0.isIndexed ? "" : " UNINDEXED") }
        if let tokenizer { arguments.append("tokenize=\(try tokenizer.specification().sqlStringLiteral)") }
        arguments += try contentArguments(in: db)
        if let prefixes, !prefixes.isEmpty {
            arguments.append("prefix='\(prefixes.sorted().map(String.init).joined(separator: " "))'")
        }
        if let columnSize { arguments.append("columnsize=\(columnSize)") }
        if let detail {
            try checkForNUL([detail], in: "an option")
            arguments.append("detail=\(detail.sqlStringLiteral)")
        }
        let switches: [(String, Bool?, SQLiteFeature)] = [
            ("contentless_delete", contentlessDelete, .contentlessDelete),
            ("contentless_unindexed", contentlessUnindexed, .contentlessUnindexed), ("locale", locale, .locale),
        ]
        for case (let name, let value?, let feature) in switches {
            try feature.check()
            arguments.append("\(name)=\(value ? 1 : 0)")
        }
        return arguments
    }

    private func contentArguments(in db: Database) throws -> [String] {
        if let synchronization {
            if content != nil || contentRowID != nil {
                throw DatabaseError.misuse(
                    "the content of the table is set twice: synchronize(withTable:) sets it, too",
                    advice: "Don't set the content of the table.")
            }
            return try synchronization.moduleArguments(configuration: configuration, columns: columns.map(\.name), in: db)
        }
        try checkForNUL([content ?? "", contentRowID ?? ""], in: "an option")
        return (content.map { ["content=\($0.sqlStringLiteral)"] } ?? [])
            + (contentRowID.map { ["content_rowid=\($0.sqlStringLiteral)"] } ?? [])
    }
}

/// The definition of a column of an FTS5 table.
public final class FTS5ColumnDefinition {
    let name: String
    private(set) var isIndexed = true

    init(name: String) {
        self.name = name
    }

    /// Excludes the column from the index: the table only stores its values.
    @discardableResult
    public func notIndexed() -> Self {
        isIndexed = false
        return self
    }
}
