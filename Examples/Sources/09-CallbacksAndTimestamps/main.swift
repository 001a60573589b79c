// 9. Callbacks and timestamps
//
// A record can react to being written: it can validate itself, store when it was created and updated, and write a log. An error in a
// callback rolls back the change.
//
// Next: 10. Upserts and batches.

import CodableSupport
import ExampleSupport
import Foundation

/// The landing of a mission, with the dates of its row.
struct Landing: Codable, FetchableRecord {
    var id: Int64?
    var mission: Int
    var site: String
    var samples: Double
    var createdAt: Date?
    var updatedAt: Date?
}

// Implement the callbacks in the extension with the conformance: the compiler then warns about methods that almost match a callback.
extension Landing: MutablePersistableRecord {
    /// Called before an insertion or an update. Validates the record.
    func willSave(_ db: Database) throws {
        if samples < 0 { throw ExampleError("nobody brings \(decimal(samples)) kg back from \(site)") }
    }

    /// Called before an insertion. All records of a transaction get the same date.
    mutating func willInsert(_ db: Database) throws {
        createdAt = try db.transactionDate
        updatedAt = createdAt
    }

    /// Called before an update. Changes of the record are written, and remain in the variable.
    mutating func willUpdate(_ db: Database, columns: Set<String>) throws {
        updatedAt = try db.transactionDate
    }

    /// Called after an insertion, with the row ID.
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }

    /// Called around an insertion or an update. Compares the record before and after.
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        let before = try Landing.fetchOne(db, key: id)
        _ = try save()
        let event = before.map { "\(decimal($0.samples)) kg become \(decimal(samples)) kg" } ?? "\(decimal(samples)) kg"
        try LogEntry(date: db.transactionDate, text: "\(site): \(event)").insert(db)
    }

    /// Called after a deletion.
    func didDelete(deleted: Bool) {
        print("\(site) \(deleted ? "is gone" : "was not there").")
    }
}

/// An entry of the log.
struct LogEntry: Codable, FetchableRecord, PersistableRecord {
    var date: Date
    var text: String
}

/// A predictable clock for tests and tutorials: each transaction is a day later than the previous one.
final class CalendarOfDays: @unchecked Sendable {
    // Sendable: a queue runs its transactions one after the other, so nothing uses the date concurrently.
    private var date: Date

    init(from date: Date) {
        self.date = date
    }

    func next() -> Date {
        date += 86400
        return date
    }
}

func showAll(_ db: Database, _ title: String) throws {
    var table = TextTable("Mission", "Site", .right("Samples (kg)"), "Created", "Updated")
    for landing in try Landing.order(Column("mission")).fetchAll(db) {
        table.add(
            "Apollo \(landing.mission)", landing.site, decimal(landing.samples), landing.createdAt.map(utc) ?? "–",
            landing.updatedAt.map(utc) ?? "–")
    }
    show(title, table)
}

runProgram {
    // By default, a database uses the system's clock.
    let calendar = CalendarOfDays(from: Date(timeIntervalSince1970: 0))
    var configuration = Configuration()
    configuration.transactionClock = .custom { _ in calendar.next() }
    let queue = try DatabaseQueue(path: newDatabasePath("09-callbacks"), configuration: configuration)

    // MARK: Inserting

    try queue.write { db in
        try db.create(table: "landing") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("mission", .integer).notNull().unique()
            t.column("site", .text).notNull()
            t.column("samples", .real).notNull()
            t.column("createdAt", .datetime).notNull()
            t.column("updatedAt", .datetime).notNull()
        }
        try db.create(table: "logEntry") { t in
            t.column("date", .datetime).notNull()
            t.column("text", .text).notNull()
        }
        // `inserted` returns the inserted record, with its id and its dates.
        let landings = try readCSV("landings").prefix(3).map { record in
            try Landing(mission: record.integer("mission"), site: record.text("site"), samples: record.number("samples_kg"))
                .inserted(db)
        }
        print("Inserted \(landings.compactMap(\.id).count) landings, all of them created at \(utc(landings[0].createdAt!)).\n")
    }

    // MARK: Updating

    // Another transaction, one day later.
    try queue.write { db in
        if var landing = try Landing.filter(Column("mission") == 11).fetchOne(db) {
            landing.samples += 0.4
            try landing.update(db)
            print("In the variable, too: updated at \(utc(landing.updatedAt!)).")
            // If nothing changed, no statement runs, and no callback is called.
            let hasChanged = try landing.updateChanges(db) { $0.site = "Mare Tranquillitatis" }
            print("Has the name changed? \(hasChanged).\n")
        }
    }
    try queue.read { try showAll($0, "After the update") }

    // MARK: Errors

    // The error of a callback rolls back the transaction, including the updates and log entries written before.
    do {
        try queue.write { db in
            for var landing in try Landing.order(Column("mission").desc).fetchAll(db) {
                landing.samples -= 30
                try landing.update(db)
            }
        }
    } catch let error as ExampleError {
        print("Taken back: \(error).\n")
    }

    // MARK: Deleting

    try queue.write { db in
        let landing = try Landing.filter(Column("mission") == 14).fetchOne(db)
        try landing?.delete(db)
        try landing?.delete(db)
    }

    try queue.read { db in
        var log = TextTable("Date", "Event")
        for entry in try LogEntry.fetchAll(db) { log.add(utc(entry.date), entry.text) }
        print()
        show("The log", log)
    }
}
