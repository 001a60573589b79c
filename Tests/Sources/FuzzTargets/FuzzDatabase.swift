import Foundation
import Strata

private let databases = Locked<[DatabaseQueue]>([])

private let closesAtExit: Void = {
    atexit {
        for database in databases.value { try? database.close() }
    }
}()

/// Opens a database that all inputs of a fuzz target share, and that is closed when the process ends.
///
/// What an open one keeps would be reported as leaks: the address sanitizer doesn't recognize the pointers in Swift's enums.
func openFuzzDatabase(_ sql: String = "") -> Result<DatabaseQueue, any Error> {
    Result {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: sql) }
        _ = closesAtExit
        databases.withLock { $0.append(queue) }
        return queue
    }
}
