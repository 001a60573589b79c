import Migrations
import Testing

@Suite struct ReadmeTests {
    @Test("The README's samples")
    func samples() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")

        var migrator = DatabaseMigrator()

        migrator.registerMigration("createPlayer") { db in
            try db.execute(
                sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        }
        migrator.registerMigration("addScore") { db in
            try db.execute(
                sql: "ALTER TABLE player ADD COLUMN score INTEGER NOT NULL DEFAULT 0")
        }

        let queue = try DatabaseQueue(path: path)
        try migrator.migrate(queue)

        #expect(try queue.read { try $0.columns(in: "player").map(\.name) } == ["id", "name", "score"])

        migrator.registerMigration("cleanUp", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: "DELETE FROM player WHERE score = 0")  // with what refers to them by ON DELETE CASCADE
        }
        try migrator.migrate(queue)
        migrator.registerMigration("uniqueNames") { db in
            try db.execute(
                sql: """
                    UPDATE player SET name = trim(name);
                    CREATE UNIQUE INDEX playerByName ON player (name);
                    """)
        }
        try queue.write { try $0.execute(sql: "INSERT INTO player VALUES (7, ' Arthur ', 1)") }

        let (plan, dryRun) = try queue.read { db in
            (try migrator.plan(db), try migrator.dryRun(db))
        }
        print(plan)  // run "uniqueNames"
        print(dryRun.difference)  // the definitions that change, line by line, with + and -

        #expect(plan.description == "run \"uniqueNames\"")
        #expect(dryRun.difference.lines.contains { $0.kind == .added && $0.sql.contains("playerByName") })

        let monitor = MigrationMonitor(queue) { progress in
            print("\(progress.number) of \(progress.count): \(progress.identifier), after \(progress.elapsed)")
        }
        try migrator.migrate(queue, monitor: monitor)

        #expect(try queue.texts("SELECT name FROM player") == ["Arthur"])

        var library = DatabaseMigrator(namespace: "org.example.library")
        library.keepsDigests = true

        library.registerMigration("createPlayer") { try $0.execute(sql: "CREATE TABLE libraryPlayer (id INTEGER PRIMARY KEY)") }
        try library.migrate(queue)
        #expect(try queue.integer("SELECT count(*) FROM strata_migrations WHERE digest IS NOT NULL") == 1)
    }
}
