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
                for round in 0..<2000 {
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
                let (threads, count) = (SharedThreads(count: 2), threadCount())
                let (group, isLast) = (DispatchGroup(), DispatchSemaphore(value: 0))
                for number in 0..<10 {
                    group.enter()
                    threads.run(on: DispatchQueue(label: "work")) {
                        // Each waits for the last one, which has no thread otherwise.
                        threads.whileBlocked { if number < 9 { isLast.wait() } }
                        isLast.signal()
                        group.leave()
                    }
                }
                group.wait()
                if threadCount() < count + 10 { throw TestError() }
                let (mayEnd, begun) = (DispatchSemaphore(value: 0), Locked(0))
                for _ in 0..<10 {
                    group.enter()
                    threads.run(on: DispatchQueue(label: "work")) {
                        begun.increment()
                        mayEnd.wait()
                        group.leave()
                    }
                }
                yieldThread(until: "as much work as there are threads") { begun.value == 2 }
                for _ in 0..<10 { sched_yield() }
                if begun.value != 2 { throw TestError() }
                for _ in 0..<10 { mayEnd.signal() }
                group.wait()
            }
        }
    }

    private func threadCount() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0 }
#endif
