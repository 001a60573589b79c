// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stands in for Apple's framework Combine, of which it has what Strata's publishers and their tests use, with the rules that Apple documents:
// subscriptions begin with `receive(subscription:)`, values need demand, nothing comes after the completion or a cancellation.

public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

public protocol Subscriber<Input, Failure> {
    associatedtype Input
    associatedtype Failure: Error

    func receive(subscription: any Subscription)
    func receive(_ input: Input) -> Subscribers.Demand
    func receive(completion: Subscribers.Completion<Failure>)
}

public protocol Cancellable {
    func cancel()
}

public protocol Subscription: Cancellable, AnyObject {
    func request(_ demand: Subscribers.Demand)
}

public enum Publishers {}

public enum Subscribers {
    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }

    /// The number of values that a subscriber can receive.
    public struct Demand: Equatable, Comparable, Sendable {
        /// Nil for any number.
        private var count: Int?

        public static let unlimited = Demand(count: nil)
        public static let none = Demand(count: 0)

        public static func max(_ value: Int) -> Demand {
            precondition(value >= 0)
            return Demand(count: value)
        }

        public static func += (lhs: inout Demand, rhs: Demand) {
            lhs.count = lhs.count.flatMap { count in rhs.count.map { count + $0 } }
        }

        public static func -= (lhs: inout Demand, rhs: Int) {
            guard let count = lhs.count else { return }
            precondition(count >= rhs)
            lhs.count = count - rhs
        }

        public static func < (lhs: Demand, rhs: Demand) -> Bool {
            guard let count = lhs.count else { return false }
            return rhs.count.map { count < $0 } ?? true
        }

        public static func > (lhs: Demand, rhs: Int) -> Bool { lhs.count.map { $0 > rhs } ?? true }
    }
}

extension Publisher {
    public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        receive(subscriber: subscriber)
    }

    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }

    /// Delivers values and the completion in a scheduler. Subscribing, demand and cancellation stay on the caller's thread.
    public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil) -> Publishers.ReceiveOn<Self, S> {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }

    /// Subscribes with unlimited demand.
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let sink = Subscribers.Sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        subscribe(sink)
        return AnyCancellable { sink.cancel() }
    }
}

public struct AnyPublisher<Output, Failure: Error>: Publisher {
    private let base: any Publisher<Output, Failure>

    public init<P: Publisher>(_ base: P) where P.Output == Output, P.Failure == Failure { self.base = base }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        base.receive(subscriber: subscriber)
    }
}

/// Cancels when it is released.
public final class AnyCancellable: Cancellable {
    private let action = Locked<(() -> Void)?>(nil)

    public init(_ cancel: @escaping () -> Void) { action.withLock { $0 = cancel } }

    public func cancel() { action.take()?() }

    deinit { cancel() }
}

extension Locked {
    /// Returns the value, and replaces it by nil.
    func take<Wrapped>() -> Wrapped? where Value == Wrapped? {
        withLock { value in
            defer { value = nil }
            return value
        }
    }
}
