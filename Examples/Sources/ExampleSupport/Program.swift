import Foundation

/// Runs a program. Prints an error in one line on standard error, and exits with status 1.
public func runProgram(_ work: () throws -> Void) {
    do {
        try work()
    } catch {
        stop(message(of: error))
    }
}

/// Runs an asynchronous program. Prints an error in one line on standard error, and exits with status 1.
public func runProgram(_ work: @Sendable () async throws -> Void) async {
    do {
        try await work()
    } catch {
        stop(message(of: error))
    }
}

/// Prints a line on standard error, and exits with status 1.
public func stop(_ message: String) -> Never {
    let program = URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent
    // Flush the output printed so far, so that it comes first even if both go to the same file.
    fflush(nil)
    FileHandle.standardError.write(Data("\(program): \(message.split(whereSeparator: \.isNewline).joined(separator: " "))\n".utf8))
    exit(1)
}

private func message(of error: any Error) -> String {
    // Foundation's errors have a sentence for users, and a description for programmers.
    error is CocoaError ? error.localizedDescription : String(describing: error)
}

/// An error with a message for users.
public struct ExampleError: Error, CustomStringConvertible {
    /// The message.
    public var description: String

    /// Creates an error.
    public init(_ description: String) {
        self.description = description
    }
}

/// Returns the path of a tutorial's database in the system's folder for temporary files. Removes the database of a previous run.
///
/// - Parameter name: the name of the file, without extension.
public func newDatabasePath(_ name: String) throws -> String {
    let files = FileManager.default
    // The folder for temporary files can be shared by all users of the machine, so each of them gets a folder.
    let folder = files.temporaryDirectory.appendingPathComponent("strata-examples-\(NSUserName())", isDirectory: true)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("\(name).sqlite").path
    // A database can consist of several files.
    for file in [path, "\(path)-journal", "\(path)-wal", "\(path)-shm"] where files.fileExists(atPath: file) {
        try files.removeItem(atPath: file)
    }
    return path
}

/// Returns the path of an empty folder for the files of a tutorial.
public func newFolder(_ name: String) throws -> String {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent("strata-examples-\(NSUserName())/\(name)", isDirectory: true)
    if files.fileExists(atPath: folder.path) { try files.removeItem(at: folder) }
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path
}
