import Foundation

/// Runs a program's work. An error ends the program: in one line on standard error, and with exit status 1.
public func runProgram(_ work: () throws -> Void) {
    do {
        try work()
    } catch {
        stop(message(of: error))
    }
}

/// Runs a program's work that waits for some of it. An error ends the program: in one line on standard error, and with exit
/// status 1.
public func runProgram(_ work: @Sendable () async throws -> Void) async {
    do {
        try await work()
    } catch {
        stop(message(of: error))
    }
}

/// Ends the program with a line on standard error, and with exit status 1.
public func stop(_ message: String) -> Never {
    let program = URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent
    // What was printed before comes first, also where both go to one file.
    fflush(nil)
    FileHandle.standardError.write(Data("\(program): \(message.inOneLine)\n".utf8))
    exit(1)
}

private func message(of error: any Error) -> String {
    // Foundation's own errors have a sentence for people, and a description for programmers.
    error is CocoaError ? error.localizedDescription : String(describing: error)
}

/// An error with a message for people.
public struct ExampleError: Error, CustomStringConvertible {
    /// The message.
    public var description: String

    /// Makes an error.
    public init(_ description: String) {
        self.description = description
    }
}

/// The path for a tutorial's database, in the system's folder for temporary files. What an earlier run left there is removed.
///
/// - Parameter name: the name of the file, without extension.
public func newDatabasePath(_ name: String) throws -> String {
    let files = FileManager.default
    // In a folder of the user's own, since all users of a machine may share the one for temporary files.
    let folder = files.temporaryDirectory.appendingPathComponent("strata-examples-\(NSUserName())", isDirectory: true)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("\(name).sqlite").path
    // SQLite may keep more than one file for a database.
    for file in [path, "\(path)-journal", "\(path)-wal", "\(path)-shm"] where files.fileExists(atPath: file) {
        try files.removeItem(atPath: file)
    }
    return path
}
