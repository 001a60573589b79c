import Combine
import Foundation

/// A subscriber that records what it receives, and cancels its subscription when it is released.
///
/// `@unchecked Sendable`: locks guard the mutable state.
final class Recorder<Input>: Subscriber, @unchecked Sendable {
    typealias Failure = any Error

    /// "value 1", "finished" or "failed: …", each followed by the queue on which it came, if that has a name.
    let events = Collector<String>()
    private let subscription = Locked<(any Subscription)?>(nil)
    private let demand: Subscribers.Demand
    private let text: (Input) -> String

    init(demand: Subscribers.Demand = .unlimited, text: @escaping (Input) -> String = { "\($0)" }) {
        self.demand = demand
        self.text = text
    }

    deinit { cancel() }

    func receive(subscription: any Subscription) {
        self.subscription.value = subscription
        if demand > .none { subscription.request(demand) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        events.append("value \(text(input))\(DispatchQueue.label)")
        return .none
    }

    func receive(completion: Subscribers.Completion<any Error>) {
        switch completion {
        case .finished: events.append("finished\(DispatchQueue.label)")
        case .failure(let error): events.append("failed: \(error)\(DispatchQueue.label)")
        }
    }

    func request(_ demand: Subscribers.Demand) { subscription.value?.request(demand) }

    func cancel() { subscription.take()?.cancel() }
}

/// A subscriber that cancels its subscription when it gets it.
struct Refusal<Input>: Subscriber {
    func receive(subscription: any Subscription) {
        subscription.cancel()
        subscription.request(.unlimited)
    }

    func receive(_ input: Input) -> Subscribers.Demand { fatalError("a value after the cancellation") }

    func receive(completion: Subscribers.Completion<any Error>) { fatalError("a completion after the cancellation") }
}

extension DispatchQueue {
    private static let labelKey: DispatchSpecificKey<String> = {
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: " on main")
        return key
    }()

    /// Creates a queue whose name is in events.
    static func named(_ name: String) -> DispatchQueue {
        let queue = DispatchQueue(label: name)
        queue.setSpecific(key: labelKey, value: " on \(name)")
        return queue
    }

    fileprivate static var label: String { getSpecific(key: labelKey) ?? "" }

    /// Waits until what was scheduled before has run.
    func drain() async {
        await withCheckedContinuation { continuation in async { continuation.resume() } }
    }
}

extension Locked {
    func take<Wrapped>() -> Wrapped? where Value == Wrapped? {
        withLock { value in
            defer { value = nil }
            return value
        }
    }
}

/// An object by which tests see that a closure was released.
final class Token: Sendable {}

struct TestError: Error, CustomStringConvertible {
    var description: String { "the test's error" }
}
