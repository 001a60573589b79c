import QueryInterface

/// The module of vocabulary tables, which list the words in the index of an FTS5 table.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "word" USING fts5vocab('document_ft', 'row')
/// try db.create(virtualTable: "word", using: FTS5Vocabulary(of: "document_ft"))
///
/// // SELECT * FROM "word" ORDER BY "cnt" DESC LIMIT 10
/// let words = try Table<FTS5Term>("word")
///     .order(FTS5Term.Columns.occurrenceCount.desc)
///     .limit(10)
///     .fetchAll(db)
/// ```
///
/// A vocabulary table stores nothing: it reads the index. Create it once, like the FTS5 table.
///
/// Source: <https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module>
public struct FTS5Vocabulary: VirtualTableModule, Sendable {
    /// The kinds of rows in a vocabulary table.
    public enum Content: String, Sendable {
        /// A word: see ``FTS5Term``.
        case row
        /// A word in a column: see ``FTS5ColumnTerm``.
        case col
        /// An occurrence of a word: see ``FTS5TermInstance``.
        case instance
    }

    private let table: String
    private let content: Content

    /// The name of the module, "fts5vocab".
    public var moduleName: String { "fts5vocab" }

    /// Creates the module for the index of a table.
    ///
    /// - Parameters:
    ///   - table: the name of an FTS5 table in the same database. For a temporary vocabulary table, it can be in any database.
    ///   - content: the kind of rows.
    public init(of table: String, _ content: Content = .row) {
        self.table = table
        self.content = content
    }

    /// Returns whether the vocabulary table is temporary.
    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> Bool {
        configuration.options.contains(.temporary) || configuration.tableName?.hasPrefixIgnoringASCIICase("temp.") == true
    }

    /// Returns the arguments of the module.
    ///
    /// - Throws: ``DatabaseError`` when the name contains a NUL character.
    public func moduleArguments(for isTemporary: Bool, in db: Database) throws -> [String] {
        try checkForNUL([table], in: "the name of a table")
        let reference = try TableReference(table, in: db)
        let schema = isTemporary ? [try reference.foundSchema(in: db).sqlStringLiteral] : []
        return schema + [reference.name.sqlStringLiteral, content.rawValue.sqlStringLiteral]
    }
}

/// A word of a vocabulary table of the kind ``FTS5Vocabulary/Content/row``.
public struct FTS5Term: FetchableRecord, Hashable, Sendable {
    /// The columns of the table.
    public enum Columns {
        /// The column `term`.
        public static let term = Column("term")
        /// The column `doc`.
        public static let documentCount = Column("doc")
        /// The column `cnt`.
        public static let occurrenceCount = Column("cnt")
    }

    /// The word, as it is in the index.
    public let term: String

    /// The number of rows that contain the word.
    public let documentCount: Int

    /// The number of times that the word occurs.
    public let occurrenceCount: Int

    /// Creates a word from a row of the table.
    public init(row: Row) throws {
        term = try row.decode(forKey: "term")
        documentCount = try row.decodeIfPresent(forKey: "doc") ?? 0
        occurrenceCount = try row.decodeIfPresent(forKey: "cnt") ?? 0
    }
}

/// A word of a vocabulary table of the kind ``FTS5Vocabulary/Content/col``.
public struct FTS5ColumnTerm: FetchableRecord, Hashable, Sendable {
    /// The columns of the table.
    public enum Columns {
        /// The column `term`.
        public static let term = Column("term")
        /// The column `col`.
        public static let column = Column("col")
        /// The column `doc`.
        public static let documentCount = Column("doc")
        /// The column `cnt`.
        public static let occurrenceCount = Column("cnt")
    }

    /// The word, as it is in the index.
    public let term: String

    /// The name of the column. Nil if the index has no columns (`detail = none`).
    public let column: String?

    /// The number of rows that contain the word in the column.
    public let documentCount: Int

    /// The number of times that the word occurs in the column.
    public let occurrenceCount: Int

    /// Creates a word from a row of the table.
    public init(row: Row) throws {
        term = try row.decode(forKey: "term")
        column = try row.decodeIfPresent(forKey: "col")
        documentCount = try row.decodeIfPresent(forKey: "doc") ?? 0
        occurrenceCount = try row.decodeIfPresent(forKey: "cnt") ?? 0
    }
}

/// An occurrence of a word, in a vocabulary table of the kind ``FTS5Vocabulary/Content/instance``.
public struct FTS5TermInstance: FetchableRecord, Hashable, Sendable {
    /// The columns of the table.
    public enum Columns {
        /// The column `term`.
        public static let term = Column("term")
        /// The column `doc`.
        public static let rowID = Column("doc")
        /// The column `col`.
        public static let column = Column("col")
        /// The column `offset`.
        public static let offset = Column("offset")
    }

    /// The word, as it is in the index.
    public let term: String

    /// The row id of the row that contains the word.
    public let rowID: Int64

    /// The name of the column. Nil if the index has no columns (`detail = none`).
    public let column: String?

    /// The position of the word in the text, counted in words from 0. Nil if the index has no positions.
    public let offset: Int?

    /// Creates an occurrence from a row of the table.
    public init(row: Row) throws {
        term = try row.decode(forKey: "term")
        rowID = try row.decode(forKey: "doc")
        column = try row.decodeIfPresent(forKey: "col")
        offset = try row.decodeIfPresent(forKey: "offset")
    }
}
