import Foundation

/// Hands elements from a database access, which blocks its thread while the buffer is full, to a task, which waits without
/// blocking one.
///
/// The access has a thread of its own kind, that of a dispatch queue: it may block.
///
/// `@unchecked Sendable`: the condition's lock guards all state.
final class FetchBuffer<Element: Sendable>: @unchecked Sendable {
    private let capacity: Int
    private let condition = NSCondition()
    private var elements: [Element] = []
    private var consumer: CheckedContinuation<[Element], any Error>?

    /// How the access has ended, if it has.
    private var end: Result<Void, any Error>?

    /// Whether the consumer takes no more elements.
    private var isStopped = false

    init(capacity: Int) {
        self.capacity = capacity
    }

    // MARK: - The access

    /// Gives away an element, waiting for room if there is none.
    ///
    /// - Returns: false when the consumer takes no more elements.
    func send(_ element: Element) -> Bool {
        condition.lock()
        while elements.count >= capacity, !isStopped {
            condition.wait()
        }
        if isStopped {
            condition.unlock()
            return false
        }
        let consumer = consumer
        if consumer == nil {
            elements.append(element)
        } else {
            self.consumer = nil
        }
        condition.unlock()
        consumer?.resume(returning: [element])
        return true
    }

    /// There are no more elements.
    func finish(_ result: Result<Void, any Error>) {
        condition.lock()
        let consumer = consumer
        self.consumer = nil
        end = consumer == nil ? result : .success(())
        condition.unlock()
        consumer?.resume(with: result.map { [] })
    }

    // MARK: - The consumer

    /// Gives the consumer all elements that are there, or the next one as soon as it is.
    ///
    /// - Parameter consumer: receives elements, or none after the last one, or the error that keeps them away, once.
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

    /// The consumer takes no more elements.
    func stop() {
        condition.lock()
        isStopped = true
        elements = []
        let consumer = consumer
        self.consumer = nil
        condition.broadcast()
        condition.unlock()
        consumer?.resume(throwing: CancellationError())
    }
}
