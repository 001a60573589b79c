import DatabaseObservation
import Foundation
import Testing

/// A folder that is removed with the last reference to this object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("strata-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { "\(path)/\(name)" }
}

/// The kinds of databases that can be observed.
enum Kind: CaseIterable {
    case memory, queue, walQueue, pool

    /// Opens a database.
    ///
    /// - Parameter path: the path of its file, unless it is in memory.
    func open(_ path: String, _ configuration: Configuration = Configuration()) throws -> any DatabaseWriter {
        switch self {
        case .memory: return try DatabaseQueue(configuration: configuration)
        case .queue: return try DatabaseQueue(path: path, configuration: configuration)
        case .walQueue:
            var configuration = configuration
            configuration.journalMode = .wal
            return try DatabaseQueue(path: path, configuration: configuration)
        case .pool: return try DatabasePool(path: path, configuration: configuration)
        }
    }
}

extension Database {
    /// The values of the leftmost column, as texts.
    func texts(_ sql: String) throws -> [String] {
        let statement = try makeStatement(sql: sql)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.string(at: 0) ?? "NULL") }
        return texts
    }

    /// The first integer of the leftmost column.
    func integer(_ sql: String) throws -> Int64? {
        let statement = try makeStatement(sql: sql)
        return try statement.step() ? statement.int64(at: 0) : nil
    }
}

extension DatabaseWriter {
    func execute(_ sql: String) async throws {
        try await write { try $0.execute(sql: sql) }
    }
}

struct TestError: Error, Equatable {}

/// Collects values from any thread, and lets tests wait for them.
final class Collector<Value: Sendable>: @unchecked Sendable {
    private let queue = DispatchQueue(label: "collector")
    private var values: [Value] = []
    private var waiting: [(isEnough: ([Value]) -> Bool, continuation: CheckedContinuation<[Value], Never>)] = []

    func append(_ value: Value) {
        queue.sync {
            values.append(value)
            let enough = waiting.filter { $0.isEnough(values) }
            waiting.removeAll { $0.isEnough(values) }
            for entry in enough { entry.continuation.resume(returning: values) }
        }
    }

    /// Ends all waits.
    func giveUp() {
        queue.sync {
            for entry in waiting { entry.continuation.resume(returning: values) }
            waiting = []
        }
    }

    /// What was collected until now.
    var all: [Value] { queue.sync { values } }

    /// Waits until there are enough values.
    @discardableResult
    func wait(until isEnough: @escaping @Sendable ([Value]) -> Bool) async -> [Value] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.sync {
                    if Task.isCancelled || isEnough(values) {
                        continuation.resume(returning: values)
                    } else {
                        waiting.append((isEnough, continuation))
                    }
                }
            }
        } onCancel: {
            // The time limit of the test.
            giveUp()
        }
    }

    /// Waits until a number of values has come.
    @discardableResult
    func wait(count: Int) async -> [Value] { await wait { $0.count >= count } }
}

extension Collector where Value: Equatable {
    /// Waits until the last value is a given one.
    @discardableResult
    func wait(last value: Value) async -> [Value] { await wait { $0.last == value } }

    /// Waits until the last value is a given one, but not for ever, so that a test can say what it was waiting for.
    func wait(last value: Value, seconds: Int) async -> [Value] {
        let isOver = DispatchWorkItem { [self] in giveUp() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds), execute: isOver)
        defer { isOver.cancel() }
        return await wait(last: value)
    }
}

/// The schedulers of observations.
enum Scheduler: CaseIterable {
    case queue, concurrentQueue, task, backgroundTask, mainActor, immediate

    /// Starts an observation. Its error is an issue of the test, unless there is a collector for errors.
    func start<Reducer>(
        _ observation: ValueObservation<Reducer>, in reader: some DatabaseReader, _ values: Collector<Reducer.Value>,
        errors: Collector<String>? = nil
    ) async -> AnyDatabaseCancellable {
        let onError: @Sendable (any Error) -> Void = { error in
            if let errors { errors.append("\(error)") } else { Issue.record(error) }
        }
        let onChange: @Sendable (Reducer.Value) -> Void = { values.append($0) }
        switch self {
        case .queue:
            let queue = DispatchQueue(label: "values")
            return observation.start(in: reader, scheduling: .async(onQueue: queue), onError: onError, onChange: onChange)
        case .concurrentQueue:
            return observation.start(in: reader, scheduling: .async(onQueue: .global()), onError: onError, onChange: onChange)
        case .task:
            return observation.start(in: reader, scheduling: .task, onError: onError, onChange: onChange)
        case .backgroundTask:
            return observation.start(in: reader, scheduling: .task(priority: .background), onError: onError, onChange: onChange)
        case .mainActor:
            return await observation.start(in: reader, scheduling: .mainActor, onError: onError, onChange: onChange)
        case .immediate:
            return await MainActor.run {
                let before = values.all.count + (errors?.all.count ?? 0)
                let cancellable = observation.start(in: reader, scheduling: .immediate, onError: onError, onChange: onChange)
                #expect(values.all.count + (errors?.all.count ?? 0) > before)
                return cancellable
            }
        }
    }
}
