import Foundation
import Strata

/// Strata as one of the programs of Tests/Peers, whose README describes the workloads and what is printed.
enum Peer {
    static let option = "--peer"

    /// - Parameter arguments: `hand` or `codable`, the workload, the path of a new database, and the folder of SQL files.
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 4 else { fail("\(option) needs the kind of records, a workload, a path and a folder") }
        let peer = (workload: arguments[1], path: arguments[2], folder: arguments[3])
        switch arguments[0] {
        case "hand":
            try PeerRun<HandRecords>(peer.workload, peer.path, peer.folder).run()
        case "codable":
            try PeerRun<CodableRecords>(peer.workload, peer.path, peer.folder).run()
        default:
            fail("records are made by hand or codable, and not \(arguments[0])")
        }
    }
}

/// A run of one workload.
private struct PeerRun<Records: PeerRecords> {
    let kind: String
    let number: Int
    let path: String
    let folder: String
    let queue: DatabaseQueue

    init(_ workload: String, _ path: String, _ folder: String) throws {
        let words = workload.split(separator: "-")
        kind = words.first.map(String.init) ?? ""
        number = words.count > 1 ? Int(words[1]) ?? 0 : 0
        (self.path, self.folder) = (path, folder)
        queue = try Self.open(path)
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA busy_timeout = 5000") }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private func text(of file: String) throws -> String { try String(contentsOfFile: "\(folder)/\(file).sql", encoding: .utf8) }

    func run() throws {
        try queue.read { db in
            print("sqlite", try String.fetchOne(db, sql: "SELECT sqlite_source_id()") ?? "")
            for name in ["journal_mode", "synchronous", "foreign_keys", "busy_timeout", "cache_size", "page_size"] {
                print("pragma", name, try String.fetchOne(db, sql: "PRAGMA \(name)") ?? "")
            }
        }
        let schema = try text(of: kind == "orders" ? "orders" : "schema")
        try queue.writeWithoutTransaction { try $0.execute(sql: schema) }
        print("check", try timedWorkload())
    }

    private func timedWorkload() throws -> Int {
        switch kind {
        case "simple":
            try timed("insert") { try fillUsers(1_000_000) }
            return try timed("query") { try fetchUsers(queue) }
        case "many":
            try timed("insert") { try fillUsers(number) }
            return try timed("query") { try fetchUsers(queue, times: 1_000) }
        case "large":
            try timed("insert") { try fillUsers(10_000, emailLength: number) }
            return try timed("query") { try fetchUsers(queue) }
        case "concurrent":
            let users = try text(of: "users")
            try queue.write { try $0.execute(sql: users) }
            return try timed("query") { try fetchUsersInThreads() }
        case "real":
            try timed("insert") { try fillReal() }
            let joined = try text(of: "joined")
            return try timed("query") {
                try (1...100).reduce(0) { sum, id in try queue.read { sum + (try Records.joined($0, joined, email: email(id))) } }
            }
        case "complex":
            try timed("insert") { try fillComplex() }
            let joined = try text(of: "joined")
            return try timed("query") { try queue.read { try Records.joined($0, joined, email: nil) } }
        case "orders":
            return try timed("query") {
                try queue.read { db in
                    try (0..<10).reduce(0) { sum, _ in
                        sum + (try Records.Order.fetchAll(db, sql: "SELECT * FROM orders")).reduce(0) { $0 + $1.checksum }
                    }
                }
            }
        default:
            fail("no workload of Tests/Peers is named \(kind)")
        }
    }

    private func timed<Result>(_ part: String, _ work: () throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        let result = try work()
        print("time", part, (ContinuousClock.now - start).milliseconds)
        return result
    }

    // MARK: - Parts

    /// Returns `user00000042@example.com`. The programs of other languages make their strings as fast.
    private func email(_ id: Int) -> String {
        String(unsafeUninitializedCapacity: 24) { bytes in
            _ = bytes.initialize(from: "user00000000@example.com".utf8)
            var (rest, index) = (id, 11)
            while rest > 0 {
                bytes[index] += UInt8(rest % 10)
                (rest, index) = (rest / 10, index - 1)
            }
            return 24
        }
    }

    /// Returns a string of one letter. `String(repeating:count:)` would take ten times as long as its insertion.
    private func longEmail(_ length: Int) -> String {
        String(unsafeUninitializedCapacity: length) { bytes in
            bytes.initialize(repeating: UInt8(ascii: "a"))
            return length
        }
    }

    private func date(_ id: Int) -> Date { Date(timeIntervalSince1970: 1_672_531_200 + Double(id)) }

    private func user(_ id: Int, emailLength: Int = 0) -> Records.User {
        let email = emailLength == 0 ? email(id) : longEmail(emailLength)
        return Records.User(id: id, created: date(id), email: email, active: id.isMultiple(of: 2) == false)
    }

    private func fillUsers(_ count: Int, emailLength: Int = 0) throws {
        try queue.write { db in
            try stride(from: 1, through: count, by: 1).lazy.map { user($0, emailLength: emailLength) }.insertAll(db)
        }
    }

    private func article(_ id: Int, user: Int) -> Records.Article {
        Records.Article(id: id, created: date(id), parent: user, text: "text of the article")
    }

    private func comment(_ id: Int, article: Int) -> Records.Comment {
        Records.Comment(id: id, created: date(id), parent: article, text: "text of the comment")
    }

    private func fillReal() throws {
        for id in 1...100 {
            try queue.write { db in
                try user(id).insert(db)
                for number in (id - 1) * 20 + 1...id * 20 {
                    try article(number, user: id).insert(db)
                    for other in (number - 1) * 20 + 1...number * 20 { try comment(other, article: number).insert(db) }
                }
            }
        }
    }

    private func fillComplex() throws {
        try fillUsers(200)
        try queue.write { db in try (1...20_000).lazy.map { article($0, user: ($0 - 1) / 100 + 1) }.insertAll(db) }
        try queue.write { db in try (1...400_000).lazy.map { comment($0, article: ($0 - 1) / 20 + 1) }.insertAll(db) }
    }

    private func fetchUsers(_ queue: DatabaseQueue, times: Int = 1) throws -> Int {
        try queue.read { db in
            try (0..<times).reduce(0) { sum, _ in
                let users = try Records.User.fetchAll(db, sql: "SELECT id, created, email, active FROM users ORDER BY id")
                return sum + users.reduce(0) { $0 + $1.checksum }
            }
        }
    }

    private func fetchUsersInThreads() throws -> Int {
        let sums = Locked<[Int]>([])
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<number {
            Thread.detachNewThread {
                defer { ended.signal() }
                guard let sum = try? fetchUsers(try Self.open(path)) else { return }
                sums.withLock { $0.append(sum) }
            }
        }
        for _ in 0..<number { ended.wait() }
        let all = sums.withLock { $0 }
        guard all.count == number else { fail("a thread could not read") }
        return all.reduce(0, &+)
    }
}
