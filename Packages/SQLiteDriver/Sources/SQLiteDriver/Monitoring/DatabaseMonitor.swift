/// Learns of the accesses to a database and of their statements, for logs, metrics and traces.
///
/// ```swift
/// struct FailureCounter: DatabaseMonitor {
///     let count: @Sendable (_ errorType: String) -> Void
///
///     func accessDidEnd(_ access: DatabaseAccessReport) {
///         if let errorType = access.errorType { count(errorType) }
///     }
/// }
///
/// configuration.monitors.append(FailureCounter { print($0) })
/// ```
///
/// Reports contain no values: neither arguments nor the literals of the SQL. Their names and units are those of OpenTelemetry:
/// <https://opentelemetry.io/docs/specs/semconv/database/>.
///
/// A database without monitors measures nothing.
public protocol DatabaseMonitor: Sendable {
    /// Called after each access of the program to the database, and after an access that could not begin. It runs outside of the access,
    /// on the thread or the task that has waited for the access; for a callback, on the thread of the access.
    func accessDidEnd(_ access: DatabaseAccessReport)

    /// Called after each statement that the program runs, on the thread of the access. It must not use the database, and delays the access.
    ///
    /// Statements that SQLite runs inside others, such as those of full-text tables, and a connection's questions about the schema are not
    /// reported. Those that methods run for the program are: the statements of records and of migrations, with their checks of foreign keys.
    func statementDidEnd(_ statement: StatementReport)

    /// Returns whether the report of a statement must have a ``StatementReport/plan``. Called before ``statementDidEnd(_:)``, for statements
    /// that only read. Asking SQLite for the plan takes about as long as compiling the statement.
    func needsPlan(of statement: StatementReport) -> Bool
}

extension DatabaseMonitor {
    /// Does nothing.
    public func accessDidEnd(_ access: DatabaseAccessReport) {}

    /// Does nothing.
    public func statementDidEnd(_ statement: StatementReport) {}

    /// Returns false.
    public func needsPlan(of statement: StatementReport) -> Bool { false }
}

/// An access that has ended, or that could not begin.
public struct DatabaseAccessReport: Sendable {
    /// The kinds of accesses.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A read in a transaction.
        case read
        /// A read without a transaction.
        case unsafeRead
        /// A write in a transaction.
        case write
        /// An access to the connection that writes, without a transaction.
        case writeWithoutTransaction
        /// An access while no read is running.
        case barrierWrite
    }

    /// The kind of the access.
    public internal(set) var kind: Kind

    /// The name of the database: ``Configuration/label``, or else the name of its file.
    public internal(set) var databaseName: String

    /// How long the access waited for the connection.
    public internal(set) var waitTime = Duration.zero

    /// How long the access ran, with its waits for locks of other processes; nil if it could not begin.
    public internal(set) var duration: Duration?

    /// How many rows the statements of the access inserted, updated and deleted, including changes that were rolled back.
    public internal(set) var changedRowCount = 0

    /// The error: the name of SQLite's extended result code, such as `SQLITE_CONSTRAINT_UNIQUE`, or else the name of the error's type;
    /// nil if there is none. The errors of callbacks are not known, except when the access could not begin.
    public internal(set) var errorType: String?

    /// The attributes of OpenTelemetry: `db.system.name`, `db.namespace`, `db.operation.name`, and after an error `error.type`.
    public var attributes: [String: String] {
        var attributes = ["db.system.name": "sqlite", "db.namespace": databaseName, "db.operation.name": kind.rawValue]
        attributes["error.type"] = errorType
        return attributes
    }
}

/// A statement that has ended.
public struct StatementReport: Sendable {
    /// The name of the database: ``Configuration/label``, or else the name of its file.
    public internal(set) var databaseName: String

    /// The SQL with its parameters, without comments, and with `?` in place of each literal. With
    /// ``Configuration/acceptsDoubleQuotedStringLiterals``, a text in double quotes counts as a literal, unless it names a table or a column.
    public internal(set) var sql: String

    /// What the statement does, in capitals: `SELECT`, for example, also after `WITH`.
    public internal(set) var operationName: String

    /// The first table that the statement names; nil if it names none.
    public internal(set) var tableName: String?

    /// How many records the statement writes: more than 1 if a batch writes several with one statement.
    public internal(set) var batchSize: Int

    /// How long the statement ran inside SQLite, including waits for locks.
    public internal(set) var timeInSQLite: Duration

    /// The time from the beginning of the statement to its end, including the program's work on its rows.
    public internal(set) var duration: Duration

    /// How many rows the program has read.
    public internal(set) var rowCount: Int

    /// How many rows the statement inserted, updated and deleted.
    public internal(set) var changedRowCount: Int

    /// How many rows were visited by scans of whole tables: an index may help.
    public internal(set) var scannedRowCount: Int

    /// How many times SQLite sorted rows.
    public internal(set) var sortCount: Int

    /// How many rows SQLite added to indexes that it created for this statement only: an index may help.
    public internal(set) var automaticIndexRowCount: Int

    /// The error; nil if there is none.
    public internal(set) var resultCode: ResultCode?

    /// SQLite's plan for a statement that only reads, if a monitor asks for it: see ``DatabaseMonitor/needsPlan(of:)``.
    ///
    /// Source: <https://www.sqlite.org/eqp.html>
    public internal(set) var plan: String?

    /// The operation and the table: `SELECT player`, for example.
    public var summary: String { tableName.map { "\(operationName) \($0)" } ?? operationName }

    /// The attributes of OpenTelemetry: `db.system.name`, `db.namespace`, `db.operation.name`, `db.collection.name`, `db.query.text`,
    /// `db.query.summary`, `db.response.returned_rows`, for several records `db.operation.batch.size`, and after an error
    /// `db.response.status_code` and `error.type`.
    public var attributes: [String: String] {
        var attributes = [
            "db.system.name": "sqlite", "db.namespace": databaseName, "db.operation.name": operationName, "db.query.text": sql,
            "db.query.summary": summary, "db.response.returned_rows": String(rowCount),
        ]
        attributes["db.collection.name"] = tableName
        attributes["db.operation.batch.size"] = batchSize > 1 ? String(batchSize) : nil
        attributes["db.response.status_code"] = resultCode.map { String($0.rawValue) }
        attributes["error.type"] = resultCode?.name
        return attributes
    }
}
