import ValueConversion

/// The results of a request as an asynchronous sequence, which reads ahead a bounded number of them.
///
/// ```swift
/// let request: SQLRequest<Player> = "SELECT * FROM player"
/// for try await player in request.fetchSequence(pool) {
///     try await send(player)
/// }
/// ```
///
/// Each iteration is a database access of its own, which begins when the first element is asked for. It ends after the last element
/// and when the iteration does: because the loop is left, because its body throws, or because its task is cancelled, which
/// makes the iteration throw `CancellationError`, and interrupts a query that is at work.
///
/// All elements are read from one state of the database. Until the iteration ends, a ``DatabasePool`` goes on with its writes
/// and other reads. The one connection of a ``DatabaseQueue`` is taken: do not access the queue in the body of the loop, which
/// would wait for the end of the loop.
///
/// A loop in the top-level code of a `main.swift` is not over before the program is: Swift keeps its iterator, as it keeps all
/// variables there. Put the loop into a function, or read to the end.
///
/// Elements are records and values that are `Sendable`, or rows. Rows are not `Sendable`: each one that the sequence gives is a
/// copy that nothing else has, for the task that iterates to read and to keep.
public struct FetchSequence<Element>: AsyncSequence, Sendable {
    /// Fetches the elements, and gives them away one by one, until there are none or until nobody takes them: then the closure
    /// returns false.
    typealias Production = @Sendable (_ db: Database, _ send: (sending Element) -> Bool) throws -> Void

    let reader: any DatabaseReader
    let bufferSize: Int
    let produce: Production

    /// Starts an iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self)
    }

    /// An iteration over the results of a request.
    public struct Iterator: AsyncIteratorProtocol {
        private let access: FetchAccess<Element>
        private var chunk: [Transferred<Element>] = []
        private var index = 0
        private var isAtEnd = false

        init(sequence: FetchSequence) {
            access = FetchAccess(sequence)
        }

        /// The next element, or nil after the last one.
        ///
        /// - Throws: ``DatabaseError``, the error of the record's initializer or of the conversion, or `CancellationError`. There are no
        ///   more elements after it.
        public mutating func next() async throws -> Element? {
            try await next(isolation: nil)
        }

        /// The next element, or nil after the last one, for the actor that asks: loops call this method, by which elements that are
        /// not `Sendable` come to the actor too.
        ///
        /// - Parameter actor: the actor to whom the iterator belongs.
        /// - Throws: ``DatabaseError``, the error of the record's initializer or of the conversion, or `CancellationError`. There are no
        ///   more elements after it.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            if isAtEnd { return nil }
            if index == chunk.count || Task.isCancelled {
                // Without the elements that were there, in case of an error.
                chunk = []
                index = 0
                isAtEnd = true
                chunk = try await access.nextChunk(isolation: actor)
                if chunk.isEmpty { return nil }
                isAtEnd = false
            }
            defer { index += 1 }
            return chunk[index].element
        }
    }
}

/// An element on its way from the access to the iteration.
///
/// `@unchecked Sendable`: the access gives the element away when it makes this (`sending`), and only one iteration receives it.
struct Transferred<Element>: @unchecked Sendable {
    let element: Element

    init(_ element: sending Element) {
        self.element = element
    }
}

/// The database access of an iteration, which ends with this object at the latest.
///
/// `@unchecked Sendable`: the iteration starts the access, and what other tasks use of it, the buffer and the task's handle, is
/// safe by itself.
final class FetchAccess<Element>: @unchecked Sendable {
    private let sequence: FetchSequence<Element>
    private let buffer: FetchBuffer<Transferred<Element>>
    private var task: Task<Void, Never>?

    init(_ sequence: FetchSequence<Element>) {
        self.sequence = sequence
        // One half is with the consumer while the other one is being filled.
        buffer = FetchBuffer(capacity: Swift.max(1, sequence.bufferSize / 2))
    }

    deinit {
        stop()
    }

    func nextChunk(isolation: isolated (any Actor)?) async throws -> [Transferred<Element>] {
        let task = startIfNeeded()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { buffer.receive($0) }
        } onCancel: { [buffer] in
            buffer.stop()
            task.cancel()
        }
    }

    /// Ends the access: it is cancelled if it waits for its turn or for SQLite, and leaves if it waits for the consumer.
    func stop() {
        buffer.stop()
        task?.cancel()
    }

    private func startIfNeeded() -> Task<Void, Never> {
        if let task { return task }
        let (sequence, buffer) = (sequence, buffer)
        // The task holds neither this object nor the iteration: it is their end that ends it.
        let task = Task {
            do {
                try await sequence.reader.read { db in
                    try sequence.produce(db) { buffer.send(Transferred($0)) }
                }
                buffer.finish(.success(()))
            } catch {
                buffer.finish(.failure(error))
            }
        }
        self.task = task
        return task
    }
}
