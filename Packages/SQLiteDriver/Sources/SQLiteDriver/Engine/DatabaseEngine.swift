/// An engine that keeps the rows of a database elsewhere, such as on a cluster, and runs the statements of a connection there.
///
/// The connection itself is an SQLite database in memory that has the *schema* of the engine's database, and no rows. SQLite compiles
/// each statement there, so that its errors, columns and parameters, and the tables that it reads and writes are known as usual. The
/// engine then plans how the statement runs:
///
/// - as compiled: for a statement that needs no rows, such as a pragma that reads the schema;
/// - as compiled, and on the engine as well: for a statement that controls a transaction or changes the schema. The engine runs it when it
///   is notified that the statement begins, ends or fails;
/// - as other SQL, for a statement that reads or writes rows. That SQL has the parameters and the columns of the statement, and reads
///   a virtual table (<https://www.sqlite.org/vtab.html>) that the engine registered. That table runs the statement and returns its
///   rows. When the schema has changed, SQLite compiles that SQL again, as it does with any other.
///
/// In each case a ``Statement`` is a statement of SQLite, with its bindings, its rows and its errors. Its ``Statement/sql`` is the SQL
/// that the program wrote. The state of the transaction, ``Database/changesCount`` and ``Database/lastInsertedRowID`` come from the
/// connection in memory: the engine makes its transactions follow the transactions of the connection, and inserts as many rows into a
/// virtual table as a statement has changed.
///
/// Backups and ``Database/erase()``, which work on the file of a database, refuse a connection with an engine.
///
/// A connection has an engine if ``Configuration/makeEngine`` returns one. For other connections, the only cost is a check when a
/// statement is compiled.
public protocol DatabaseEngine: AnyObject {
    /// Registers the engine's virtual tables and functions. Called once for a connection, before any other method.
    ///
    /// - Throws: an error that the call that opens the connection throws.
    func open(_ db: Database) throws

    /// Renews the schema of the connection if the engine does not know whether it is current. By default, an engine always knows it.
    ///
    /// - Returns: whether the schema has changed. The statement is then compiled again, and planned.
    /// - Throws: an error that kept the engine from comparing the schemas.
    func renewUnknownSchema(for statement: CompiledStatement, in db: Database) throws -> Bool

    /// Returns how a statement runs; nil to run it as compiled, without the engine.
    ///
    /// - Throws: an error for a statement that the engine can't run.
    func plan(for statement: CompiledStatement, in db: Database) throws -> StatementPlan?

    /// Compares the schema of the connection with the engine's, and changes it if they differ. Called for SQL that does not compile.
    ///
    /// - Returns: whether the schema has changed.
    /// - Throws: an error that kept the engine from comparing.
    func renewSchema(of db: Database) throws -> Bool

    /// Notifies the engine that a statement with a plan is about to begin.
    ///
    /// - Throws: an error that keeps the statement from beginning.
    func statementWillBegin(_ statement: Statement, plan: StatementPlan) throws

    /// Notifies the engine that a statement with a plan has ended.
    func statementDidEnd(_ statement: Statement, plan: StatementPlan)

    /// Notifies the engine that a statement with a plan has failed, or could not begin.
    ///
    /// - Returns: the error that the statement throws.
    func statementDidFail(_ statement: Statement, plan: StatementPlan, with error: any Error) -> any Error

    /// Commits the engine's transaction. Called inside SQLite's commit hook (<https://www.sqlite.org/c3ref/commit_hook.html>), after
    /// the observers have agreed, so it must not use the connection.
    ///
    /// - Returns: false if the commit has failed. SQLite then rolls back the transaction, and the statement fails.
    func commit() -> Bool

    /// Ends a request that is in progress on another thread.
    func interrupt()

    /// Closes the engine, when the connection is closed.
    func close()
}

extension DatabaseEngine {
    /// Returns false: the engine always knows the schema.
    public func renewUnknownSchema(for statement: CompiledStatement, in db: Database) throws -> Bool { false }
}

/// A compiled statement that the engine is about to plan.
public struct CompiledStatement {
    /// The SQL, without white space around it and without a semicolon at its end.
    public let sql: String

    /// The statement of the C API, which is finalized if the plan has other SQL.
    public let sqliteStatement: SQLiteStatement

    /// The names of the tables and views that the statement reads, in lower case; with an empty name if SQLite does not report all of
    /// them, as for `NATURAL JOIN`.
    public let tablesRead: Set<String>

    /// Whether the statement changes the schema.
    public let changesSchema: Bool

    /// Whether the statement begins or ends a transaction or a savepoint.
    public let controlsTransaction: Bool

    /// Whether the statement rolls back a transaction, or to a savepoint.
    public let rollsBack: Bool
}

/// The plan by which an engine runs a statement. Engines subclass it to add their own state.
open class StatementPlan {
    /// The SQL that runs in place of the statement's; nil for the statement as it was compiled.
    public let replacement: String?

    /// Creates a plan.
    ///
    /// - Parameter replacement: SQL with as many parameters and columns as the statement has, under the same names; nil to run the
    ///   statement as it was compiled.
    public init(replacement: String?) {
        self.replacement = replacement
    }

    /// Returns the SQL of the program with the values of its parameters, for traces and ``Statement/expandedSQL``.
    ///
    /// - Parameter replacement: ``replacement`` with the values of its parameters, as `sqlite3_expanded_sql` returns it
    ///   (<https://www.sqlite.org/c3ref/expanded_sql.html>). Called while SQLite reports a statement: the connection can't be used.
    /// - Returns: nil, by default, to show the SQL with its parameters.
    open func expandedSQL(replacement: String) -> String? { nil }

    /// Returns the name of a column, for a replacement whose columns have other names.
    ///
    /// SQLite compiles the replacement again when the schema of the connection has changed. A replacement such as `SELECT * FROM x`, where
    /// `x` is a virtual table of the engine, then gets the columns that the statement has now. But the columns of a table have different
    /// names, and several columns of a statement may have the same name.
    ///
    /// - Parameter index: the column's index, from 0.
    /// - Returns: nil, by default, for the name in the replacement.
    open func columnName(at index: Int) -> String? { nil }
}
