import Dispatch

/// A connection whose accesses run one after the other, from whatever threads they come.
///
/// `@unchecked Sendable`: the connection is reachable only through `sync`, which runs on a serial dispatch queue.
final class SerializedConnection: @unchecked Sendable {
    private let database: Database
    private let queue: DispatchQueue

    init(path: String, configuration: Configuration) throws {
        queue = DispatchQueue(label: configuration.label ?? "Strata.Database", qos: configuration.qos)
        database = try Database(path: path, configuration: configuration)
        try sync { try $0.setUp() }
    }

    deinit {
        // Statements that someone keeps retain the connection; without this, cached ones would do so for ever.
        database.beginAccess()
        try? database.close()
        database.endAccess()
    }

    /// Runs an access, and waits for its end.
    ///
    /// - Throws: the closure's error, or `SQLITE_MISUSE` inside another access to the same connection, which could only
    ///   wait for itself.
    func sync<T>(_ body: (Database) throws -> T) throws -> T {
        if database.isAccessedByCurrentThread {
            throw DatabaseError(
                code: .SQLITE_MISUSE, message: "database accesses are not reentrant",
                advice: "Use the connection of the access that is under way instead of starting another one.")
        }
        return try queue.sync {
            database.beginAccess()
            defer { database.endAccess() }
            return try body(database)
        }
    }
}
