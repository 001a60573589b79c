import Migrations
import Testing

/// `DatabaseCheck.migrations(_:)`.
@Suite struct MigrationCheckTests {
    private func migrator(_ identifiers: [String]) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for identifier in identifiers {
            migrator.registerMigration(identifier) { try $0.execute(sql: "CREATE TABLE \(identifier) (a)") }
        }
        return migrator
    }

    @Test
    func `Migrations that are missing, unknown or different are found`() throws {
        let queue = try DatabaseQueue()
        try migrator(["one", "two"]).migrate(queue)
        func findings(_ identifiers: [String]) throws -> [String] {
            try queue.verify([.migrations(migrator(identifiers))]).map(\.description)
        }
        #expect(try findings(["one", "two"]) == [])
        #expect(try findings(["one", "two", "three"]) == ["migrations: three has not run"])
        #expect(try findings(["one"]) == ["migrations: two has run, and is not registered"])
        try queue.write { try $0.execute(sql: "CREATE INDEX i ON one (a)") }
        #expect(try findings(["one", "two"]) == ["migrations: the schema is not the one that the migrations create"])
    }
}
