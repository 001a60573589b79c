// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// See Publisher.swift.

/// Creates a publisher for each subscriber.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
    public typealias Output = DeferredPublisher.Output
    public typealias Failure = DeferredPublisher.Failure

    public let createPublisher: () -> DeferredPublisher

    public init(createPublisher: @escaping () -> DeferredPublisher) { self.createPublisher = createPublisher }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        createPublisher().subscribe(subscriber)
    }
}

/// Publishes the first result of its promise, to all subscribers.
public final class Future<Output, Failure: Error>: Publisher {
    public typealias Promise = (Result<Output, Failure>) -> Void

    private struct State {
        var result: Result<Output, Failure>?
        /// Those that wait for the result.
        var deliveries: [Delivery] = []
    }

    private let state = Locked(State())

    /// Calls the closure now.
    public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        attemptToFulfill { [state] result in
            let deliveries: [Delivery] = state.withLock { state in
                guard state.result == nil else { return [] }
                state.result = result
                defer { state.deliveries = [] }
                return state.deliveries
            }
            for delivery in deliveries { delivery.fulfill(result) }
        }
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let delivery = Delivery { result in
            switch result {
            case .success(let value):
                _ = subscriber.receive(value)
                subscriber.receive(completion: .finished)
            case .failure(let error): subscriber.receive(completion: .failure(error))
            }
        }
        subscriber.receive(subscription: delivery)
        let result = state.withLock { state in
            if state.result == nil { state.deliveries.append(delivery) }
            return state.result
        }
        if let result { delivery.fulfill(result) }
    }

    /// A subscription: a value waits for demand, a failure does not.
    private final class Delivery: Subscription {
        private struct State {
            /// Nil after the end.
            var deliver: ((Result<Output, Failure>) -> Void)?
            var result: Result<Output, Failure>?
            var isDemanded = false
        }

        private let state: Locked<State>

        init(_ deliver: @escaping (Result<Output, Failure>) -> Void) { state = Locked(State(deliver: deliver)) }

        func fulfill(_ result: Result<Output, Failure>) { update { $0.result = result } }

        func request(_ demand: Subscribers.Demand) { update { $0.isDemanded = $0.isDemanded || demand > 0 } }

        func cancel() { state.withLock { $0.deliver = nil } }

        private func update(_ change: (inout State) -> Void) {
            let delivery: (() -> Void)? = state.withLock { state in
                change(&state)
                guard let deliver = state.deliver, let result = state.result else { return nil }
                if case .success = result, !state.isDemanded { return nil }
                state.deliver = nil
                return { deliver(result) }
            }
            delivery?()
        }
    }
}
