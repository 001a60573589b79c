import Foundation

/// What the folder of a stopped node has, to decide which of several folders to recover.
///
/// ```swift
/// let folders = try ["/copies/node2", "/copies/node3"].map {
///     try NodeFolder(directory: $0)
/// }
/// let newest = try NodeFolder.newest(of: folders)
/// ```
///
/// A node votes only for nodes that have all of its entries, so the order of Raft's elections decides: the folder whose last entry has the
/// greater term has everything that the other has of acknowledged writes; with equal terms, it is the folder with more entries. The
/// documentation of libdqlite does not describe the files, so the format is the one of libraft 0.15, which libdqlite 1.11 uses. Files of
/// another format are refused.
public struct NodeFolder: Equatable, Sendable {
    /// The folder.
    public let directory: String

    /// The ID of the folder's node; nil if a version of this library has written the folder that did not store it.
    public let id: UInt64?

    /// The address of the folder's node.
    public let address: String?

    /// The ID of the folder's cluster; nil as long as the node has not read it.
    public let cluster: String?

    /// The term of the last entry of the log.
    public let lastTerm: UInt64

    /// The number of the last entry of the log: how many entries the cluster has had, of all its databases.
    public let lastIndex: UInt64

    /// The term in which the node has voted last. It is later than ``lastTerm`` if an election brought no entry.
    public let term: UInt64

    /// Reads a folder, or a copy of it. Nothing is changed in it.
    ///
    /// - Parameter directory: the folder of a node that is stopped, also one that was killed.
    /// - Throws: ``ClusterError/node(_:)`` if a node uses the folder, if it has no data, if it is damaged, or if another version of libdqlite
    ///   has written it.
    public init(directory: String) throws {
        let lock = try Self.lock(directory)
        defer { if let lock { close(lock) } }
        let identity = try NodeIdentity(directory: directory)
        let log = try RaftLog(directory: directory)
        self.directory = directory
        id = identity?.id
        address = identity?.address
        cluster = identity?.newCluster ?? identity?.cluster
        term = log.term
        lastTerm = log.last.term
        lastIndex = log.last.index
    }

    /// Keeps a node from starting in the folder, if the folder has a lock and can be written to.
    private static func lock(_ directory: String) throws -> CInt? {
        let descriptor = open(directory + "/strata.lock", O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return nil }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else {
            close(descriptor)
            throw ClusterError.node("a node uses the folder \(directory): stop it first")
        }
        return descriptor
    }

    /// Returns the folder that has all acknowledged writes of the others.
    ///
    /// - Parameter folders: at least one folder, all of nodes of the same cluster.
    /// - Throws: ``ClusterError/node(_:)`` if the folders belong to different clusters: they can't be compared.
    public static func newest(of folders: [NodeFolder]) throws -> NodeFolder {
        guard var newest = folders.first else { throw ClusterError.node("no folder was given") }
        for folder in folders.dropFirst() {
            if let cluster = folder.cluster, let other = newest.cluster, cluster != other {
                throw ClusterError.node(
                    "the folders \(newest.directory) and \(folder.directory) belong to different clusters, so they can't be compared")
            }
            if (folder.lastTerm, folder.lastIndex) > (newest.lastTerm, newest.lastIndex) { newest = folder }
        }
        return newest
    }
}

/// The files of libraft in a folder: `metadata1` and `metadata2`, segments of the log, and snapshots. All numbers are little-endian.
struct RaftLog {
    /// An entry of the log.
    struct Position: Equatable {
        var term: UInt64
        var index: UInt64
    }

    /// The current term.
    let term: UInt64
    /// The last entry.
    let last: Position

    /// Whether the name is that of a segment.
    static func isSegment(_ name: String) -> Bool { closedSegment(name) != nil || openSegment(name) != nil }

    private static func numbers(_ text: Substring, count: Int) -> [UInt64]? {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
        let known = numbers.compactMap { $0 }
        return known.count == count && numbers.count == count ? known : nil
    }

    /// A segment that is complete: `0000000000000001-0000000000000042`, the numbers of its first and its last entry.
    private static func closedSegment(_ name: String) -> (first: UInt64, last: UInt64)? {
        numbers(name[...], count: 2).map { ($0[0], $0[1]) }
    }

    /// A segment that is being written: `open-3`. Its entries follow those of the complete segments.
    private static func openSegment(_ name: String) -> UInt64? {
        name.hasPrefix("open-") ? numbers(name.dropFirst(5), count: 1)?[0] : nil
    }

    /// A snapshot: `snapshot-2-1024-123456`, with the term and the number of its last entry, and a time.
    private static func snapshot(_ name: String) -> Position? {
        guard name.hasPrefix("snapshot-"), let numbers = numbers(name.dropFirst(9), count: 3) else { return nil }
        return Position(term: numbers[0], index: numbers[1])
    }

    init(directory: String) throws {
        let folder = try Folder(directory)
        term = try Self.currentTerm(folder)
        last = try Self.lastEntry(folder)
        if last.index == 0 { throw folder.isWithoutData }
    }

    /// The files of a folder.
    struct Folder {
        let directory: String
        let names: Set<String>

        init(_ directory: String) throws {
            self.directory = directory
            do {
                names = try Set(FileManager.default.contentsOfDirectory(atPath: directory))
            } catch {
                throw ClusterError.node("the folder \(directory) can't be read: \(error.localizedDescription)")
            }
        }

        func data(_ name: String) throws -> Data {
            do {
                return try Data(contentsOf: URL(fileURLWithPath: directory).appendingPathComponent(name), options: .mappedIfSafe)
            } catch {
                throw ClusterError.node("the file \(name) in \(directory) can't be read: \(error.localizedDescription)")
            }
        }

