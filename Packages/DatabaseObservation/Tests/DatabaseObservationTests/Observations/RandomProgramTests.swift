import DatabaseObservation
import Foundation
import Testing

/// Random programs of writers and observers. An observation must deliver a subsequence of the states of the database, in the order of the
/// commits, that ends with the last one.
///
/// To repeat a program that has failed, run the test with its seed alone.
@Suite(.timeLimit(.minutes(20))) struct RandomProgramTests {
    /// The number of programs: `make soak` runs more.
    private static let programCount = ProcessInfo.processInfo.environment["STRATA_PROGRAMS"].flatMap { Int($0) } ?? 300
    private static let chunk = 100

    @Test(arguments: stride(from: 0, to: programCount, by: chunk).map { $0 })
    func `Random programs of writers and observers deliver states in order, up to the last one`(_ first: Int) async throws {
        for seed in first..<(first + Self.chunk) {
            let program = try RandomProgram(seed: UInt64(seed))
            try await program.run()
        }
    }
}

/// The observed value: the number of the last transaction, and the content of some tables.
private struct Snapshot: Equatable, Sendable, CustomStringConvertible {
    var number: Int64
    var rows: [String]

    var description: String { "\(number): \(rows.joined(separator: " "))" }
}

/// An observer that has started.
private struct Observer: Sendable {
    let name: String
    /// Whether the observed region contains the number of the transaction, so that no two states are the same.
    let seesNumbers: Bool
    let tables: [String]
    let values: Collector<Snapshot>
    let cancel: @Sendable () -> Void
    var isCancelled = false
}

private final class RandomProgram {
    private static let tables = ["player", "team", "log"]

    private let seed: UInt64
    private var generator: SeededGenerator
    private let folder: TemporaryFolder
    private let kind: Kind
    private let writer: any DatabaseWriter
    private var observers: [Observer] = []
    /// The state of all tables after each transaction.
    private let states = Collector<[String: [String]]>()

