import QueryInterface

/// The module of FTS3 tables, for existing databases. FTS5 and FTS4 have more options, and are faster.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "document" USING fts3("body", tokenize=porter)
/// try db.create(virtualTable: "document", using: FTS3()) { t in
///     t.tokenizer = .porter
///     t.column("body")
/// }
/// ```
///
/// Source: <https://www.sqlite.org/fts3.html>
public struct FTS3: VirtualTableModule, Sendable {
    /// Whether a tokenizer removes the diacritics of letters.
    public enum Diacritics: Sendable {
        /// Keeps them: "é" does not match "e".
        case keep
        /// Removes them from letters that are one Unicode scalar with one diacritic. SQLite's default.
        case removeLegacy
        /// Removes them from all letters. Needs SQLite 3.27.
        case remove
    }

    /// The name of the module, "fts3".
    public var moduleName: String { "fts3" }

    /// Creates the module.
    public init() {}

    /// Creates the definition of a table.
    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS3TableDefinition {
        FTS3TableDefinition()
    }

    /// Returns the arguments of the module.
    ///
    /// - Throws: ``DatabaseError`` when the SQLite in use lacks an option.
    public func moduleArguments(for definition: FTS3TableDefinition, in db: Database) throws -> [String] {
        try checkForNUL(definition.columns, in: "the names of columns")
        return definition.columns.map(\.quotedDatabaseIdentifier)
            + (try definition.tokenizer.map { ["tokenize=\(try $0.specification())"] } ?? [])
    }

    /// Does nothing: FTS3 tables store their text.
    public func database(_ db: Database, didCreate tableName: String, using definition: FTS3TableDefinition) {}

    /// Returns the tokens that a tokenizer of FTS3 and FTS4 finds in a text.
    ///
    /// ```swift
    /// try FTS3.tokenize("SQLite database")
    /// // ["sqlite", "database"]
    /// try FTS3.tokenize("Gustave Doré", withTokenizer: .unicode61())
    /// // ["gustave", "dore"]
    /// ```
    ///
    /// It opens a database in memory: don't call it for many strings.
    ///
    /// - Throws: ``DatabaseError`` when SQLite has no such tokenizer.
    public static func tokenize(
        _ string: String, withTokenizer tokenizer: FTS3TokenizerDescriptor = .simple
    ) throws -> [String] {
        let arguments = try tokenizer.specification(separator: ", ")
        return try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE token USING fts3tokenize(\(arguments))")
            return try String.fetchAll(db, sql: "SELECT token FROM token WHERE input = ? ORDER BY position", arguments: [string])
        }
    }
}

/// The definition of an FTS3 table.
public final class FTS3TableDefinition {
    fileprivate var columns: [String] = []

    /// The tokenizer. By default ``FTS3TokenizerDescriptor/simple``.
    public var tokenizer: FTS3TokenizerDescriptor?

    init() {}

    /// Adds a column.
    public func column(_ name: String) {
        columns.append(name)
    }
}

/// A tokenizer of FTS3 and FTS4 tables, and its arguments.
///
/// Source: <https://www.sqlite.org/fts3.html#tokenizer>
public struct FTS3TokenizerDescriptor: Hashable, Sendable {
    let name: String
    let arguments: [String]

    /// Creates a descriptor of a tokenizer that has no method here, such as `icu`.
    ///
    /// - Parameters:
    ///   - name: the name of the tokenizer.
    ///   - arguments: its arguments.
    public init(_ name: String, arguments: [String] = []) {
        self.name = name
        self.arguments = arguments
    }

    /// Splits text at ASCII characters that are neither letters nor digits, and ignores the case of ASCII letters. SQLite's default.
    public static let simple = FTS3TokenizerDescriptor("simple")

    /// The same as ``simple``, and reduces tokens to the stems of English words: "running" matches "run".
    public static let porter = FTS3TokenizerDescriptor("porter")

    /// Splits text at characters that are neither letters nor digits in Unicode 6.1, and ignores case.
    ///
    /// - Parameters:
    ///   - diacritics: whether letters lose their diacritics; ``FTS3/Diacritics/remove`` needs SQLite 3.27.
    ///   - separators: characters that are separators as well.
    ///   - tokenCharacters: characters that are part of tokens as well.
    public static func unicode61(
        diacritics: FTS3.Diacritics = .removeLegacy, separators: Set<Character> = [], tokenCharacters: Set<Character> = []
    ) -> FTS3TokenizerDescriptor {
        var arguments: [String] = []
        switch diacritics {
        case .removeLegacy: break
        case .keep: arguments.append("remove_diacritics=0")
        case .remove: arguments.append("remove_diacritics=2")
        }
        if !separators.isEmpty { arguments.append("separators=\(separators.text)") }
        if !tokenCharacters.isEmpty { arguments.append("tokenchars=\(tokenCharacters.text)") }
        return FTS3TokenizerDescriptor("unicode61", arguments: arguments)
    }

    /// The value of the option `tokenize`.
    ///
    /// - Throws: an error if the SQLite library lacks an option.
    func specification(separator: String = " ") throws -> String {
        try check()
        let quoted = arguments.map { "\"\($0.doublingQuotes("\""))\"" }
        return ([name] + quoted).joined(separator: separator)
    }

    func check(version: CInt = Database.sqliteLibVersionNumber) throws {
        try checkForNUL([name] + arguments, in: "the arguments of a tokenizer")
        if arguments.contains("remove_diacritics=2") { try SQLiteFeature.diacritics.check(version: version) }
    }
}
