import ValueConversion

/// A cursor over the results of a statement.
///
/// The statement runs until the cursor reaches its end, throws an error, or is released, or until the database access ends.
///
/// A cursor of your own decodes the current row of a statement. The statement needs its arguments by the first call of ``Cursor/next()``,
/// which begins the run, and each cursor needs a statement of its own.
///
/// ```swift
/// final class NameCursor: DatabaseCursor {
///     typealias Element = String
///
///     var _isDone = false
///     let _statement: Statement
///
///     init(_ db: Database, minimumScore: Int) throws {
///         _statement = try db.makeStatement(
///             sql: "SELECT name FROM player WHERE score >= ?")
///         try _statement.setArguments([minimumScore])
///     }
///
///     func _element(sqliteStatement: SQLiteStatement) throws -> String {
///         String(sqliteStatement: sqliteStatement, index: 0) ?? ""
///     }
/// }
/// ```
///
/// Instead of these three members, a cursor may implement ``statement`` and ``Cursor/next()``. A type with neither does not compile.
public protocol DatabaseCursor<Element>: Cursor {
    /// The type of ``_statement``: `Never` for cursors that implement ``statement`` and ``Cursor/next()``.
    ///
    /// It keeps defaults apart, so that a cursor can't end up with defaults that only call each other.
    associatedtype _StatementOfCursor = Never

    /// The statement that produces the results.
    var statement: Statement { get }

    /// The statement that produces the results, for cursors that use the default ``Cursor/next()``.
    var _statement: _StatementOfCursor { get }

    /// Whether the cursor has ended. It must be false at first; ``Cursor/next()`` sets it.
    var _isDone: Bool { get set }

    /// Returns the element of the statement's current row. An error ends the cursor.
    func _element(sqliteStatement: SQLiteStatement) throws -> Element
}

extension DatabaseCursor {
    /// The SQL of the query.
    public var sql: String { statement.sql }

    /// The arguments of the query.
    public var arguments: StatementArguments { statement.arguments }

    /// The number of columns of the query's results.
    public var columnCount: Int { statement.columnCount }

    /// The names of the columns of the query's results.
    public var columnNames: [String] { statement.columnNames }

    /// The part of the database that the query reads.
    public var databaseRegion: DatabaseRegion { statement.databaseRegion }
}

extension DatabaseCursor where _StatementOfCursor == Never {
    /// Stops the program: the cursor implements ``statement``.
    public var _statement: Never { fatalError("\(Self.self) has no _statement. Use its statement.") }

    /// False. The cursor implements its own ``Cursor/next()``.
    public var _isDone: Bool {
        get { false }
        set {}
    }

    /// Stops the program: the cursor implements its own ``Cursor/next()``.
    public func _element(sqliteStatement: SQLiteStatement) throws -> Element {
        fatalError("\(Self.self) has no _element(sqliteStatement:). Call next().")
    }
}

extension DatabaseCursor where _StatementOfCursor == Statement {
    /// The statement that produces the results.
    public var statement: Statement { _statement }

    /// Returns the next element, or nil after the last one.
    ///
    /// The first call begins a run of the statement. The cursor ends with the access.
    ///
    /// - Throws: ``DatabaseError``, also in further calls, or the error of the element, which ends the cursor.
    @inlinable
    public func next() throws -> Element? {
        let statement = _statement
        let runs = statement.attachments.value(for: CursorRuns.self) { CursorRuns() }
        if _isDone {
            if let failure = runs.failure(of: self) { throw failure }
            return nil
        }
        do {
            guard try runs.step(statement, of: self) else {
                _isDone = true
                return nil
            }
        } catch {
            _isDone = true
            throw error
        }
        do {
            return try _element(sqliteStatement: statement.handle)
        } catch {
            _isDone = true
            runs.stop(statement, of: self)
            throw error
        }
    }
}

/// The runs of a statement for cursors that have no property for it: see ``DatabaseCursor``.
@usableFromInline
final class CursorRuns: AttachmentKey {
    @usableFromInline typealias Value = CursorRuns

    private struct Run {
        weak var cursor: AnyObject?
        let id: Int
        var failure: (any Error)?
    }

    /// The run of each cursor that exists. The last one is the current run.
    private var runs: [Run] = []

    @usableFromInline
    init() {}

    /// Moves a cursor to the next row, and begins its run first.
    ///
    /// - Returns: false after the last row.
    /// - Throws: ``DatabaseError``, which ``failure(of:)`` then returns.
    @usableFromInline
    func step(_ statement: Statement, of cursor: AnyObject) throws -> Bool {
        do {
            if !statement.isRunningOnCurrentThread { statement.database.checkAccess() }
            guard try statement.isInRun(run(of: cursor) ?? beginRun(of: cursor, statement)) else {
                throw RowIteration.makeInterruptedRunError(statement)
            }
            if try statement.stepWithinRun() { return true }
        } catch {
            // SQL functions and observers may have used other cursors meanwhile.
            runs.removeAll { $0.cursor === cursor }
            runs.append(Run(cursor: cursor, id: -1, failure: error))
            throw error
        }
        runs.removeAll { $0.cursor === cursor }
        return false
    }

    private func run(of cursor: AnyObject) -> Int? {
        if let last = runs.last, last.cursor === cursor { return last.id }
        return runs.first { $0.cursor === cursor }?.id
    }

    private func beginRun(of cursor: AnyObject, _ statement: Statement) throws -> Int {
        let id = try statement.beginRun()
        runs.removeAll { $0.cursor == nil }
        runs.append(Run(cursor: cursor, id: id))
        return id
    }

    /// Ends a cursor's run.
    @usableFromInline
    func stop(_ statement: Statement, of cursor: AnyObject) {
        if let run = runs.last, run.cursor === cursor, statement.isInRun(run.id) { statement.reset() }
    }

    /// The error of SQLite that ended a cursor.
    @usableFromInline
    func failure(of cursor: AnyObject) -> (any Error)? {
        runs.first { $0.cursor === cursor }?.failure
    }
}
