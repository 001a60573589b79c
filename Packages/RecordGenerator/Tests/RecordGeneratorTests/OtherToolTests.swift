import Foundation
import Migrations
import Testing

@testable import RecordGenerator

/// Folders of migrations that were written for goose, dbmate, sql-migrate and golang-migrate.
@Suite struct OtherToolTests {
    private static func file(_ name: String, _ text: String) -> SourceText { SourceText(text, file: "Migrations/\(name).sql") }

    private static func folder(_ files: [(String, String)], lock: String? = nil) -> MigrationFolder {
        MigrationFolder(files.map { file($0.0, $0.1) }, lock: lock.map { SourceText($0, file: "Migrations/migrations.lock") })
    }

    /// The lock that an earlier version wrote for files.
    private static func earlierLock(_ files: [(String, String)]) -> String {
        files.map { "\($0.0) \(MigrationFile(file($0.0, $0.1), [:]).checksum)\n" }.joined()
    }

    private static func errors(_ folder: MigrationFolder) -> [String] { folder.changes.filter { !$0.isWarning }.map(\.message) }

    private static func warnings(_ folder: MigrationFolder) -> [String] { folder.changes.filter(\.isWarning).map(\.message) }

    /// Files of each tool for the same two migrations.
    private static let tools: [String: [(String, String)]] = [
        "goose": [
            (
                "00001_author",
                """
                -- +goose Up
                -- People who write.
                CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
                -- +goose StatementBegin
                CREATE TRIGGER t AFTER INSERT ON author BEGIN SELECT 1; SELECT 2; END;
                -- +goose StatementEnd

                -- +goose Down
                DROP TABLE author;
                """
            ),
            ("00002_seed", "--+goose up\nINSERT INTO author (name) VALUES ('Ursula');\n--   +goose DOWN\nDELETE FROM author;\n"),
        ],
        "dbmate": [
            (
                "20240101120000_author",
                """
                -- migrate:up
                -- People who write.
                CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
                CREATE TRIGGER t AFTER INSERT ON author BEGIN SELECT 1; SELECT 2; END;

                -- migrate:down
                DROP TABLE author;
                """
            ),
            (
                "20240102120000_seed",
                "--migrate:up transaction:true\nINSERT INTO author (name) VALUES ('Ursula');\n-- migrate:down\nDELETE FROM author;"
            ),
        ],
        "sql-migrate": [
            (
                "1_author",
                """
                -- +migrate Up
                -- People who write.
                CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
                -- +migrate StatementBegin
                CREATE TRIGGER t AFTER INSERT ON author BEGIN SELECT 1; SELECT 2; END;
                -- +migrate StatementEnd
                -- +migrate Down
                DROP TABLE author;
                """
            ),
            (
                "2_seed",
                "-- +migrate Down notransaction\nDELETE FROM author;\n-- +migrate Up\nINSERT INTO author (name) VALUES ('Ursula');\n"
            ),
        ],
        "golang-migrate": [
            (
                "000001_author.up",
                """
                -- People who write.
                CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
                CREATE TRIGGER t AFTER INSERT ON author BEGIN SELECT 1; SELECT 2; END;
                """
            ),
            ("000001_author.down", "DROP TABLE author;"),
            ("000002_seed.up", "INSERT INTO author (name) VALUES ('Ursula');"),
            ("000002_seed.down", "DELETE FROM author;"),
        ],
    ]

    @Test(arguments: ["goose", "dbmate", "sql-migrate", "golang-migrate"], ["\n", "\r\n"])
    func `Only the up parts of another tool's migrations run`(_ tool: String, _ lineEnd: String) throws {
        let files = Self.tools[tool]!.map { ($0.0, "\u{FEFF}" + $0.1.replacing("\n", with: lineEnd)) }
        let folder = Self.folder(files)
        #expect(folder.changes.isEmpty, "\(folder.changes)")
        #expect(folder.migrations.map(\.identifier) == files.map(\.0).filter { !$0.hasSuffix(".down") })
        let schema = try folder.schemaText(RecordSettings())
        #expect(
            schema == """
                -- People who write.
                CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);

                CREATE TRIGGER t AFTER INSERT ON author BEGIN SELECT 1; SELECT 2; END;

                """)
        let queue = try folder.migrated()
        #expect(try queue.read { try $0.makeStatement(sql: "SELECT name FROM author").rows() } == ["Ursula"])

