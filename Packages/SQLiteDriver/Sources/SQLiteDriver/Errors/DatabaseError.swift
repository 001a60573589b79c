import CSQLiteShims

/// An error from SQLite, or from misuse of the driver.
///
/// ```swift
/// do {
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [nil])
/// } catch let error as DatabaseError {
///     error.resultCode          // .SQLITE_CONSTRAINT
///     error.extendedResultCode  // .SQLITE_CONSTRAINT_NOTNULL
///     error.message             // "NOT NULL constraint failed: player.name"
///     error.sql                 // "INSERT INTO player (name) VALUES (?)"
///     print(error)              // all of it in one sentence
/// }
/// ```
public struct DatabaseError: Error, Sendable {
    /// The primary result code, such as `SQLITE_CONSTRAINT`.
    public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

    /// The result code with all its detail, such as `SQLITE_CONSTRAINT_UNIQUE`.
    public let extendedResultCode: ResultCode

    /// What is wrong: SQLite's message, or the library's where SQLite has none. It has no final period.
    public let message: String?

    /// The SQL of the statement that failed, without white space around it and without a semicolon at its end.
    public let sql: String?

    /// The arguments of the statement that failed; empty when it had none.
    ///
    /// As they may be private, ``description`` shows them only when ``Configuration/publicStatementArguments`` is set.
    public let arguments: StatementArguments?

    /// The error that a ``DatabaseFunction`` or a ``DatabaseAggregate`` threw, when the statement failed for that reason.
    ///
    /// ```swift
    /// do {
    ///     try db.execute(
    ///         sql: "INSERT INTO player (email) VALUES (checked(?))", arguments: ["arthur"])
    /// } catch let error as DatabaseError {
    ///     if error.underlyingError is InvalidEmail { … }
    /// }
    /// ```
    public internal(set) var underlyingError: (any Error)?

    /// The constraint that the statement has violated; nil for other errors.
    ///
    /// ```swift
    /// error.constraint?.kind     // .notNull
    /// error.constraint?.table    // "player"
    /// error.constraint?.columns  // ["name"]
    /// ```
    public internal(set) var constraint: Constraint?

    /// What to do about the error, in sentences with a period, if that is known. ``description`` ends with it.
    ///
    /// ```swift
    /// error.message  // "file is not a database"
    /// error.advice   // "The file is not a SQLite database, or it is encrypted: check the path."
    /// ```
    public let advice: String?

    /// Whether descriptions may show ``arguments``.
    let publicStatementArguments: Bool

    /// The value that the message is about. Like ``arguments``, it may be private.
    let value: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - resultCode: a primary or an extended result code.
    ///   - message: what went wrong; SQLite's text for the code by default.
    ///   - sql: the SQL of the statement that failed.
    ///   - arguments: its arguments.
    ///   - publicStatementArguments: whether ``description`` may show the arguments.
    ///   - advice: what to do about the error; the library's advice for the code by default.
    public init(
        resultCode: ResultCode = .SQLITE_ERROR,
        message: String? = nil,
        sql: String? = nil,
        arguments: StatementArguments? = nil,
        publicStatementArguments: Bool = false,
        advice: String? = nil
    ) {
        self.init(
            code: resultCode, message: message, sql: sql, arguments: arguments,
            publicStatementArguments: publicStatementArguments, advice: advice)
    }

    package init(
        code: ResultCode,
        message: String?,
        sql: String? = nil,
        arguments: StatementArguments? = nil,
        publicStatementArguments: Bool = false,
        value: String? = nil,
        advice: String?
    ) {
        self.extendedResultCode = code
        self.message = message ?? code.errorString
        self.sql = sql?.trimmedSQL
        self.arguments = arguments
        self.publicStatementArguments = publicStatementArguments
        self.value = value
        self.advice = advice ?? Self.advice(for: code, message: self.message, sql: sql)
        self.constraint = Constraint.Kind(code, message: self.message).map { Constraint(kind: $0) }
    }

