import CSQLite
import FaultScenarios
import Foundation
import Strata

// The connections of the tests of checkpoints that commits overtake. They share a table `t`, whose rows are counted at the end.

/// A connection by the C API, without anything of Strata.
final class CConnection {
    private var handle: OpaquePointer?

    init(_ path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, nil)
        self.handle = handle
        if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    deinit { close() }

    func close() {
        sqlite3_close(handle)
        handle = nil
    }

    func run(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(handle)))
        }
    }
}

/// What commits while another connection runs a checkpoint.
enum Committer: CaseIterable {
    case pool, queue, otherProcess
}

/// What runs a checkpoint.
enum Checkpointer: CaseIterable {
    case pool, queue
}

/// A connection that the test controls, and that does not wait for locks.
final class Party {
    private let run: (String) throws -> Void
    let close: () throws -> Void

    init(_ writer: any DatabaseWriter) {
        run = { sql in try writer.writeWithoutTransaction { try $0.execute(sql: sql) } }
        close = { try writer.close() }
    }

    init(_ connection: CConnection) {
        run = { try connection.run($0) }
        close = { connection.close() }
    }

    init(_ process: OtherProcess) {
        run = { try process.run($0) }
        close = { try process.end() }
    }

    /// - Parameters:
    ///   - path: the path of a file in the WAL mode, or its URI.
    ///   - automaticFrameCount: the length of the log from which on commits run checkpoints; 0 for none.
    convenience init(_ committer: Committer, _ path: String, automaticFrameCount: Int = 0) throws {
        let sql = "PRAGMA wal_autocheckpoint = \(automaticFrameCount)"
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { if !$0.configuration.readonly { try $0.execute(sql: sql) } }
        switch committer {
        case .pool: self.init(try DatabasePool(path: path, configuration: configuration))
        case .queue: self.init(try DatabaseQueue(path: path, configuration: configuration))
        case .otherProcess: self.init(try OtherProcess(path, sql))
        }
    }

    /// Runs statements outside transactions, unless a lock is missing.
    ///
    /// - Returns: whether all of them ran.
    @discardableResult
    func tries(_ sql: String) throws -> Bool {
        do {
            try run(sql)
            return true
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            return false
        }
    }
}

/// A file in the WAL mode, and the number of its rows that were committed.
final class CheckpointedFile {
    let files: FaultyFiles
    var path: String { files.path("database.sqlite") }
    var uri: String { files.uri("database.sqlite") }
    private(set) var committedCount = 0

    init() throws {
        files = try FaultyFiles()
        try CConnection(path).run("PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB); CREATE INDEX i ON t (x)")
    }

    static func insertion(_ count: Int) -> String {
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) INSERT INTO t (x) SELECT randomblob(300) FROM n"
    }

    /// Inserts rows, unless another connection holds a lock that the connection needs.
    ///
    /// - Parameter sql: inserts the rows, or commits their insertion.
    func insert(_ count: Int, _ party: Party, _ sql: String? = nil) throws {
        if try party.tries(sql ?? Self.insertion(count)) { committedCount += count }
    }

    func insert(_ count: Int, _ body: () throws -> Void) throws {
        do {
            try body()
            committedCount += count
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
    }

    /// Returns the defect of the file, after all connections are closed; nil if all committed rows are in it.
    func loss() throws -> String? {
        do {
            return try DatabaseQueue(path: path).read { db in
                let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM t NOT INDEXED")
                if count != committedCount { return "\(committedCount) rows were committed, \(count ?? -1) are there" }
                let check = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)")
                return check == ["ok"] ? nil : "\(check)"
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return "\(error)"
        }
    }
}
