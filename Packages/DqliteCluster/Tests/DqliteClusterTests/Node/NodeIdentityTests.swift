import Foundation
import Testing

@testable import DqliteCluster

/// What a node's folder says about the node, when it can't be read.
@Suite struct NodeIdentityTests {
    @Test
    func `A folder whose identity can't be read does not pass for a new one`() throws {
        let folder = try TemporaryFolder()
        try #expect(NodeIdentity(directory: folder.url.path) == nil)
        try #expect(NodeIdentity(directory: folder.path("missing")) == nil)
        try FileManager.default.createDirectory(atPath: folder.path("strata.node"), withIntermediateDirectories: false)
        let error = #expect(throws: ClusterError.self) { try NodeIdentity(directory: folder.url.path) }
        #expect(error.map { "\($0)".contains("strata.node") && "\($0)".contains("can't be read") } == true, "\(String(describing: error))")
    }

    @Test
    func `A folder that can't be read does not pass for an empty one`() throws {
        let folder = try TemporaryFolder()
        try #expect(NodeIdentity.isEmpty(folder.url.path))
        try Data().write(to: folder.file("metadata1"))
        try #expect(!NodeIdentity.isEmpty(folder.url.path))
        #expect(throws: ClusterError.self) { try NodeIdentity.isEmpty(folder.path("metadata1")) }
    }

    @Test
    func `An identity replaces the previous one`() throws {
        let folder = try TemporaryFolder()
        var identity = NodeIdentity(id: 2, address: "10.0.0.2:9001")
        try identity.store(in: folder.url.path)
        identity.cluster = "a"
        try identity.store(in: folder.url.path)
        try #expect(NodeIdentity(directory: folder.url.path) == identity)
        try #expect(FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["strata.node"])
    }
}
