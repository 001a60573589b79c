import SQLiteDriver

/// The script of a schema, such as `schema.sql`, which runs in a database in memory.
///
/// A build runs it, too, so it can't touch files: ATTACH, VACUUM and most pragmas are errors, and SQLite loads no extensions.
struct SchemaScript {
    /// The files, which run one after the other.
    let parts: [Part]

    /// A file.
    struct Part: Sendable {
        let source: SourceText
        let tokens: SQLTokens
        /// The tokens of each statement, without semicolons.
        fileprivate(set) var statements: [Range<Int>] = []
    }

    init(_ source: SourceText) { self.init([source]) }

    init(_ sources: [SourceText]) {
        parts = sources.map { source in
            var part = Part(source: source, tokens: SQLTokens(source.text))
            var first = 0
            while first < part.tokens.count {
                let end = Self.end(ofStatementAt: first, part.tokens)
                if first < end { part.statements.append(first..<end) }
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
    /// The place of a statement in the file.
    func place(of statement: Range<Int>) -> Range<Int> {
        tokens[statement.lowerBound].range.lowerBound..<tokens[statement.upperBound - 1].range.upperBound
    }

    /// Runs a statement, and returns the error if it fails.
    func run(_ statement: Range<Int>, _ db: Database) throws -> QueryDiagnostic? {
        if let refusal = refusal(of: statement) { return refusal }
        let sql = tokens.text(place(of: statement))
        do {
            try db.execute(sql: sql)
            return nil
        } catch let error as DatabaseError {
            if case .failure(let message, let offset) = try db.compile(sql) {
                return source.diagnostic(message, at: place(offset, in: statement))
            }
            return source.diagnostic(error.message ?? "\(error)", at: place(of: statement))
        }
    }

    private static let allowedPragmas: Set<String> = [
        "APPLICATION_ID", "AUTO_VACUUM", "BUSY_TIMEOUT", "CACHE_SIZE", "DEFER_FOREIGN_KEYS", "ENCODING", "FOREIGN_KEYS",
        "IGNORE_CHECK_CONSTRAINTS", "JOURNAL_MODE", "LEGACY_ALTER_TABLE", "LOCKING_MODE", "MMAP_SIZE", "OPTIMIZE", "PAGE_SIZE",
        "RECURSIVE_TRIGGERS", "SECURE_DELETE", "SYNCHRONOUS", "TEMP_STORE", "TRUSTED_SCHEMA", "USER_VERSION", "WRITABLE_SCHEMA",
    ]

    /// Returns an error if a build must not run a statement.
    private func refusal(of statement: Range<Int>) -> QueryDiagnostic? {
        let index = statement.lowerBound
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

    /// The place of the byte of a statement that an error is about.
    private func place(_ offset: Int?, in statement: Range<Int>) -> Range<Int> {
        let range = place(of: statement)
        guard let offset = offset.map({ $0 + range.lowerBound }) else { return range }
        return tokens.tokens[statement].first { $0.range.contains(offset) }?.range ?? offset..<offset + 1
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
