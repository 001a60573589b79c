#if os(Linux)
    import Foundation
    import SQLiteDriver
    import Testing

    struct SharedThreadsTests {
        @Test
        func `Threads whose work has ended run what comes next`() async {
            // The threads of other tests are not counted.
            await #expect(processExitsWith: .success) {
                let threads = SharedThreads(count: 8)
                let count = threadCount()
                for round in 0..<10_000 {
                    let group = DispatchGroup()
                    for _ in 0..<8 {
                        group.enter()
                        threads.run(on: DispatchQueue(label: "work")) { group.leave() }
                    }
                    group.wait()
                    if round.isMultiple(of: 50), threadCount() > count + 8 { throw TestError() }
                }
            }
        }

        @Test
        func `Threads that are blocked are replaced, and end when they are not needed`() async {
            await #expect(processExitsWith: .success) {
                let (threads, group) = (SharedThreads(count: 2), DispatchGroup())
                let (blocked, begun) = (Locked(0), Locked(0))
                let (mayGoOn, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                for _ in 0..<4 {
                    group.enter()
                    threads.run(on: DispatchQueue(label: "work")) {
                        threads.whileBlocked {
                            blocked.increment()
                            mayGoOn.wait()
                        }
                        group.leave()
                    }
                }
                // More than there are threads.
                yieldThread(until: "all work is blocked") { blocked.value == 4 }
                for _ in 0..<10 {
                    threads.run(on: DispatchQueue(label: "work")) {
                        begun.increment()
                        mayEnd.wait()
                    }
                }
                yieldThread(until: "as much work as there are threads") { begun.value == 2 }
                for _ in 0..<4 { mayGoOn.signal() }
                group.wait()
                // Their threads run none of the work that waits.
                for _ in 0..<10_000 { sched_yield() }
                if begun.value != 2 { throw TestError() }
                for _ in 0..<10 { mayEnd.signal() }
                yieldThread(until: "the rest of the work") { begun.value == 10 }
                // Nor do they wait for more.
                let count = threadCount()
                for number in 0..<10 {
                    group.enter()
                    threads.run(on: DispatchQueue(label: "work \(number)")) {
                        begun.increment()
                        mayEnd.wait()
                        group.leave()
                    }
                }
                yieldThread(until: "as much work as there are threads") { begun.value == 12 }
                if threadCount() > count { throw TestError() }
                for _ in 0..<10 { mayEnd.signal() }
                group.wait()
            }
        }
    }

    private func threadCount() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0 }
#endif
