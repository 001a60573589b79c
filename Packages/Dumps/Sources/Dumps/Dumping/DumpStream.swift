import Foundation
import SQLiteDriver

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
    private var error: (any Error)?
    private var buffer = ""
    private var isAtStart = true
    private var needsMargin = false

    init(_ base: any TextOutputStream) {
        self.base = base
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

    /// Passes on the text that was written so far, unless an earlier part could not be written.
    mutating func flush() {
        if error == nil, !buffer.isEmpty {
            base.write(buffer)
            error = (base as? any FailableOutput)?.error
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Throws the error of an output that could not be written.
    func check() throws {
        if let error { throw error }
    }
}

/// A text output whose writes can fail.
///
/// ```swift
/// struct Upload: FailableOutput {
///     var error: (any Error)?
///
///     mutating func write(_ string: String) {
///         guard error == nil else { return }
///         …
///     }
/// }
/// ```
///
/// A `TextOutputStream` can't throw. The first error is kept in ``error``, which a dump throws. ``FileHandleOutput`` is such an output.
public protocol FailableOutput: TextOutputStream {
    /// The error of the first write that has failed, if any.
    var error: (any Error)? { get }
}

/// The standard output.
struct PrintingOutput: FailableOutput {
    private(set) var error: (any Error)?

    mutating func write(_ string: String) {
        print(string, terminator: "")
        let code = StandardOutput.flush()
        if code != 0 { error = POSIXError(number: code) }
    }
}

extension POSIXError {
    /// - Parameter number: the number of the error.
    init(number: CInt) {
        self.init(POSIXErrorCode(rawValue: number) ?? .EIO)
    }
}

/// A file that a dump is written to.
///
/// ```swift
/// try db.dumpTables(["player"], format: .csv(), to: FileHandleOutput(.standardError))
/// ```
///
/// The dump throws the first error, after which nothing is written. To export to a path, use
/// ``Database/dumpTables(_:format:tableHeader:stableOrder:toFile:)`` and its siblings, which leave no half of a file.
public final class FileHandleOutput: FailableOutput {
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
