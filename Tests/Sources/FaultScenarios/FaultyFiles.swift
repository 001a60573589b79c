import FaultyVFS
import Foundation
import Strata

/// A file system that fails on command, with its own folder.
public final class FaultyFiles {
    /// When a file system fails.
    public struct Fault: Sendable, Hashable, CustomStringConvertible {
        /// The code, and the operations that fail with it.
        ///
        /// A file system reports only these: SQLite relies on a failed read or write being SQLITE_IOERR or SQLITE_FULL, after which it gives
        /// up its cache. Lack of memory is SQLITE_IOERR_NOMEM, except when a file is opened.
        public enum Kind: CaseIterable, Sendable {
            case io, full, memory, memoryToOpen

            var code: ResultCode {
                switch self {
                case .io: .SQLITE_IOERR
                case .full: .SQLITE_FULL
                case .memory: .SQLITE_IOERR_NOMEM
                case .memoryToOpen: .SQLITE_NOMEM
                }
            }

            var operations: Int {
                switch self {
                case .io, .memory: FAULTY_ALL
                case .full: FAULTY_WRITE | FAULTY_TRUNCATE | FAULTY_SYNC
                case .memoryToOpen: FAULTY_OPEN
                }
            }

            /// The codes that SQLite reports: lack of memory is SQLITE_NOMEM, most often.
            var reported: [ResultCode] {
                switch self {
                case .io: [.SQLITE_IOERR]
                case .full: [.SQLITE_FULL]
                case .memory: [.SQLITE_NOMEM, .SQLITE_IOERR]
                case .memoryToOpen: [.SQLITE_NOMEM]
                }
            }
        }

        /// What fails.
        public var kind: Kind
        /// Whether all operations fail after the first one that does.
        var persists: Bool

        /// The fault, for messages.
        public var description: String { "\(kind.code) \(persists ? "from then on" : "once")" }

        /// All faults.
        public static let all = Kind.allCases.flatMap { kind in [false, true].map { Fault(kind: kind, persists: $0) } }
    }

    private let folder: URL
    private let vfs: OpaquePointer
    private let name: String

    /// Creates a file system and its folder.
    public init() throws {
        name = "faulty-\(UUID().uuidString)"
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(name)")
        guard let vfs = faulty_vfs_create(name) else { throw FaultCheck(description: "there is no memory for a file system") }
        self.vfs = vfs
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        faulty_vfs_destroy(vfs)
        try? FileManager.default.removeItem(at: folder)
    }

    /// The path of a file in the folder, for connections without faults.
    public func path(_ file: String) -> String { folder.appendingPathComponent(file).path }

    /// The URI of a file in the folder, for connections that use this file system.
    public func uri(_ file: String) -> String { "file://\(path(file))?vfs=\(name)" }

    /// The number of files that are open.
    public var openFileCount: Int { Int(faulty_vfs_open_files(vfs)) }

    /// What a watched checkpoint does next.
    public enum CheckpointStep: Equatable, Sendable {
        /// It takes the lock of checkpoints.
        case begin
        /// It continues with the header of the log, which it has just read, and which its connection has not seen before.
        case header
        /// It calls another function of the file system.
        case operation
    }

    /// Calls a closure before each step of the checkpoints that connections of this file system run meanwhile.
    ///
    /// - Parameters:
    ///   - watch: called on the thread of the checkpoint. It may use other connections.
    ///   - body: runs checkpoints.
    public func watchingCheckpoints<T>(
        _ watch: @escaping (CheckpointStep) -> Void, _ body: () throws -> T
    ) rethrows -> T {
        let watcher = Watcher(watch: watch)
        faulty_vfs_watch_checkpoints(
            vfs,
            { context, operation in
                let watcher = Unmanaged<Watcher>.fromOpaque(context!).takeUnretainedValue()
                switch Int(operation) {
                case FAULTY_CHECKPOINT: watcher.watch(.begin)
                case FAULTY_HEADER: watcher.watch(.header)
                default: watcher.watch(.operation)
                }
            }, Unmanaged.passUnretained(watcher).toOpaque())
        defer { faulty_vfs_watch_checkpoints(vfs, nil, nil) }
        return try withExtendedLifetime(watcher) { try body() }
    }

    private final class Watcher {
        let watch: (CheckpointStep) -> Void
        init(watch: @escaping (CheckpointStep) -> Void) { self.watch = watch }
    }

    /// The file system as a source of faults.
    public func source(_ fault: Fault) -> any FaultSource { Source(files: self, fault: fault) }

    private struct Source: FaultSource {
        let files: FaultyFiles
        let fault: Fault

        var description: String { fault.description }
        var failureCount: Int { Int(faulty_vfs_failures(files.vfs)) }
        var failedOperation: String {
            switch Int(faulty_vfs_first_failure(files.vfs)) {
            case FAULTY_OPEN: "open"
            case FAULTY_READ: "read"
            case FAULTY_WRITE: "write"
            case FAULTY_SYNC: "sync"
            case FAULTY_TRUNCATE: "truncate"
            case FAULTY_LOCK: "lock"
            case FAULTY_SHARED_MEMORY: "shared memory"
            case FAULTY_DELETE: "delete"
            default: "none"
            }
        }

        func arm(at n: Int) {
            faulty_vfs_arm(files.vfs, Int32(fault.kind.operations), fault.kind.code.rawValue, Int64(n), fault.persists ? 1 : 0)
        }

        func disarm() { faulty_vfs_disarm(files.vfs) }

        // SQLite reports most failures to open a file as SQLITE_CANTOPEN.
        func explains(_ code: ResultCode) -> Bool { fault.kind.reported.contains(code) || code == .SQLITE_CANTOPEN }
    }
}

/// SQLite's memory as a source of faults.
public struct FaultyMemory: FaultSource {
    /// Whether all allocations fail after the first one that does.
    public var persists: Bool

    /// Creates a source.
    public init(persists: Bool) {
        self.persists = persists
    }

    /// Makes SQLite use an allocator that can fail. Must be called before anything else of SQLite.
    public static func install() throws {
        let code = faulty_memory_install()
        if code != 0 { throw FaultCheck(description: "SQLite refuses the allocator: \(code)") }
    }

    /// The faults, for messages.
    public var description: String { "no memory \(persists ? "from then on" : "once")" }

    /// The number of allocations that have failed.
    public var failureCount: Int { Int(faulty_memory_failures()) }

    /// What has failed, for counts.
    public var failedOperation: String { "allocation" }

    /// Makes the n-th allocation from now on fail.
    public func arm(at n: Int) { faulty_memory_arm(Int64(n), persists ? 1 : 0) }

    /// Stops failing allocations.
    public func disarm() { faulty_memory_disarm() }

    /// Whether lack of memory explains a code. If a file can't be opened, it is SQLITE_CANTOPEN; if an operation on a file fails, it is
    /// SQLITE_IOERR.
    public func explains(_ code: ResultCode) -> Bool { [.SQLITE_NOMEM, .SQLITE_IOERR, .SQLITE_CANTOPEN].contains(code) }
}
