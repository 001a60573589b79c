import Foundation
import Strata
import StrataTool

/// What a run of the command has left.
struct ToolResult: CustomStringConvertible {
    var command: String
    var status: Int32
    var output: String
    var errors: String

    /// The lines of the output that are not empty.
    var lines: [String] { output.split(whereSeparator: \.isNewline).map(String.init) }

    var description: String { "\(command)\nstatus \(status). Output:\n\(output)\nErrors:\n\(errors)" }
}

/// Runs the command in this process.
func strata(_ arguments: [String], input: String? = nil) -> ToolResult {
    var handle: FileHandle?
    if let input {
        // A pipe holds more than the inputs of these tests.
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data(input.utf8))
        try! pipe.fileHandleForWriting.close()
        handle = pipe.fileHandleForReading
    }
    let console = Console(input: handle)
    let status = CommandLineTool.run(arguments, console: console)
    return ToolResult(
        command: "strata " + arguments.joined(separator: " "), status: status, output: console.capturedOutput,
        errors: console.capturedErrors)
}

/// Runs the command in this process.
func strata(_ arguments: String..., input: String? = nil) -> ToolResult {
    strata(arguments, input: input)
}

/// A folder that is removed together with the last reference to this object.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("strata-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// The names of all files and folders.
    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
}

/// What makes a database of some SQL.
enum Maker: Sendable {
    /// SQLite's own command, where it is installed.
    case command
    /// The driver.
    case library

    static let available: [Maker] = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let hasCommand = folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/sqlite3") }
        return hasCommand ? [.command, .library] : [.library]
    }()

    func makeDatabase(named name: String, in folder: TemporaryFolder, sql: String) throws -> URL {
        let file = folder.file(name)
        switch self {
        case .command:
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            // The command is made for the system's library, also where the tests run with another one.
            process.arguments = ["-u", "LD_LIBRARY_PATH", "sqlite3", file.path, sql]
            process.standardInput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
        case .library:
            // A full path is no URI, whatever the name.
            let queue = try DatabaseQueue(path: file.path)
            try queue.writeWithoutTransaction { db in try db.execute(sql: sql) }
            try queue.close()
        }
        return file
    }
}

/// Makes a database that needs a module, a function and a collation that this process does not have.
func makeDatabaseWithMissingParts(_ file: URL) throws {
    let queue = try DatabaseQueue(path: file.path)
    try queue.writeWithoutTransaction { db in
        db.add(function: DatabaseFunction("ownFunction", argumentCount: 1, pure: true) { $0[0] })
        db.add(collation: DatabaseCollation("ownCollation") { $0 < $1 ? .ascending : $0 > $1 ? .descending : .same })
        try db.execute(
            sql: """
                CREATE TABLE generated (a TEXT, twice GENERATED ALWAYS AS (ownFunction(a)) VIRTUAL);
                INSERT INTO generated VALUES ('ordinary value');
                CREATE TABLE collated (a TEXT COLLATE ownCollation);
                CREATE INDEX collatedIndex ON collated (a);
                INSERT INTO collated VALUES ('collated value'), ('second');
                CREATE TABLE plain (a);
                INSERT INTO plain VALUES (1);
                PRAGMA writable_schema = ON;
                INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql)
                VALUES ('table', 'ghost', 'ghost', 0, 'CREATE VIRTUAL TABLE ghost USING nowhere(a)');
                PRAGMA writable_schema = OFF;
                """)
    }
    try queue.close()
}
