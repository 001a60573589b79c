/// The error of a file that a ``DatabaseFolder`` does not open or delete.
///
/// ```swift
/// do {
///     try await files.read("arthur") { db in … }
/// } catch let error as DatabaseFileError where error.reason == .notFound {
///     // There is no such tenant.
/// }
/// ```
public struct DatabaseFileError: Error, Hashable, Sendable {
    /// Why a file is not opened or deleted.
    public enum Reason: Hashable, Sendable {
        /// The file does not exist, and the call does not create it.
        case notFound
        /// The name is empty, its file name would be too long, or the folder's function returned a path outside of the folder.
        case invalidName
        /// Another connection, of this process or of another one, has the file open: it can't be deleted now.
        case inUse
        /// The file has several names (hard links). The log of a database belongs to a name, so changes through different names damage the file.
        case severalLinks
        /// The name leads to the same file as another name that is in use.
        case sameFile
        /// The file is gone, but its log is still there. SQLite would copy the log into a new file.
        case leftoverLog
        /// As many files are open as the folder allows, and none of them can be closed: all are kept open by leases.
        case allInUse
        /// The process may not have as many open files as the limit of the folder needs.
        case tooFewDescriptors
        /// The folder does not exist.
        case noFolder
    }

    /// Why the file is not opened or deleted.
    public let reason: Reason

    /// The name of the database; empty if the error is about the folder.
    public let name: String

    private let detail: String?

    /// Creates an error, for tests of code that handles it.
    public init(_ reason: Reason, name: String) {
        self.init(reason, name: name, detail: nil)
    }

    init(_ reason: Reason, name: String, detail: String?) {
        (self.reason, self.name, self.detail) = (reason, name, detail)
    }
}

extension DatabaseFileError: CustomStringConvertible {
    /// A sentence on what is wrong, and another on what to do.
    public var description: String {
        let detail = detail.map { ": \($0)" } ?? ""
        switch reason {
        case .notFound: return "there is no database named \(name)\(detail). Pass creating: true to create it."
        case .invalidName: return "\"\(name)\" can't be the name of a database\(detail)"
        case .inUse: return "the database \(name) is in use\(detail). Delete it when no process has it open."
        case .severalLinks: return "the file of the database \(name) has several hard links\(detail). Copy it instead."
        case .sameFile: return "the database \(name) is the same file as another one\(detail). Use one name for each file."
        case .leftoverLog:
            return "the file of the database \(name) was removed without its log\(detail). Restore the file, or remove the log, too."
        case .allInUse: return "the database \(name) can't be opened: leases keep as many files open as the folder allows\(detail)"
        case .tooFewDescriptors: return "the process may not open enough files\(detail)"
        case .noFolder: return "the folder does not exist\(detail). Create it first."
        }
    }
}
