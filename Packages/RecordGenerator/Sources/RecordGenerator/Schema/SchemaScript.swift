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
        /// What lines of a migration ask for.
        var actions: [MigrationAction] = []
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
        let first = try makeDatabase(settings, acceptsDoubleQuotedStrings: settings.acceptsDoubleQuotedStrings)
        if first.diagnostics.isEmpty { return first.queue }
        // Schemas of other programs may have strings in double quotes.
        let second = try makeDatabase(settings, acceptsDoubleQuotedStrings: true)
        if second.diagnostics.isEmpty { return second.queue }
        throw QueryErrors(diagnostics: second.diagnostics)
    }

    private func makeDatabase(
        _ settings: RecordSettings, acceptsDoubleQuotedStrings: Bool
    ) throws -> (queue: DatabaseQueue, diagnostics: [QueryDiagnostic]) {
        let queue = try settings.makeQueue(acceptsDoubleQuotedStrings: acceptsDoubleQuotedStrings, enforcesForeignKeys: false)
        let diagnostics = try queue.writeWithoutTransaction { db in
            try parts.flatMap { part in try part.statements.indices.compactMap { try part.run($0, db) } }
        }
        return (queue, diagnostics)
    }
}

extension SchemaScript.Part {
    /// The place of a statement in the file.
    func place(of statement: Range<Int>) -> Range<Int> {
        tokens[statement.lowerBound].range.lowerBound..<tokens[statement.upperBound - 1].range.upperBound
    }

    /// The first statements.
    func prefix(_ count: Int) -> Self {
        changed(self) { part in
            part.statements = Array(statements.prefix(count))
            if count < statements.count { part.actions.removeAll { $0.statement >= count } }
        }
    }

    /// The token with the name of a pragma.
    func pragmaName(_ statement: Range<Int>) -> Int {
        statement.lowerBound + (tokens.text(statement.lowerBound + 2) == "." ? 3 : 1)
    }

    /// Does what the lines above a statement ask for, and runs the statement, and returns the error if that fails.
    ///
    /// - Parameter number: the number of the statement, or of all statements for the lines at the end.
    func run(_ number: Int, _ db: Database) throws -> QueryDiagnostic? {
        for action in actions where action.statement == number {
            do { try action.run(db) } catch let error as DatabaseError {
                let message = [error.message, error.advice].compactMap(\.self).joined(separator: ". ")
                return source.diagnostic(message, at: action.isRebuild ? place(of: statements[number]) : action.range)
            }
            if action.isRebuild { return nil }
        }
        return number < statements.count ? try run(statements[number], db) : nil
    }

    private func run(_ statement: Range<Int>, _ db: Database) throws -> QueryDiagnostic? {
        if let refusal = refusal(of: statement) { return refusal }
        let sql = tokens.text(place(of: statement))
        do {
            try db.execute(sql: sql)
            return nil
        } catch let error as DatabaseError {
            // After a constraint has stopped ALTER TABLE, SQLite compiles it for the table with the new column.
            if case .failure(let message, let offset) = try db.compile(sql), message == error.message {
                return diagnostic(message, offset, statement)
            }
            let word = tokens.keyword(statement.lowerBound)
            if error.resultCode == .SQLITE_MISUSE, ["BEGIN", "COMMIT", "END", "ROLLBACK"].contains(word) {
                let message = "\(word) can't run in a migration, which runs in a transaction: remove it"
                return source.diagnostic(message, at: place(of: statement))
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
            let name = tokens.name(pragmaName(statement))
            if Self.allowedPragmas.contains(name.uppercased()) { return nil }
            return source.diagnostic("the pragma \(name) is not allowed here", at: tokens[index].range)
        default: return nil
        }
    }

    /// Returns an error of SQLite, which may know the byte of the statement that it is about.
    private func diagnostic(_ message: String, _ offset: Int?, _ statement: Range<Int>) -> QueryDiagnostic {
        let range = place(of: statement)
        let offset = offset.map { $0 + range.lowerBound }
        let token = tokens.tokens[statement].first { token in offset.map(token.range.contains) ?? false }
        let text = statement.first { index in
            message.hasPrefix("no such column: ") && tokens.bytes[tokens[index].range.lowerBound] == UInt8(ascii: "\"")
                && message.contains(tokens.name(index))
        }
        if let text {
            let advice = "Write strings in single quotes, or add a line \"double-quoted strings allowed\" to schema.records"
            return source.diagnostic("\(message). \(advice)", at: tokens[text].range)
        }
        return source.diagnostic(message, at: token?.range ?? offset.map { $0..<$0 + 1 } ?? range)
    }
}

extension RecordSettings {
    /// Returns a database in memory with stand-ins for the program's functions and collations.
    func makeQueue(acceptsDoubleQuotedStrings: Bool, enforcesForeignKeys: Bool) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.acceptsDoubleQuotedStringLiterals = acceptsDoubleQuotedStrings
        configuration.foreignKeysEnabled = enforcesForeignKeys
        configuration.prepareDatabase { db in
            addFunctions(to: db)
            for collation in collations {
                db.add(collation: DatabaseCollation(collation) { $0 < $1 ? .ascending : $0 > $1 ? .descending : .same })
            }
        }
        return try DatabaseQueue(configuration: configuration)
    }

    /// Adds stand-ins for the declared functions, so that SQL that names them compiles.
    ///
    /// - Parameter refusesCalls: whether they throw ``StandInCall`` instead of returning NULL.
    func addFunctions(to db: Database, refusingCalls refusesCalls: Bool = false) {
        for function in functions {
            if function.isAggregate {
                let aggregate: any DatabaseAggregate.Type = refusesCalls ? RefusingStandIn.self : NullStandIn.self
                db.add(function: DatabaseFunction(function.name, argumentCount: function.argumentCount, pure: true, aggregate: aggregate))
            } else {
                db.add(
                    function: DatabaseFunction(function.name, argumentCount: function.argumentCount, pure: true) { _ in
                        if refusesCalls { throw StandInCall() }
                        return nil
                    })
            }
        }
    }
}

/// The error of a statement that depends on a function of the program.
struct StandInCall: Error, CustomStringConvertible {
    var description: String { "a function of the program decides" }
}

/// An aggregate function without a result.
private struct NullStandIn: DatabaseAggregate {
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

/// An aggregate function that refuses to be called.
private struct RefusingStandIn: DatabaseAggregate {
    mutating func step(_ values: [DatabaseValue]) {}
    func finalize() throws -> DatabaseValue? { throw StandInCall() }
}
