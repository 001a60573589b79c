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

/// Limits of time on migrations.
@Suite struct MigrationTimeLimitTests {
    @Test(arguments: ["statement", "access"])
    func `A migration that takes too long is rolled back, and can run again`(_ limit: String) throws {
        var configuration = Configuration()
        if limit == "statement" { configuration.statementTimeLimit = .milliseconds(100) }
        let queue = try DatabaseQueue(configuration: configuration)
        func migrator(rows: Int) -> DatabaseMigrator {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("one") { try $0.execute(sql: "CREATE TABLE one (a)") }
            migrator.registerMigration("two") { db in
                try db.execute(sql: "CREATE TABLE two (a)")
                try db.execute(
                    sql: """
                        INSERT INTO two WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                        SELECT i FROM n WHERE i < 3
                        """)
            }
            return migrator
        }
        // An access around the migration, to another database, gives it a deadline.
        let outer = try DatabaseQueue()
        #expect(throws: (any Error).self) {
            if limit == "statement" {
                try migrator(rows: .max).migrate(queue)
            } else {
                try outer.read(timeout: .milliseconds(200)) { _ in try migrator(rows: .max).migrate(queue) }
            }
        }
        #expect(try queue.read(migrator(rows: 2).appliedMigrations) == ["one"])
        #expect(try !queue.read { try $0.tableExists("two") })
        try migrator(rows: 2).migrate(queue)
        #expect(try queue.read { try $0.tableExists("two") })
    }
}
