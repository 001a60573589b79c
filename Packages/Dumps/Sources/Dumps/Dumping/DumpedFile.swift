import Foundation
import SQLiteDriver

/// A file that a dump creates, or replaces once its output is complete.
struct DumpedFile {
    private let path: String

    /// The file that the path names, or that its symbolic link points to.
    private let target: URL

    /// - Parameter path: a path, absolute or from the current folder.
    /// - Throws: ``DatabaseError`` if SQLite may have locks on the file.
    init(_ path: String) throws {
        self.path = path
        target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        guard !DatabaseFileFormat.isOfDatabase(path: target.path) else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: "\(path) belongs to a database: a dump can't replace it",
                advice: "Choose another name.")
        }
    }

    /// Calls the closure with an output, whose text becomes the content of the file.
    ///
    /// The text is written to a file beside the target, which takes its place when it is on the disk. Pipes and devices can't be replaced.
    func write(like db: Database, _ body: (FileHandleOutput) throws -> Void) throws {
        if NewFile.isSpecial(path) {
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            return try Self.closing(handle) { try body(FileHandleOutput(handle)) }
        }
        let file = target.deletingLastPathComponent().appendingPathComponent(".\(target.lastPathComponent).\(UUID().uuidString)")
        if !NewFile.create(file.path, like: target.path), try !NewFile.create(file.path, like: db) {
            // The database is in memory, or an error has a reason, which this throws.
            try Data().write(to: file, options: .withoutOverwriting)
        }
        do {
            let handle = try FileHandle(forWritingTo: file)
            try Self.closing(handle) {
                try body(FileHandleOutput(handle))
                try handle.synchronize()
            }
            let code = NewFile.replace(target.path, with: file.path)
            if code != 0 { throw POSIXError(number: code) }
        } catch {
            NewFile.remove(file.path)
            throw error
        }
    }

    /// Calls the closure, and closes the file. Some file systems report only then that they could not store all of it.
    private static func closing(_ handle: FileHandle, _ body: () throws -> Void) throws {
        let result = Result { try body() }
        let end = Result { try handle.close() }
        try result.get()
        try end.get()
    }
}
