import Foundation
import SQLiteDriver
import Testing

@Suite struct ErrorTests {
    @Test(arguments: [
        " SELECT f() ; ", "\n\tSELECT f()\r\n;;\n", "SELECT f()", "SELECT 1;\n  SELECT f() ;\n", " SELECT f() ;; -- SELECT 1",
    ])
    func `The SQL of errors and statements has no white space around it`(_ sql: String) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            let trimmed = sql.contains("--") ? "SELECT f() ;; -- SELECT 1" : "SELECT f()"
            // The error of compiling has the rest of the SQL.
            #expect(expectError(.SQLITE_ERROR) { try db.execute(sql: sql) }?.sql == trimmed)
            db.add(function: DatabaseFunction("f", argumentCount: 0) { _ in throw TestError() })
            #expect(expectError(.SQLITE_ERROR) { try db.execute(sql: sql) }?.sql == "SELECT f()")
            let statements = try db.allStatements(sql: sql)
            var texts: [String] = []
            while let statement = try statements.next() { texts += [statement.sql, statement.expandedSQL] }
            #expect(texts.suffix(2) == ["SELECT f()", "SELECT f()"])
        }
    }

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test
    func `The alias of a selected expression is not a column of a table`() throws {
        try DatabaseQueue().write { (db) throws in
            try db.execute(sql: "CREATE TABLE t (a)")
            let error = expectError(.SQLITE_ERROR) { try db.execute(sql: #"SELECT a AS "total" FROM "t" WHERE "t"."total" > 1"#) }
            #expect(
                error?.description.hasSuffix(
                    "total is an alias of a selected expression, not a column of t: use it without a table name. "
                        + #"In a request, write Column("total").detached."#) == true)
            let other = expectError(.SQLITE_ERROR) { try db.execute(sql: #"SELECT a AS "total" FROM "t" WHERE "t"."b" > 1"#) }
            #expect(other?.description.hasSuffix("Check the spelling, and that the schema was created in this database file.") == true)
        }
    }

    // MARK: Files

    @Test
    func `A path in a folder that does not exist`() throws {
        let path = folder.path("missing/database.sqlite")
        let error = expectError(.SQLITE_CANTOPEN) { _ = try DatabaseQueue(path: path) }
        #expect(
            error?.description
                == "SQLite error 14 (SQLITE_CANTOPEN): unable to open database file: \(path). "
                + "The folder \(folder.path("missing")) does not exist: create it first.")
        // After following the advice, opening succeeds.
        try FileManager.default.createDirectory(atPath: folder.path("missing"), withIntermediateDirectories: false)
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a)") }
    }

    @Test
    func `A path under a file`() throws {
        try Data().write(to: URL(fileURLWithPath: folder.path("file")))
        let error = expectError(.SQLITE_CANTOPEN) { _ = try DatabaseQueue(path: folder.path("file/database.sqlite")) }
        #expect(error?.description.contains(folder.path("file/database.sqlite")) == true)
        #expect(error?.description.hasSuffix("\(folder.path("file")) is a file, not a folder: check the path.") == true)
    }

    @Test
    func `A folder`() throws {
        let error = expectError(.SQLITE_CANTOPEN) { _ = try DatabaseQueue(path: folder.path) }
        #expect(error?.description.contains("unable to open database file: \(folder.path)") == true)
        #expect(error?.description.hasSuffix("The path is a folder: pass the path of a file.") == true)
        expectError(.SQLITE_CANTOPEN) { _ = try DatabaseQueue(path: "/") }
        // SQLite opens a folder for reading, and then fails to read it: some versions with SQLITE_IOERR, others with SQLITE_NOTADB.
        var configuration = Configuration()
        configuration.readonly = true
        let readingError = #expect(throws: DatabaseError.self) { _ = try DatabaseQueue(path: folder.path, configuration: configuration) }
        #expect(readingError?.description.hasSuffix(": \(folder.path). The path is a folder: pass the path of a file.") == true)
    }

    @Test
    func `A path with a NUL`() throws {
        let error = expectError(.SQLITE_CANTOPEN) { _ = try DatabaseQueue(path: folder.path("a\0b")) }
        #expect(error?.message?.contains("NUL") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.path("a")))
    }

    @Test
    func `A URI of a file that does not exist`() throws {
        let error = expectError(.SQLITE_CANTOPEN) { _ = try DatabaseQueue(path: "file:\(folder.path("missing"))?mode=ro") }
        #expect(error?.description.contains("Check the URI") == true)
    }

    @Test(arguments: [
        ("missing.sqlite", "The file does not exist, and a read-only configuration does not create it: check the path."),
        ("missing/database.sqlite", "The folder FOLDER does not exist: check the path."),
    ])
    func `A file that does not exist is not created for reading`(_ name: String, _ advice: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let path = folder.path(name)
        let error = expectError(.SQLITE_CANTOPEN) { _ = try DatabaseQueue(path: path, configuration: configuration) }
        let description = "SQLite error 14 (SQLITE_CANTOPEN): unable to open database file: \(path). \(advice)"
        #expect(error?.description == description.replacing("FOLDER", with: folder.path("missing")))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test
    func `A file that is corrupt where it begins`() throws {
        let (path, file) = try makeDatabase()
        // This gives the first page of the schema an invalid type.
        var corrupt = file
        corrupt[100] = 0x77
        try corrupt.write(to: URL(fileURLWithPath: path))
        let error = expectError(.SQLITE_CORRUPT) { _ = try DatabaseQueue(path: path) }
        #expect(
            error?.description
                == "SQLite error 11 (SQLITE_CORRUPT): database disk image is malformed: \(path). Restore the file from a backup, "
                + "or save what can be read with the `.recover` command of the sqlite3 shell.")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == corrupt)
    }

    @Test
    func `A locked file is named`() throws {
        let path = folder.path("locked.sqlite")
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let locker = try DatabaseQueue(path: path, configuration: configuration)
        try locker.inTransaction(.exclusive) { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let error = expectError(.SQLITE_BUSY) { _ = try DatabaseQueue(path: path, configuration: configuration) }
            #expect(error?.description.contains("database is locked: \(path). Another connection is writing") == true)
            return .commit
        }
    }

    @Test
    func `A file without permission`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let folder = try TemporaryFolder()
            let path = folder.path("database.sqlite")
            try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a)") }
            #expect(chmod(path, 0) == 0)
            // Root has all permissions.
            giveUpRoot(folder)
            let error = expectError(.SQLITE_CANTOPEN) { _ = try DatabaseQueue(path: path) }
            #expect(
                error?.description
                    == "SQLite error 14 (SQLITE_CANTOPEN): unable to open database file: \(path). "
                    + "The file exists, but can't be opened: check its permissions.")
        }
        #expect(result != nil)
    }

    @Test
    func `A file in a folder without permission`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            #expect(chmod(folder.path, 0o555) == 0)
            giveUpRoot(folder)
            let error = expectError(.SQLITE_CANTOPEN) { _ = try DatabaseQueue(path: folder.path("database.sqlite")) }
            #expect(error?.description.contains("the permissions of the folder \(folder.path)") == true)
        }
    }

    @Test
    func `A file that can only be read`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path("database.sqlite")
            try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
            #expect(chmod(path, 0o444) == 0)
            giveUpRoot(folder)
            let queue = try DatabaseQueue(path: path)
            #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1])
            let error = expectError(.SQLITE_READONLY) { try queue.write { try $0.execute(sql: "DELETE FROM t") } }
            #expect(
                error?.description
                    == "SQLite error 8 (SQLITE_READONLY): attempt to write a readonly database - while executing `DELETE FROM t`. "
                    + "Use `write` instead of `read`, and check that the file and its folder can be written.")
            #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1])
        }
    }

    @Test(arguments: [3, 100, 5000])
    func `A file that is not a database`(_ size: Int) throws {
        let path = folder.path("notes.txt")
        let text = Data(String(repeating: "no database ", count: 1000).utf8).prefix(size)
        try text.write(to: URL(fileURLWithPath: path))
        let error = expectError(.SQLITE_NOTADB) { _ = try DatabaseQueue(path: path) }
        #expect(
            error?.description
                == "SQLite error 26 (SQLITE_NOTADB): file is not a database: \(path). "
                + "The file is not a SQLite database, or it is encrypted: check the path.")
        #expect(error?.sql == nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
    }

    @Test
    func `An empty file is an empty database`() throws {
        try Data().write(to: URL(fileURLWithPath: folder.path("empty")))
        try DatabaseQueue(path: folder.path("empty")).write { try $0.execute(sql: "CREATE TABLE t (a)") }
    }

    /// Creates a database of about 200 pages.
    private func makeDatabase() throws -> (path: String, file: Data) {
        let path = folder.path("database.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b)")
            for _ in 0..<200 { try db.execute(sql: "INSERT INTO t (b) VALUES (randomblob(3000))") }
        }
        try queue.close()
        return (path, try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test(arguments: [0.3, 0.6, 0.9])
    func `A truncated database`(_ part: Double) throws {
        let (path, file) = try makeDatabase()
        try file.prefix(Int(Double(file.count) * part)).write(to: URL(fileURLWithPath: path))
        // Some builds of SQLite notice when they open the file, others when they read a missing page.
        let error = expectError(.SQLITE_CORRUPT) {
            let queue = try DatabaseQueue(path: path)
            _ = try queue.read { try $0.values("SELECT b FROM t") }
        }
        #expect(error?.description.contains("SQLITE_CORRUPT") == true)
        let malformed = "database disk image is malformed"
        #expect(
            error?.description.contains("\(malformed): \(path). Restore the file") == true
                || error?.description.contains("\(malformed) - while executing `SELECT b FROM t`. Restore the file") == true)
    }

    @Test
    func `A database with a page of garbage`() throws {
        var (path, file) = try makeDatabase()
        let middle = file.count / 2 / 4096 * 4096
        file.replaceSubrange(middle..<middle + 8192, with: Data(repeating: 0xAA, count: 8192))
        try file.write(to: URL(fileURLWithPath: path))

        let queue = try DatabaseQueue(path: path)
        let error = expectError(.SQLITE_CORRUPT) { try queue.read { try $0.values("SELECT b FROM t") } }
        #expect(error?.description.contains("database disk image is malformed - while executing `SELECT b FROM t`") == true)
        #expect(error?.description.contains("Restore the file from a backup") == true)
        // Intact pages can still be read.
        #expect(try queue.read { try $0.tableExists("t") })
        #expect(try queue.read { try $0.values("SELECT b FROM t WHERE a = 1").count } == 1)
        expectError(.SQLITE_CORRUPT) { try queue.write { try $0.execute(sql: "UPDATE t SET b = 1") } }
        #expect(try queue.writeWithoutTransaction { $0.isInsideTransaction } == false)
        #expect(try queue.read { try $0.values("SELECT b FROM t WHERE a = 1") } != [.integer(1)])
    }

    @Test
    func `A database truncated inside its first page`() throws {
        let (path, file) = try makeDatabase()
        try file.prefix(500).write(to: URL(fileURLWithPath: path))
        #expect(throws: DatabaseError.self) {
            try DatabaseQueue(path: path).write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
    }

    // MARK: SQL

    @Test(
        arguments: [
            ("SELEC 1", .SQLITE_ERROR, "near \"SELEC\": syntax error", nil),
            ("SELECT (", .SQLITE_ERROR, "incomplete input", nil),
            ("SELECT * FROM playr", .SQLITE_ERROR, "no such table: playr", "Check the spelling, and that the schema was created"),
            ("INSERT INTO playr VALUES (1)", .SQLITE_ERROR, "no such table: playr", "Check the spelling"),
            ("SELECT nam FROM player", .SQLITE_ERROR, "no such column: nam", "Check the spelling"),
            ("SELECT nofunction(1)", .SQLITE_ERROR, "no such function: nofunction", nil),
            ("INSERT INTO player VALUES (1)", .SQLITE_ERROR, "table player has 2 columns but 1 values were supplied", nil),
            ("INSERT INTO player VALUES (1, NULL)", .SQLITE_CONSTRAINT_NOTNULL, "NOT NULL constraint failed: player.name", nil),
            ("CREATE TABLE player (a)", .SQLITE_ERROR, "table player already exists", nil),
            ("SELECT \"never closed", .SQLITE_ERROR, "unrecognized token: \"\"never closed\"", nil),
            ("COMMIT", .SQLITE_ERROR, "cannot commit - no transaction is active", nil),
        ] as [(String, ResultCode, String, String?)])
    func wrongSQL(_ sql: String, _ code: ResultCode, _ message: String, _ advice: String?) throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            for run in [
                { try db.execute(sql: "  \(sql)") }, { try db.makeStatement(sql: sql).execute() },
                { try db.cachedStatement(sql: sql).run() },
            ] {
                let error = expectError(code) { try run() }
                #expect(error?.extendedResultCode == code)
                #expect(error?.message == message)
                #expect(error?.sql?.contains(sql) == true)
                let text = "SQLite error \(code.rawValue) (\(code.name ?? "")): \(message) - while executing `\(sql)`"
                #expect(error?.description.hasPrefix(text) == true)
                if let advice {
                    #expect(error?.description.contains(". \(advice)") == true)
                } else {
                    #expect(error?.description.hasSuffix("`") == true)
                }
                // The connection stays usable.
                #expect(!db.isInsideTransaction)
                #expect(try db.integers("SELECT count(*) FROM player") == [0])
            }
        }
        try queue.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')") }
        #expect(try queue.read { try $0.texts("SELECT name FROM player") } == ["Arthur"])
    }

    @Test
    func `Advice about a string in double quotes in the schema names the setting, and that about a misspelled column does not`() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.acceptsDoubleQuotedStringLiterals = true
        let other = try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
        try other.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, at TEXT);
                    CREATE TRIGGER stamp AFTER INSERT ON player BEGIN UPDATE player SET at = datetime("now"); END;
                    CREATE VIEW named AS SELECT * FROM player WHERE name <> "a.b c";
                    """)
        }
        try other.close()
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"))
        try queue.writeWithoutTransaction { db in
            for (sql, name) in [
                ("INSERT INTO player (name) VALUES ('Arthur')", "now"), ("SELECT * FROM named", "a.b c"),
                ("SELECT count(*) FROM (SELECT 1 FROM named)", "a.b c"),
            ] {
                let error = expectError(.SQLITE_ERROR) { try db.execute(sql: sql) }
                #expect(
                    error?.advice == """
                        The SQL does not name \(name), but a trigger, a view or an index of the schema does. If it is a string in double \
                        quotes, write it in single quotes there, or set Configuration.acceptsDoubleQuotedStringLiterals.
                        """)
            }
            for sql in [
                "SELECT now FROM player", "SELECT \"Now\" FROM player", "SELECT player.now FROM player",
                "DELETE FROM player WHERE [now] = 1",
            ] {
                #expect(expectError(.SQLITE_ERROR) { try db.execute(sql: sql) }?.advice?.hasPrefix("Check the spelling") == true)
            }
        }
    }

    @Test
    func `SQL can't load extensions`() throws {
        let error = expectError(.SQLITE_ERROR) { try DatabaseQueue().inDatabase { try $0.execute(sql: "SELECT load_extension('x')") } }
        // Apple's SQLite does not have the function.
        #expect(["not authorized", "no such function: load_extension"].contains(error?.message))
    }

    // MARK: The error

    @Test(arguments: [false, true])
    func `Arguments are shown when they are public`(_ isPublic: Bool) throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = isPublic
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a UNIQUE, b); INSERT INTO t VALUES ('secret', 1)")
            for run in [
                { try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: ["secret", 2]) },
                { try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)").execute(arguments: ["secret", 2]) },
                { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["secret", 2]) },
            ] {
                let error = #expect(throws: DatabaseError.self) { try run() }
                #expect(error?.description.contains(#"with arguments ["secret", 2]"#) == (isPublic && error?.arguments != nil))
                #expect(error?.description.contains("secret") == (isPublic && error?.arguments != nil))
            }
            let error = expectError(.SQLITE_CONSTRAINT_UNIQUE) {
                try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: ["secret", 2])
            }
            #expect(error?.arguments == ["secret", 2])
            #expect(error?.expandedDescription.contains(#"with arguments ["secret", 2]"#) == true)
        }
    }

    @Test(arguments: [false, true])
    func `A value that can't be stored is shown when arguments are public`(_ isPublic: Bool) throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = isPublic
        let value = UInt64(Int64.max) + 12345
        let text = "a value does not fit SQLite's 64-bit signed integers, whose maximum is 9223372036854775807"
        try DatabaseQueue(configuration: configuration).writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "SELECT ?")
            for run in [
                { try db.execute(sql: "SELECT ?", arguments: [value]) }, { try statement.setArguments([value]) },
                { try statement.validateArguments(StatementArguments([value as Any])) },
                {
                    statement.setUncheckedArguments([value])
                    _ = try statement.step()
                },
            ] {
                let error = try #require(expectError(.SQLITE_MISMATCH) { try run() })
                #expect(error.message == text)
                #expect(error.description.contains("\(value)") == isPublic)
                #expect(error.expandedDescription.hasPrefix("SQLite error 20 (SQLITE_MISMATCH): \(text): \(value) - while executing"))
                #expect(String(reflecting: error) == error.description)
            }
        }
        #expect(StatementArguments([value]).description.contains("\(value)"))
        let keys = StatementArguments([12345: 1] as [AnyHashable: Any])
        #expect(keys.description.contains("a key of type Int is not the name of an argument"))
    }

    @Test
    func `Result codes match themselves and their extensions`() {
        func kind(_ error: any Error) -> String {
            switch error {
            case DatabaseError.SQLITE_CONSTRAINT_UNIQUE: "unique"
            case DatabaseError.SQLITE_CONSTRAINT: "constraint"
            case DatabaseError.SQLITE_BUSY: "busy"
            default: "other"
            }
        }
        #expect(kind(DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE)) == "unique")
        #expect(kind(DatabaseError(resultCode: .SQLITE_CONSTRAINT_NOTNULL)) == "constraint")
        #expect(kind(DatabaseError(resultCode: .SQLITE_CONSTRAINT)) == "constraint")
        #expect(kind(DatabaseError(resultCode: .SQLITE_BUSY_SNAPSHOT)) == "busy")
        #expect(kind(DatabaseError(resultCode: .SQLITE_ERROR)) == "other")
        #expect(kind(TestError()) == "other")
    }

    @Test
    func `Result codes have names and sentences`() {
        #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE.description == "2067 (constraint failed)")
        #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE.primaryResultCode == .SQLITE_CONSTRAINT)
        #expect(ResultCode(rawValue: 12345).description == "12345 (unknown error)")
        #expect(ResultCode.SQLITE_NOMEM.errorString == "out of memory")
    }

    @Test
    func `An error that a program makes has SQLite's sentence by default`() {
        let error = DatabaseError(resultCode: .SQLITE_CONSTRAINT)
        #expect(error.message == "constraint failed")
        #expect(error.description == "SQLite error 19 (SQLITE_CONSTRAINT): constraint failed")
        #expect(
            DatabaseError(message: "mine", sql: " SELECT 1; \n").description
                == "SQLite error 1 (SQLITE_ERROR): mine - while executing `SELECT 1`")
        #expect(DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE).errorCode == 2067)
        #expect(DatabaseError(resultCode: .SQLITE_INTERRUPT).isInterruptionError)
        #expect(!DatabaseError(resultCode: .SQLITE_BUSY).isInterruptionError)
    }
}

/// If this process is root's, gives it to a user without special permissions.
///
/// - Parameter folder: a folder that this user must be able to remove.
func giveUpRoot(_ folder: TemporaryFolder) {
    guard getuid() == 0 else { return }
    let user: uid_t = 65534
    #expect(chown(folder.path, user, user) == 0 && setgid(user) == 0 && setuid(user) == 0)
}
