import Foundation
import Testing

@testable import DqliteCluster

/// What the folders of stopped nodes have, by libraft's files.
@Suite struct NodeFolderTests {
    /// Files as libraft writes them.
    private final class Files {
        let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            try metadata(1, version: 1, term: 1)
        }

        func words(_ words: [UInt64]) -> Data {
            words.reduce(into: Data()) { data, word in withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) } }
        }

        func metadata(_ number: Int, version: UInt64, term: UInt64, format: UInt64 = 1) throws {
            try words([format, version, term, 0]).write(to: folder.file("metadata\(number)"))
        }

        /// A batch of entries with these terms, each of 16 bytes.
        func batch(_ terms: [UInt64]) -> Data {
            let header = words([UInt64(terms.count)] + terms.flatMap { [$0, 1 | 16 << 32] })
            let content = Data(repeating: 7, count: terms.count * 16)
            return words([UInt64(RaftLog.checksum(header)) | UInt64(RaftLog.checksum(content)) << 32]) + header + content
        }

        func segment(_ name: String, _ batches: [[UInt64]], cut: Int = 0, zeros: Int = 0, format: UInt64 = 1) throws {
            let content = words([format]) + batches.reduce(into: Data()) { $0 += batch($1) }
            try (content.dropLast(cut) + Data(count: zeros)).write(to: folder.file(name))
        }

        func closed(_ first: Int, _ terms: [UInt64]) throws {
            try segment(String(format: "%016d-%016d", first, first + terms.count - 1), [terms])
        }

        func snapshot(_ term: Int, _ index: Int, isComplete: Bool = true) throws {
            try Data().write(to: folder.file("snapshot-\(term)-\(index)-123"))
            if isComplete { try Data().write(to: folder.file("snapshot-\(term)-\(index)-123.meta")) }
        }

        func last() throws -> [UInt64] {
            let node = try NodeFolder(directory: folder.path)
            return [node.lastTerm, node.lastIndex]
        }

        func expectRefusal(_ message: String, sourceLocation: SourceLocation = #_sourceLocation) {
            let error = #expect(throws: ClusterError.self, sourceLocation: sourceLocation) { try last() }
            #expect(
                "\(String(describing: error))".contains(message), "\(String(describing: error))", sourceLocation: sourceLocation)
        }
    }

    @Test
    func `The last entry is that of the last segment`() throws {
        let files = try Files()
        files.expectRefusal("has no data of a node")
        try files.closed(1, [1])
        #expect(try files.last() == [1, 1])
        try files.closed(2, [1, 1, 2])
        #expect(try files.last() == [2, 4])
        // Segments that are being written, in the order of their numbers, and one that is only allocated.
        try files.segment("open-2", [[3], [4, 4]], zeros: 4096)
        try files.segment("open-10", [[5]], zeros: 64)
        try files.segment("open-11", [], zeros: 4096, format: 0)
        #expect(try files.last() == [5, 8])
        // A node that was killed leaves a batch that is not complete, or of which a part was not written.
        try files.segment("open-10", [[5], [6, 6]], cut: 1)
        #expect(try files.last() == [5, 8])
        try files.segment("open-10", [[5], [6, 6]], cut: 16, zeros: 4096)
        #expect(try files.last() == [5, 8])
        // Other files don't count.
        try Data([1]).write(to: files.folder.file("strata.lock"))
        try Data([1]).write(to: files.folder.file("tmp-snapshot-9-9-9"))
        #expect(try files.last() == [5, 8])
    }

    @Test
    func `A snapshot has the entries before it`() throws {
        let files = try Files()
        try files.snapshot(2, 100)
        #expect(try files.last() == [2, 100])
        try files.snapshot(3, 200, isComplete: false)
        #expect(try files.last() == [2, 100])
        try files.closed(90, [1, 1, 2])
        #expect(try files.last() == [2, 100])
        try files.closed(93, [2, 2, 2, 2, 2, 2, 2, 2, 2, 3])
        #expect(try files.last() == [3, 102])
        try files.segment("open-1", [[3]])
        #expect(try files.last() == [3, 103])
    }

    @Test
    func `The current metadata is that of the greater version`() throws {
        let files = try Files()
        try files.closed(1, [1])
        try files.metadata(2, version: 2, term: 7)
        #expect(try NodeFolder(directory: files.folder.path).term == 7)
        // Written in part.
        try Data(count: 8).write(to: files.folder.file("metadata1"))
        #expect(try NodeFolder(directory: files.folder.path).term == 7)
    }

    @Test
    func `Damaged folders, and those of another version, are refused`() throws {
        for (_, damage) in [
            ("a gap", { try $0.closed(6, [1]) }),
            ("a missing entry", { try $0.segment("0000000000000004-0000000000000006", [[1, 1]]) }),
            (
                "a changed byte",
                {
                    try ($0.words([1]) + $0.batch([1]).dropLast(1) + Data([0])).write(
                        to: $0.folder.file("0000000000000004-0000000000000004"))
                }
            ),
            ("a cut segment", { try $0.segment("0000000000000004-0000000000000005", [[1], [1]], cut: 1) }),
            ("another format", { try $0.segment("open-1", [[1]], format: 2) }),
            (
                "entries behind a snapshot of another node",
                {
                    try $0.snapshot(2, 100)
                    try $0.segment("open-1", [[2]])
                }
            ),
        ] as [(String, (Files) throws -> Void)] {
            let files = try Files()
            try files.closed(1, [1, 1, 1])
            #expect(try files.last() == [1, 3])
            try damage(files)
            files.expectRefusal("is damaged, or not of libdqlite 1.11")
        }
        let files = try Files()
        try files.closed(1, [1])
        try files.metadata(2, version: 2, term: 1, format: 2)
        files.expectRefusal("metadata2")
        let error = #expect(throws: ClusterError.self) { try NodeFolder(directory: files.folder.path("missing")) }
        #expect("\(String(describing: error))".contains("can't be read"))
    }

    @Test
    func `The later term decides, and then the number of entries`() throws {
        func folder(_ term: UInt64, _ index: Int, cluster: String? = nil) throws -> (files: Files, node: NodeFolder) {
            let files = try Files()
            try files.closed(1, [UInt64](repeating: 1, count: index - 1) + [term])
            var identity = NodeIdentity(id: 1, address: "10.0.0.1:9001")
            identity.cluster = cluster
            if cluster != nil { try identity.store(in: files.folder.path) }
            return (files, try NodeFolder(directory: files.folder.path))
        }
        let (long, late, later) = (try folder(1, 9), try folder(2, 3), try folder(2, 4))
        for order in [[long, late, later], [later, late, long], [late, later, long]] {
            #expect(try NodeFolder.newest(of: order.map(\.node)) == later.node)
        }
        #expect(try NodeFolder.newest(of: [late.node, long.node]) == late.node)
        let (own, other) = (try folder(1, 1, cluster: "a"), try folder(1, 1, cluster: "b"))
        #expect(own.node.id == 1 && own.node.address == "10.0.0.1:9001" && own.node.cluster == "a")
        #expect(try NodeFolder.newest(of: [own.node, long.node]) == long.node)
        let error = #expect(throws: ClusterError.self) { try NodeFolder.newest(of: [own.node, other.node]) }
        #expect("\(String(describing: error))".contains("different clusters"))
        #expect(throws: ClusterError.self) { try NodeFolder.newest(of: []) }
    }

    @Test(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"))
    func `The folder of a node that was stopped earlier is older`() throws {
        let nodes = try TestNodes(count: 3)
        let cluster = try nodes.open()
        try cluster.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        let error = #expect(throws: ClusterError.self) { try NodeFolder(directory: nodes.directory(3)) }
        #expect("\(String(describing: error))".contains("a node uses the folder"))
        nodes.waitForIdentity()
        nodes.stop(3)
        for number in 1...20 {
            try cluster.write(.repeatable) { db in try db.execute(sql: "INSERT INTO t VALUES (zeroblob(?))", arguments: [number * 1000]) }
        }
        let leader = try cluster.leader().id
        try cluster.close()
        nodes.stop(3 - leader)
        nodes.stop(leader)
        let folders = try (UInt64(1)...3).map { try NodeFolder(directory: nodes.directory($0)) }
        #expect(folders.map(\.id) == [1, 2, 3] && folders.map(\.address) == nodes.addresses)
        #expect(folders[2].lastIndex + 20 <= folders[0].lastIndex, "\(folders)")
        #expect(try NodeFolder.newest(of: folders).id != 3)
        #expect(try NodeFolder.newest(of: folders.reversed()).lastIndex == folders.map(\.lastIndex).max())
    }
}
