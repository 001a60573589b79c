/// A file that is open, or about to be opened, closed or deleted. The lock of the ``FileTable`` guards the variables.
///
///     opening ──▶ open ──▶ closing
///                  │
///                  └─────▶ deleting
///
/// An open file is leased as long as its ``DatabaseLease`` exists: closures, accesses in progress, observations and the program refer to it.
///
/// `@unchecked Sendable`: that lock.
final class FileEntry: @unchecked Sendable {
    enum Phase {
        case opening
        case open(DatabasePool)
        case closing
        case deleting
    }

    let name: String
    let key: FileKey
    /// Whether the file is created if it does not exist.
    let creates: Bool

    var phase = Phase.opening
    /// The file on the disk, once it is known.
    var identity: FileIdentity?
    /// Its log on the disk.
    var logIdentity: FileIdentity?
    /// The requests that wait for the end of the current phase.
    var requests: [FileRequest] = []
    /// The requests to delete the file, which wait until it is not leased.
    var deletions: [DeletionRequest] = []

    /// The lease, while there is one.
    weak var lease: DatabaseLease?
    var isLeased = false
    /// The number of the lease. The end of an earlier one, whose object was still being released when this one began, changes nothing.
    var leaseNumber = 0
    /// The number of closures that use the lease.
    var useCount = 0
    var lastUse = ContinuousClock.now
    /// Whether the path leads to another file now. The file is closed after its lease.
    var isDetached = false

    init(_ name: String, _ key: FileKey, creates: Bool) {
        (self.name, self.key, self.creates) = (name, key, creates)
    }

    /// The pool, if the file is open and nobody uses it.
    var idlePool: DatabasePool? {
        guard case .open(let pool) = phase, !isLeased else { return nil }
        return pool
    }

    /// Whether the file may be closed for another one soon, without the program's doing.
    var isUsedForATime: Bool {
        switch phase {
        case .opening: true
        case .open: useCount > 0 || !isLeased
        case .closing, .deleting: false
        }
    }
}