    /// An error for an invalid definition or call.
    package static func misuse(_ message: String, sql: String? = nil, advice: String? = nil) -> DatabaseError {
        DatabaseError(code: .SQLITE_MISUSE, message: message, sql: sql, advice: advice)
    }

    /// Whether an interruption caused the error: ``DatabaseReader/interrupt()``, or a cancelled task.
    public var isInterruptionError: Bool {
        [.SQLITE_INTERRUPT, .SQLITE_ABORT].contains(resultCode)
    }

    /// Returns the error with the SQL and the arguments of a statement, if it does not name a statement yet.
    func with(sql: String, arguments: StatementArguments?, publicStatementArguments: Bool) -> DatabaseError {
        guard self.sql == nil else { return self }
        return replacing(sql: sql, arguments: arguments, publicStatementArguments: publicStatementArguments)
    }

    /// Returns the error with the arguments of its statement. It is for layers that bind values without ``StatementArguments``.
    ///
    /// - Parameters:
    ///   - arguments: the arguments of the statement that failed.
    ///   - publicStatementArguments: whether ``description`` may show the arguments.
    package func adding(arguments: StatementArguments, publicStatementArguments: Bool) -> DatabaseError {
        replacing(sql: sql, arguments: arguments, publicStatementArguments: publicStatementArguments)
    }

    /// Returns the error with other advice. It is for layers that know more than SQLite about the SQL.
    package func advising(_ advice: String) -> DatabaseError {
        replacing(sql: sql, arguments: arguments, publicStatementArguments: publicStatementArguments, advice: advice)
    }

    /// Returns the error, with a description that shows values if `showsValues` is true. It is for layers that find the error before they
    /// know a statement.
    package func showingValues(_ showsValues: Bool) -> DatabaseError {
        replacing(sql: sql, arguments: arguments, publicStatementArguments: publicStatementArguments || showsValues)
    }

    private func replacing(
        sql: String?, arguments: StatementArguments?, publicStatementArguments: Bool, advice newAdvice: String? = nil
    ) -> DatabaseError {
        var error = DatabaseError(
            code: extendedResultCode, message: message, sql: sql, arguments: arguments,
            publicStatementArguments: publicStatementArguments, value: value, advice: newAdvice ?? advice)
        error.underlyingError = underlyingError
        error.constraint = constraint
        return error
    }
}

// MARK: - Description

extension DatabaseError: CustomStringConvertible {
    /// The error in one line: the result code, the message, the SQL, and what to do, if known.
    ///
    /// For example: `SQLite error 1 (SQLITE_ERROR): no such table: playr - while executing "SELECT * FROM playr"`. Values, such as
    /// the arguments, are shown if ``Configuration/publicStatementArguments`` is set.
    public var description: String {
        description(withValues: publicStatementArguments)
    }

    /// The same as ``description``, always with the arguments and other values.
    public var expandedDescription: String {
        description(withValues: true)
    }

    private func description(withValues: Bool) -> String {
        var text = "SQLite error \(extendedResultCode.rawValue)"
        if let name = extendedResultCode.name {
            text += " (\(name))"
        }
        if let message {
            text += ": \(message)"
        }
        if withValues, let value {
            text += ": \(value)"
        }
        if let sql {
            text += " - while executing `\(sql)`"
        }
        if withValues, let arguments, !arguments.isEmpty {
            text += " with arguments \(arguments)"
        }
        if let advice {
            text += ". \(advice)"
        }
        return text
    }
}

// MARK: - NSError

// The properties that Foundation's `CustomNSError` requires, so that a program can adopt the protocol in one line.
extension DatabaseError {
    /// The error domain, for `NSError`.
    public static var errorDomain: String { "Strata.DatabaseError" }

    /// The extended result code as a number.
    public var errorCode: Int { Int(extendedResultCode.rawValue) }

