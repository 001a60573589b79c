import Foundation
import Migrations
import Testing

/// A folder that is removed with the last reference to this object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("strata-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { "\(path)/\(name)" }
}

/// The kinds of databases that can be migrated.
enum Kind: CaseIterable {
    case memory, queue, walQueue, pool

    /// Opens a database.
    ///
    /// - Parameter path: the path of its file, unless it is in memory.
    func open(_ path: String, _ configuration: Configuration = Configuration()) throws -> any DatabaseWriter {
        switch self {
        case .memory: return try DatabaseQueue(configuration: configuration)
        case .queue: return try DatabaseQueue(path: path, configuration: configuration)
        case .walQueue:
            var configuration = configuration
            configuration.journalMode = .wal
            return try DatabaseQueue(path: path, configuration: configuration)
        case .pool: return try DatabasePool(path: path, configuration: configuration)
        }
    }
}

extension Database {
    /// The values of the leftmost column, as texts.
    func texts(_ sql: String) throws -> [String] {
        let statement = try makeStatement(sql: sql)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.string(at: 0) ?? "NULL") }
        return texts
    }

    /// The first integer of the leftmost column.
    func integer(_ sql: String) throws -> Int64? {
        let statement = try makeStatement(sql: sql)
        return try statement.step() ? statement.int64(at: 0) : nil
    }

    /// All of the database, in SQL: to tell whether two databases are the same.
    func dump() throws -> [String] {
        var lines = try texts("SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_master ORDER BY 1")
        for table in try texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") {
            let statement = try makeStatement(sql: "SELECT * FROM \(table.quotedDatabaseIdentifier)")
            while try statement.step() {
                lines.append(
                    "\(table): " + (0..<statement.columnCount).map { "\(statement.databaseValue(at: $0))" }.joined(separator: ", "))
            }
        }
        return lines
    }
}

extension DatabaseReader {
    func texts(_ sql: String) throws -> [String] { try read { try $0.texts(sql) } }
    func integer(_ sql: String) throws -> Int64? { try read { try $0.integer(sql) } }
    func dump() throws -> [String] { try read { try $0.dump() } }
}

struct TestError: Error, Equatable {}

/// Expects that a migration fails with an error of SQLite or of the driver.
@discardableResult
func expectFailure(
    _ identifier: String?, _ code: ResultCode, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> MigrationError? {
    let error = #expect(throws: MigrationError.self, sourceLocation: sourceLocation, performing: body)
    if let error {
        #expect(error.identifier == identifier, sourceLocation: sourceLocation)
        let underlying = error.underlyingError as? DatabaseError
        #expect(underlying.map { code ~= $0.extendedResultCode } == true, "\(error)", sourceLocation: sourceLocation)
    }
    return error
}

/// Notes what happens, from any thread.
final class Log: Sendable {
    private let queue = DispatchQueue(label: "log")
    private nonisolated(unsafe) var texts: [String] = []

    func append(_ text: String) { queue.sync { texts.append(text) } }
    var entries: [String] { queue.sync { texts } }
}

extension DatabaseMigrator {
    /// Players in two versions.
    static var players: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("createPlayer") { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur'), ('Barbara')")
        }
        migrator.registerMigration("addScore") { db in
            try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER NOT NULL DEFAULT 0")
        }
        return migrator
    }
}
