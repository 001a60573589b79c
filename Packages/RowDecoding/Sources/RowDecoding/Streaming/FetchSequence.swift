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
/// and other reads, in the body of the loop, too. The one connection of a ``DatabaseQueue`` is taken: the accesses of other tasks wait,
/// and those of the task that iterates throw `SQLITE_MISUSE`, as one access inside another does. That goes for all accesses in the body
/// of the loop, for a second sequence that is iterated beside the first one, for those to a ``DatabaseSnapshot`` whose sequence it is, and for
/// barriers and `close()` of a pool.
///
/// - Important: don't wait, in the body of the loop, for another task that accesses the queue, such as one made by `async let` or by a
///   task group: it waits for the end of the loop.
///
/// The iteration ends with the life of its iterator, if it is not at its end before. A loop in the top-level code of a `main.swift` is not
/// over before the program is: Swift keeps its iterator, as it keeps all variables there. Put the loop into a function, or read to
/// the end.
///
/// The elements are made as a part of a task that has the priority and the task-local values of the one that asks for the first element.
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
            access.iteration.takeOver()
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
    /// Tells the driver which task must not wait for this access.
    let iteration = DatabaseIteration()

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
        do {
            let chunk = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { buffer.receive($0) }
            } onCancel: { [buffer] in
                buffer.stop()
                task.cancel()
            }
            if chunk.isEmpty { iteration.end() }
            return chunk
        } catch {
            iteration.end()
            throw error
        }
    }

    /// Ends the access: it is cancelled if it waits for its turn or for SQLite, and leaves if it waits for the consumer.
    func stop() {
        buffer.stop()
        task?.cancel()
        iteration.end()
    }

    private func startIfNeeded() -> Task<Void, Never> {
        if let task { return task }
        let (sequence, buffer, iteration) = (sequence, buffer, iteration)
        // The task holds neither this object nor the iterator: it is their end that ends it.
        let task = Task {
            do {
                try await iteration.withAccess {
                    try await sequence.reader.read { db in
                        try sequence.produce(db) { buffer.send(Transferred($0)) }
                    }
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
