import Foundation
import Strata
import Testing

@Suite(.page)
struct StrataMigratingSamples {
    // sample: Overview 1

    private func withFile(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        try body(folder.path("players.sqlite"))
    }

    @Test
    func `A file is brought up to date, step by step`() throws {
        try withFile { path in

            // sample: Overview 2
            let names = try queue.read { try $0.columns(in: "player").map(\.name) }
            #expect(names == ["id", "name", "score"])
            let identifiers = try queue.read { try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid") }
            #expect(identifiers == ["Create player", "Add scores"])
            try queue.write { db in
                try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Arthur Dent', -5)")
            }

            var migrator = Schema.migrator
            // sample: Write migrations that stay true 1
            // sample: Look before you leap 1
            #expect(Array(printed.dropFirst()) == dryRun.difference.lines.filter { $0.kind == .added }.map(\.sql))
            #expect(printed.contains { $0.contains("initials") })

            // sample: Change what ALTER TABLE can't 1
            try migrator.migrate(queue)
            let row = try queue.read { db in try Row.fetchOne(db, sql: "SELECT name, score, initials FROM player") }
            #expect(row == ["name": "Arthur Dent", "score": 0, "initials": "AD"])
            #expect {
                try queue.write { db in try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Arthur Dent', 1)") }
            } throws: {
                DatabaseError.SQLITE_CONSTRAINT_UNIQUE ~= $0
            }
        }
    }

    @Test
    func `An old program refuses the file of a newer one`() throws {
        let queue = try DatabaseQueue()
        var newer = Schema.migrator
        newer.registerMigration("From the future") { db in try db.execute(sql: "CREATE TABLE future (a)") }
        try newer.migrate(queue)

        var migrator = Schema.migrator
        try migrator.migrate(queue)
        #expect(throws: MigrationError.self) {
            // sample: Newer and older programs 1
        }
    }

    @Test
    func `A migration gets its place after another one`() throws {
        var migrator = Schema.migrator
        migrator.registerMigration("Add teams") { db in try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)") }
        let queue = try DatabaseQueue()
        // sample: Migrations in files and in Swift 1
        try migrator.migrate(queue)
        let identifiers = try queue.read { try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid") }
        #expect(identifiers == ["Create player", "Add scores", "Trim names", "Add teams"])
    }

    @Test
    func `While one develops, a changed migration erases the database`() throws {
        var migrator = Schema.migrator
        // sample: While you develop 1
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        #if DEBUG
            #expect(migrator.eraseDatabaseOnSchemaChange)
        #endif
    }

    // sample: Keep a summary of the schema 1

    @Test
    func `A file with the schema is the same as the schema after all migrations`() throws {
        let migrator = Schema.migrator
        let folder = try TemporaryFolder()
        let schemaFile = folder.path("schema.sql")
        let text = #"""
            CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL, "score" INTEGER NOT NULL DEFAULT 0);

            """#
        try text.write(toFile: schemaFile, atomically: true, encoding: .utf8)

        // sample: Keep a summary of the schema 2
    }
}
