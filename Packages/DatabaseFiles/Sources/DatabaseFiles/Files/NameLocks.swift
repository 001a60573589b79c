#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Locks that keep processes, and the folders of one process, from deleting a file while another one opens it.
///
/// Between the moment when SQLite opens a file and the first lock that SQLite takes, nothing else would. Each name has a byte of its own in
/// a file of the folder, `.strata-lock`, which is locked and never written. The system gives the locks of a process back when it ends.
///
/// Source: <https://man7.org/linux/man-pages/man2/fcntl_locking.2.html>, open file description locks.
final class NameLocks: Sendable {
    enum Kind {
        /// For opening or naming a file: others may do so, too.
        case shared
        /// For deleting it.
        case exclusive
    }

    /// -1 where the folder can't have such a file: then nothing is deleted there, either.
    private let descriptor: CInt

    init(folder: String) {
        let path = "\(folder)/.strata-lock"
        let writing = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        descriptor = writing >= 0 ? writing : open(path, O_RDONLY | O_CLOEXEC)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Runs a closure while the name of a file is locked. Blocks the thread.
    func withLock<T>(_ kind: Kind, on path: String, _ body: () throws -> T) rethrows -> T {
        // Two paths with one hash only wait for each other.
        let place = path.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } >> 2
        set(CInt(kind == .shared ? F_RDLCK : F_WRLCK), Int64(place))
        defer { set(CInt(F_UNLCK), Int64(place)) }
        return try body()
    }

    private func set(_ type: CInt, _ place: Int64) {
        if descriptor < 0 { return }
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(place)
        lock.l_len = 1
        // F_OFD_SETLKW
        #if canImport(Darwin)
            let command: CInt = 91
        #else
            let command: CInt = 38
        #endif
        while withUnsafeMutablePointer(to: &lock, { fcntl(descriptor, command, UnsafeMutableRawPointer($0)) }) != 0, errno == EINTR {}
    }
}
