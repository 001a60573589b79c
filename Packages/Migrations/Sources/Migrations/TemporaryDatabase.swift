#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DatabaseQueue {
    /// Runs a closure with a temporary database, which has the configuration of another database, and deletes it.
    ///
    /// The database is a file in its own folder, which only this user can read. Preparations may depend on a file: a preparation that calls
    /// `sqlite3_file_control` for persistent logs fails in memory, and in a database with an empty path.
    static func withTemporaryDatabase<T>(_ configuration: Configuration, _ body: (Database) throws -> T) throws -> T {
        var configuration = configuration
        configuration.readonly = false
        configuration.journalMode = .default
        configuration.observesSuspensionNotifications = false
        // The database is used inside an access of the other database, which may occupy the only thread of the target queue.
        configuration.targetQueue = nil
        configuration.writeTargetQueue = nil
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString)")
        var path = folder.appendingPathComponent("temporary.sqlite").path
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            // If no folder can be created, a temporary database of SQLite replaces it: https://www.sqlite.org/inmemorydb.html#temp_db
            path = ""
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction { db in
            // The file is not read after a crash.
            try db.execute(sql: "PRAGMA synchronous = OFF")
            return try body(db)
        }
    }
}
