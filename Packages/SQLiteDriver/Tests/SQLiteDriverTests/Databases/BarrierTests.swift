import Foundation
import SQLiteDriver
import Testing

@Suite struct BarrierTests {
    private let folder: TemporaryFolder
    private let pool: DatabasePool

    init() throws {
        folder = try TemporaryFolder()
        pool = try DatabasePool(path: folder.path("a.sqlite"))
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER)") }
    }

    @Test
    func `A barrier can spawn a concurrent read`() async {
        let isOver = await comesToItsEnd { [pool] in
            let isRead = Semaphore("the concurrent read has begun")
            #expect(throws: Never.self) {
                try pool.barrierWriteWithoutTransaction { _ in pool.spawnConcurrentRead { _ in isRead.signal() } }
            }
            isRead.wait()
        }
        #expect(isOver)
    }

    enum Form: CaseIterable {
        case blocking
        case asynchronous
        case callback
    }

    @Test(arguments: Form.allCases)
    func `A barrier that waits for the writer lets its concurrent reads begin and end`(_ form: Form) async {
        let log = Box<[String]>([])
        let isOver = await comesToItsEnd { [pool] in
            let isBarrierRequested = Semaphore("the barrier is requested")
            let isBarrierOver = Semaphore("the barrier has ended")
            let isReadFree = Semaphore("the test lets the read end")
            let isReadBlocked = Semaphore("the read has begun")
            let barrier: @Sendable (Database) -> Void = { _ in log.value.append("barrier") }
            #expect(throws: Never.self) {
                try pool.writeWithoutTransaction { _ in
                    switch form {
                    case .blocking:
                        Thread.detachNewThread {
                            isBarrierRequested.signal()
                            try? pool.barrierWriteWithoutTransaction(barrier)
                            isBarrierOver.signal()
                        }
                    case .asynchronous:
                        Task {
                            isBarrierRequested.signal()
                            try? await pool.barrierWriteWithoutTransaction(barrier)
                            isBarrierOver.signal()
                        }
                    case .callback:
                        isBarrierRequested.signal()
                        pool.asyncBarrierWriteWithoutTransaction { result in
                            if let db = try? result.get() { barrier(db) }
                            isBarrierOver.signal()
                        }
                    }
                    isBarrierRequested.wait()
                    yieldThread(until: "the pool has a barrier") { pool.status().barrier == .up }
                    pool.spawnConcurrentRead { _ in
                        isReadBlocked.signal()
                        isReadFree.wait()
                        log.value.append("read")
                    }
                    isReadBlocked.wait()
                }
                isReadFree.signal()
                isBarrierOver.wait()
            }
        }
        #expect(isOver)
        #expect(log.value == ["read", "barrier"])
    }

    @Test
    func `A barrier that waits for a read comes before the writes that were requested after it`() async {
        let log = Box<[String]>([])
        let isOver = await comesToItsEnd { [pool] in
            let hasBegun = Semaphore("the access has begun")
            let isReadFree = Semaphore("the test lets the read end")
            let isWriteFree = Semaphore("the test lets the first write end")
            let hasEnded = Semaphore("the access has ended")
            pool.asyncRead { _ in
                hasBegun.signal()
                isReadFree.wait()
            }
            hasBegun.wait()
            pool.asyncWriteWithoutTransaction { _ in
                hasBegun.signal()
                isWriteFree.wait()
            }
            hasBegun.wait()
            pool.asyncBarrierWriteWithoutTransaction { _ in
                log.value.append("barrier")
                hasEnded.signal()
            }
            pool.asyncWriteWithoutTransaction { _ in
                log.value.append("write")
                hasEnded.signal()
            }
            #expect(pool.status().writer.waitingCount == 2)
            isReadFree.signal()
            yieldThread(until: "the barrier is up") { pool.status().barrier == .up }
            isWriteFree.signal()
            hasEnded.wait()
            hasEnded.wait()
        }
        #expect(isOver)
        #expect(log.value == ["barrier", "write"])
    }

    @Test(arguments: Form.allCases)
    func `While a barrier waits for a read, other reads begin, and no read begins after that`(_ form: Form) async {
        let log = Box<[String]>([])
        let isOver = await comesToItsEnd { [pool] in
            let isReading = Semaphore("the read has begun")
            let isFirstFree = Semaphore("the test lets the first read end")
            let isSecondFree = Semaphore("the test lets the second read end")
            let isBarrierOver = Semaphore("the barrier has ended")
            let isLateOver = Semaphore("the read after the barrier has ended")
            func beginRead(until isFree: Semaphore) {
                pool.asyncRead { _ in
                    isReading.signal()
                    isFree.wait()
                }
                isReading.wait()
            }
            beginRead(until: isFirstFree)
            let barrier: @Sendable (Database) -> Void = { _ in log.value.append("barrier") }
            switch form {
            case .blocking:
                Thread.detachNewThread {
                    try? pool.barrierWriteWithoutTransaction(barrier)
                    isBarrierOver.signal()
                }
            case .asynchronous:
                Task {
                    try? await pool.barrierWriteWithoutTransaction(barrier)
                    isBarrierOver.signal()
                }
            case .callback:
                pool.asyncBarrierWriteWithoutTransaction { result in
                    if let db = try? result.get() { barrier(db) }
                    isBarrierOver.signal()
                }
            }
            yieldThread(until: "the barrier waits") { pool.status().barrier != .none }
            // A read that began before the barrier is running.
            beginRead(until: isSecondFree)
            #expect(throws: Never.self) { try pool.read { _ in log.value.append("beside") } }
            isFirstFree.signal()
            yieldThread(until: "the barrier keeps reads out") { pool.status().barrier == .keepingReadsOut }
            pool.asyncRead { _ in
                log.value.append("late")
                isLateOver.signal()
            }
            isSecondFree.signal()
            isBarrierOver.wait()
            isLateOver.wait()
        }
        #expect(isOver)
        #expect(log.value == ["beside", "barrier", "late"])
    }
}
