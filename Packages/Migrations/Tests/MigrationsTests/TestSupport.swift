import Foundation
import Migrations
import Testing

extension DatabaseReader {
    func texts(_ sql: String) throws -> [String] { try read { try $0.texts(sql) } }
    func integer(_ sql: String) throws -> Int64? { try read { try $0.integer(sql) } }
    func dump() throws -> [String] { try read { try $0.contents() } }
}

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
