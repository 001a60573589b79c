import Foundation
import Testing

/// How many seconds a test waits for an event. Only an event that never happens takes so long: all tests of a package start at the same time,
/// so that an event may wait for most of them, and longer with a sanitizer or on a busy machine.
let waitLimit = 300

/// Fails the test because an event has not happened within `waitLimit`.
func recordMissing(_ event: String, _ sourceLocation: SourceLocation) {
    Issue.record(MissingEvent(event), sourceLocation: sourceLocation)
}

extension DispatchGroup {
    /// Blocks the thread until all work of the group has ended. A wait that reaches `waitLimit` fails the test and names the event.
    @available(*, noasync, message: "Blocks the thread.")
    func wait(for event: String, sourceLocation: SourceLocation = #_sourceLocation) {
        if wait(timeout: .now() + .seconds(waitLimit)) == .timedOut { recordMissing(event, sourceLocation) }
    }
}

/// Lets other threads run until a condition holds. A wait that reaches `waitLimit` fails the test and names the event.
func yieldThread(until event: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool) {
    let limit = ContinuousClock.now + .seconds(waitLimit)
    while !condition() {
        guard ContinuousClock.now < limit else { return recordMissing(event, sourceLocation) }
        sched_yield()
    }
}

/// Runs a closure on a separate thread, as tests share the few threads of the cooperative pool and of the global queues.
func onAThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    // When a continuation is resumed before its task waits for it, the thread sanitizer does not see their order. It sees the lock's.
    let lock = NSLock()
    let value = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            let value = body()
            lock.withLock {}
            continuation.resume(returning: value)
        }
    }
    lock.withLock {}
    return value
}

/// Lets other tasks run until an object is released. A wait that reaches `waitLimit` fails the test.
func waitForRelease(sourceLocation: SourceLocation = #_sourceLocation, _ object: () -> AnyObject?) async {
    let limit = ContinuousClock.now + .seconds(waitLimit)
    while let retained = object().map({ "\(type(of: $0))" }) {
        guard ContinuousClock.now < limit else { return recordMissing("the release of a \(retained)", sourceLocation) }
        await Task.yield()
    }
}

/// Something that a test waited for in vain.
struct MissingEvent: Error, CustomStringConvertible {
    let description: String

    init(_ event: String) {
        description = "waited \(waitLimit) seconds for: \(event)"
    }
}

extension FileHandle {
    /// Waits for bytes, and returns those that can be read. They are empty at the end of the file.
    ///
    /// - Parameter event: the event that the test waits for.
    /// - Throws: `MissingEvent` after `waitLimit`.
    func bytes(for event: String) throws -> Data {
        var descriptor = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, CInt(waitLimit * 1000)) > 0 else { throw MissingEvent(event) }
        return availableData
    }
}
