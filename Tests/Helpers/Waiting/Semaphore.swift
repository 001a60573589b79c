import Foundation
import Testing

/// A semaphore of value 0 whose signals stand for an event. A wait that reaches `waitLimit` fails the test and names the event.
final class Semaphore: Sendable {
    private let event: String
    private let semaphore = DispatchSemaphore(value: 0)

    /// - Parameter event: the event that a signal stands for, such as "the write has begun".
    init(_ event: String) {
        self.event = event
    }

    func signal() { semaphore.signal() }

    /// Blocks the thread until there is a signal.
    @available(*, noasync, message: "Use signalled().")
    func wait(sourceLocation: SourceLocation = #_sourceLocation) {
        if !isSignalled(within: .seconds(waitLimit)) { recordMissing(event, sourceLocation) }
    }

    /// Blocks the thread until there is a signal, and repeats an action every 10 milliseconds until then.
    @available(*, noasync, message: "Blocks the thread.")
    func wait(sourceLocation: SourceLocation = #_sourceLocation, repeating action: () -> Void) {
        for _ in 0..<(waitLimit * 100) {
            if isSignalled(within: .milliseconds(10)) { return }
            action()
        }
        recordMissing(event, sourceLocation)
    }

    /// Waits for a signal on a separate thread.
    func signalled(sourceLocation: SourceLocation = #_sourceLocation) async {
        let isSignalled = await onAThread { self.isSignalled(within: .seconds(waitLimit)) }
        if !isSignalled { recordMissing(event, sourceLocation) }
    }

    /// Returns whether there is a signal, and takes it.
    func isSignalled(within interval: DispatchTimeInterval = .seconds(0)) -> Bool {
        semaphore.wait(timeout: .now() + interval) == .success
    }
}
