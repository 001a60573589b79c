// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// See Publisher.swift.

extension Subscribers {
    /// Calls closures with all values and the completion.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        private struct Closures {
            let complete: (Completion<Failure>) -> Void
            let receive: (Input) -> Void
            var subscription: (any Subscription)?
        }

        /// Nil after the end.
        private let closures: Locked<Closures?>

        public init(receiveCompletion: @escaping (Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void) {
            closures = Locked(Closures(complete: receiveCompletion, receive: receiveValue))
        }

        public func receive(subscription: any Subscription) {
            let isWanted = closures.withLock { closures in
                guard closures != nil, closures?.subscription == nil else { return false }
                closures?.subscription = subscription
                return true
            }
            if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
        }

        public func receive(_ input: Input) -> Demand {
            closures.withLock { $0 }?.receive(input)
            return .none
        }

        public func receive(completion: Completion<Failure>) { closures.take()?.complete(completion) }

        public func cancel() { closures.take()?.subscription?.cancel() }
    }
}
