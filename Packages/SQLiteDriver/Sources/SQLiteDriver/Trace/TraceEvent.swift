import CSQLiteShims

extension Database {
    /// What ``trace(options:_:)`` reports.
    public struct TracingOptions: OptionSet, Sendable {
        /// The bits of SQLite's trace mask.
        public let rawValue: CInt

        /// Makes options from the bits of SQLite's trace mask.
        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// Each statement when it begins.
        public static let statement = TracingOptions(rawValue: SQLITE_TRACE_STMT)

        /// Each statement when it has ended, with the time that it took.
        public static let profile = TracingOptions(rawValue: SQLITE_TRACE_PROFILE)
    }

    /// Something that SQLite does, as ``trace(options:_:)`` tells it.
    public enum TraceEvent {
        /// A statement begins.
        case statement(Statement)

        /// A statement has ended.
        ///
        /// The duration is in seconds, from the first step to the end: the time between the steps of a query is in it. SQLite
        /// measures it in milliseconds.
        case profile(statement: Statement, duration: Double)

        /// The statement of an event.
        ///
        /// It can be kept: what it says was copied, or will be before the statement goes on.
        public struct Statement {
            private let source: Source

            init(source: Source) {
                self.source = source
            }

            /// The SQL, with its parameters.
            ///
            /// The statements of triggers, and those that run while another one does, such as in a function, come as SQL
            /// comments: `-- TRIGGER …`, `-- SELECT …`.
            public var sql: String { source.sql }

            /// The SQL with the values of its parameters, which may be private, in their places.
            public var expandedSQL: String { source.expandedSQL }
        }
    }
}

extension Database.TraceEvent: CustomStringConvertible {
    /// The SQL, with the duration before it if there is one: `0.012s SELECT * FROM player WHERE id = ?`.
    public var description: String {
        switch self {
        case .statement(let statement): statement.sql
        case .profile(let statement, let duration): "\(Self.format(duration)) \(statement.sql)"
        }
    }

    /// The same as ``description``, with the values of the parameters: `0.012s SELECT * FROM player WHERE id = 1`.
    public var expandedDescription: String {
        switch self {
        case .statement(let statement): statement.expandedSQL
        case .profile(let statement, let duration): "\(Self.format(duration)) \(statement.expandedSQL)"
        }
    }

    /// Seconds with three decimals.
    private static func format(_ duration: Double) -> String {
        let milliseconds = Int64(truncating: (duration * 1000).rounded()) ?? 0
        let decimals = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: max(0, 3 - decimals.count)))\(decimals)s"
    }
}

extension Database.TraceEvent.Statement: CustomStringConvertible {
    /// The SQL, with its parameters.
    public var description: String { sql }
}

extension Database.TraceEvent.Statement {
    /// The statement behind an event, for as long as SQLite lets us look at it.
    final class Source {
        let sql: String

        /// The statement whose values to show; nil when the event is over, or when ``sql`` says all.
        private var handle: SQLiteStatement?
        private var expanded: String?

        init(sql: String, handle: SQLiteStatement?) {
            self.sql = sql
            self.handle = handle
        }

        var expandedSQL: String {
            if let expanded { return expanded }
            var result = sql
            if let handle, let text = sqlite3_expanded_sql(handle) {
                result = String(cString: text).trimmedSQL
                sqlite3_free(text)
            }
            expanded = result
            return result
        }

        /// The event is over, and the handle is not to be used any more.
        func end(expanding: Bool) {
            if expanding { _ = expandedSQL }
            handle = nil
        }
    }
}
