import Foundation

/// Passes elements from a database access to a task. While the buffer is full, the access blocks its thread; while it is empty, the task
/// suspends without blocking a thread.
///
/// The access may block, because it runs on a thread of a dispatch queue.
///
/// `@unchecked Sendable`: the condition's lock guards all state.
final class FetchBuffer<Element: Sendable>: @unchecked Sendable {
    private let capacity: Int
    private let condition = NSCondition()
    private var elements: [Element] = []
    private var consumer: CheckedContinuation<[Element], any Error>?

    /// The result of the access; nil until it ends.
    private var end: Result<Void, any Error>?

    /// Whether the consumer has stopped.
    private var isStopped = false

    init(capacity: Int) {
        self.capacity = capacity
    }

    // MARK: - The access

    /// Sends an element to the consumer, and waits while the buffer is full. That time does not count for the limit of the access.
    ///
    /// - Returns: false when the consumer has stopped.
    func send(_ element: Element, in db: Database) -> Bool {
        condition.lock()
        if elements.count >= capacity, !isStopped {
            db.withoutTimeLimit {
                while elements.count >= capacity, !isStopped { condition.wait() }
            }
        }
        if isStopped {
            condition.unlock()
            return false
        }
        let consumer = self.consumer.take()
        if consumer == nil { elements.append(element) }
        condition.unlock()
        consumer?.resume(returning: [element])
        return true
    }

    /// Ends the elements with a result.
    func finish(_ result: Result<Void, any Error>) {
        condition.lock()
        let consumer = self.consumer.take()
        end = consumer == nil ? result : .success(())
        condition.unlock()
        consumer?.resume(with: result.map { [] })
    }

    // MARK: - The consumer

    /// Resumes the consumer with all buffered elements, or with the next element as soon as it arrives.
    ///
    /// - Parameter consumer: receives elements, an empty array after the last element, or the error of the access. The error is thrown
    ///   once.
    func receive(_ consumer: CheckedContinuation<[Element], any Error>) {
        condition.lock()
        var result: Result<[Element], any Error>?
        if isStopped {
            result = .failure(CancellationError())
        } else if !elements.isEmpty {
            result = .success(elements)
            elements = []
            condition.signal()
        } else if let end {
            result = end.map { [] }
            self.end = .success(())
        } else {
            self.consumer = consumer
        }
        condition.unlock()
        if let result { consumer.resume(with: result) }
    }

    /// Stops the consumer: it receives no more elements.
    func stop() {
        condition.lock()
        isStopped = true
        elements = []
        let consumer = self.consumer.take()
        condition.broadcast()
        condition.unlock()
        consumer?.resume(throwing: CancellationError())
    }
}
