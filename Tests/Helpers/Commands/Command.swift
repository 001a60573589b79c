import Foundation

/// What a program that has ended left behind.
struct CommandResult: Sendable, CustomStringConvertible {
    /// The command line, for messages.
    var command: String

    /// The exit status, or the number of the signal that ended the program.
    var status: Int32

    /// Whether the program ended by a signal; SIGKILL is the one sent when its time was up.
    var endedBySignal: Bool

    /// What the program wrote to standard output.
    var output: String

    /// What the program wrote to standard error.
    var error: String

    /// Whether the program exited with status 0.
    var isSuccess: Bool { !endedBySignal && status == 0 }

    /// The lines of the standard output, without the empty one after the last line end.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// All of it, for a test that fails to show.
    var description: String {
        """
        \(command)
        ended with \(endedBySignal ? "signal" : "status") \(status). Standard output:
        \(output)
        Standard error:
        \(error)
        """
    }
}

/// Runs a program and waits for its end.
///
/// - Parameters:
///   - command: the program, looked up on the PATH, and its arguments.
///   - folder: the current folder of the program.
///   - limit: the seconds after which the program is killed.
/// - Throws: an error when the program can't be started. Its failure is not an error but a result.
func runCommand(_ command: [String], in folder: URL, limit: Int) async throws -> CommandResult {
    // Files, and not pipes, since a pipe that is not read while the program runs fills up and stops it.
    let outputs = try TemporaryFolder()
    func open(_ name: String) throws -> FileHandle {
        try outputs.write("", to: name)
        return try FileHandle(forWritingTo: outputs.file(name))
    }
    let (output, error) = (try open("output"), try open("error"))

    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    // In a git hook, GIT_DIR and the like would point the commands of tests to the repository that is being worked on.
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = error

    // No thread waits: there are few of them for all the tests.
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        process.terminationHandler = { _ in continuation.resume() }
        do {
            try process.run()
        } catch {
            continuation.resume(throwing: error)
            return
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(limit)) {
            if process.isRunning {
                kill(process.processIdentifier, SIGKILL)
            }
        }
    }
    return CommandResult(
        command: command.joined(separator: " "),
        status: process.terminationStatus,
        endedBySignal: process.terminationReason == .uncaughtSignal,
        output: try outputs.text(of: "output"),
        error: try outputs.text(of: "error"))
}
