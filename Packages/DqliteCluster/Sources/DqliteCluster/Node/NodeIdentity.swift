import Foundation

/// What a node's folder says about the node, in the file `strata.node` beside dqlite's files.
struct NodeIdentity: Codable, Equatable {
    let id: UInt64
    let address: String

    /// The ID of the cluster; nil until the node has read it from the leader.
    var cluster: String?

    /// The ID that the node gives its cluster when it leads it, after a recovery; nil if it keeps the cluster's ID.
    var newCluster: String?

    /// The addresses of the cluster's nodes, as of the last time that the node has read the ID.
    var members: [String] = []

    private static func file(in directory: String) -> URL { URL(fileURLWithPath: directory).appendingPathComponent("strata.node") }

    /// Reads the identity in a folder.
    ///
    /// - Returns: nil if the folder is new, or was last used by a version that did not write the file.
    init?(directory: String) throws {
        let data: Data
        do {
            data = try Data(contentsOf: Self.file(in: directory))
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw ClusterError.node("the file strata.node in \(directory) can't be read: \(error.localizedDescription)")
        }
        do {
            self = try JSONDecoder().decode(NodeIdentity.self, from: data)
        } catch {
            throw ClusterError.node("the file strata.node in \(directory) is damaged: if the folder belongs to this node, delete the file")
        }
    }

    init(id: UInt64, address: String) {
        self.id = id
        self.address = address
    }

    /// Replaces the file, after its content is on disk.
    func store(in directory: String) throws {
        let file = Self.file(in: directory)
        let new = file.appendingPathExtension("new")
        try JSONEncoder().encode(self).write(to: new)
        let handle = try FileHandle(forWritingTo: new)
        try handle.synchronize()
        try handle.close()
        let code = NewFile.replace(file.path, with: new.path)
        guard code == 0 else { throw ClusterError.node("\(file.path) can't be replaced: \(String(cString: strerror(code)))") }
    }

    /// Whether a folder has no data of a node.
    ///
    /// - Throws: ``ClusterError`` if the folder can't be read: it may have data.
    static func isEmpty(_ directory: String) throws -> Bool {
        // A disk that is mounted there has a folder of its own.
        let own: Set = ["lost+found", "strata.lock", "strata.node", "strata.node.new"]
        return try RaftLog.Folder(directory).names.isSubset(of: own)
    }
}
