import Dumps
import Foundation
import Testing

/// Databases that loads of these tests write to.
enum LoadTarget: CaseIterable {
    case queue
    case pool
    case anyWriter

    func make(_ folder: TemporaryFolder, _ configuration: Configuration = Configuration()) throws -> any DatabaseWriter {
        let path = folder.path("\(UUID().uuidString).sqlite")
        switch self {
        case .queue: return try DatabaseQueue(path: path, configuration: configuration)
        case .pool: return try DatabasePool(path: path, configuration: configuration)
        case .anyWriter: return AnyDatabaseWriter(try DatabaseQueue(path: path, configuration: configuration))
        }
    }
}

/// CSV with the columns id and name.
func csvRows(_ ids: some Sequence<Int>) -> String {
    "id,name\n" + ids.map { "\($0),\"name, \($0)\"\n" }.joined()
}

/// An error of a source or of a closure.
struct Stop: Error {}

@Suite("Loading in portions")
struct PortionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makeWriter(_ target: LoadTarget = .queue, _ configuration: Configuration = Configuration()) throws -> any DatabaseWriter {
        let writer = try target.make(folder, configuration)
        try writer.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)") }
        return writer
    }

    private func ids(_ writer: any DatabaseWriter) throws -> [Int] {
        try writer.read { try Int.fetchAll($0, sql: "SELECT id FROM player ORDER BY id") }
    }

    @Test(arguments: LoadTarget.allCases)
    func `Each portion is committed, and other writers run in between`(_ target: LoadTarget) throws {
        let writer = try makeWriter(target)
        let text = csvRows(1...25)
        var counts: [LoadProgress] = []
        let count = try writer.load(.csv(.text(text)), into: "player", portion: 10) { progress in
            counts.append(progress)
            // Outside of a transaction, and visible to others.
            try #expect(ids(writer).filter { $0 > 0 }.count == progress.rowCount)
            try writer.write { try $0.execute(sql: "INSERT INTO player VALUES (?, 'other')", arguments: [-counts.count]) }
        }
        #expect(count == 25)
        #expect(counts.map(\.rowCount) == [10, 20, 25])
        #expect(counts.map(\.recordCount) == [10, 20, 25])
        #expect(counts.last?.byteCount == text.utf8.count && counts.last?.totalByteCount == text.utf8.count)
        try #expect(ids(writer) == [-3, -2, -1] + Array(1...25))
        try #expect(writer.read { try !$0.tableExists("strata_loads") })
    }

    @Test
    func `A source is read outside of transactions`() throws {
        let writer = try makeWriter()
        let other = try DatabaseQueue(path: try writer.read { try String.fetchOne($0, sql: "SELECT file FROM pragma_database_list") ?? "" })
        var parts = ["id,name\n1,a\n2,b\n", "3,c\n", ""]
        let source = TextSource.chunks {
            // It would wait for the lock of a transaction, and fail.
            try other.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('other')") }
            return Data(parts.removeFirst().utf8)
        }
        try #expect(writer.load(.csv(source), into: "player", onConflict: .replace, portion: 2) == 3)
    }

    @Test(arguments: LoadTarget.allCases)
    func `An error keeps the portions before it, undoes its own, and leaves the connection usable`(_ target: LoadTarget) throws {
        let writer = try makeWriter(target)
        let error = #expect(throws: LoadError.self) {
            try writer.load(.csv(.text(csvRows(1...14) + "15,\n16,x\n")), into: "player", portion: 5)
        }
        #expect(error?.description == "line 16: NOT NULL constraint failed: player.name")
        try #expect(ids(writer) == Array(1...10))
        try writer.write { try $0.execute(sql: "INSERT INTO player VALUES (100, 'x')") }

        #expect(throws: Stop.self) {
            try writer.load(.csv(.text(csvRows(200...300))), into: "player", portion: 5) { _ in throw Stop() }
        }
        try #expect(ids(writer) == Array(1...10) + [100] + Array(200...204))
        #expect(throws: DatabaseError.self) { try writer.load(.csv("id,name\n1,a\n"), into: "player", portion: 0) }
        #expect(throws: DatabaseError.self) { try writer.load(.csv("id,name\n1,a\n"), into: "nothing") }
    }

    @Test
    func `JSON and JSON Lines are loaded in portions`() throws {
        let writer = try makeWriter()
        let objects = (1...7).map { "{\"id\":\($0),\"name\":\"n\"}" }
        var counts: [Int] = []
        try writer.load(.json(.text("[\(objects.joined(separator: ",\n"))]")), into: "player", portion: 3) { counts.append($0.rowCount) }
        // The end of the array is not known before it is read.
        #expect(counts == [3, 6, 7])
        try writer.load(.jsonLines(.text(objects.joined(separator: "\r\n") + "\n\n")), into: "player", onConflict: .ignore, portion: 4)
        try #expect(ids(writer) == Array(1...7))
        try writer.load(.json(.text(objects.joined())), into: "player", onConflict: .replace, portion: 4)
        try #expect(ids(writer) == Array(1...7))
    }

    @Test(arguments: LoadTarget.allCases)
    func `An awaited load reports its progress to its caller`(_ target: LoadTarget) async throws {
        let writer = try makeWriter(target)
        let counts = try await Counts().load(csvRows(1...25), writer)
        #expect(counts == [10, 20, 25])
        try #expect(ids(writer) == Array(1...25))
        try await #expect(writer.load(.json(#"[{"id":26,"name":"a"}]"#), into: "player") == 1)
        try await #expect(writer.load(.jsonLines(#"{"id":27,"name":"a"}"#), into: "player", resumableAs: "a") == 1)
        try #expect(ids(writer) == Array(1...27))
        let error = await #expect(throws: LoadError.self) { try await writer.load(.csv("id,name\n28,\n"), into: "player") }
        #expect(error?.line == 2)
    }

    @MainActor
    private final class Counts {
        var counts: [Int] = []

        func load(_ text: String, _ writer: any DatabaseWriter) async throws -> [Int] {
            try await writer.load(.csv(.text(text)), into: "player", portion: 10) { self.counts.append($0.rowCount) }
            return counts
        }
    }

    @Test(arguments: LoadTarget.allCases)
    func `A cancelled load keeps its portions, and continues when it is called again`(_ target: LoadTarget) async throws {
        let writer = try makeWriter(target)
        let task = Task {
            try await writer.load(.csv(.text(csvRows(1...25))), into: "player", portion: 10, resumableAs: "p") { progress in
                if progress.rowCount == 20 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try #expect(ids(writer) == Array(1...20))
        try await #expect(writer.load(.csv(.text(csvRows(1...25))), into: "player", portion: 10, resumableAs: "p") == 25)
        try #expect(ids(writer) == Array(1...25))
    }

    @Test
    func `A portion that takes longer than the timeout of the configuration is undone`() throws {
        var configuration = Configuration()
        configuration.writeTimeout = .seconds(1)
        let writer = try makeWriter(.queue, configuration)
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        try writer.write { try $0.execute(sql: "CREATE VIEW endless AS \(endless)") }
        try writer.write {
            try $0.execute(sql: "CREATE TRIGGER slow AFTER INSERT ON player WHEN new.id = 25 BEGIN SELECT * FROM endless; END")
        }
        #expect(throws: DatabaseTimeoutError.self) {
            try writer.load(.csv(.text(csvRows(1...30))), into: "player", portion: 10, resumableAs: "p")
        }
        try #expect(ids(writer) == Array(1...20))
        try writer.write { try $0.execute(sql: "DROP TRIGGER slow") }
        try #expect(writer.load(.csv(.text(csvRows(1...30))), into: "player", portion: 10, resumableAs: "p") == 30)
        try #expect(ids(writer) == Array(1...30))
    }
}
