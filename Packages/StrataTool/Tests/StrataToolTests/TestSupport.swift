import Foundation
import Strata
import StrataTool
import Testing

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
        let pipe = try! makePipe()
        pipe.writing.write(Data(input.utf8))
        try! pipe.writing.close()
        handle = pipe.reading
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

/// The command, which is built beside the tests.
func strataCommand() throws -> URL {
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let tests = bundle ?? URL(fileURLWithPath: CommandLine.arguments[0])
    let command = tests.deletingLastPathComponent().appendingPathComponent("strata")
    try #require(FileManager.default.isExecutableFile(atPath: command.path), "\(command.path) is missing")
    return command
}

/// Whether a program is on the path.
func hasProgram(_ name: String) -> Bool {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
}

/// Runs a program of the path, such as `sqlite3`, to its end.
func runProgram(_ arguments: [String], input: URL? = nil) throws -> ToolResult {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
    return try process.result(in: TemporaryFolder())
}

extension Process {
    /// Runs the process to its end. Its output goes through files of a folder, as a pipe could fill up.
    func result(in folder: TemporaryFolder) throws -> ToolResult {
        let outputs = [folder.file("output"), folder.file("errors")]
        for output in outputs { try Data().write(to: output) }
        standardOutput = try FileHandle(forWritingTo: outputs[0])
        standardError = try FileHandle(forWritingTo: outputs[1])
        try run()
        waitUntilExit()
        let texts = try outputs.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        return ToolResult(
            command: (arguments ?? []).joined(separator: " "), status: terminationStatus, output: texts[0], errors: texts[1])
    }
}

/// What makes a database of some SQL.
enum Maker: Sendable {
    /// SQLite's own command, where it is installed.
    case command
    /// The driver.
    case library

    static let available: [Maker] = hasProgram("sqlite3") ? [.command, .library] : [.library]

    func makeDatabase(named name: String, in folder: TemporaryFolder, sql: String) throws -> URL {
        let file = folder.file(name)
        switch self {
        case .command:
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            // The command is made for the system's library, even where the tests run with another library.
            process.arguments = ["-u", "LD_LIBRARY_PATH", "sqlite3", file.path, sql]
            process.standardInput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
        case .library:
            // A full path is not a URI, whatever the name. Apple's SQLite keeps the log by default.
            var configuration = Configuration()
            configuration.prepareDatabase { $0.removeLogWhenClosed() }
            let queue = try DatabaseQueue(path: file.path, configuration: configuration)
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
        try db.withoutDefensiveMode {
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
    }
    try queue.close()
}