    init(seed: UInt64) throws {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        folder = try TemporaryFolder()
        kind = Kind.allCases.randomElement(using: &generator)!
        var configuration = Configuration()
        configuration.maximumReaderCount = Int.random(in: 1...3, using: &generator)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        writer = try kind.open(folder.path("db.sqlite"), configuration)
        self.generator = generator
        let initial = try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE counter (number INTEGER NOT NULL);
                    INSERT INTO counter VALUES (0);
                    CREATE TABLE team (name TEXT PRIMARY KEY, title TEXT) WITHOUT ROWID;
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE,
                        team TEXT REFERENCES team(name) ON DELETE CASCADE);
                    CREATE TABLE log (id INTEGER PRIMARY KEY, text TEXT);
                    CREATE TRIGGER player_log AFTER UPDATE OF name ON player BEGIN
                        INSERT INTO log (text) VALUES (new.name);
                    END;
                    """)
            return try Self.state(db)
        }
        states.append(initial)
    }

    private static func state(_ db: Database) throws -> [String: [String]] {
        try Dictionary(uniqueKeysWithValues: tables.map { ($0, try rows(db, $0)) })
    }

    private static func rows(_ db: Database, _ table: String) throws -> [String] {
        switch table {
        case "player": try db.texts("SELECT format('%d %s %s', id, name, team) FROM player ORDER BY id")
        case "team": try db.texts("SELECT format('%s %s', name, title) FROM team ORDER BY name")
        default: try db.texts("SELECT format('%d %s', id, text) FROM log ORDER BY id")
        }
    }

    // MARK: - Running

    func run() async throws {
        let transactionCount = Int.random(in: 1...14, using: &generator)
        for _ in 0..<Int.random(in: 0...2, using: &generator) { start() }
        for _ in 0..<transactionCount {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: if observers.count < 5 { start() }
            case 1: cancelOne()
            case 2: for _ in 0..<Int.random(in: 1...10, using: &generator) { await Task.yield() }
            default: break
            }
            try await write()
        }
        if observers.allSatisfy(\.isCancelled) { start() }
        for observer in observers { await check(observer) }
        for observer in observers { observer.cancel() }
    }

    /// Makes a transaction of random changes, which may be rolled back.
    private func write() async throws {
        var generator = SeededGenerator(seed: generator.next())
        let counts = Bool.random(using: &generator)
        let statements = (0..<Int.random(in: 1...4, using: &generator)).map { _ in Self.randomStatement(&generator) }
        let isRolledBack = Int.random(in: 0..<8, using: &generator) == 0
        let savepoint = Int.random(in: 0..<4, using: &generator)
        try await writer.writeWithoutTransaction { [states] db in
            try db.inTransaction {
                for (index, sql) in statements.enumerated() {
                    if index == 0, savepoint < 2 {
                        try db.inSavepoint {
                            try db.execute(sql: sql)
                            return savepoint == 0 ? .rollback : .commit
                        }
                    } else {
                        try db.execute(sql: sql)
                    }
                }
                if counts { try db.execute(sql: "UPDATE counter SET number = number + 1") }
                return isRolledBack ? .rollback : .commit
            }
            // The state of each transaction is noted before the next one begins.
            var state = try Self.state(db)
            state["counter"] = ["\(try db.integer("SELECT number FROM counter") ?? 0)"]
            states.append(state)
        }
    }

    private static func randomStatement(_ generator: inout SeededGenerator) -> String {
        let id = Int.random(in: 1...6, using: &generator)
        let name = "n\(Int.random(in: 1...6, using: &generator))"
        let team = "t\(Int.random(in: 1...3, using: &generator))"
        switch Int.random(in: 0..<12, using: &generator) {
        case 0, 1: return "INSERT OR IGNORE INTO player VALUES (\(id), '\(name)', NULL)"
        case 2: return "REPLACE INTO player VALUES (\(id), '\(name)', NULL)"
        case 3: return "UPDATE OR IGNORE player SET name = '\(name)' WHERE id = \(id)"
        case 4: return "UPDATE OR REPLACE player SET name = '\(name)' WHERE id = \(id)"
        case 5: return "UPDATE OR IGNORE player SET id = \(id) WHERE name = '\(name)'"
        case 6: return "DELETE FROM player WHERE id = \(id)"
        case 7: return "INSERT OR IGNORE INTO team VALUES ('\(team)', '\(name)')"
        case 8: return "UPDATE player SET team = '\(team)' WHERE EXISTS (SELECT 1 FROM team WHERE name = '\(team)')"
        case 9: return "DELETE FROM team WHERE name = '\(team)'"
        case 10: return "UPDATE team SET title = '\(name)'"
        default: return Bool.random(using: &generator) ? "DELETE FROM log" : "DELETE FROM player"
        }
    }

    // MARK: - Observing

    private func start() {
        let tables = Self.tables.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)).sorted()
        let seesNumbers = Bool.random(using: &generator)
        let fetch: @Sendable (Database) throws -> Snapshot = { db in
            let number = seesNumbers ? try db.integer("SELECT number FROM counter") ?? 0 : 0
            return Snapshot(number: number, rows: try tables.flatMap { try Self.rows(db, $0) })
        }
        let observation = Bool.random(using: &generator) ? ValueObservation.tracking(fetch) : .trackingConstantRegion(fetch)
        let values = Collector<Snapshot>()
        let slowness = Int.random(in: 0...4, using: &generator)
        let cancel: @Sendable () -> Void
        let way = Int.random(in: 0..<5, using: &generator)
        switch way {
        case 0: cancel = startCallbacks(observation, .async(onQueue: .global()), values)
        case 1: cancel = startCallbacks(observation, .task, values)
        case 2: cancel = startCallbacks(observation.map { $0 }, .async(onQueue: DispatchQueue(label: "values")), values)
        case 3: cancel = startLoop(observation.values(in: writer), values, slowness)
        default: cancel = startLoop(observation.map { $0 }.values(in: writer, bufferingPolicy: .unbounded), values, slowness)
        }
        observers.append(
            Observer(
                name: "observer \(observers.count), way \(way), \(kind)", seesNumbers: seesNumbers, tables: tables, values: values,
                cancel: cancel))
    }

    private func startCallbacks<Reducer>(
        _ observation: ValueObservation<Reducer>, _ scheduler: some ValueObservationScheduler, _ values: Collector<Snapshot>
    ) -> @Sendable () -> Void where Reducer.Value == Snapshot {
        let cancellable = observation.start(in: writer, scheduling: scheduler) {
            Issue.record($0)
        } onChange: {
            values.append($0)
        }
        return { cancellable.cancel() }
    }

    private func startLoop(
        _ sequence: AsyncValueObservation<Snapshot>, _ values: Collector<Snapshot>, _ slowness: Int
    ) -> @Sendable () -> Void {
        let task = Task {
            for try await value in sequence {
                for _ in 0..<slowness { await Task.yield() }
                values.append(value)
            }
        }
        return { task.cancel() }
    }

    private func cancelOne() {
        guard let index = observers.indices.filter({ !observers[$0].isCancelled }).randomElement(using: &generator) else { return }
        observers[index].cancel()
        observers[index].isCancelled = true
    }

    // MARK: - Checking

    private func check(_ observer: Observer) async {
        let expected = states.all.map { state in
            Snapshot(
                number: observer.seesNumbers ? state["counter"].flatMap { Int64($0[0]) } ?? 0 : 0,
                rows: observer.tables.flatMap { state[$0] ?? [] })
        }
        if !observer.isCancelled {
            let last = expected.last!
            await observer.values.wait(for: "the last state of \(observer.name), seed \(seed): \(last)") { $0.last == last }
        }
        // Each value is a state that comes after the one of the previous value.
        var remaining = expected[...]
        for (index, value) in observer.values.all.enumerated() {
            guard let position = remaining.firstIndex(of: value) else {
                Issue.record("seed \(seed), \(observer.name): value \(index) is not in order: \(observer.values.all) of \(expected)")
                return
            }
            remaining = remaining[(position + 1)...]
        }
    }
}
