import Foundation
import Strata

/// Threads that write numbered rows, which share commits. Every seventh write throws.
public struct SharedWrites: Sendable {
    /// How many threads write.
    public static let threadCount = 8

    private let pool: DatabasePool

    /// Opens a file, and creates its table if there is none.
    public init(_ path: String) throws {
        pool = try DatabasePool(path: path)
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS shared (thread INTEGER, n INTEGER, PRIMARY KEY (thread, n)) WITHOUT ROWID")
        }
    }

    /// Writes until the process is killed. Each thread prints its number and that of the row when the write has returned.
    public func writeForever() throws -> Never {
        let counts = try counts()
        for thread in 0..<Self.threadCount {
            Thread.detachNewThread {
                var n = counts[thread]
                while true {
                    n += 1
                    let isAcknowledged = (try? write(thread, n)) != nil
                    if isAcknowledged { FileHandle.standardOutput.write(Data("\(thread) \(n)\n".utf8)) } else { n -= 1 }
                }
            }
        }
        while true { Thread.sleep(forTimeInterval: 1000) }
    }

    private func write(_ thread: Int, _ n: Int) throws {
        let throwsError = Int.random(in: 0..<7) == 0
        try pool.write(.repeatable) { db in
            try db.execute(sql: "INSERT INTO shared VALUES (?, ?)", arguments: [thread, throwsError ? -n : n])
            if throwsError { throw WriterProblem("a write that is undone") }
        }
    }

    /// The number of rows of each thread.
    ///
    /// - Throws: ``WriterProblem`` if a thread lacks rows, or has one of a write that has thrown.
    public func counts() throws -> [Int] {
        try pool.read { db in
            try (0..<Self.threadCount).map { thread in
                let numbers = try Int.fetchAll(db, sql: "SELECT n FROM shared WHERE thread = ? ORDER BY n", arguments: [thread])
                guard numbers == Array(numbers.indices.map { $0 + 1 }) else {
                    throw WriterProblem("thread \(thread) has the rows \(numbers)")
                }
                return numbers.count
            }
        }
    }

    /// Closes the file.
    public func close() throws { try pool.close() }
}
