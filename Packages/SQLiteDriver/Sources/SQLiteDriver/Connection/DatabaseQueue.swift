import Dispatch

/// A database with one connection, whose accesses run one after the other.
///
/// ```swift
/// let queue = try DatabaseQueue(path: "/path/to/database.sqlite")
///
/// try queue.write { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
///
/// let count = try queue.read { db in
///     let statement = try db.makeStatement(sql: "SELECT count(*) FROM player")
///     return try statement.step() ? statement.int64(at: 0) : nil
/// }
/// ```
///
/// A queue can be used from any thread.
public final class DatabaseQueue: Sendable {
    /// The configuration of the connection.
    public let configuration: Configuration

    /// The path of the database file, ":memory:" for a database in memory.
    public let path: String

    private let connection: SerializedConnection

    /// Opens a database file, which is created unless the configuration is read-only.
    ///
    /// - Parameters:
    ///   - path: the path of a file, or a `file:` URI (<https://www.sqlite.org/uri.html>).
    ///   - configuration: how to open it.
    /// - Throws: ``DatabaseError`` when the file can't be opened or created, or when it is no database.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        self.path = path
        self.configuration = configuration
        connection = try SerializedConnection(path: path, configuration: configuration)
    }

    /// Opens a database in memory, which goes away with the queue.
    ///
    /// - Parameters:
    ///   - name: a name by which other queues of this process can open the same database; nil for a private one.
    ///   - configuration: how to open it.
    /// - Throws: ``DatabaseError``.
    public init(named name: String? = nil, configuration: Configuration = Configuration()) throws {
        self.configuration = configuration
        if let name {
            // The shared-cache form is SQLite's way of naming a database in memory: https://www.sqlite.org/inmemorydb.html
            path = "file:\(name.percentEncodedForURI)?mode=memory&cache=shared"
        } else {
            path = ":memory:"
        }
        connection = try SerializedConnection(path: path, configuration: configuration)
    }

    /// Reads from the database.
    ///
    /// ```swift
    /// let names = try queue.read { db in
    ///     try String.fetchAll(db, sql: "SELECT name FROM player")
    /// }
    /// ```
    ///
    /// The SQL is `BEGIN DEFERRED TRANSACTION` before, and `COMMIT TRANSACTION` after the access; statements that write throw
    /// `SQLITE_READONLY`.
    ///
    /// - Parameter value: runs on this thread, once the accesses before it have ended.
    /// - Throws: the error of the closure, or ``DatabaseError``. Accesses don't nest: `SQLITE_MISUSE` for one inside another.
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try connection.sync { db in
            try db.readOnly {
                var result: T?
                try db.inTransaction(.deferred) {
                    result = try value(db)
                    return .commit
                }
                return result!
            }
        }
    }

    /// Writes to the database, in a transaction that happens as a whole or not at all.
    ///
    /// ```swift
    /// try queue.write { db in
    ///     try db.execute(sql: "UPDATE account SET balance = balance - 10 WHERE id = 1")
    ///     try db.execute(sql: "UPDATE account SET balance = balance + 10 WHERE id = 2")
    /// }
    /// ```
    ///
    /// The SQL is `BEGIN IMMEDIATE TRANSACTION` before, and `COMMIT TRANSACTION` after the access, or `ROLLBACK TRANSACTION`
    /// when it throws.
    ///
    /// - Parameter updates: runs on this thread, once the accesses before it have ended.
    /// - Throws: the error of the closure, or ``DatabaseError``. Accesses don't nest: `SQLITE_MISUSE` for one inside another.
    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        try connection.sync { db in
            var result: T?
            try db.inTransaction {
                result = try updates(db)
                return .commit
            }
            return result!
        }
    }

    /// Accesses the database without a transaction: each statement takes effect by itself.
    ///
    /// - Parameter updates: runs on this thread, once the accesses before it have ended.
    /// - Throws: the error of the closure, or ``DatabaseError``: among others when a transaction that the closure has begun is
    ///   still open, which is then rolled back.
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try connection.sync { db in
            let result = Result { try updates(db) }
            try db.endLeftOpenTransaction(throwing: result)
            return try result.get()
        }
    }

    /// Accesses the database in a transaction that the closure commits or rolls back.
    ///
    /// - Parameters:
    ///   - kind: the kind of transaction; that of the configuration when nil.
    ///   - updates: runs on this thread, and says how the transaction ends.
    /// - Throws: the error of the closure, which rolls back the transaction, or ``DatabaseError``.
    public func inTransaction(
        _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try connection.sync { db in
            try db.inTransaction(kind) { try updates(db) }
        }
    }

    /// Accesses the database without a transaction: a short name for ``writeWithoutTransaction(_:)``.
    public func inDatabase<T>(_ updates: (Database) throws -> T) throws -> T {
        try writeWithoutTransaction(updates)
    }

    /// Closes the connection. Later accesses throw.
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_BUSY` when statements are alive.
    public func close() throws {
        try connection.sync { try $0.close() }
    }
}

extension String {
    /// The text with all but letters, digits and a few marks replaced by `%` and their hexadecimal code.
    fileprivate var percentEncodedForURI: String {
        let digits = Array("0123456789ABCDEF")
        return utf8.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                text.append(Character(UnicodeScalar(byte)))
            default:
                text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }
}
