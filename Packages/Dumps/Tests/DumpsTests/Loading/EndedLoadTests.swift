import Dumps
import Foundation
import Testing

/// Loads that end at each of their steps, by an error or because their process is killed, and are called again.
@Suite("Loads that end at each step")
struct EndedLoadTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("players.sqlite") }
    private var rejects: URL { folder.file("rejects") }

    init() throws { folder = try TemporaryFolder() }

    private static let schema = "CREATE TABLE IF NOT EXISTS player (id INTEGER, name TEXT NOT NULL)"

    enum Format: CaseIterable {
        case csv, jsonArray, jsonLines

        /// Records, some of which are bad.
        func text(_ ids: ClosedRange<Int>) -> String {
            if self == .csv { return "id,name\n" + ids.map { "\($0),\(isBad($0) ? "" : "\"a\r\nb\"")\n" }.joined() }
            let objects = ids.map { "{\"id\": \($0), \"name\": \(isBad($0) ? "null" : "\"a\"")}" }
            return self == .jsonArray ? "[\(objects.joined(separator: ",\r\n"))]" : objects.joined(separator: "\r")
        }

        func load(
            _ source: TextSource, _ writer: some DatabaseWriter, _ options: LoadOptions, portion: Int,
            _ progress: ((LoadProgress) throws -> Void)?
        ) throws -> Int {
            switch self {
            case .csv:
                try writer.load(
                    .csv(source), into: "player", options: options, portion: portion, resumableAs: "p", progress: progress)
            case .jsonArray:
                try writer.load(
                    .json(source), into: "player", options: options, portion: portion, resumableAs: "p", progress: progress)
            case .jsonLines:
                try writer.load(
                    .jsonLines(source), into: "player", options: options, portion: portion, resumableAs: "p", progress: progress)
            }
        }
    }

    /// Ends a load at its nth step: when a chunk is read, at a commit, when a rejected record is received, or when progress is reported.
    private final class Steps: TransactionObserver {
        private var count = 0
        private let last: Int?
        private(set) var hasEnded = false

        init(endingAt last: Int?) { self.last = last }

        func step() throws {
            count += 1
            if count == last {
                hasEnded = true
                throw Stop()
            }
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() throws { try step() }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    /// The text in chunks.
    private func chunks(_ text: String, _ steps: Steps) -> TextSource {
        var rest = Data(text.utf8)
        return .chunks {
            try steps.step()
            let chunk = rest.prefix(70)
            rest = rest.dropFirst(chunk.count)
            return Data(chunk)
        }
    }

    private func check(_ queue: DatabaseQueue, _ count: Int, hasRejects: Bool, _ comment: Comment) throws {
        let good = (1...count).filter { !isBad($0) }
        try #expect(queue.read { try Int.fetchAll($0, sql: "SELECT id FROM player ORDER BY rowid") } == good, comment)
        try #expect(queue.read { try $0.interruptedLoad(named: "p", into: "player") } == nil, comment)
        let isStored = try queue.read {
            try $0.tableExists("strata_loads") && Int.fetchOne($0, sql: "SELECT count(*) FROM strata_loads") != 0
        }
        #expect(!isStored, comment)
        if hasRejects { try #expect(rejectedIDs() == (1...count).filter(isBad), comment) }
    }

    private func rejectedIDs() throws -> [Int] {
        guard FileManager.default.fileExists(atPath: rejects.path) else { return [] }
        return try String(contentsOf: rejects, encoding: .utf8).split(separator: "\n").compactMap { line in
            if line.hasPrefix("rejected_line") { return nil }
            if line.hasPrefix("{") { return line.split(separator: "\"id\": ").last.flatMap { Int($0.prefix { $0 != "," }) } }
            return Int(line.split(separator: ",")[2])
        }
    }

    private func makeQueue(path: String? = nil) throws -> DatabaseQueue {
        var configuration = Configuration()
        // The tests end no system.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        let queue = try path.map { try DatabaseQueue(path: $0, configuration: configuration) } ?? DatabaseQueue()
        try queue.write { try $0.execute(sql: Self.schema) }
        return queue
    }

    @Test(arguments: Format.allCases, [1, 4, 100])
    func `A load that an error ends at any step, and is called again, inserts each record once`(_ format: Format, _ portion: Int) throws {
        var random = SeededGenerator(seed: UInt64(portion))
        for rejecting in [false, true] {
            var step = 1
            var hasEnded = true
            while hasEnded {
                // Numbers around a multiple of the portion.
                let count = rejecting ? Int.random(in: 5...8, using: &random) : 9
                let ids = 1...count
                let text = format.text(ids)
                let queue = try makeQueue()
                let received = Guarded<[Int]>([])
                func load(_ steps: Steps) throws {
                    let steps = Confined(steps)
                    let options =
                        rejecting
                        ? LoadOptions(rejects: .file(rejects))
                        : LoadOptions(
                            rejects: .handler { record in
                                try steps.value.step()
                                received.withLock { $0.append(record.error.line) }
                            })
                    queue.add(transactionObserver: steps.value)
                    defer { queue.remove(transactionObserver: steps.value) }
                    _ = try format.load(chunks(text, steps.value), queue, options, portion: portion) { _ in try steps.value.step() }
                }
                let steps = Steps(endingAt: step)
                let result = Result { try load(steps) }
                hasEnded = steps.hasEnded
                let comment: Comment = "\(format), portions of \(portion), step \(step), rejecting \(rejecting)"
                if hasEnded {
                    #expect(throws: Stop.self, comment) { try result.get() }
                    // The connection is usable, and what was committed is a beginning of the file.
                    let rows = try queue.read { try Int.fetchAll($0, sql: "SELECT id FROM player ORDER BY rowid") }
                    let good = ids.filter { !isBad($0) }
                    #expect(rows == Array(good.prefix(rows.count)), comment)
                    // Not all of it: the load would begin again.
                    if try queue.read({ try $0.interruptedLoad(named: "p", into: "player") == nil }) { #expect(rows.isEmpty, comment) }
                    try load(Steps(endingAt: nil))
                } else {
                    try result.get()
                }
                try check(queue, count, hasRejects: rejecting, comment)
                // At least once: a portion that was not committed is received again.
                if !rejecting { #expect(Set(received.withLock { $0 }).count == ids.filter(isBad).count, comment) }
                try? FileManager.default.removeItem(at: rejects)
                step += 1
            }
            #expect(step > 5)
        }
    }

    /// Keeps the files as a process leaves them that is killed when a transaction is about to be committed.
    private final class Images: TransactionObserver {
        struct Image {
            var database: Data
            var rejects: Data?
        }

        private let path: String
        private let rejects: URL
        private(set) var images: [Image] = []

        init(_ path: String, _ rejects: URL) { (self.path, self.rejects) = (path, rejects) }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() throws {
            // The changes are in memory.
            let database = try Data(contentsOf: URL(fileURLWithPath: path))
            images.append(Image(database: database, rejects: try? Data(contentsOf: rejects)))
        }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}

        func restore(_ image: Image) throws {
            try image.database.write(to: URL(fileURLWithPath: path))
            try? FileManager.default.removeItem(at: rejects)
            try image.rejects?.write(to: rejects)
        }
    }

    private func images(_ format: Format, _ text: String, portion: Int) throws -> Images {
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.removeItem(at: rejects)
        let queue = try makeQueue(path: path)
        let images = Images(path, rejects)
        queue.add(transactionObserver: images)
        _ = try format.load(.text(text), queue, LoadOptions(rejects: .file(rejects)), portion: portion) { _ in }
        queue.remove(transactionObserver: images)
        try queue.close()
        return images
    }

    @Test(arguments: Format.allCases, [1, 4, 100])
    func `A load whose process is killed before any commit, and is called again, continues with its file of rejected records`(
        _ format: Format, _ portion: Int
    ) throws {
        let text = format.text(1...9)
        let images = try images(format, text, portion: portion)
        #expect(images.images.contains { $0.rejects != nil })
        for (index, image) in images.images.enumerated() {
            try images.restore(image)
            let queue = try makeQueue(path: path)
            _ = try format.load(.text(text), queue, LoadOptions(rejects: .file(rejects)), portion: portion, nil)
            try check(queue, 9, hasRejects: true, "\(format), portions of \(portion), before commit \(index)")
            try queue.close()
        }
    }

    @Test
    func `After a process is killed in the first portion, only what it can have written is removed`() throws {
        let text = Format.csv.text(1...9)
        let images = try images(.csv, text, portion: 100)
        let image = try #require(images.images.first { $0.rejects != nil })
        for content in ["mine", "rejected_line,other\n"] {
            try images.restore(image)
            try Data(content.utf8).write(to: rejects)
            let queue = try DatabaseQueue(path: path)
            let error = #expect(throws: LoadError.self) {
                try Format.csv.load(.text(text), queue, LoadOptions(rejects: .file(rejects)), portion: 100, nil)
            }
            #expect(error?.message == "the file for rejected records exists: \(rejects.path)")
            try #expect(String(contentsOf: rejects, encoding: .utf8) == content)
            try queue.close()
        }
        // Nothing was loaded: another file of this name is loaded from its beginning.
        try images.restore(image)
        let queue = try DatabaseQueue(path: path)
        try #expect(queue.read { try $0.interruptedLoad(named: "p", into: "player") } == nil)
        _ = try Format.csv.load(.text("name,id\nx,2\n"), queue, LoadOptions(), portion: 100, nil)
        try #expect(queue.read { try Int.fetchAll($0, sql: "SELECT id FROM player") } == [2])
        try queue.close()
    }

    // MARK: The last portion

    @Test(arguments: Format.allCases, [1, 3, 100])
    func `An error of progress undoes the last portion, and the same call loads it again`(_ format: Format, _ portion: Int) throws {
        let queue = try makeQueue()
        let text = format.text(2...4)
        let error = #expect(throws: Stop.self) {
            _ = try format.load(.text(text), queue, LoadOptions(), portion: portion) { progress in
                if progress.rowCount == 3 { throw Stop() }
            }
        }
        #expect(error != nil)
        try #expect(queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") } ?? 0 < 3)
        try #expect(format.load(.text(text), queue, LoadOptions(), portion: portion) { _ in } == 3)
        try #expect(queue.read { try Int.fetchAll($0, sql: "SELECT id FROM player") } == [2, 3, 4])
        // The next file of this name.
        try #expect(format.load(.text(format.text(6...8)), queue, LoadOptions(), portion: portion) { _ in } == 3)
        try #expect(queue.read { try Int.fetchAll($0, sql: "SELECT id FROM player") } == [2, 3, 4, 6, 7, 8])
    }

    @Test(arguments: LoadTarget.allCases)
    func `Progress can use the database, also before the last portion is committed`(_ target: LoadTarget) throws {
        let writer = try target.make(folder)
        try writer.write { try $0.execute(sql: Self.schema) }
        var counts: [[Int]] = []
        let count = try writer.load(.csv(.text(csvRows(1...25))), into: "player", portion: 10, resumableAs: "p") { progress in
            let committed = try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") ?? 0 }
            counts.append([progress.rowCount, committed, progress.isLast ? 1 : 0])
            try writer.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS other (a)") }
        }
        #expect(count == 25)
        #expect(counts == [[10, 10, 0], [20, 20, 0], [25, 20, 1]])
    }

    @Test(arguments: LoadTarget.allCases)
    func `An awaited load undoes its last portion after an error of progress, and after a cancellation`(_ target: LoadTarget) async throws {
        let writer = try target.make(folder)
        try await writer.write { try $0.execute(sql: Self.schema) }
        let text = csvRows(1...25)
        await #expect(throws: Stop.self) {
            try await writer.load(.csv(.text(text)), into: "player", portion: 10, resumableAs: "p") { progress in
                if progress.rowCount == 25 { throw Stop() }
            }
        }
        let task = Task {
            try await writer.load(.csv(.text(text)), into: "player", portion: 10, resumableAs: "p") { progress in
                if progress.rowCount == 25 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try await #expect(writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") } == 20)
        try await #expect(writer.load(.csv(.text(text)), into: "player", portion: 10, resumableAs: "p") { _ in } == 25)
        try await #expect(writer.read { try Int.fetchAll($0, sql: "SELECT id FROM player") } == Array(1...25))
    }

    @Test
    func `A handler receives each rejected record once in a load that does not end early`() throws {
        let queue = try makeQueue()
        let lines = Guarded<[Int]>([])
        let options = LoadOptions(rejects: .handler { record in lines.withLock { $0.append(record.error.line) } })
        _ = try Format.jsonLines.load(.text(Format.jsonLines.text(1...9)), queue, options, portion: 4) { _ in }
        #expect(lines.withLock { $0 } == [1, 5, 9])
    }
}

/// Whether a record violates a constraint.
private func isBad(_ id: Int) -> Bool { id % 4 == 1 }

/// A value that one closure after the other uses.
private struct Confined<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
