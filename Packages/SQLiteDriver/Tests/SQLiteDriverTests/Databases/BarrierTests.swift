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
            let isRead = DispatchSemaphore(value: 0)
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
            let isBarrierRequested = DispatchSemaphore(value: 0)
            let isBarrierOver = DispatchSemaphore(value: 0)
            let isReadFree = DispatchSemaphore(value: 0)
            let isReadBlocked = DispatchSemaphore(value: 0)
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
                    while !pool.hasBarrier { sched_yield() }
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

    @Test(arguments: Form.allCases)
    func `While a barrier waits for a read, other reads begin, and no read begins after that`(_ form: Form) async {
        let log = Box<[String]>([])
        let isOver = await comesToItsEnd { [pool] in
            let isReading = DispatchSemaphore(value: 0)
            let isFirstFree = DispatchSemaphore(value: 0)
            let isSecondFree = DispatchSemaphore(value: 0)
            let isBarrierOver = DispatchSemaphore(value: 0)
            let isLateOver = DispatchSemaphore(value: 0)
            func beginRead(until isFree: DispatchSemaphore) {
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
            while !pool.hasWaitingBarrier { sched_yield() }
            // A read that began before the barrier is running.
            beginRead(until: isSecondFree)
            #expect(throws: Never.self) { try pool.read { _ in log.value.append("beside") } }
            isFirstFree.signal()
            while !pool.keepsReadsOut { sched_yield() }
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
