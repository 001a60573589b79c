import SQLiteDriver

/// The script of a schema, such as `schema.sql`, which runs in a database in memory.
///
/// A build runs it, too, so it can't touch files: ATTACH, VACUUM and most pragmas are errors, and SQLite loads no extensions.
struct SchemaScript {
    /// The files, which run one after the other.
    private let parts: [Part]

    fileprivate struct Part {
        let source: SourceText
        let tokens: SQLTokens
        /// The statements, with their semicolons left out.
        var statements: [Range<Int>] = []
    }

    init(_ source: SourceText) { self.init([source]) }

    init(_ sources: [SourceText]) {
        parts = sources.map { source in
            var part = Part(source: source, tokens: SQLTokens(source.text))
            let tokens = part.tokens
            var first = 0
            while first < tokens.count {
                let end = Self.end(ofStatementAt: first, tokens)
                if first < end { part.statements.append(tokens[first].range.lowerBound..<tokens[end - 1].range.upperBound) }
                first = end + 1
            }
            return part
        }
    }

    /// The index of the semicolon that ends a statement. A trigger contains semicolons, and ends with END.
    private static func end(ofStatementAt first: Int, _ tokens: SQLTokens) -> Int {
        let words = (first..<min(first + 3, tokens.count)).map { tokens.keyword($0) }
        let isTrigger = words.first == "CREATE" && words.dropFirst().contains("TRIGGER")
        return (first..<tokens.count).first { index in
            tokens.text(index) == ";" && (!isTrigger || tokens.keyword(index - 1) == "END" && tokens.text(index - 2) == ";")
        } ?? tokens.count
    }

    /// Returns a database in memory with the schema.
    ///
    /// - Throws: ``QueryErrors`` with all errors.
    func makeDatabase(_ settings: RecordSettings) throws -> DatabaseQueue {
        let first = try makeDatabase(settings, acceptsDoubleQuotedStrings: false)
        if first.diagnostics.isEmpty { return first.queue }
        // Schemas of other programs may have strings in double quotes.
        let second = try makeDatabase(settings, acceptsDoubleQuotedStrings: true)
        if second.diagnostics.isEmpty { return second.queue }
        throw QueryErrors(diagnostics: second.diagnostics)
    }

    private func makeDatabase(
        _ settings: RecordSettings, acceptsDoubleQuotedStrings: Bool
    ) throws -> (queue: DatabaseQueue, diagnostics: [QueryDiagnostic]) {
        var configuration = Configuration()
        configuration.acceptsDoubleQuotedStringLiterals = acceptsDoubleQuotedStrings
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(configuration: configuration)
        let diagnostics = try queue.writeWithoutTransaction { db in
            settings.addFunctions(to: db)
            return try parts.flatMap { part in try part.statements.compactMap { try part.run($0, db) } }
        }
        return (queue, diagnostics)
    }
}

extension SchemaScript.Part {
    /// Runs a statement, and returns the error if it fails.
    fileprivate func run(_ range: Range<Int>, _ db: Database) throws -> QueryDiagnostic? {
        if let refusal = refusal(of: range) { return refusal }
        let sql = tokens.text(range)
        do {
            try db.execute(sql: sql)
            return nil
        } catch let error as DatabaseError {
            if case .failure(let message, let offset) = try db.compile(sql) {
                return source.diagnostic(message, at: place(message, offset, in: range))
            }
            return source.diagnostic(error.message ?? "\(error)", at: range)
        }
    }

    private static let allowedPragmas: Set<String> = [
        "APPLICATION_ID", "AUTO_VACUUM", "BUSY_TIMEOUT", "CACHE_SIZE", "DEFER_FOREIGN_KEYS", "ENCODING", "FOREIGN_KEYS",
        "IGNORE_CHECK_CONSTRAINTS", "JOURNAL_MODE", "LEGACY_ALTER_TABLE", "LOCKING_MODE", "MMAP_SIZE", "OPTIMIZE", "PAGE_SIZE",
        "RECURSIVE_TRIGGERS", "SECURE_DELETE", "SYNCHRONOUS", "TEMP_STORE", "TRUSTED_SCHEMA", "USER_VERSION", "WRITABLE_SCHEMA",
    ]

    /// Returns an error if a build must not run a statement.
    private func refusal(of range: Range<Int>) -> QueryDiagnostic? {
        guard let index = tokens.tokens.firstIndex(where: { $0.range.lowerBound == range.lowerBound }) else { return nil }
        let word = tokens.keyword(index)
        switch word {
        case "ATTACH", "DETACH", "VACUUM":
            return source.diagnostic("\(word) is not allowed here: this SQL runs in a database in memory", at: tokens[index].range)
        case "PRAGMA":
            let name = index + 2 < tokens.count && tokens.text(index + 2) == "." ? index + 3 : index + 1
            if Self.allowedPragmas.contains(tokens.name(name).uppercased()) { return nil }
            return source.diagnostic("the pragma \(tokens.name(name)) is not allowed here", at: tokens[index].range)
        default: return nil
        }
    }

    /// The place in the file that an error of a statement is about.
    private func place(_ message: String, _ offset: Int?, in range: Range<Int>) -> Range<Int> {
        guard let offset = offset.map({ $0 + range.lowerBound }) else { return range }
        return tokens.tokens.first { $0.range.contains(offset) }?.range ?? offset..<offset + 1
    }
}

extension RecordSettings {
    /// Adds stand-ins for the declared functions and collations, so that SQL that names them compiles.
    func addFunctions(to db: Database) {
        for function in functions {
            if function.isAggregate {
                db.add(
                    function: DatabaseFunction(function.name, argumentCount: function.argumentCount, pure: true, aggregate: Nothing.self))
            } else {
                db.add(function: DatabaseFunction(function.name, argumentCount: function.argumentCount, pure: true) { _ in nil })
            }
        }
        for collation in collations {
            db.add(collation: DatabaseCollation(collation) { $0 < $1 ? .ascending : $0 > $1 ? .descending : .same })
        }
    }
}

/// An aggregate function without a result.
private struct Nothing: DatabaseAggregate {
    mutating func step(_ values: [DatabaseValue]) {}
    func finalize() -> DatabaseValue? { nil }
}

extension SourceText {
    /// The place where a script declares a column; nil if it is not found.
    func place(ofColumn column: String, of table: String) -> Range<Int>? {
        let tokens = SQLTokens(text)
        var isOfTable = false
        for (index, token) in tokens.tokens.enumerated() {
            if tokens.text(index) == ";" { isOfTable = false }
            if tokens.keyword(index) == "TABLE" {
                var name = index + 1
                while name < tokens.count, ["IF", "NOT", "EXISTS"].contains(tokens.keyword(name)) { name += 1 }
                if name + 2 < tokens.count, tokens.text(name + 1) == "." { name += 2 }
                isOfTable = name < tokens.count && tokens.name(name).isEqualIgnoringASCIICase(to: table)
            }
            guard isOfTable, index > 0, token.depth <= 1, tokens.name(index).isEqualIgnoringASCIICase(to: column) else { continue }
            if ["(", ",", "ADD", "COLUMN"].contains(tokens.text(index - 1).uppercased()) { return token.range }
        }
        return nil
    }
}
