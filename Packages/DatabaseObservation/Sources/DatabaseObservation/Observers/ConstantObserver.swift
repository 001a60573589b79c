import RowDecoding

/// An observation of a snapshot, which never changes: it has one value.
final class ConstantObserver<Reducer: ValueReducer>: Sendable {
    private let observation: ValueObservation<Reducer>
    /// Nil when the observation has ended.
    private let sink: Guarded<ValueSink<Reducer.Value>?>
    /// The task of the program's closures, if a task has started the observation.
    private let context: TaskContext?

    init(_ observation: ValueObservation<Reducer>, _ sink: ValueSink<Reducer.Value>) {
        self.observation = observation
        self.sink = Guarded(sink)
        context = .current()
    }

    func start(_ reader: some DatabaseReader, isImmediate: Bool) {
        observation.events.willStart()
        if isImmediate {
            deliver(Result { try reader.access(AccessRequest(.read, .observation), fetch) }, isImmediate: true)
        } else {
            let read: @Sendable () -> Void = { [self] in
                reader.schedule(AccessRequest(.read, .observation)) { [self] result in
                    deliver(Result { try context.perform { try fetch(result.get()) } }, isImmediate: false)
                }
            }
            if let context { context.whenReady(read) } else { read() }
        }
    }

    func cancel() {
        guard end() else { return }
        observation.events.didCancel()
    }

    private func end() -> Bool {
        context?.end()
        return sink.withLock { sink in
            defer { sink = nil }
            return sink != nil
        }
    }

    private func fetch(_ db: Database) throws -> Reducer.Value? {
        guard sink.withLock({ $0 != nil }) else { return nil }
        if observation.requiresWriteAccess {
            throw DatabaseError(resultCode: .SQLITE_READONLY, message: "an observation that requires write access can't observe a snapshot")
        }
        var reducer = observation.makeReducer()
        observation.events.willFetch()
        return try reducer.value(reducer.fetch(db))
    }

    private func deliver(_ result: Result<Reducer.Value?, any Error>, isImmediate: Bool) {
        guard let sink = sink.withLock({ $0 }) else { return }
        let action: @Sendable () -> Void = { [self] in
            guard self.sink.withLock({ $0 != nil }) else { return }
            switch result {
            case .success(let value):
                if let value { sink.onChange(value, .max) {} }
            case .failure(let error):
                guard end() else { return }
                observation.events.didFail(error)
                sink.onError(error)
            }
        }
        if isImmediate { action() } else { sink.schedule(action) }
    }
}
