import Foundation
import SQLiteDriver
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

extension Database {
    /// The values of the leftmost column.
    func values(_ sql: String, _ arguments: StatementArguments = []) throws -> [DatabaseValue] {
        let statement = try makeStatement(sql: sql)
        try statement.setArguments(arguments)
        var values: [DatabaseValue] = []
        while try statement.step() {
            values.append(statement.databaseValue(at: 0))
        }
        return values
    }

    /// The integers in the leftmost column.
    func integers(_ sql: String) throws -> [Int64] {
        try values(sql).compactMap { if case .int64(let value) = $0.storage { value } else { nil } }
    }

    /// The texts in the leftmost column.
    func texts(_ sql: String) throws -> [String] {
        try values(sql).compactMap { if case .string(let value) = $0.storage { value } else { nil } }
    }
}

extension DatabaseValue {
    static func integer(_ value: Int64) -> DatabaseValue { DatabaseValue(storage: .int64(value)) }
    static func real(_ value: Double) -> DatabaseValue { DatabaseValue(storage: .double(value)) }
    static func text(_ value: String) -> DatabaseValue { DatabaseValue(storage: .string(value)) }
    static func blob(_ bytes: [UInt8]) -> DatabaseValue { DatabaseValue(storage: .blob(Data(bytes))) }
}

extension ExitTest.Result {
    /// What the process wrote to standard error before it ended.
    var message: String { String(decoding: standardErrorContent, as: UTF8.self) }
}

/// Runs a closure on a thread of its own, and waits for its end.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        done.signal()
    }
    done.wait()
}

/// Passes values that are not Sendable between threads. Tests must make sure that one thread uses a value at a time.
final class Box<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}

struct TestError: Error, Equatable {}

/// Expects an error with a result code, primary or extended, and returns the error.
@discardableResult
func expectError<Result>(
    _ code: ResultCode, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) -> DatabaseError? {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation, performing: body)
    if let error {
        #expect(code ~= error.extendedResultCode, "\(error)", sourceLocation: sourceLocation)
    }
    return error
}

/// Runs a closure on a thread of its own, as tests share the few threads of the cooperative pool and of the global queues.
func onAThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    // When a continuation is resumed before its task waits for it, the thread sanitizer does not see their order. It sees that of a lock.
    let lock = NSLock()
    let value = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            let value = body()
            lock.withLock {}
            continuation.resume(returning: value)
        }
    }
    lock.withLock {}
    return value
}

/// Runs a closure on a thread of its own, and returns whether it ends, instead of deadlocking.
func comesToItsEnd(_ body: @escaping @Sendable () -> Void) async -> Bool {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        done.signal()
    }
    return await onAThread { done.wait(timeout: .now() + 300) == .success }
}

extension DispatchSemaphore {
    /// Waits on a thread of its own.
    func signalled() async {
        await onAThread { self.wait() }
    }
}
