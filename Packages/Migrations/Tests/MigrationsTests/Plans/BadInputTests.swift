import Foundation
import Migrations
import Testing

@Suite struct BadInputTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    private func expectReason(
        _ identifiers: String, _ migrator: DatabaseMigrator, _ writer: any DatabaseWriter, upTo target: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try writer.dump()
        let error = #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
            if let target { try migrator.migrate(writer, upTo: target) } else { try migrator.migrate(writer) }
        }
        #expect(error?.identifier == nil, sourceLocation: sourceLocation)
        #expect(error?.description.contains(identifiers) == true, "\(error as Any)", sourceLocation: sourceLocation)
        #expect(try writer.dump() == before, sourceLocation: sourceLocation)
    }

    @Test(arguments: Kind.allCases)
    func `Duplicate identifiers are an error before anything runs`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        var migrator = DatabaseMigrator.players
        migrator.registerMigration("createPlayer") { _ in }
        try expectReason("merged more than once: \"createPlayer\". Give each an identifier of its own.", migrator, writer)
        migrator = .players
        migrator.registerMigration("merged", merging: ["addScore"]) { _, _ in }
        try expectReason("\"addScore\"", migrator, writer)
    }

    @Test(arguments: Kind.allCases)
    func `An unknown target, and one that is behind, are errors`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        let migrator = DatabaseMigrator.players
        try expectReason("\"missing\"", migrator, writer, upTo: "missing")
        try migrator.migrate(writer)
        try expectReason("\"addScore\"", migrator, writer, upTo: "createPlayer")
    }

    @Test(
        arguments: Kind.allCases,
        [
            "COMMIT", "ROLLBACK", "END", "BEGIN", "BEGIN IMMEDIATE", "commit /* now */ transaction", "DELETE FROM player; COMMIT",
        ])
    func `A migration that begins or ends a transaction is refused before it does`(_ kind: Kind, _ sql: String) throws {
        let writer = try kind.open(path)
        var migrator = DatabaseMigrator.players
        try migrator.migrate(writer)
        let before = try writer.dump()
        migrator.registerMigration("bad") { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Craig')")
            try db.execute(sql: sql)
        }
        expectFailure("bad", .SQLITE_MISUSE) { try migrator.migrate(writer) }
        #expect(try writer.dump() == before)
        // Even if the migration continues.
        var stubborn = DatabaseMigrator.players
        stubborn.registerMigration("bad") { db in
            try? db.execute(sql: sql)
            try? db.commit()
            try? db.rollback()
            #expect(db.isInsideTransaction)
            throw TestError()
        }
        #expect(throws: MigrationError.self) { try stubborn.migrate(writer) }
        #expect(try writer.dump() == before)
    }

    @Test(arguments: Kind.allCases)
    func `A migration that leaves a savepoint open is undone`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        var migrator = DatabaseMigrator.players
        try migrator.migrate(writer)
        let before = try writer.dump()
        migrator.registerMigration("bad") { try $0.execute(sql: "SAVEPOINT s; DELETE FROM player") }
        let error = expectFailure("bad", .SQLITE_MISUSE) { try migrator.migrate(writer) }
        #expect(error?.description.contains("the savepoint s was left open") == true)
        #expect(try writer.dump() == before)

        var good = DatabaseMigrator.players
        good.registerMigration("good") { db in
            try db.execute(sql: "SAVEPOINT s; SAVEPOINT t; DELETE FROM player; ROLLBACK TO s; RELEASE S")
            try db.inSavepoint {
                try db.execute(sql: "DELETE FROM player")
                return .rollback
            }
        }
        try good.migrate(writer)
        #expect(try writer.integer("SELECT count(*) FROM player") == 2)
    }

    @Test(arguments: Kind.allCases)
    func `A migration whose transaction SQLite has rolled back goes no further`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        var migrator = DatabaseMigrator.players
        try migrator.migrate(writer)
        let before = try writer.dump()
        migrator.registerMigration("bad") { db in
            try? db.execute(sql: "INSERT OR ROLLBACK INTO player (id, name) VALUES (1, 'again')")
            try? db.rollback()
            try? db.execute(sql: "DELETE FROM player")
        }
        #expect(throws: MigrationError.self) { try migrator.migrate(writer) }
        #expect(try writer.dump() == before)
    }

    @Test(arguments: Kind.allCases)
    func `A migration that drops the table of the migrations is undone`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        var migrator = DatabaseMigrator.players
        try migrator.migrate(writer)
        let before = try writer.dump()
        migrator.registerMigration("bad") { try $0.execute(sql: "DROP TABLE grdb_migrations") }
        let error = expectFailure("bad", .SQLITE_ERROR) { try migrator.migrate(writer) }
        #expect(error?.description.contains("dropped the table grdb_migrations") == true)
        #expect(try writer.dump() == before)
    }

    @Test(arguments: ["DROP TABLE strata_migrations", "ALTER TABLE strata_migrations RENAME TO old"])
    func `A dropped table of digests is created again`(_ sql: String) throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator.players
        migrator.keepsDigests = true
        migrator.registerMigration("drop") { try $0.execute(sql: sql) }
        migrator.registerMigration("next") { try $0.execute(sql: "CREATE TABLE a (b)") }
        try migrator.migrate(queue)
        #expect(try queue.texts("SELECT identifier FROM strata_migrations ORDER BY 1") == ["drop", "next"])
    }

    @Test(arguments: Kind.allCases)
    func `A migration that throws in the midst of its definitions leaves nothing`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        var migrator = DatabaseMigrator.players
        try migrator.migrate(writer)
        let before = try writer.dump()
        migrator.registerMigration("bad") { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY); ALTER TABLE player ADD COLUMN teamId; DROP TABLE player;
                    CREATE TABLE team (id INTEGER PRIMARY KEY)
                    """)
        }
        expectFailure("bad", .SQLITE_ERROR) { try migrator.migrate(writer) }
        #expect(try writer.dump() == before)
    }

    @Test(arguments: [Kind.queue, .walQueue])
    func `A read-only database is an error, unless there is nothing to do`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        try DatabaseMigrator.players.migrate(writer, upTo: "createPlayer")
        var configuration = Configuration()
        configuration.readonly = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        expectFailure("addScore", .SQLITE_READONLY) { try DatabaseMigrator.players.migrate(reader) }
        try DatabaseMigrator.players.migrate(writer)
        try DatabaseMigrator.players.migrate(reader)
    }

    @Test(arguments: Kind.allCases)
    func `A full disk undoes the migration`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        var migrator = DatabaseMigrator.players
        try migrator.migrate(writer)
        let before = try writer.dump()
        migrator.registerMigration("large") { db in
            try db.execute(sql: "CREATE TABLE large (a); INSERT INTO large VALUES (zeroblob(1000000))")
        }
        // SQLite's limit of pages fails as a full disk does: https://www.sqlite.org/pragma.html#pragma_max_page_count
        try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 50") }
        expectFailure("large", .SQLITE_FULL) { try migrator.migrate(writer) }
        #expect(try writer.dump() == before)
        try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 100000") }
        try migrator.migrate(writer)
        #expect(try writer.integer("SELECT length(a) FROM large") == 1_000_000)
    }

    @Test(arguments: [Kind.queue, .walQueue, .pool])
    func `A file that another connection has locked is an error, and nothing has run`(_ kind: Kind) throws {
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let writer = try kind.open(path, configuration)
        let other = try DatabaseQueue(path: path)
        let migrator = DatabaseMigrator.players
        try other.write { _ in
            _ = expectFailure("createPlayer", .SQLITE_BUSY) { try migrator.migrate(writer) }
        }
        try migrator.migrate(writer)
        #expect(try writer.read { try migrator.hasCompletedMigrations($0) })
    }

    @Test(arguments: [Kind.memory, .queue])
    func `Migrating inside an access to the same database is an error`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        #expect(throws: DatabaseError.self) { try writer.write { _ in try DatabaseMigrator.players.migrate(writer) } }
        #expect(try writer.dump() == [])
    }

    @Test(arguments: Kind.allCases)
    func `Identifiers with any characters are kept as they are`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        var migrator = DatabaseMigrator()
        for identifier in ["", "it's", "a\u{0}b", "é", "\"quoted\"", "😀", "a", "A"] { migrator.registerMigration(identifier) { _ in } }
        try migrator.migrate(writer)
        try migrator.migrate(writer)
        #expect(try writer.read { try migrator.appliedMigrations($0) } == migrator.migrations)
    }
}

@Suite struct SharedTableTests {
    @Test(arguments: Kind.allCases)
    func `A database that GRDB has migrated is taken over`(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.open(folder.path("database.sqlite"))
        // As GRDB creates it.
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('createPlayer');
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    """)
        }
        let migrator = DatabaseMigrator.players
        #expect(try writer.read { try migrator.appliedMigrations($0) } == ["createPlayer"])
        try migrator.migrate(writer)
        #expect(try writer.texts("SELECT identifier FROM grdb_migrations ORDER BY rowid") == ["createPlayer", "addScore"])
        #expect(try writer.texts("SELECT name FROM pragma_table_info('player')") == ["id", "name", "score"])
    }

    @Test
    func `A new database has the table that GRDB reads, and no other one`() throws {
        let queue = try DatabaseQueue()
        try DatabaseMigrator.players.migrate(queue)
        #expect(
            try queue.texts("SELECT sql FROM sqlite_master WHERE name = 'grdb_migrations'")
                == ["CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"])
        #expect(try queue.texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1") == ["grdb_migrations", "player"])
    }

    @Test
    func `A temporary table of the same name does not come between`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { try $0.execute(sql: "CREATE TEMP TABLE grdb_migrations (identifier)") }
        try DatabaseMigrator.players.migrate(queue)
        #expect(try queue.integer("SELECT count(*) FROM main.grdb_migrations") == 2)
        #expect(try queue.integer("SELECT count(*) FROM temp.grdb_migrations") == 0)
    }
}
