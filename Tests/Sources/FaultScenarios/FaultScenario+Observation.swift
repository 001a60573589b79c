import Foundation
import Strata

extension FaultScenario {
    /// Values that follow changes, and errors that end them.
    static let observation = FaultScenario(
        name: "an observed value",
        steps: [
            { writer, _ in
                let events = ObservedCounts()
                let cancellable = ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM team") ?? 0 }
                    .start(in: writer, scheduling: .async(onQueue: DispatchQueue(label: "observation"))) { error in
                        events.add(.failure(error))
                    } onChange: { count in
                        events.add(.success(count))
                    }
                defer { cancellable.cancel() }
                try check(try events.next() == 8, "the first value is wrong")
                try writer.write { db in try db.execute(sql: "INSERT INTO team VALUES (60, 'sixty'), (61, 'sixty-one')") }
                // A value may come twice.
                var count = 8
                while count == 8 { count = try events.next() }
                try check(count == 10, "the second value is \(count)")
            }
        ])
}

/// The values and errors of an observation, in order.
///
/// `@unchecked Sendable`: the lock guards the events.
private final class ObservedCounts: @unchecked Sendable {
    private let lock = NSLock()
    private let added = DispatchSemaphore(value: 0)
    private var events: [Result<Int, any Error>] = []

    func add(_ event: Result<Int, any Error>) {
        lock.withLock { events.append(event) }
        added.signal()
    }

    /// Waits for the next value, or throws the error that ended the observation.
    func next() throws -> Int {
        guard added.wait(timeout: .now() + 60) == .success else {
            throw FaultCheck(description: "the observation gives neither a value nor an error")
        }
        return try lock.withLock { events.removeFirst() }.get()
    }
}
