import Foundation
import SQLiteDriver

extension DqliteCluster {
    /// Copies the database into a file, which any SQLite can open.
    ///
    /// ```swift
    /// try cluster.backup(toFile: "/backups/app.sqlite")
    /// ```
    ///
    /// A node copies the database in its memory, which stops it from doing anything else for as long, and this program keeps another copy
    /// in its own. So the copy comes from a node that does not lead, if one answers. It has the state after a commit, with all commits that
    /// were acknowledged before the call: the leader commits a mark of its own, in the cluster's database `strata`, and a node that has the
    /// mark has what was committed before it. That takes up to a tenth of the election timeout.
    /// A file that exists is replaced once the copy is complete and has passed `PRAGMA quick_check`.
    ///
    /// - Parameter path: the path of the file.
    /// - Returns: the node that the copy comes from.
    /// - Throws: ``ClusterError``, ``DatabaseError`` if the copy is damaged, or an error of the file system.
    @discardableResult
    public func backup(toFile path: String) throws -> ClusterNode {
        let temporary = "\(path).\(UUID().uuidString)"
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: temporary + suffix) } }
        let node = try dump(to: temporary)
        let copy = try DatabaseQueue(path: temporary)
        try copy.writeWithoutTransaction { db in
            // Moves the log into the file, which then consists of one.
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
            let check = try db.makeStatement(sql: "PRAGMA quick_check(1)")
            guard try check.step(), let result = check.string(at: 0), result == "ok" else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the copy from the node \(node.id) is damaged")
            }
        }
        try copy.close()
        // SQLite has synchronized the content. It would use the files of the previous database at this path for the new one.
        for suffix in ["-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let code = NewFile.replace(path, with: temporary)
        guard code == 0 else { throw ClusterError.node("\(path) can't be replaced: \(String(cString: strerror(code)))") }
        return node
    }

    /// Copies the database into a folder, under a name with the time, and removes the oldest copies.
    ///
    /// ```swift
    /// try cluster.backup(toFolder: "/backups", keeping: 14)
    /// // /backups/app-2026-11-28T093015Z.sqlite
    /// ```
    ///
    /// Call it from time to time, for example each night.
    ///
    /// - Parameters:
    ///   - folder: the path of a folder, which must exist.
    ///   - count: how many copies of this database to keep, at least 1. Other files are not removed.
    /// - Returns: the path of the copy.
    /// - Throws: as ``backup(toFile:)``. No copy is removed then.
    @discardableResult
    public func backup(toFolder folder: String, keeping count: Int) throws -> String {
        let prefix = finder.database + "-"
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withFullDate, .withDashSeparatorInDate, .withTime, .withTimeZone]
        let path = "\(folder)/\(prefix)\(formatter.string(from: Date())).sqlite"
        try backup(toFile: path)
        let copies = try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            // The name of another database may begin with the name of this one.
            name.hasPrefix(prefix) && name.hasSuffix(".sqlite")
                && formatter.date(from: String(name.dropFirst(prefix.count).dropLast(7))) != nil
        }
        for name in copies.sorted().dropLast(max(count, 1)) { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        return path
    }

    /// Copies the database into another one, which is not on a cluster, and replaces its content.
    ///
    /// ```swift
    /// let copy = try DatabaseQueue()
    /// try cluster.backup(to: copy)
    /// ```
    ///
    /// - Parameter writer: a queue or a pool.
    /// - Throws: as ``backup(toFile:)``.
    public func backup(to writer: some DatabaseWriter) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("copy.sqlite").path
        try backup(toFile: path)
        try DatabaseQueue(path: path).backup(to: writer)
    }

    /// Writes the files of the database as a node has them: of one that does not lead, or else of the leader.
    private func dump(to path: String) throws -> ClusterNode {
        try withBackupMark { mark in
            let members = try members().filter { $0.isReachable && $0.node.role != .spare }.sorted { !$0.isLeader && $1.isLeader }
            var failure: any Error = ClusterError.noLeader("no node with the data answers")
            for member in members {
                do {
                    let files = try Self.throwingPublicErrors { try dump(member.node, with: mark) }
                    for file in files {
                        let suffix = file.name.dropFirst(finder.database.count)
                        guard file.name.hasPrefix(finder.database), ["", "-wal"].contains(suffix) else {
                            throw ClusterError.invalidResponse("a dump with the file \(file.name)")
                        }
                        try Data(file.content).write(to: URL(fileURLWithPath: path + suffix))
                    }
                    return member.node
                } catch {
                    failure = error
                }
            }
            throw failure
        }
    }

    /// Calls a closure with a string that the leader has committed into the cluster's own database, and removes it afterwards.
    private func withBackupMark<T>(_ body: (String) throws -> T) throws -> T {
        let mark = UUID().uuidString
        func run(_ statements: String...) throws {
            try onLeader { connection in
                let database = try connection.open("strata")
                for sql in statements { _ = try connection.run(.execSQL, sql, in: database) }
            }
        }
        let deadline = Deadline(after: finder.leaderTimeout)
        while true {
            do {
                try run(
                    "CREATE TABLE IF NOT EXISTS backup (mark TEXT NOT NULL, time TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)",
                    "INSERT INTO backup (mark) VALUES ('\(mark)')")
                break
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && !deadline.hasPassed {
                // Another program makes a backup.
            } catch let error as ClusterError where error.mayRunAgain && !deadline.hasPassed {
                // The leader has changed. A mark may be there twice.
            }
            Interruption().sleep(milliseconds: 10)
        }
        // A mark that remains, because the program ended, does no harm.
        defer { try? run("DELETE FROM backup WHERE mark = '\(mark)' OR time < datetime('now', '-1 day')") }
        return try body(mark)
    }

    /// Returns the files of the database as a node has them, once it has a mark.
    ///
    /// All databases of a cluster have one log, so the node then has what was committed before the mark, in any of them.
    private func dump(_ node: ClusterNode, with mark: String) throws -> [WireResponse.File] {
        let inquiry = Inquiry(patience: finder.requestTimeout, deadline: Deadline(after: finder.requestTimeout))
        let bytes = Data(mark.utf8)
        return try inquiry.ask(NodeAddress(node.address)) { connection in
            while try !connection.dump("strata").contains(where: { Data($0.content).range(of: bytes) != nil }) {
                if inquiry.deadline.hasPassed { throw SocketError("\(node.address) has not got the latest commits in time") }
                Interruption().sleep(milliseconds: 10)
            }
            return try connection.dump(finder.database)
        }
    }
}
