import CSQLiteShims
import Dumps
import Foundation
import Testing

/// A database with the players Arthur (1, 500) and Barbara (2, NULL).
func makePlayers() throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { db in
        try db.execute(
            sql: """
                CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                INSERT INTO player VALUES (1, 'Arthur', 500), (2, 'Barbara', NULL);
                """)
    }
    return queue
}

extension DatabaseReader {
    /// What `dumpSQL` prints.
    func dumped(_ sql: SQL, _ format: some DumpFormat) throws -> String {
        var text = ""
        try dumpSQL(sql, format: format, to: &text)
        return text
    }
}

extension Database {
    /// The schema, and the values of all tables with their storage classes, to compare databases. Of virtual tables, it has the rows, and not
    /// the shadow tables, whose content depends on the order of writes.
    func contents() throws -> String {
        var text = ""
        try dumpSQL(
            "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name", format: .quote(),
            to: &text)
        let tables = try String.fetchAll(
            self,
            sql:
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name <> 'sqlite_schema' ORDER BY name"
        )
        for table in tables {
            let rows = try Row.fetchAll(self, sql: "SELECT * FROM \(table.quotedDatabaseIdentifier)")
            text += table + "\n" + rows.map { row in row.map { "\($0.1)" }.joined(separator: ",") }.sorted().joined(separator: "\n") + "\n"
        }
        return text
    }
}

extension Configuration {
    /// Connections in SQLite's defensive mode, the default on Apple platforms.
    static var defensive: Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { db in #expect(db.setDefensive(true)) }
        return configuration
    }
}

extension Database {
    /// Sets the defensive mode, and returns whether it is on.
    @discardableResult
    func setDefensive(_ isOn: Bool?) -> Bool {
        var result: CInt = 0
        strata_sqlite3_db_config_int(sqliteConnection, SQLITE_DBCONFIG_DEFENSIVE, isOn.map { $0 ? 1 : 0 } ?? -1, &result)
        return result == 1
    }
}

extension SeededGenerator {
    /// A text of characters that CSV or JSON treat apart.
    mutating func text() -> String {
        let alphabet: [String] = [
            "a", "\"", "'", ",", "\n", "\r", "\r\n", " ", "\\", "é", "\u{301}", "日", "👨‍👩‍👧", "{", "}", "[", "]", ":", "null", "\t", "\u{1}",
            "\u{FEFF}",
        ]
        return (0..<Int.random(in: 0...6, using: &self)).map { _ in alphabet.randomElement(using: &self)! }.joined()
    }

    /// NULL or a few bytes.
    mutating func data() -> Data? {
        Bool.random(using: &self)
            ? nil : Data((0..<Int.random(in: 0...5, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) })
    }
}

/// SQLite's shell, with a database file in a folder of its own.
final class Shell {
    private static let path = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3", "/opt/homebrew/bin/sqlite3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    static var isAvailable: Bool { path != nil }

    private let folder: TemporaryFolder

    var database: URL { folder.file("copy.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Runs a script, as `sqlite3 copy.sqlite < script` does, and returns the exit status.
    ///
    /// - Parameter isDefensive: whether the shell's connection is in defensive mode, like the connection of Apple's shell.
    func run(_ script: String, isDefensive: Bool = false) throws -> Int32 {
        try folder.write(script, to: "script.sql")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path ?? "sqlite3")
        process.arguments = ["-cmd", ".dbconfig defensive \(isDefensive ? "on" : "off")", database.path]
        // The shell is made for the system's library, even where the tests run with another library.
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "LD_LIBRARY_PATH" }
        process.standardInput = try FileHandle(forReadingFrom: folder.file("script.sql"))
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// Returns a script that restores a database.
func script(_ source: DatabaseQueue) throws -> String {
    var script = ""
    try source.dumpContent(format: .insert(), to: &script)
    return script
}