        // They are released without their down parts, and stay so.
        let lock = folder.lockText
        #expect(lock.split(separator: "\n").allSatisfy { $0.hasSuffix(" up") == (tool != "golang-migrate") && !$0.contains(".down") })
        let released = Self.folder(files, lock: lock)
        #expect(released.changes.isEmpty && released.files.map(\.text) == folder.files.map(\.text) && released.lockText == lock)
        #expect(try released.schemaText(RecordSettings()) == schema)

        // The migrator refuses databases that the tool has migrated, and none for the down migrations.
        let code = try QuerySet([], schema: SourceText(schema, file: "schema.sql"), settings: RecordSettings(), migrations: released)
            .outputs[0].code
        #expect(code.contains("        migrator.refusesDatabasesOfOtherTools = true\n        return migrator"))
        #expect(!code.contains("DROP") && !code.contains("DELETE") && !code.contains("+goose") && !code.contains("migrate:up"))
        #expect(code.contains("\"000001_author.down\", \"000002_seed.down\"") == (tool == "golang-migrate"))
        #expect(code.contains("migrator.retiredMigrations = [") == (tool == "golang-migrate"))
    }

    @Test
    func `Text in an ordinary comment, or in a string, is not an annotation`() throws {
        let text = """
            -- This file had -- +goose Down once, and migrate:down, and +migrate Down.
            -- migrate: copies the rows
            -- +goose has no part in this.
            -- Up and down.
            -- no-transaction
            /*
            -- +goose Down
            -- migrate:down
            */
            CREATE TABLE note (text TEXT DEFAULT '
            -- +goose Down
            -- +migrate Down
            '); -- +goose Down
            CREATE INDEX byText ON note (text); -- migrate:down
            CREATE TABLE "
            -- migrate:down
            " (id); /* */ -- +migrate Down
            CREATE VIEW notes AS SELECT * FROM note;
            """
        let folder = Self.folder([("0001", text)])
        #expect(folder.changes.isEmpty && folder.files.map(\.text) == [text], "\(folder.changes)")
        #expect(!folder.lockText.contains(" up"))
        // Nor beside annotations.
        let annotated = Self.folder([
            ("0001", "-- +goose Up\n\(text.replacing("-- +goose has", with: "-- it has"))\n-- +goose Down\nDROP VIEW notes;")
        ])
        #expect(annotated.changes.isEmpty, "\(annotated.changes)")
        #expect(try annotated.schemaText(RecordSettings()).contains("CREATE VIEW notes"))
        let dbmate = Self.folder([("0001", "-- migrate:up\n-- migrate: all rows\nSELECT 1;\n-- migrate:down\nSELECT 2;")])
        #expect(dbmate.changes.isEmpty, "\(dbmate.changes)")
    }

    @Test(
        arguments: [
            ("-- +goose Up\n-- +goose NO TRANSACTION\nSELECT 1;", 2, "goose runs this migration without a transaction"),
            ("-- +goose no transaction\n-- +goose Up\nSELECT 1;", 1, "goose runs this migration without a transaction"),
            ("-- +goose Up\nSELECT 1;\n-- +goose Down\n-- +goose NO TRANSACTION", 4, "goose runs this migration without a transaction"),
            ("-- +goose ENVSUB ON\n-- +goose Up\nSELECT 1;", 1, "with the values of environment variables"),
            ("-- migrate:up transaction:false\nSELECT 1;\n-- migrate:down", 1, "dbmate runs this migration without a transaction"),
            ("-- +migrate Up notransaction\nSELECT 1;", 1, "sql-migrate runs this migration without a transaction"),
            ("  -- +goose Up\nSELECT 1;\n-- +goose Down\nSELECT 2;", 1, "it is not clear whether goose reads this line"),
            ("-- +goose Up\nSELECT 1;\n-- +goose Down: the end\nSELECT 2;", 3, "it is not clear whether goose reads this line"),
            ("-- +goose Up\nSELECT 1;\n-- +Goose Down\nSELECT 2;", 3, "it is not clear whether goose reads this line"),
            ("-- +goose Up\nSELECT 1;\n-- +goose Dwon\nSELECT 2;", 3, "it is not clear whether goose reads this line"),
            ("-- +goose Up\nSELECT 1;\n-- +gooseDown\nSELECT 2;", 3, "it is not clear whether goose reads this line"),
            ("-- migrate:up\nSELECT 1;\n-- migrate:Down\nSELECT 2;", 3, "it is not clear whether dbmate reads this line"),
            ("-- migrate:up\nSELECT 1;\n-- migrate:dwon\nSELECT 2;", 3, "it is not clear whether dbmate reads this line"),
            ("-- migrate:up\nSELECT 1;\n\t-- migrate:down\nSELECT 2;", 3, "it is not clear whether dbmate reads this line"),
            ("-- migrate:up and away\nSELECT 1;", 1, "it is not clear whether dbmate reads this line"),
            ("-- +migrate Up\nSELECT 1;\n-- +migrate down\nSELECT 2;", 3, "it is not clear whether sql-migrate reads this line"),
            ("-- +migrate Up\nSELECT 1;\n--  +migrate Down\nSELECT 2;", 3, "it is not clear whether sql-migrate reads this line"),
            ("-- +goose Down\nSELECT 1;\n-- +goose Up\nSELECT 2;", 1, "goose expects \"-- +goose Up\" before this line"),
            ("-- migrate:down\nSELECT 1;\n-- migrate:up\nSELECT 2;", 1, "dbmate expects \"-- migrate:up\" before this line"),
            ("-- migrate:down\nSELECT 1;", 1, "dbmate expects"),
            ("-- +migrate Down\nSELECT 1;", 1, "this file has no line \"-- +migrate Up\""),
            ("-- +goose Up\nSELECT 1;\n-- +goose Up\nSELECT 2;", 3, "this is a second line \"-- +goose Up\""),
            ("-- migrate:up\nSELECT 1;\n-- migrate:down\nSELECT 2;\n-- migrate:up\nSELECT 3;", 5, "this is a second line"),
            ("CREATE TABLE a (x);\n-- +goose Up\nSELECT 1;", 1, "this statement is in no part: move it below a line \"-- +goose Up\""),
            ("CREATE TABLE a (x);\n-- +migrate Up\nSELECT 1;", 1, "this statement is in no part"),
            ("-- +goose Up\n-- +goose StatementBegin\nSELECT 1;\n-- +goose Down\nSELECT 2;", 2, "the end of this statement is missing"),
            ("-- +migrate Up\n-- +migrate StatementBegin\nSELECT 1;", 2, "the end of this statement is missing"),
            ("-- +goose Up\nSELECT 1;\n-- +goose StatementEnd", 3, "-- +goose StatementBegin is missing"),
            ("-- +goose Up\nSELECT 1;\n-- migrate:down\nSELECT 2;", 3, "this file has annotations of goose, and this one of dbmate"),
            ("-- no-transaction\nSELECT 1;", 1, "another tool runs this migration without a transaction"),
            ("SELECT 1;\n-- atlas:txmode none\n", 2, "another tool runs this migration without a transaction"),
            ("-- Up\nSELECT 1;\n--  Down\nSELECT 2;", 3, "it is not clear whether this line begins a down part"),
            ("SELECT 1;\n-- //@UNDO\nSELECT 2;", 2, "it is not clear whether this line begins a down part"),
            ("SELECT 1;\n---- create above / drop below ----\nSELECT 2;", 2, "it is not clear whether this line begins a down part"),
        ])
    func `A file whose parts can't be told is an error, and a warning if it was released`(_ text: String, _ line: Int, _ message: String)
        throws
    {
        let folder = Self.folder([("0001_a", text)])
        let errors = folder.changes.filter { !$0.isWarning }
        #expect(errors.contains { $0.line == line && $0.message.contains(message) }, "\(folder.changes)")
        #expect(throws: QueryErrors.self) {
            try QuerySet([], schema: SourceText("", file: "schema.sql"), settings: RecordSettings(), migrations: folder)
        }
        let released = Self.folder([("0001_a", text)], lock: Self.earlierLock([("0001_a", text)]))
        #expect(Self.errors(released).isEmpty && Self.warnings(released).contains { $0.contains(message) }, "\(released.changes)")
        #expect(released.files.map { SQLTokens($0.text).count } == [SQLTokens(text).count])
    }

    @Test(arguments: ["0001.Down", "0001.down.sqlite", "0001.UP", "down", "up", "U1__undo", "U1.2__undo"])
    func `A name that may be that of a down migration is an error`(_ name: String) throws {
        #expect(
            Self.errors(Self.folder([(name, "SELECT 1;")])).contains {
                $0.contains("it is not clear whether this file is a down migration")
            })
        let released = Self.folder([(name, "SELECT 1;")], lock: Self.earlierLock([(name, "SELECT 1;")]))
        #expect(Self.errors(released).isEmpty && Self.warnings(released).count == 1 && released.files.count == 1)
    }

    @Test
    func `A name in -down is an error beside one in -up`() {
        let pair = Self.folder([("0001-down", "DROP TABLE a;"), ("0001-up", "CREATE TABLE a (x);")])
        #expect(pair.changes.map(\.file) == ["Migrations/0001-down.sql"] && Self.errors(pair).count == 1)
        #expect(Self.folder([("0001-break_down", "SELECT 1;"), ("0002-power.up", "SELECT 1;")]).changes.isEmpty)
    }

    @Test
    func `Released down parts and down migrations still run, with a warning`() throws {
        let files = [
            ("0001.down", "DROP TABLE IF EXISTS a;"), ("0001.up", "CREATE TABLE a (x);"), ("0002.down", "-- nothing"),
            ("0002.up", "CREATE TABLE b (x);"),
            ("0003", "-- +goose Up\nCREATE TABLE c (x);\n-- +goose Down\nDROP TABLE c;\n"),
            ("0004", "-- +goose Up\nCREATE TABLE d (x);\n-- +goose Down\n"),
        ]
        let lock = Self.earlierLock(files)
        let folder = Self.folder(files + [("0005.down", "DROP TABLE e;"), ("0005.up", "CREATE TABLE e (x);")], lock: lock)
        #expect(folder.migrations.map(\.identifier) == files.map(\.0) + ["0005.up"])
        #expect(Self.errors(folder).isEmpty)
        #expect(
            folder.changes.map { "\($0.file):\($0.line)" } == ["Migrations/0001.down.sql:1", "Migrations/0003.sql:4"], "\(folder.changes)")
        #expect(folder.lockText.hasPrefix(lock) && folder.lockText.dropFirst(lock.count).hasPrefix("0005.up "))
        #expect(folder.downIdentifiers == ["0005.down"])
        let schema = try folder.schemaText(RecordSettings())
        #expect(schema == ["a", "b", "d", "e"].map { "CREATE TABLE \($0) (x);\n" }.joined(separator: "\n"))
        // Warnings reach those who build.
        let set = try QuerySet([], schema: SourceText(schema, file: "schema.sql"), settings: RecordSettings(), migrations: folder)
        #expect(set.warnings == folder.changes && set.outputs[0].code.contains("registerMigration(\"0001.down\")"))
        // A database that has run a down migration, with or without a lock, is not newer.
        for folder in [folder, Self.folder(files)] {
            var migrator = folder.migrator
            migrator.refusesNewerDatabases = true
            let queue = try Self.folder(files, lock: lock).migrated()
            try migrator.migrate(queue)
            #expect(try queue.read { try migrator.appliedIdentifiers($0) }.isSuperset(of: files.map(\.0)))
        }
    }

    @Test
    func `A migration of goose in Go is an error, unless an SQL file has its number`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func write(_ name: String, _ text: String) throws {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        func read() throws -> [QueryDiagnostic] { try #require(try MigrationFolder(path: folder)).changes }
        for name in ["00002_rows.go", "00002_rows_test.go", "main.go"] { try write(name, "package migrations\n") }
        try write("00001_a.sql", "CREATE TABLE a (x);")
        #expect(try read().isEmpty)
        let third = ("00003_c", "-- +goose Up\nCREATE TABLE c (x);")
        try write("00003_c.sql", third.1)
        #expect(try read().map { "\($0.file) \($0.isWarning)" } == ["\(folder)/00002_rows.go false"])
        #expect(try read().first?.message.hasPrefix("goose runs this migration, which is written in Go") == true)
        try write("migrations.lock", Self.earlierLock([("00001_a", "CREATE TABLE a (x);"), third]))
        #expect(try read().map(\.isWarning) == [true])
        try write("migrations.lock", "")
        try write("2_rows.sql", "INSERT INTO a VALUES (1);")
        #expect(try !read().contains { $0.file.hasSuffix(".go") })
    }

    @Test
    func `A mistake in an up part has its place in the file`() throws {
        let folder = Self.folder([
            (
                "0001",
                "-- +goose Up\r\nCREATE TABLE a (x);\r\n-- +goose StatementBegin\r\nCREATE INDEX i ON a (y);\r\n-- +goose StatementEnd"
            )
        ])
        let error = #expect(throws: QueryErrors.self) { try folder.schemaText(RecordSettings()) }
        #expect(error?.diagnostics.map { "\($0.line): \($0.sourceLine)" } == ["4: CREATE INDEX i ON a (y);"], "\(error as Any)")
    }

    // MARK: - Order

    @Test
    func `Numbers of different widths are an error of new files, and a warning of released ones`() throws {
        let files = [("10_c", "ALTER TABLE a ADD y;"), ("1_a", "CREATE TABLE a (x);"), ("2_b", "CREATE TABLE b (x);")]
        let folder = Self.folder(files)
        #expect(
            Self.errors(folder) == [
                "1_a comes after 10_c by its name, and before it by its number, which other tools go by. "
                    + "Rename the files so that both agree, for example this one to 01_a",
                "2_b comes after 10_c by its name, and before it by its number, which other tools go by. "
                    + "Rename the files so that both agree, for example this one to 02_b",
            ])
        let released = Self.folder(files, lock: Self.earlierLock(files))
        #expect(Self.errors(released).isEmpty)
        #expect(Self.warnings(released) == ["1_a runs after 10_c, as it was released after it"])
        #expect(released.migrations.map(\.identifier) == ["10_c", "1_a", "2_b"])
        // Numbers beyond integers, of the same width, and names without numbers have one order.
        let long = String(repeating: "9", count: 30)
        #expect(Self.folder([("0001", ""), ("0001-b", ""), ("20240101_a", ""), ("\(long)_b", ""), ("seed", "")]).changes.isEmpty)
        #expect(!Self.folder([("20240101_a", ""), ("20240101120000_b", "")]).changes.isEmpty)
        // A new file after released ones, by its name alone.
        #expect(Self.errors(Self.folder(files + [("9_d", "")], lock: Self.earlierLock(files))).count == 1)
    }

    @Test
    func `Files of Flyway and refinery are ordered by their versions`() throws {
        let names = ["V10__c", "V1__a", "V2.10__d", "V2.9__b"]
        let folder = Self.folder(names.map { ($0, "SELECT 1;") })
        #expect(
            Self.errors(folder) == [
                "V1__a comes after V10__c by its name, and before it by its number, which other tools go by. "
                    + "Rename the files so that both agree, for example this one to V01__a",
                "V2.10__d comes after V10__c by its name, and before it by its number, which other tools go by. "
                    + "Rename the files so that both agree, for example this one to V02.10__d",
                "V2.9__b comes after V10__c by its name, and before it by its number, which other tools go by. "
                    + "Rename the files so that both agree, for example this one to V02.9__b",
            ])
        #expect(Self.errors(Self.folder([("V2.10__d", ""), ("V2.9__b", "")])).first?.hasSuffix("so that both agree") == true)
        #expect(Self.folder([("V01__a", ""), ("V02.09__b", ""), ("V02.10__d", ""), ("V10__c", ""), ("Venue", "")]).changes.isEmpty)
        #expect(
            Self.errors(Self.folder([("V1__a", ""), ("V1.0__b", "")])) == [
                "V1.0__b has the number 1, too, and Flyway tells migrations apart by their numbers"
            ])
        #expect(Self.errors(Self.folder([("R__views", "")])).first?.hasPrefix("Flyway runs this migration whenever it has changed") == true)
    }

    @Test
    func `A migration in a folder of its own is an error, unless a file has the name of the folder`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString)").path
        for (migration, file) in [("2024-01-31-120000_a", "up.sql"), ("2_b", "migration.sql"), ("archive", "up.sql")] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(migration)", withIntermediateDirectories: true)
            try "SELECT 1;".write(toFile: "\(folder)/\(migration)/\(file)", atomically: true, encoding: .utf8)
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(
            try #require(try MigrationFolder(path: folder)).changes.map(\.message)
                == ["2024-01-31-120000_a", "2_b"].map {
                    "this migration is in a folder of its own: copy it to \($0).sql"
                })
        try "SELECT 1;".write(toFile: "\(folder)/2_b.sql", atomically: true, encoding: .utf8)
        #expect(try #require(try MigrationFolder(path: folder)).changes.map(\.file) == ["\(folder)/2024-01-31-120000_a/up.sql"])
    }

    @Test
    func `A number that two files have is an error if a tool goes by it`() {
        #expect(Self.folder([("0001-a", "SELECT 1;"), ("0001-b", "SELECT 1;")]).changes.isEmpty)
        #expect(Self.folder([("1_a", "-- +migrate Up\nSELECT 1;"), ("1_b", "-- +migrate Up\nSELECT 1;")]).changes.isEmpty)
        #expect(
            Self.errors(Self.folder([("0001_a", "-- +goose Up\nSELECT 1;"), ("0001_b", "SELECT 1;")])) == [
                "0001_a has the number 1, too, and goose tells migrations apart by their numbers"
            ])
        #expect(Self.errors(Self.folder([("0001_a.down", ""), ("0001_a.up", ""), ("0001_b.up", "")])).count == 1)
    }

    // MARK: - Lock

    @Test
    func `The lock is appended to, and never sorted`() {
        let first = ("0002_b", "CREATE TABLE b (x);")
        let second = ("0001_a", "CREATE TABLE a (x);")
        let third = ("0003 c", "CREATE TABLE c (x);")
        let fourth = ("0004", "CREATE TABLE d (x);")
        let lock = Self.earlierLock([first, second, third])
        let folder = Self.folder([second, first, third, fourth], lock: lock)
        #expect(folder.migrations.map(\.identifier) == ["0002_b", "0001_a", "0003 c", "0004"])
        #expect(Self.errors(folder).isEmpty && Self.warnings(folder) == ["0001_a runs after 0002_b, as it was released after it"])
        #expect(folder.changes.map { "\($0.file):\($0.line)" } == ["Migrations/migrations.lock:2"])
        #expect(folder.lockText == lock + Self.earlierLock([fourth]))
        // Ends of lines stay, and a last line without one is ended.
        let windows = String(lock.replacing("\n", with: "\r\n").dropLast())
        #expect(
            Self.folder([second, first, third, fourth], lock: windows).lockText == windows + "\r\n" + Self.earlierLock([fourth]).dropLast()
                + "\r\n")
        #expect(Self.folder([second, first, third], lock: windows).lockText == windows)
    }

    @Test
    func `A new file before a released one is an error`() {
        let released = ("0002_b", "CREATE TABLE b (x);")
        let folder = Self.folder([("0001_a", "CREATE TABLE a (x);"), released, ("0003_c", "")], lock: Self.earlierLock([released]))
        #expect(folder.changes.map(\.file) == ["Migrations/0001_a.sql"])
        #expect(Self.errors(folder).first?.hasPrefix("0001_a comes before 0002_b, which was released") == true)
        // A down migration does not run, so its place does not matter.
        #expect(Self.folder([("0002_b.down", ""), ("0002_b.up", "")], lock: Self.earlierLock([("0002_b.up", "")])).changes.isEmpty)
    }

    @Test
    func `Two branches that release migrations meet as a conflict`() {
        let base = ("0001", "CREATE TABLE a (x);")
        let (ours, theirs) = (("0002_ours", "CREATE TABLE b (x);"), ("0003_theirs", "CREATE TABLE c (x);"))
        let lock = Self.earlierLock([base])
        let (ourLock, theirLock) = (Self.folder([base, ours], lock: lock).lockText, Self.folder([base, theirs], lock: lock).lockText)
        // Both add lines at the same place.
        #expect(ourLock.hasPrefix(lock) && theirLock.hasPrefix(lock) && ourLock != theirLock)
        let (ourLine, theirLine) = (ourLock.dropFirst(lock.count), theirLock.dropFirst(lock.count))
        let conflict = Self.folder([base, ours, theirs], lock: "\(lock)<<<<<<< HEAD\n\(ourLine)=======\n\(theirLine)>>>>>>> theirs\n")
        #expect(
            conflict.changes.map(\.line) == [2, 4, 6]
                && Self.errors(conflict).first?.hasPrefix("two branches have released migrations") == true)
        #expect(Self.folder([base, ours, theirs], lock: lock + ourLine + theirLine).changes.isEmpty)
        let reversed = Self.folder([base, ours, theirs], lock: lock + theirLine + ourLine)
        #expect(Self.errors(reversed).isEmpty && reversed.migrations.map(\.identifier) == ["0001", "0003_theirs", "0002_ours"])
        // One line was lost, came twice, or both branches have a file of that name.
        #expect(
            Self.errors(Self.folder([base, ours, theirs], lock: theirLock)).first?.hasPrefix("0002_ours comes before 0003_theirs") == true)
        #expect(Self.folder([base, ours], lock: ourLock + ourLine).changes.isEmpty)
        let twice = Self.folder([base, ours], lock: ourLock + Self.earlierLock([(ours.0, "CREATE TABLE d (x);")]))
        #expect(
            Self.errors(twice).count == 1 && Self.errors(twice).first?.hasPrefix("0002_ours was released twice, as different files") == true
        )
    }
}

extension MigrationFolder {
    /// The migrator, as the generated code makes it.
    var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (file, migration) in zip(files, migrations) {
            migrator.registerMigration(migration.identifier) { db in try db.execute(sql: file.text) }
        }
        migrator.retiredMigrations = Set(downIdentifiers)
        migrator.refusesDatabasesOfOtherTools = true
        return migrator
    }

    /// A database in memory that the migrations have migrated.
    func migrated() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        return queue
    }
}

extension Statement {
    /// The first column of all rows.
    func rows() throws -> [String] {
        var rows: [String] = []
        while try step() { rows.append(string(at: 0) ?? "") }
        return rows
    }
}
