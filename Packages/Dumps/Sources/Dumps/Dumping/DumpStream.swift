import Foundation

/// The output of a dump, which formats write to.
///
/// ```swift
/// func writeRow(
///     _ db: Database, statement: Statement, to stream: inout DumpStream
/// ) throws {
///     stream.write("\(statement.databaseValue(at: 0))\n")
/// }
/// ```
public struct DumpStream: TextOutputStream {
    /// The number of bytes of UTF-8 that are collected before they are passed on.
    private static let bufferSize = 32 * 1024

    private(set) var base: any TextOutputStream
    private let file: FileHandleOutput?
    private var buffer = ""
    private var isAtStart = true
    private var needsMargin = false

    init(_ base: any TextOutputStream) {
        self.base = base
        file = base as? FileHandleOutput
    }

    /// Writes a string.
    public mutating func write(_ string: String) {
        if string.isEmpty { return }
        if needsMargin, !isAtStart { buffer += "\n" }
        needsMargin = false
        isAtStart = false
        buffer += string
        if buffer.utf8.count >= Self.bufferSize { flush() }
    }

    /// Separates the text that follows from the text before by an empty line.
    ///
    /// Does nothing if no text comes before or after it.
    public mutating func margin() {
        needsMargin = true
    }

    /// Passes on the text that was written so far.
    mutating func flush() {
        base.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Throws the error of a file that could not be written.
    func check() throws {
        if let error = file?.error { throw error }
    }
}

/// The standard output.
struct StandardOutput: TextOutputStream {
    func write(_ string: String) {
        print(string, terminator: "")
    }
}

/// A file that a dump is written to.
///
/// ```swift
/// try db.dumpTables(["player"], format: .csv(), to: FileHandleOutput(.standardError))
/// ```
///
/// A `TextOutputStream` can't throw. The first error is kept in ``error``, nothing is written after it, and the dump throws it.
public final class FileHandleOutput: TextOutputStream {
    private let handle: FileHandle

    /// The error that writing to the file has thrown, if any.
    public private(set) var error: (any Error)?

    /// Creates an output.
    ///
    /// - Parameter handle: a file that is open for writing.
    public init(_ handle: FileHandle) {
        self.handle = handle
    }

    /// Writes a string as UTF-8.
    public func write(_ string: String) {
        guard error == nil else { return }
        do {
            try handle.write(contentsOf: Data(string.utf8))
        } catch {
            self.error = error
        }
    }
}
