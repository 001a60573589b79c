import ValueConversion

/// An asynchronous sequence of the results of a request. It reads ahead a bounded number of results.
///
/// ```swift
/// let request: SQLRequest<Player> = "SELECT * FROM player"
/// for try await player in request.fetchSequence(pool) {
///     try await send(player)
/// }
/// ```
///
/// Each iteration is a separate database access, which begins when the first element is requested. The access ends after the last element,
/// when the program leaves the loop, when the loop's body throws, or when the task is cancelled. Cancellation interrupts a running query,
/// and the iteration throws `CancellationError`.
///
/// All elements are read from one state of the database. During the iteration, a ``DatabasePool`` can write and perform other reads, in the
/// body of the loop, too. A ``DatabaseQueue`` has only one connection, which the iteration uses: accesses of other tasks wait, and accesses
/// of the iterating task throw `SQLITE_MISUSE`, like nested accesses. The same applies to a second sequence that the task iterates at the
/// same time, to accesses to the ``DatabaseSnapshot`` that the sequence reads from, and to barriers and `close()` of a pool.
///
/// - Important: in the body of the loop, don't wait for another task that accesses the queue, such as a task of `async let` or of a task
///   group: that task waits for the end of the loop, so neither continues.
///
/// The iteration ends at the latest when its iterator is released. In the top-level code of a `main.swift`, Swift keeps the iterator of a
/// loop, like all variables, until the program ends. Put such a loop into a function, or read all elements.
///
/// The elements are created in a task that has the priority and the task-local values of the task that requests the first element.
///
/// Elements are `Sendable` records and values, or rows. Rows are not `Sendable`: each row of the sequence is a copy that only the iterating
/// task can reach, so that the task can read and keep it.
public struct FetchSequence<Element>: AsyncSequence, Sendable {
    /// Fetches the elements, and sends them one by one, until the last one, or until `send` returns false because the consumer has stopped.
    @usableFromInline typealias Production = @Sendable (_ db: Database, _ send: (sending Element) -> Bool) throws -> Void

    let reader: any DatabaseReader
    let bufferSize: Int
    let produce: Production

    @usableFromInline
    init(reader: any DatabaseReader, bufferSize: Int, produce: @escaping Production) {
        (self.reader, self.bufferSize, self.produce) = (reader, bufferSize, produce)
    }

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

        /// Returns the next element, or nil after the last one.
        ///
        /// - Throws: ``DatabaseError``, the error of the record's initializer or of the conversion, or `CancellationError`. After an error,
        ///   the iteration has ended.
        public mutating func next() async throws -> Element? {
            try await next(isolation: nil)
        }

        /// Returns the next element, or nil after the last one, to the calling actor. Loops call this method, so that the actor can receive
        /// elements that are not `Sendable`.
        ///
        /// - Parameter actor: the actor that owns the iterator.
        /// - Throws: ``DatabaseError``, the error of the record's initializer or of the conversion, or `CancellationError`. After an error,
        ///   the iteration has ended.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            if isAtEnd { return nil }
            access.iteration.takeOver()
            if index == chunk.count || Task.isCancelled {
                // Releases the previous elements, also in case of an error.
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

/// An element that is transferred from the access to the iteration.
///
/// `@unchecked Sendable`: the initializer takes the element from the access (`sending`), and only one iteration receives it.
struct Transferred<Element>: @unchecked Sendable {
    let element: Element

    init(_ element: sending Element) {
        self.element = element
    }
}

/// The database access of an iteration. It ends at the latest when this object is released.
///
/// `@unchecked Sendable`: the iteration starts the access, and other tasks use only the buffer and the task's handle, which are
/// thread-safe.
final class FetchAccess<Element>: @unchecked Sendable {
    /// Informs the driver which task must not wait for this access.
    let iteration = DatabaseIteration()

    private let sequence: FetchSequence<Element>
    private let buffer: FetchBuffer<Transferred<Element>>
    private var task: Task<Void, Never>?

    init(_ sequence: FetchSequence<Element>) {
        self.sequence = sequence
        // The consumer holds one half of the elements while the access fills the other half.
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

    /// Ends the access. Cancels it if it waits for its turn or for SQLite, and stops it if it waits for the consumer.
    func stop() {
        buffer.stop()
        task?.cancel()
        iteration.end()
    }

    private func startIfNeeded() -> Task<Void, Never> {
        if let task { return task }
        let (sequence, buffer, iteration) = (sequence, buffer, iteration)
        // The task must not retain this object or the iterator, because their release ends the task.
        let task = Task {
            do {
                try await sequence.reader.access(AccessRequest(.read, iteration: iteration)) { db in
                    try sequence.produce(db) { buffer.send(Transferred($0), in: db) }
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
