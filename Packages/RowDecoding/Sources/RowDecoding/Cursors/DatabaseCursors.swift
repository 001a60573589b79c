import ValueConversion

/// A cursor of rows. It reuses one row object for all rows: copy a row to keep it.
///
/// ```swift
/// let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
/// ```
public final class RowCursor: DatabaseCursor {
    /// The statement that produces the results.
    public let statement: Statement
    @usableFromInline var iteration: RowIteration

    @inlinable
    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        self.statement = statement
        iteration = try RowIteration(statement, arguments: arguments, adapter: adapter)
    }

    deinit {
        iteration.abandon()
    }

    /// Returns the next row, or nil after the last one.
    ///
    /// - Throws: ``DatabaseError``.
    @inlinable
    public func next() throws -> Row? {
        try iteration.next()
    }
}

/// A cursor of records.
///
/// ```swift
/// let players = try Player.fetchCursor(db, sql: "SELECT * FROM player")
/// ```
public final class RecordCursor<Record: FetchableRecord>: DatabaseCursor {
    /// The statement that produces the results.
    public let statement: Statement
    @usableFromInline var iteration: RowIteration

    @inlinable
    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        self.statement = statement
        iteration = try RowIteration(statement, arguments: arguments, adapter: adapter)
    }

    deinit {
        iteration.abandon()
    }

    /// Returns the next record, or nil after the last one.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer. After an error, the cursor has ended.
    @inlinable
    public func next() throws -> Record? {
        try iteration.next { try RecordDecoding<Record>.element($0) }
    }
}

/// A cursor of values, read from the leftmost column.
///
/// ```swift
/// let links = try URL.fetchCursor(db, sql: "SELECT url FROM link")
/// ```
public final class DatabaseValueCursor<Value: DatabaseValueConvertible>: DatabaseCursor {
    /// The statement that produces the results.
    public let statement: Statement
    @usableFromInline var iteration: RowIteration

    @inlinable
    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        self.statement = statement
        iteration = try RowIteration(statement, arguments: arguments, adapter: adapter)
    }

    deinit {
        iteration.abandon()
    }

    /// Returns the next value, or nil after the last one.
    ///
    /// - Throws: ``DatabaseError``, or ``RowDecodingError``. After an error, the cursor has ended.
    @inlinable
    public func next() throws -> Value? {
        try iteration.next { try ValueDecoding<Value>.element($0) }
    }
}

/// A cursor of values of a type that is read straight from the statement.
///
/// It is the same type as ``DatabaseValueCursor``, which already reads each type in the fastest way. The name exists for programs that
/// distinguish the two.
public typealias FastDatabaseValueCursor<Value: DatabaseValueConvertible & StatementColumnConvertible> = DatabaseValueCursor<Value>

// The driver defines this cursor, but does not know the `Cursor` protocol.
extension SQLStatementCursor: Cursor {
    /// A statement, with its arguments.
    public typealias Element = Statement
}
