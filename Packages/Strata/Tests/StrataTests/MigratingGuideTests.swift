import Foundation
import Strata
import Testing

@Suite("Samples of the guide Migrating")
struct MigratingGuideTests {
    struct Schema {
        static var migrator: DatabaseMigrator {
            var migrator = DatabaseMigrator()

            // Version 1.0
            migrator.registerMigration("Create player") { db in
                try db.create(table: "player") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("name", .text).notNull()
                }
            }

            // Version 1.1
            migrator.registerMigration("Add scores") { db in
                try db.alter(table: "player") { t in
                    t.add(column: "score", .integer).notNull().defaults(to: 0)
                }
            }

            return migrator
        }
    }

    private func withFile(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        try body(folder.path("players.sqlite"))
    }

    @Test("A file is brought up to date, step by step")
    func migrations() throws {
        try withFile { path in
            var printed: [String] = []
            func print(_ value: some CustomStringConvertible) { printed.append(value.description) }

            let queue = try DatabaseQueue(path: path)
            try Schema.migrator.migrate(queue)
            let names = try queue.read { try $0.columns(in: "player").map(\.name) }
            #expect(names == ["id", "name", "score"])
            let identifiers = try queue.read { try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid") }
            #expect(identifiers == ["Create player", "Add scores"])
            try queue.write { db in
                try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Arthur Dent', -5)")
            }

            var migrator = Schema.migrator
            migrator.registerMigration("Add initials") { db in
                try db.alter(table: "player") { t in
                    t.add(column: "initials", .text)
                }
                for row in try Row.fetchAll(db, sql: "SELECT id, name FROM player") {
                    let name = try row.decode(String.self, forKey: "name")
                    let initials = String(name.split(separator: " ").compactMap(\.first))
                    try db.execute(
                        sql: "UPDATE player SET initials = ? WHERE id = ?",
                        arguments: [initials, row.decode(Int64.self, forKey: "id")])
                }
            }
            let (plan, dryRun) = try queue.read { db in
                (try migrator.plan(db), try migrator.dryRun(db))
            }
            print(plan)  // run "Add initials"
            for line in dryRun.difference.lines where line.kind == .added {
                print(line.sql)
            }
            #expect(printed == [#"run "Add initials""#] + dryRun.difference.lines.filter { $0.kind == .added }.map(\.sql))
            #expect(printed.contains { $0.contains("initials") })

            migrator.registerMigration("Names are unique, and scores not negative") { db in
                try db.rebuild(table: "player") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("name", .text).notNull().unique()
                    t.column("score", .integer).notNull().check { $0 >= 0 }
                    t.column("initials", .text)
                    t.fill("score", sql: "max(score, 0)")
                }
            }
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

    @Test("An old program refuses the file of a newer one")
    func newer() throws {
        let queue = try DatabaseQueue()
        var newer = Schema.migrator
        newer.registerMigration("From the future") { db in try db.execute(sql: "CREATE TABLE future (a)") }
        try newer.migrate(queue)

        var migrator = Schema.migrator
        try migrator.migrate(queue)
        #expect(throws: MigrationError.self) {
            migrator.refusesNewerDatabases = true
            try migrator.migrate(queue)  // throws a MigrationError whose reason is newerDatabase
        }
    }

    @Test("While one develops, a changed migration erases the database")
    func developing() throws {
        var migrator = Schema.migrator
        #if DEBUG
            migrator.eraseDatabaseOnSchemaChange = true
        #endif
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        #if DEBUG
            #expect(migrator.eraseDatabaseOnSchemaChange)
        #endif
    }
}
