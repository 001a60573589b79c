// 7. Readers and a writer
//
// A `DatabaseQueue` has one connection: reads wait for the write before them. A `DatabasePool` has one connection that writes and
// several that read: reads never wait for the writer, and each read sees one state of the database, regardless of writes at the same time.
// This tutorial measures both. Like the first one, it only needs SQLiteDriver.
//
// The samples from the Moon are divided into pieces of 5 grams, with one row for each piece, so that there is a lot to write.
//
// Next: 8. Ten questions.

import ExampleSupport
import SQLiteDriver

/// The result of one read.
struct Stock: Hashable, Sendable, CustomStringConvertible {
    var pieces: Int64
    var grams: Int64
    /// The grams that the landings brought, from another table.
    var broughtGrams: Int64

    /// Runs three statements that see the same state of the database, because `read` is a transaction.
    init(_ db: Database) throws {
        func number(_ sql: String) throws -> Int64 {
            let statement = try db.cachedStatement(sql: sql)
            defer { statement.reset() }
            return try statement.step() ? statement.int64(at: 0) ?? 0 : 0
        }
        pieces = try number("SELECT count(*) FROM piece")
        grams = try number("SELECT sum(grams) FROM piece")
        broughtGrams = try number("SELECT sum(grams) FROM landing")
    }

    var description: String { "\(pieces) pieces, \(decimal(Double(grams) / 1000)) kg" }
}

/// Adds a landing and its pieces.
func add(_ landing: CSVRow, to db: Database) throws {
    let mission = try landing.integer("mission")
    let grams = Int((try landing.number("samples_kg") * 1000).rounded())
    try db.execute(sql: "INSERT INTO landing (mission, grams) VALUES (?, ?)", arguments: [mission, grams])
    let insertion = try db.cachedStatement(sql: "INSERT INTO piece (mission, grams) VALUES (?, 5)")
    for _ in 0..<(grams / 5) {
        try insertion.execute(arguments: [mission])
    }
}

/// Creates the tables, and adds the first landing.
func addFirstLanding(to database: any DatabaseWriter) async throws {
    try await database.write { db in
        try db.execute(
            sql: """
                CREATE TABLE landing (mission INTEGER PRIMARY KEY, grams INTEGER NOT NULL);
                CREATE TABLE piece (mission INTEGER NOT NULL REFERENCES landing, grams INTEGER NOT NULL);
                """)
        try add(readCSV("landings")[0], to: db)
    }
}

// MARK: Reading during a long write

struct Write: Sendable {
    var rows: Int
    var start: ContinuousClock.Instant
    var end: ContinuousClock.Instant
}

struct Reading: Sendable {
    var asked: ContinuousClock.Instant
    var start: ContinuousClock.Instant
    var end: ContinuousClock.Instant
    var stock: Stock
}

/// Adds all other landings in one transaction.
func addOtherLandings(to database: any DatabaseWriter, onStart: @escaping @Sendable () -> Void) async throws -> Write {
    // An access with `await` blocks no thread. If its task is cancelled, the access does not begin, or its statement is interrupted.
    try await database.write { db in
        let start = ContinuousClock.now
        onStart()
        let rowsBefore = db.totalChangesCount
        let landings = try readCSV("landings").dropFirst()
        try showingProgress("Writing", of: landings.count) { bar in
            for (index, landing) in landings.enumerated() {
                try add(landing, to: db)
                bar.show(index + 1)
            }
        }
        return Write(rows: db.totalChangesCount - rowsBefore, start: start, end: .now)
    }
}

/// Reads repeatedly until all landings are there.
func readUntilTheEnd(_ database: any DatabaseReader) async throws -> [Reading] {
    var readings: [Reading] = []
    repeat {
        let asked = ContinuousClock.now
        let (start, stock) = try await database.read { db in (ContinuousClock.now, try Stock(db)) }
        readings.append(Reading(asked: asked, start: start, end: .now, stock: stock))
    } while readings.last?.stock.pieces != 76_340
    return readings
}

/// Runs three tasks that read while another task writes.
func measure(_ database: any DatabaseWriter) async throws -> (write: Write, readings: [Reading]) {
    let (writeHasBegun, signal) = AsyncStream.makeStream(of: Void.self)
    return try await withThrowingTaskGroup(of: [Reading].self) { readers in
        async let write = {
            // Needed if an error prevents the write from beginning.
            defer { signal.finish() }
            return try await addOtherLandings(to: database) { signal.finish() }
        }()
        for await _ in writeHasBegun {}
        for _ in 0..<3 {
            readers.addTask { try await readUntilTheEnd(database) }
        }
        // If the write throws an error, the group cancels the readers, which would otherwise wait forever.
        let result = try await write
        return (result, try await readers.reduce(into: []) { $0 += $1 })
    }
}

func milliseconds(_ duration: Duration) -> String {
    "\(decimal(duration / .milliseconds(1))) ms"
}

await runProgram {
    let queue = try DatabaseQueue(path: newDatabasePath("07-readers-and-writer-queue"))
    let pool = try DatabasePool(path: newDatabasePath("07-readers-and-writer-pool"))
    try await addFirstLanding(to: queue)
    try await addFirstLanding(to: pool)

    // A snapshot always reads the state of the database in which it was created.
    let snapshot = try pool.makeSnapshot()

    let measurements = [("DatabaseQueue", try await measure(queue)), ("DatabasePool", try await measure(pool))]
    var table = TextTable("", .right("Rows written"), .right("In"), .right("Reads meanwhile"), .right("Longest wait of a reader"))
    for (name, (write, readings)) in measurements {
        let meanwhile = readings.filter { $0.start >= write.start && $0.end <= write.end }
        let longestWait = readings.map { $0.start - $0.asked }.max() ?? .zero
        table.add(name, "\(write.rows)", milliseconds(write.end - write.start), "\(meanwhile.count)", milliseconds(longestWait))
    }
    // The write to the pool can take longer, because the readers use the processor and the disk at the same time.
    show("Three readers during a long write", table)

    // The reads of the queue run after the write. The reads of the pool see the state before the write until it is committed.
    for (name, (_, readings)) in measurements {
        print("What the readers of the \(name) found:")
        for stock in Set(readings.map(\.stock)).sorted(by: { $0.pieces < $1.pieces }) {
            print("    \(stock), \(stock.grams == stock.broughtGrams ? "as much as was brought" : "which can't be")")
        }
    }

    // MARK: Snapshots

    print("\nThe snapshot that was made before: \(try await snapshot.read { try Stock($0) }).")
    print("A read now: \(try await pool.read { try Stock($0) }).")
    // While a snapshot is open, the write-ahead log grows: the state that the snapshot reads must stay in the file.
    try snapshot.close()

    // MARK: Reading what was just written, while writing continues

    // `spawnConcurrentRead` returns when the read has its snapshot. The read does not block the writer, and does not see later writes.
    let (counts, signal) = AsyncStream.makeStream(of: Result<Stock, any Error>.self)
    try await pool.writeWithoutTransaction { db in
        try db.inTransaction {
            try db.execute(sql: "DELETE FROM piece WHERE mission > 11; DELETE FROM landing WHERE mission > 11")
            return .commit
        }
        pool.spawnConcurrentRead { db in
            signal.yield(Result { try Stock(db.get()) })
            signal.finish()
        }
        try db.execute(sql: "DELETE FROM piece")
    }
    for await count in counts {
        print("\nA concurrent read between two writes: \(try count.get()).")
    }
    print("A read after them: \(try await pool.read { try Stock($0) }).")
}
