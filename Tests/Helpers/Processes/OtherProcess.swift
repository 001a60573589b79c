import Foundation
import SQLiteDriver

/// Another process that uses a database file, on command: Tests/Sources/SQLiteProcess.
///
/// `@unchecked Sendable`: tests use it on one thread at a time.
final class OtherProcess: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var received = Data()

    /// What went wrong with the process itself. It is thrown, since expectations on a thread of one's own belong to no test.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a process, which opens a database file and creates it if there is none.
    ///
    /// - Parameter sql: what it runs first.
    init(_ path: String, _ sql: String? = nil) throws {
        try Self.checkOpenFiles()
        process.executableURL = builtProgram("sqlite-process")
        process.arguments = [path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        if let sql { try run(sql) }
    }

    /// Foundation's `Process` reads the names of all open descriptors, and beyond its memory when there are more than 1,364.
    private static func checkOpenFiles() throws {
        let descriptor = open("/dev/null", O_RDONLY)
        close(descriptor)
        guard descriptor < 1000 else { throw Failure(description: "\(descriptor) files are open: run the cases one after another.") }
    }

    deinit {
        // A transaction that a failing test has left open would keep the process from nothing, but the next test from its locks.
        kill()
    }

    /// Runs SQL in the process, and returns when it has ended there.
    ///
    /// - Returns: all values of all rows, as strings.
    /// - Throws: the error that the process got, as a `DatabaseError`.
    @discardableResult
    func run(_ sql: String) throws -> [String] {
        // Writing to a process that has ended would end the tests by a signal.
        guard process.isRunning else { throw Failure(description: "The other process has ended.") }
        let line = sql.split(whereSeparator: \.isNewline).joined(separator: " ")
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
        let parts = try receiveLine().split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        if parts.first == "ok" { return Array(parts.dropFirst()) }
        guard parts.count == 3, let code = CInt(parts[1]) else { throw Failure(description: "\(parts)") }
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: parts[2], sql: sql)
    }

    private func receiveLine() throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            let bytes = try output.fileHandleForReading.bytes(for: "the answer of the other process")
            guard !bytes.isEmpty else { throw Failure(description: "The other process has ended.") }
            received.append(bytes)
        }
    }

    /// Closes the connection of the process, which ends on its own.
    func end() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "status \(process.terminationStatus)") }
    }

    /// Ends the process in the midst of what it does, as a power failure would.
    func kill() {
        guard process.isRunning else { return }
        sendKillSignal(to: process.processIdentifier)
        process.waitUntilExit()
    }
}

private func sendKillSignal(to process: Int32) {
    kill(process, SIGKILL)
}

/// Runs SQL in another process, which has ended when this returns.
func runInAnotherProcess(_ sql: String, _ path: String) throws {
    let process = try OtherProcess(path)
    try process.run(sql)
    try process.end()
}
