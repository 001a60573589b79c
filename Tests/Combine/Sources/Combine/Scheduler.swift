// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// See Publisher.swift.

import Dispatch

public protocol Scheduler<SchedulerOptions> {
    associatedtype SchedulerOptions

    func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)
}

extension DispatchQueue: Scheduler {
    public struct SchedulerOptions {
        public var qos: DispatchQoS
    }

    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        nonisolated(unsafe) let action = action
        async(qos: options?.qos ?? .unspecified) { action() }
    }
}

extension Publishers {
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        let upstream: Upstream
        let scheduler: Context
        let options: Context.SchedulerOptions?

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(subscriber, scheduler, options))
        }

        private final class Inner<S: Subscriber>: Subscriber, Subscription where S.Input == Output, S.Failure == Failure {
            private struct State {
                let subscriber: S
                var subscription: (any Subscription)?
            }

            /// Nil after the end.
            private let state: Locked<State?>
            private let scheduler: Context
            private let options: Context.SchedulerOptions?

            init(_ subscriber: S, _ scheduler: Context, _ options: Context.SchedulerOptions?) {
                state = Locked(State(subscriber: subscriber))
                self.scheduler = scheduler
                self.options = options
            }

            func receive(subscription: any Subscription) {
                state.withLock { $0?.subscription = subscription }
                state.withLock { $0 }?.subscriber.receive(subscription: self)
            }

            func receive(_ input: Output) -> Subscribers.Demand {
                scheduler.schedule(options: options) { [self] in
                    guard let state = state.withLock({ $0 }) else { return }
                    let more = state.subscriber.receive(input)
                    if more > 0 { state.subscription?.request(more) }
                }
                return .none
            }

            func receive(completion: Subscribers.Completion<Failure>) {
                scheduler.schedule(options: options) { [self] in state.take()?.subscriber.receive(completion: completion) }
            }

            func request(_ demand: Subscribers.Demand) { state.withLock { $0 }?.subscription?.request(demand) }

            func cancel() { state.take()?.subscription?.cancel() }
        }
    }
}