        func damaged(_ name: String) -> ClusterError {
            .node("the file \(name) in \(directory) is damaged, or not of libdqlite 1.11: the folder can't be compared with others")
        }

        var isWithoutData: ClusterError { .node("the folder \(directory) has no data of a node") }
    }

    private static func currentTerm(_ folder: Folder) throws -> UInt64 {
        // Of the two files, the one with the greater version is current. A node that was killed may have written the other one in part.
        let files = ["metadata1", "metadata2"].filter(folder.names.contains)
        let metadata = try files.compactMap { name -> (version: UInt64, term: UInt64)? in
            let content = try folder.data(name)
            if content.count < 32 { return nil }
            guard content.word(at: 0) == 1 else { throw folder.damaged(name) }
            return (content.word(at: 8), content.word(at: 16))
        }
        guard let current = metadata.max(by: { $0.version < $1.version }) else { throw folder.isWithoutData }
        return current.term
    }

    private static func lastEntry(_ folder: Folder) throws -> Position {
        // A snapshot is complete when it has its second file.
        let snapshots = folder.names.compactMap { name in folder.names.contains(name + ".meta") ? Self.snapshot(name) : nil }
        let snapshot = snapshots.max { ($0.term, $0.index) < ($1.term, $1.index) } ?? Position(term: 0, index: 0)

        let closed = folder.names.compactMap { name in closedSegment(name).map { (name, $0) } }.sorted { $0.1.first < $1.1.first }
        var end: Position?
        for (name, range) in closed {
            let terms = try Self.terms(folder.data(name), isComplete: true)
            // No entry is missing behind the snapshot.
            guard let lastTerm = terms?.last, let count = terms?.count, range.last >= range.first,
                UInt64(count) == range.last - range.first + 1, range.first <= max(end?.index ?? 0, snapshot.index) + 1
            else { throw folder.damaged(name) }
            end = Position(term: lastTerm, index: range.last)
        }
        var last = end ?? snapshot
        let open = folder.names.compactMap { name in openSegment(name).map { (name, $0) } }.sorted { $0.1 < $1.1 }
        for (name, _) in open {
            guard let terms = try Self.terms(folder.data(name), isComplete: false) else { throw folder.damaged(name) }
            guard let lastTerm = terms.last else { continue }
            // Behind a snapshot that another node has sent, the numbers of the entries can't be told.
            if last.index < snapshot.index { throw folder.damaged(name) }
            last = Position(term: lastTerm, index: last.index + UInt64(terms.count))
        }
        return last.index < snapshot.index ? snapshot : last
    }

    /// Returns the terms of the entries of a segment: a word with the format, and batches. A batch has two checksums, the number of its
    /// entries, for each a term and a word with its size, and their contents.
    ///
    /// - Parameter isComplete: whether the segment must end with a complete batch. Otherwise, it ends where the first batch is not complete.
    /// - Returns: nil if the segment is damaged.
    private static func terms(_ content: Data, isComplete: Bool) -> [UInt64]? {
        // libraft has allocated a segment, and written nothing.
        if !isComplete, content.count < 8 || content.word(at: 0) == 0 { return [] }
        guard content.count >= 8, content.word(at: 0) == 1 else { return nil }
        var terms: [UInt64] = []
        var offset = 8
        while offset < content.count {
            guard let batch = batch(content, at: offset) else { return isComplete ? nil : terms }
            terms += batch.terms
            offset = batch.end
        }
        return terms
    }

    private static func batch(_ content: Data, at offset: Int) -> (terms: [UInt64], end: Int)? {
        let header = offset + 8
        guard content.count - header >= 8 else { return nil }
        let count = content.word(at: header)
        guard count > 0, count <= UInt64(content.count - header) / 16 else { return nil }
        let dataStart = header + 8 + Int(count) * 16
        guard dataStart <= content.count else { return nil }
        var terms: [UInt64] = []
        var size = 0
        for entry in stride(from: header + 8, to: dataStart, by: 16) {
            terms.append(content.word(at: entry))
            size += Int(content.word(at: entry + 8) >> 32)
        }
        guard size <= content.count - dataStart else { return nil }
        let sums = content.word(at: offset)
        guard checksum(content[(content.startIndex + header)..<(content.startIndex + dataStart)]) == UInt32(truncatingIfNeeded: sums),
            checksum(content[(content.startIndex + dataStart)..<(content.startIndex + dataStart + size)]) == UInt32(sums >> 32)
        else { return nil }
        return (terms, dataStart + size)
    }

    /// The CRC-32 with the polynomial 0x04c11db7, its highest bit first, that begins with 0.
    static func checksum(_ bytes: Data) -> UInt32 {
        bytes.reduce(0) { sum, byte in (sum << 8) ^ table[Int(truncatingIfNeeded: (sum >> 24) ^ UInt32(byte))] }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte) << 24) { sum, _ in sum & 0x8000_0000 == 0 ? sum << 1 : (sum << 1) ^ 0x04c1_1db7 }
    }

    /// Writes the file with which libraft takes an empty folder for that of a node that has a term, and has not voted.
    ///
    /// libdqlite 1.11 can make such a folder the only member of a cluster; without a term, its leader would never commit.
    ///
    /// - Returns: the file.
    static func begin(in directory: String) throws -> URL {
        let words: [UInt64] = [1, 1, 1, 0]
        let content = Data(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
        do {
            let file = URL(fileURLWithPath: directory).appendingPathComponent("metadata1")
            try content.write(to: file)
            let handle = try FileHandle(forWritingTo: file)
            try handle.synchronize()
            try handle.close()
            return file
        } catch {
            throw ClusterError.node("the folder \(directory) can't be written to: \(error.localizedDescription)")
        }
    }
}
