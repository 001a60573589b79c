import Foundation
import SQLiteDriver

/// Another process that uses a database file, on command: Tests/Sources/SQLiteProcess.
///
/// `@unchecked Sendable`: tests use it on one thread at a time.
final class OtherProcess: @unchecked Sendable {
    private let process: Process
    private let pipes: ProcessPipes
    private var received = Data()

    /// Starts a process, which opens a database file and creates it if there is none.
    ///
    /// - Parameter sql: what it runs first.
    init(_ path: String, _ sql: String? = nil) throws {
        process = Process(program: "sqlite-process", [path])
        pipes = try process.runWithPipes()
        if let sql { try run(sql) }
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
        guard process.isRunning else { throw ProcessFailure(description: "The other process has ended.") }
        let line = sql.split(whereSeparator: \.isNewline).joined(separator: " ")
        try pipes.input.write(contentsOf: Data("\(line)\n".utf8))
        let parts = try receiveLine().split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        if parts.first == "ok" { return Array(parts.dropFirst()) }
        guard parts.count == 3, let code = CInt(parts[1]) else { throw ProcessFailure(description: "\(parts)") }
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: parts[2], sql: sql)
    }

    private func receiveLine() throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            let bytes = try pipes.output.bytes(for: "the answer of the other process")
            guard !bytes.isEmpty else { throw ProcessFailure(description: "The other process has ended.") }
            received.append(bytes)
        }
    }

    /// Closes the connection of the process, which ends on its own.
    func end() throws {
        try pipes.input.close()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ProcessFailure(description: "status \(process.terminationStatus)") }
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
