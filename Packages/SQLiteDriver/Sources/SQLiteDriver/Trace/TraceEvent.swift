import CSQLiteShims

extension Database {
    /// The events that ``trace(options:_:)`` reports.
    public struct TracingOptions: OptionSet, Sendable {
        /// The bits of SQLite's trace mask, and one for ``includingInternal``.
        public let rawValue: CInt

        /// Creates options from the bits of SQLite's trace mask.
        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// Reports each statement when it begins.
        public static let statement = TracingOptions(rawValue: SQLITE_TRACE_STMT)

        /// Reports each statement when it has ended, with its duration.
        public static let profile = TracingOptions(rawValue: SQLITE_TRACE_PROFILE)

        /// Reports the statements that the connection runs on its own, too: ``TraceEvent/Statement/isInternal``.
        ///
        /// ```swift
        /// db.trace(options: [.statement, .includingInternal]) { print($0) }
        /// ```
        public static let includingInternal = TracingOptions(rawValue: 1 << 30)
    }

    /// An event that ``trace(options:_:)`` reports.
    public enum TraceEvent {
        /// A statement begins.
        case statement(Statement)

        /// A statement has ended.
        ///
        /// The duration is in seconds, from the first step to the end, and includes the time between the steps of a query. SQLite
        /// measures it in milliseconds.
        case profile(statement: Statement, duration: Double)

        /// The statement of an event.
        ///
        /// It can be kept: its SQL is copied before the statement continues.
        public struct Statement {
            private let source: Source

            /// Whether descriptions show the values of the parameters.
            private let showsArguments: Bool

            init(source: Source, showsArguments: Bool) {
                self.source = source
                self.showsArguments = showsArguments
            }

            /// The SQL, with its parameters.
            ///
            /// Statements of triggers, and statements that run inside another one, for example in a function, appear as SQL
            /// comments: `-- TRIGGER …`, `-- SELECT …`.
            public var sql: String { source.sql }

            /// The SQL with parameters replaced by their values, which may be private.
            public var expandedSQL: String { source.expandedSQL }

            /// The SQL, with parameters replaced by their values if ``Configuration/publicStatementArguments`` is set.
            var publicSQL: String { showsArguments ? expandedSQL : sql }

            /// Whether the connection runs the statement on its own, to read the schema or its version.
            ///
            /// The statements of transactions, such as `BEGIN`, are not internal.
            public var isInternal: Bool { source.isInternal }
        }
    }
}

extension Database.TraceEvent: CustomStringConvertible {
    /// The SQL, after the duration if there is one: `0.012s SELECT * FROM player WHERE id = ?`. The values of the parameters are
    /// shown if ``Configuration/publicStatementArguments`` is set.
    public var description: String { text(\.publicSQL) }

    /// Like ``description``, with the values of the parameters: `0.012s SELECT * FROM player WHERE id = 1`.
    public var expandedDescription: String { text(\.expandedSQL) }

    private func text(_ sql: (Statement) -> String) -> String {
        switch self {
        case .statement(let statement): sql(statement)
        case .profile(let statement, let duration): "\(Self.format(duration)) \(sql(statement))"
        }
    }

    /// Returns seconds with three decimals.
    private static func format(_ duration: Double) -> String {
        let milliseconds = Int64(truncatingIfInRange: (duration * 1000).rounded()) ?? 0
        let decimals = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: max(0, 3 - decimals.count)))\(decimals)s"
    }
}

extension Database.TraceEvent.Statement: CustomStringConvertible {
    /// The SQL, with its parameters, or with their values if ``Configuration/publicStatementArguments`` is set.
    public var description: String { publicSQL }
}

extension Database.TraceEvent.Statement {
    /// The statement of an event, while SQLite's callback is running.
    final class Source {
        let sql: String
        let isInternal: Bool

        /// The statement whose values to show; nil after the event, or when ``sql`` has no parameters to expand.
        private var handle: SQLiteStatement?
        private let engineStatement: EngineStatement?

        init(sql: String, handle: SQLiteStatement?, engineStatement: EngineStatement?, isInternal: Bool) {
            self.sql = sql
            self.engineStatement = engineStatement
            self.isInternal = isInternal
            self.handle = handle
        }

        private(set) lazy var expandedSQL =
            handle.flatMap { engineStatement?.expandedSQL($0) ?? sqliteExpandedSQL(of: $0)?.trimmedSQL } ?? sql

        /// Ends the event: the handle must no longer be used.
        func end(expanding: Bool) {
            if expanding { _ = expandedSQL }
            handle = nil
        }
    }
}