    /// The description, under Foundation's key for localized descriptions.
    public var errorUserInfo: [String: Any] { ["NSLocalizedDescription": description] }

    // MARK: - Advice

    /// Advice for the codes with one likely remedy.
    private static func advice(for code: ResultCode, message: String?, sql: String?) -> String? {
        switch code.primaryResultCode {
        case .SQLITE_BUSY:
            return code == .SQLITE_BUSY_SNAPSHOT
                ? "The transaction read before another connection wrote: begin it as an immediate transaction."
                : "Another connection is writing: try again, or wait longer with Configuration.busyMode."
        case .SQLITE_READONLY where code == .SQLITE_READONLY_DBMOVED:
            return "The file was moved, replaced or removed after it was opened: open the database again."
        case .SQLITE_READONLY where code == .SQLITE_READONLY_ROLLBACK:
            return "A program ended during a transaction: open the database with write permission, which rolls back that transaction."
        case .SQLITE_READONLY:
            return "Use `write` instead of `read`, and check that the file and its folder can be written."
        case .SQLITE_FULL:
            return "Free some space on the disk, and try again."
        case .SQLITE_NOTADB:
            return "The file is not a SQLite database, or it is encrypted: check the path."
        case .SQLITE_CORRUPT where code == .SQLITE_CORRUPT:
            return "Restore the file from a backup, or save what can be read with the `.recover` command of the sqlite3 shell."
        case .SQLITE_ERROR:
            guard let message else { return nil }
            if let sql, let advice = adviceAboutAlias(message: message, sql: sql) ?? adviceAboutSchema(message: message, sql: sql) {
                return advice
            }
            if message.hasPrefix("no such table") || message.hasPrefix("no such column") {
                return "Check the spelling, and that the schema was created in this database file."
            }
            return nil
        default:
            return nil
        }
    }

    /// Returns what to do about the missing column of a table when a selected expression has its name.
    private static func adviceAboutAlias(message: String, sql: String) -> String? {
        let prefix = "no such column: "
        guard message.hasPrefix(prefix), let dot = message.lastIndex(of: ".") else { return nil }
        let table = message[..<dot].dropFirst(prefix.count)
        let name = String(message[message.index(after: dot)...])
        let tokens = SQLTokens(sql)
        let isAlias = tokens.tokens.indices.contains { index in
            tokens.keyword(index) == "AS" && tokens.name(index + 1).isEqualIgnoringASCIICase(to: name)
        }
        guard isAlias else { return nil }
        return "\(name) is an alias of a selected expression, not a column of \(table): use it without a table name. "
            + "In a request, write Column(\"\(name)\").detached."
    }

    /// Returns what to do about a missing column that the SQL does not name: it is in the SQL of the schema.
    private static func adviceAboutSchema(message: String, sql: String) -> String? {
        guard let prefix = message.firstRange(of: "no such column: ") else { return nil }
        // SQLite 3.41 and later add to the name: "now" - should this be a string literal in single-quotes?
        let rest = message[prefix.upperBound...]
        let name = rest.first == "\"" ? String(rest).unquotedSQLName : String(rest)
        let column = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name
        let tokens = SQLTokens(sql)
        let isNamed = tokens.tokens.indices.contains { index in
            [name, column].contains { $0.isEqualIgnoringASCIICase(to: tokens.name(index)) }
        }
        if isNamed { return nil }
        return "The SQL does not name \(name), but a trigger, a view or an index of the schema does. If it is a string in double quotes, "
            + "write it in single quotes there, or set Configuration.acceptsDoubleQuotedStringLiterals."
    }
}

extension String {
    /// The text without surrounding white space and without a semicolon at its end.
    var trimmedSQL: String {
        func isIgnored(_ character: Character) -> Bool { character.isWhitespace || character == ";" }
        if let first, let last, !isIgnored(first), !isIgnored(last) { return self }
        guard let first = firstIndex(where: { !isIgnored($0) }), let last = lastIndex(where: { !isIgnored($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
