import CSQLiteShims
import Foundation
import Migrations
import Testing

@Suite struct MigrationTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    // MARK: - Running

    @Test(arguments: Kind.allCases)
    func `Migrations run in the order of their registration, each once`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        let log = Collector<String>()
        var migrator = DatabaseMigrator()
        for identifier in ["c", "a", "b"] {
            migrator.registerMigration(identifier) { db in
                #expect(db.isInsideTransaction)
                log.append(identifier)
            }
        }
        #expect(migrator.migrations == ["c", "a", "b"])
        try migrator.migrate(writer)
        #expect(log.all == ["c", "a", "b"])
        migrator.registerMigration("d") { _ in log.append("d") }
        try migrator.migrate(writer)
        try migrator.migrate(writer)
        #expect(log.all == ["c", "a", "b", "d"])
        #expect(try writer.texts("SELECT identifier FROM grdb_migrations ORDER BY rowid") == ["c", "a", "b", "d"])
    }

    @Test(arguments: Kind.allCases)
    func `A failing migration leaves the database as it was before it, and is the first to run the next time`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        var migrator = DatabaseMigrator.players
        var mended = migrator
        let log = Collector<String>()
        migrator.registerMigration("addTeam") { db in
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)")
            try db.execute(sql: "DELETE FROM player")
            throw TestError()
        }
        migrator.registerMigration("last") { _ in log.append("last") }
        let error = #expect(throws: MigrationError.self) { try migrator.migrate(writer) }
        #expect(error?.identifier == "addTeam")
        #expect(error?.underlyingError as? TestError == TestError())
        #expect(error?.description.hasPrefix("the migration \"addTeam\" failed, and was rolled back") == true)
        #expect(log.all.isEmpty)
        #expect(try writer.texts("SELECT name FROM player") == ["Arthur", "Barbara"])
        #expect(try writer.texts("SELECT identifier FROM grdb_migrations") == ["createPlayer", "addScore"])
        #expect(try writer.read { try !$0.tableExists("team") })

        mended.registerMigration("addTeam") { try $0.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)") }
        mended.registerMigration("last") { _ in log.append("last") }
        try mended.migrate(writer)
        #expect(log.all == ["last"])
        #expect(try writer.read { try mended.hasCompletedMigrations($0) })
    }

    @Test(arguments: Kind.allCases)
    func `upTo runs the migrations up to one of them`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        let migrator = DatabaseMigrator.players
        try migrator.migrate(writer, upTo: "createPlayer")
        #expect(try writer.read { try migrator.appliedMigrations($0) } == ["createPlayer"])
        try migrator.migrate(writer, upTo: "createPlayer")
        try migrator.migrate(writer, upTo: "addScore")
        #expect(try writer.read { try migrator.appliedMigrations($0) } == ["createPlayer", "addScore"])
    }

    @Test(arguments: Kind.allCases)
    func `The forms for await do the same`(_ kind: Kind) async throws {
        let writer = try kind.open(path)
        let migrator = DatabaseMigrator.players
        try await migrator.asyncMigrate(writer, upTo: "createPlayer")
        #expect(try await writer.read { try migrator.appliedMigrations($0) } == ["createPlayer"])
        try await migrator.asyncMigrate(writer)
        #expect(try await writer.read { try migrator.hasCompletedMigrations($0) })
        try await migrator.asyncMigrate(writer)
    }

    @Test(arguments: Kind.allCases)
    func `asyncMigrate gives the connection, or the error`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        let log = Collector<String>()
        let done = Semaphore("the migration has ended")
        var migrator = DatabaseMigrator.players
        migrator.asyncMigrate(writer) { result in
            let texts = Result { try result.get().texts("SELECT name FROM player") }
            log.append((try? texts.get())?.joined() ?? "\(texts)")
            done.signal()
        }
        done.wait()
        migrator.registerMigration("failing") { _ in throw TestError() }
        migrator.asyncMigrate(writer) { result in
            if case .failure(let error as MigrationError) = result { log.append(error.identifier ?? "") }
            done.signal()
        }
        done.wait()
        #expect(log.all == ["ArthurBarbara", "failing"])
    }

    @Test(arguments: Kind.allCases)
    func `A migration of a cancelled task is undone, and foreign keys are enforced again`(_ kind: Kind) async throws {
        let writer = try kind.open(path)
        let began = Semaphore("the migration has begun")
        let cancelled = Semaphore("the task is cancelled")
        var migrator = DatabaseMigrator.players
        migrator.registerMigration("long") { db in
            try db.execute(sql: "DELETE FROM player")
            began.signal()
            cancelled.wait()
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)")
        }
        let task = Task { [migrator] in try await migrator.asyncMigrate(writer) }
        await began.signalled()
        task.cancel()
        cancelled.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await writer.read { try $0.texts("SELECT identifier FROM grdb_migrations") } == ["createPlayer", "addScore"])
        #expect(try await writer.read { try $0.texts("SELECT name FROM player") } == ["Arthur", "Barbara"])
        #expect(try await writer.writeWithoutTransaction { $0.enforcesForeignKeys })
    }

    @Test(arguments: Kind.allCases)
    func `A migration that is cancelled after a full-text command is undone, and can run again`(_ kind: Kind) async throws {
        let writer = try kind.open(path)
        func migrator(isCancelling: Bool) -> DatabaseMigrator {
            var migrator = DatabaseMigrator.players
            migrator.registerMigration("createIndex") { db in
                try db.execute(sql: "CREATE VIRTUAL TABLE text USING fts5(name, content = 'player', content_rowid = 'id')")
            }
            migrator.registerMigration("rebuildIndex") { db in
                try db.execute(sql: "INSERT INTO player (name) VALUES ('Craig'); INSERT INTO text (text) VALUES ('rebuild')")
                if isCancelling { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return migrator
        }
        let cancelled = Task { [migrator = migrator(isCancelling: true)] in try await migrator.asyncMigrate(writer) }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(
            try await writer.read { try $0.texts("SELECT identifier FROM grdb_migrations ORDER BY identifier") } == [
                "addScore", "createIndex", "createPlayer",
            ])
        #expect(try await writer.writeWithoutTransaction { $0.enforcesForeignKeys && !$0.isInsideTransaction })
        try await migrator(isCancelling: false).asyncMigrate(writer)
        #expect(try await writer.read { try $0.texts("SELECT name FROM text WHERE text MATCH 'Craig'") } == ["Craig"])
        try writer.close()
    }

    @Test
    func `A closure of two arguments may merge nothing`() throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator.players
        migrator.registerMigration("merged") { db, applied in
            #expect(applied.isEmpty)
            try db.execute(sql: "DELETE FROM player")
        }
        try migrator.migrate(queue)
        #expect(try queue.read { try migrator.hasCompletedMigrations($0) })
    }

    @Test(arguments: Kind.allCases)
    func `A migrator without migrations leaves the database alone`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        try DatabaseMigrator().migrate(writer)
        #expect(try writer.dump() == [])
        #expect(try writer.read { try DatabaseMigrator().hasCompletedMigrations($0) })
    }

    // MARK: - What has run

    @Test(arguments: Kind.allCases)
    func `The state of a database is reported for the registered migrations`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        var first = DatabaseMigrator()
        for identifier in ["a", "c", "x"] { first.registerMigration(identifier) { _ in } }
        try first.migrate(writer)
        var second = DatabaseMigrator()
        for identifier in ["a", "b", "c"] { second.registerMigration(identifier) { _ in } }
        try writer.read { (db) throws in
            #expect(try second.appliedIdentifiers(db) == ["a", "c", "x"])
            #expect(try second.appliedMigrations(db) == ["a", "c"])
            #expect(try second.completedMigrations(db) == ["a"])
            #expect(try !second.hasCompletedMigrations(db))
            #expect(try second.hasBeenSuperseded(db))
            #expect(try first.hasCompletedMigrations(db))
            #expect(try !first.hasBeenSuperseded(db))
        }
        // A database with migrations of others is migrated nevertheless, as several migrators often share one.
        try second.migrate(writer)
        #expect(try writer.read { try second.completedMigrations($0) } == ["a", "b", "c"])
    }

    @Test(arguments: Kind.allCases)
    func `refusesNewerDatabases refuses unknown migrations, names them, and changes nothing`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        var newer = DatabaseMigrator.players
        newer.registerMigration("future") { _ in }
        try newer.migrate(writer)
        let before = try writer.dump()

        var migrator = DatabaseMigrator.players
        migrator.registerMigration("other") { try $0.execute(sql: "DROP TABLE player") }
        migrator.refusesNewerDatabases = true
        let error = #expect(throws: MigrationError.self) { try migrator.migrate(writer) }
        guard case .newerDatabase(["future"]) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            error?.description
                == "the database has migrations that this program does not know: \"future\". Use a newer version of the program.")
        #expect(try writer.dump() == before)
        migrator.refusesNewerDatabases = false
        try migrator.migrate(writer)
    }

    @Test
    func `refusesNewerDatabases refuses a database that becomes newer between two migrations`() throws {
        let (queue, other) = (try DatabaseQueue(path: path), try DatabaseQueue(path: path))
        var newer = DatabaseMigrator()
        newer.registerMigration("future") { _ in }
        var migrator = DatabaseMigrator.players
        migrator.refusesNewerDatabases = true
        let monitor = MigrationMonitor(queue) { [newer] progress in
            if progress.phase == .ended { #expect(throws: Never.self) { try newer.migrate(other) } }
        }
        let error = #expect(throws: MigrationError.self) { try migrator.migrate(queue, monitor: monitor) }
        if case .newerDatabase(["future"]) = error?.reason {} else { Issue.record("\(error as Any)") }
        #expect(try queue.read { try migrator.appliedMigrations($0) } == ["createPlayer"])
    }

    // MARK: - Merging

    @Test(arguments: Kind.allCases, [[], ["v1"], ["v1", "v2"]])
    func `A merged migration receives those that have run, and replaces them`(_ kind: Kind, _ old: [String]) throws {
        let writer = try kind.open(path)
        var migrator = DatabaseMigrator()
        for identifier in old { migrator.registerMigration(identifier) { _ in } }
        try migrator.migrate(writer)

        let log = Collector<String>()
        var merged = DatabaseMigrator()
        merged.registerMigration("v3", merging: ["v1", "v2"]) { _, applied in log.append(applied.sorted().joined(separator: ",")) }
        merged.registerMigration("v4") { _ in log.append("v4") }
        #expect(try writer.read { try !merged.hasBeenSuperseded($0) })
        let plan = try writer.read { try merged.plan($0) }
        #expect(plan.steps.map(\.mergedIdentifiers) == [old, []])
        try merged.migrate(writer)
        try merged.migrate(writer)
        #expect(log.all == [old.joined(separator: ","), "v4"])
        #expect(try writer.read { try merged.appliedIdentifiers($0) } == ["v3", "v4"])
        #expect(try writer.read { try merged.hasCompletedMigrations($0) })
    }

    @Test(arguments: Kind.allCases, [nil, "app"])
    func `A merged migration may keep the identifier of a migration that it replaces`(_ kind: Kind, _ namespace: String?) throws {
        let writer = try kind.open(path)
        func makeMigrator() -> DatabaseMigrator { namespace.map { DatabaseMigrator(namespace: $0) } ?? DatabaseMigrator() }
        var migrator = makeMigrator()
        migrator.keepsDigests = true
        for identifier in ["v1", "v2", "v3", "v4"] { migrator.registerMigration(identifier) { _ in } }
        try migrator.migrate(writer)

        let log = Collector<String>()
        var merged = makeMigrator()
        merged.registerMigration("v1", merging: ["v2", "v3"]) { _, _ in log.append("v1") }
        merged.registerMigration("v4") { _ in log.append("v4") }
        merged.registerMigration("v5") { _ in log.append("v5") }
        #expect(try writer.read { try merged.hasBeenSuperseded($0) } == false)
        try merged.migrate(writer)
        #expect(log.all == ["v5"])
        #expect(try writer.read { try merged.appliedIdentifiers($0) } == ["v1", "v4", "v5"])
        let recorded = "SELECT identifier FROM strata_migrations UNION SELECT 'v5' ORDER BY 1"
        #expect(try writer.texts(recorded) == ["v1", "v4", "v5"])
        let before = try writer.dump()
        try merged.migrate(writer)
        #expect(try writer.dump() == before)
    }

    @Test(arguments: Kind.allCases, [["v2"], ["v1", "v2"]])
    func `Merged identifiers are removed even if no migration has to run`(_ kind: Kind, _ identifiers: Set<String>) throws {
        let writer = try kind.open(path)
        var migrator = DatabaseMigrator()
        for identifier in ["v1", "v2"] { migrator.registerMigration(identifier) { _ in } }
        try migrator.migrate(writer)
        var merged = DatabaseMigrator()
        merged.registerMigration("v1", merging: identifiers) { _, _ in Issue.record("the migration has run before") }
        try merged.migrate(writer)
        #expect(try writer.read { try merged.appliedIdentifiers($0) } == ["v1"])
    }

    // MARK: - Preparations

    @Test
    func `Temporary databases are files, as preparations may need one`() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            var isPersistent: CInt = 1
            let code = sqlite3_file_control(db.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &isPersistent)
            guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
        let writer = try Kind.pool.open(path, configuration)
        var migrator = DatabaseMigrator.players
        try migrator.migrate(writer)
        #expect(try writer.read { try migrator.hasSchemaChanges($0) } == false)
        migrator.registerMigration("last") { try $0.execute(sql: "CREATE TABLE team (id)") }
        #expect(try writer.read { try migrator.dryRun($0).steps.map(\.identifier) } == ["last"])
        migrator.eraseDatabaseOnSchemaChange = true
        try migrator.migrate(writer)
        var changed = DatabaseMigrator()
        changed.eraseDatabaseOnSchemaChange = true
        changed.registerMigration("createPlayer") { try $0.execute(sql: "CREATE TABLE player (name)") }
        try changed.migrate(writer)
        #expect(try writer.texts("SELECT name FROM pragma_table_info('player')") == ["name"])
    }

    @Test
    func `No schema source is asked while migrations run`() throws {
        struct Source: DatabaseSchemaSource {
            func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { ["name"] }
        }
        var configuration = Configuration()
        configuration.schemaSource = Source()
        let writer = try Kind.queue.open(path, configuration)
        var migrator = DatabaseMigrator.players
        migrator.registerMigration("view") { db in
            try db.execute(sql: "CREATE VIEW name AS SELECT name FROM player")
            #expect(db.schemaSource == nil)
            #expect(throws: DatabaseError.self) { try db.primaryKey("name") }
        }
        try migrator.migrate(writer)
        #expect(try writer.read { try $0.primaryKey("name").columns } == ["name"])
    }

    // MARK: - Several at once

    @Test(arguments: [Kind.queue, .walQueue, .pool])
    func `Several connections that migrate at the same time run each migration once`(_ kind: Kind) throws {
        let log = Collector<String>()
        var migrator = DatabaseMigrator()
        for number in 1...20 {
            migrator.registerMigration("v\(number)") { db in
                log.append("v\(number)")
                try db.execute(sql: "CREATE TABLE t\(number) (a)")
            }
        }
        let connections = try (1...4).map { _ in try kind.open(path) }
        let failures = Collector<String>()
        let done = Semaphore("each connection has migrated")
        for connection in connections {
            Thread.detachNewThread { [migrator] in
                do { try migrator.migrate(connection) } catch { failures.append("\(error)") }
                done.signal()
            }
        }
        for _ in connections { done.wait() }
        #expect(failures.all == [])
        #expect(log.all == (1...20).map { "v\($0)" })
    }

    // MARK: - Progress

    @Test(arguments: Kind.allCases)
    func `A monitor is notified of each migration`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        let log = Collector<String>()
        let migrator = DatabaseMigrator.players
        let monitor = MigrationMonitor(writer) { progress in
            #expect(progress.elapsed >= .zero)
            log.append("\(progress.phase) \(progress.identifier) \(progress.number)/\(progress.count)")
        }
        try migrator.migrate(writer, monitor: monitor)
        #expect(log.all == ["begins createPlayer 1/2", "ended createPlayer 1/2", "begins addScore 2/2", "ended addScore 2/2"])
    }

    @Test(arguments: Kind.allCases)
    func `An interruption undoes the migration that runs, and leaves the last one that ended`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        let monitor = MigrationMonitor(writer)
        var migrator = DatabaseMigrator.players
        migrator.registerMigration("long") { db in
            try db.execute(sql: "DELETE FROM player")
            monitor.interrupt()
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)")
        }
        expectFailure("long", .SQLITE_INTERRUPT) { try migrator.migrate(writer, monitor: monitor) }
        #expect(try writer.texts("SELECT name FROM player") == ["Arthur", "Barbara"])
        #expect(try writer.read { try migrator.appliedMigrations($0) } == ["createPlayer", "addScore"])
    }

    @Test
    func `An interruption ends a statement that runs`() throws {
        let began = Semaphore("the statement has begun")
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("signal", argumentCount: 0) { _ in
                    began.signal()
                    return nil
                })
        }
        let writer = try DatabaseQueue(configuration: configuration)
        let monitor = MigrationMonitor(writer)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("endless") { db in
            try db.execute(
                sql: "CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT signal() UNION ALL SELECT i FROM n) SELECT * FROM n")
        }
        Thread.detachNewThread {
            began.wait()
            monitor.interrupt()
        }
        expectFailure("endless", .SQLITE_INTERRUPT) { try migrator.migrate(writer, monitor: monitor) }
        #expect(try writer.dump() == [])
    }

    @Test(arguments: [Kind.queue, .pool], [false, true])
    func `The limits of a configuration apply to no access of a migration`(_ kind: Kind, _ isAwaited: Bool) async throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        configuration.maximumWaitingAccesses = 0
        configuration.readTimeout = .milliseconds(1)
        configuration.writeTimeout = .milliseconds(1)
        let writer = try kind.open(folder.path("a.sqlite"), configuration)
        let (isBusy, isFree) = (Semaphore("the connection is busy"), Semaphore("the test frees the connection"))
        writer.asyncBarrierWriteWithoutTransaction { _ in
            isBusy.signal()
            isFree.wait()
        }
        await isBusy.signalled()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("t") { try $0.execute(sql: "CREATE TABLE t (a)") }
        let migration = Task { [migrator] in
            if isAwaited { return try await migrator.asyncMigrate(writer) }
            try await onAThread { Result { try migrator.migrate(writer) } }.get()
        }
        await #expect(throws: DatabaseUnavailableError.self) { try await writer.barrierWriteWithoutTransaction { _ in } }
        isFree.signal()
        try await migration.value
        #expect(try await writer.barrierWriteWithoutTransaction { try $0.tableExists("t") })
    }
}
