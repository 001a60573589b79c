import Dispatch
import SQLiteDriver
import Testing

@Suite struct GuardedTests {
    @Test
    func `Threads change a guarded value one at a time`() {
        let value = Guarded([Int]())
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for index in 0..<500 { value.withLock { $0.append(thread * 500 + index) } }
        }
        #expect(value.withLock { $0.sorted() } == Array(0..<4000))
    }

    @Test
    func `A closure that throws releases the lock, and keeps its changes`() {
        let value = Guarded(0)
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try value.withLock { value in
                value = 1
                throw Failure()
            }
        }
        DispatchQueue.concurrentPerform(iterations: 2) { _ in value.withLock { $0 += 1 } }
        #expect(value.withLock { $0 } == 3)
    }

    @Test
    func `A guarded value is released with its owner`() {
        final class Canary: Sendable {}
        var canary: Canary? = Canary()
        weak let reference = canary
        var value: Guarded<Canary?>? = Guarded(canary)
        canary = nil
        #expect(value?.withLock { $0 != nil } == true && reference != nil)
        value = nil
        #expect(reference == nil)
    }
}
