import Migrations
import Testing

/// Migrations in Swift among those of files.
@Suite struct PlaceTests {
    /// What generated code makes of the files of a folder.
    private func files(_ names: String...) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for name in names { migrator.registerMigration(name) { try $0.execute(sql: "CREATE TABLE \"t\(name)\" (a)") } }
        migrator.markMigrationsAsFiles()
        return migrator
    }

    private func register(_ identifier: String, after other: String? = nil, in migrator: inout DatabaseMigrator) {
        if let other {
            migrator.registerMigration(identifier, after: other) { try $0.execute(sql: "CREATE TABLE \"\(identifier)\" (a)") }
        } else {
            migrator.registerMigration(identifier) { try $0.execute(sql: "CREATE TABLE \"\(identifier)\" (a)") }
        }
    }

    @Test
    func `Migrations with a place run behind it, in the order of their registration`() throws {
        var migrator = files("1", "2", "3")
        register("b", after: "1", in: &migrator)
        register("c", after: "1", in: &migrator)
        register("b2", after: "b", in: &migrator)
        register("d", after: "1", in: &migrator)
        register("e", after: "3", in: &migrator)
        register("f", in: &migrator)
        register("g", after: "2", in: &migrator)
        #expect(migrator.migrations == ["1", "b", "b2", "c", "d", "2", "g", "3", "e", "f"])
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        let statement = "SELECT group_concat(name) FROM (SELECT name FROM sqlite_master WHERE name NOT LIKE '%migrations%' ORDER BY rowid)"
        try queue.read { db in
            let names = try db.makeStatement(sql: statement)
            #expect(try names.step())
            #expect(names.string(at: 0) == "t1,b,b2,c,d,t2,g,t3,e,f")
        }
    }

    @Test
    func `A migration can take the place after one that is merged, and merge others itself`() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("2 and before", merging: ["1", "2"]) { db, _ in try db.execute(sql: "CREATE TABLE a (a)") }
        migrator.registerMigration("3") { try $0.execute(sql: "CREATE TABLE b (a)") }
        migrator.registerMigration("x", after: "2", merging: ["old"]) { db, applied in
            if applied.isEmpty { try db.execute(sql: "CREATE TABLE c (a)") }
        }
        migrator.registerMigration("y", after: "old") { try $0.execute(sql: "CREATE TABLE d (a)") }
        migrator.registerMigration("z", after: "1") { try $0.execute(sql: "CREATE TABLE e (a)") }
        #expect(migrator.migrations == ["2 and before", "x", "y", "z", "3"])
        #expect(try migrator.verify().isValid)
    }

    @Test
    func `A place that is not registered before is an error`() throws {
        var migrator = files("1")
        register("a", after: "2", in: &migrator)
        migrator.registerMigration("2") { _ in }
        let queue = try DatabaseQueue()
        #expect {
            try migrator.migrate(queue)
        } throws: { error in
            "\(error)" == "can't register \"a\" after \"2\": no migration with that identifier was registered before it"
        }
        #expect(throws: MigrationError.self) { try migrator.verify() }
        #expect(throws: MigrationError.self) { try queue.read { try migrator.plan($0) } }
        #expect(try queue.read { try migrator.appliedIdentifiers($0) }.isEmpty)
    }

    // MARK: - Without a place

    @Test
    func `verify names a migration without a place behind files, and the last file`() throws {
        var migrator = files("1", "2")
        #expect(try migrator.verify().isValid)
        register("a", in: &migrator)
        register("b", after: "1", in: &migrator)
        let problems = try migrator.verify().problems
        #expect(problems.map(\.migration) == ["a"])
        #expect(problems.first?.message.contains("a file after 2 runs before it in new databases") == true, "\(problems)")
        #expect(problems.first?.message.hasSuffix("registerMigration(\"a\", after: \"2\")") == true, "\(problems)")
        // Without files, the order is that of the program.
        var own = DatabaseMigrator()
        own.registerMigration("1") { _ in }
        own.registerMigration("2") { _ in }
        #expect(try own.verify().isValid)
    }

    @Test
    func `A debug build prints the file that changes places, and migrating does not fail`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let queue = try DatabaseQueue()
            func migrator(_ files: [String], _ place: String?) -> DatabaseMigrator {
                var migrator = DatabaseMigrator()
                for name in files { migrator.registerMigration(name) { _ in } }
                migrator.markMigrationsAsFiles()
                if let place {
                    migrator.registerMigration("step", after: place) { _ in }
                } else {
                    migrator.registerMigration("step") { _ in }
                }
                return migrator
            }
            // The first version of the program, and twice the second one.
            try migrator(["1", "2"], nil).migrate(queue)
            try migrator(["1", "2", "3"], nil).migrate(queue)
            try migrator(["1", "2", "3"], nil).migrate(queue)
            // A place is all that it takes.
            try migrator(["1", "2", "3", "4"], "2").migrate(queue)
            let last = migrator(["1", "2", "3", "4"], nil)
            let isComplete = try queue.read { try last.hasCompletedMigrations($0) }
            #expect(isComplete)
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let warnings = output.split(separator: "\n").filter { $0.hasPrefix("warning: the migration ") }
        #if DEBUG
            #expect(
                warnings == [
                    "warning: the migration \"3\" runs after \"step\" in this database, and before it in new ones. "
                        + "Give \"step\" its place: registerMigration(\"step\", after: \"2\")"
                ], "\(output)")
        #else
            #expect(warnings.isEmpty, "\(output)")
        #endif
    }

    // MARK: - Hard cases

    @Test
    func `A place that a migration gets later changes nothing for databases that have run it`() throws {
        let queue = try DatabaseQueue()
        var first = files("1", "2")
        first.keepsDigests = true
        register("step", in: &first)
        try first.migrate(queue)

        var second = files("1", "2", "3")
        second.keepsDigests = true
        second.eraseDatabaseOnSchemaChange = true
        register("step", after: "2", in: &second)
        try queue.write { try $0.execute(sql: "INSERT INTO step VALUES (1)") }
        try queue.read { db in
            let plan = try second.plan(db)
            #expect(plan.steps.map(\.identifier) == ["3"])
            #expect(try second.hasSchemaChanges(db) == false)
            #expect(try second.editedMigrations(db) == [])
            #expect(try second.dryRun(db).steps.map(\.identifier) == ["3"])
        }
        // The step has run, and comes before the target.
        try second.migrate(queue, upTo: "3")
        try queue.read { db in
            let rows = try db.makeStatement(sql: "SELECT 1 FROM step")
            #expect(try rows.step())
            #expect(try second.hasCompletedMigrations(db))
        }
        #expect {
            try second.migrate(queue, upTo: "2")
        } throws: { error in
            if case .beyondTarget("2", applied: ["step", "3"])? = (error as? MigrationError)?.reason { true } else { false }
        }
        let new = try DatabaseQueue()
        try second.migrate(new, upTo: "step")
        #expect(try new.read { try second.appliedIdentifiers($0) } == ["1", "2", "step"])
    }

    // MARK: - Steps

    @Test
    func `A step that changes the schema fails, and is rolled back`() throws {
        func migrator(_ sql: String) -> DatabaseMigrator {
            var migrator = files("1")
            migrator.registerStep("2") { try $0.execute(sql: sql) }
            migrator.markMigrationsAsFiles()
            return migrator
        }
        for sql in [
            "CREATE TABLE a (a)", "ALTER TABLE t1 ADD COLUMN b", "DROP TABLE t1", "CREATE INDEX i ON t1 (a)", "CREATE VIEW v AS SELECT 1",
            "CREATE TRIGGER r AFTER INSERT ON t1 BEGIN SELECT 1; END",
        ] {
            let queue = try DatabaseQueue()
            #expect {
                try migrator("INSERT INTO t1 VALUES (1); \(sql)").migrate(queue)
            } throws: { error in
                let error = error as? MigrationError
                return error?.identifier == "2" && "\(error!)".contains("must not change the schema:\n")
            }
            try queue.read { db in
                let rows = try db.makeStatement(sql: "SELECT count(*), (SELECT count(*) FROM sqlite_master) FROM t1")
                #expect(try rows.step())
                #expect(rows.int64(at: 0) == 0 && rows.int64(at: 1) == 3, "\(sql)")
                #expect(try migrator("").appliedIdentifiers(db) == ["1"])
            }
        }
    }

    @Test(arguments: [
        "INSERT INTO t1 VALUES (1)", "CREATE TABLE helper (a); DROP TABLE helper", "CREATE TEMP TABLE helper (a)", "ANALYZE",
        "DROP TABLE t1; CREATE TABLE \"t1\" ( a )",
    ])
    func `A step that leaves the schema as it was runs`(_ sql: String) throws {
        var migrator = files("1")
        migrator.registerStep("2") { try $0.execute(sql: sql) }
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        #expect(try queue.read { try migrator.hasCompletedMigrations($0) })
        #expect(try !queue.read { try migrator.hasSchemaChanges($0) })
    }
}
