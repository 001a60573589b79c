// 10. Upserts and batches
//
// An upsert inserts a row, or updates the one that is there already. A batch writes many records at once, and fails whole.

import CodableSupport
import ExampleSupport
import Foundation

/// Someone who flew, and how often.
struct Astronaut: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var flights = 1
    var lastSeat: String?

    enum Columns {
        static let name = Column(CodingKeys.name)
        static let flights = Column(CodingKeys.flights)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

/// A sample of rock, cut from what a mission brought.
struct Sample: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var mission: Int
    var grams: Int

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

runProgram {
    let queue = try DatabaseQueue(path: newDatabasePath("10-upserts"))

    try queue.write { db in
        try db.create(table: "astronaut") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull().unique()
            t.column("flights", .integer).notNull()
            t.column("lastSeat", .text)
        }
        try db.create(table: "sample") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("mission", .integer).notNull()
            t.column("grams", .integer).notNull().check { $0 > 0 }
        }
    }

    // MARK: Upserts

    try queue.write { db in
        for record in try readCSV("crew") {
            var astronaut = try Astronaut(name: record.text("astronaut"), lastSeat: record.text("seat"))
            // Who has flown before is updated: one flight more. The column that the closure does not assign, the seat, takes the
            // value of the record.
            try astronaut.upsert(db, onConflict: ["name"]) { _ in [Astronaut.Columns.flights += 1] }
        }
        var table = TextTable("Astronaut", .right("Flights"), "Last seat")
        for astronaut in try Astronaut.filter(Astronaut.Columns.flights > 1).order(Astronaut.Columns.name).fetchAll(db) {
            table.add(astronaut.name, String(astronaut.flights), astronaut.lastSeat ?? "–")
        }
        show("\(try readCSV("crew").count) seats, \(try Astronaut.fetchCount(db)) astronauts. Who flew twice:", table)

        // The record knows the row that it has become, whether that is new or not.
        var young = Astronaut(name: "John Young", lastSeat: "Space Shuttle")
        let stored = try young.upsertAndFetch(
            db, onConflict: ["name"], doUpdate: { _ in [Astronaut.Columns.flights.noOverwrite] })
        print("\(stored.name) is number \(young.id ?? 0), with \(stored.flights) flights to \(stored.lastSeat ?? "–").\n")
    }

    // MARK: Batches

    // One statement, prepared once; one transaction; and a report for the patient.
    var samples = try readCSV("landings").flatMap { record in
        let (mission, grams) = (try record.integer("mission"), Int((try record.number("samples_kg") * 1000).rounded()))
        return stride(from: 0, to: grams, by: 100).map { Sample(mission: mission, grams: min(100, grams - $0)) }
    }
    try queue.write { db in
        try samples.insertAll(db) { completed in
            if completed.isMultiple(of: 1000) { print("\(completed) samples …") }
        }
        let number = samples.last?.id ?? 0
        print("\(samples.count) samples; the last is number \(number).")
    }

    // A batch is written whole, or not at all. Half of the samples are halved before one is found that can't be.
    samples[samples.count / 2].grams = 0
    do {
        try queue.write { db in
            for index in samples.indices { samples[index].grams /= 2 }
            try samples.updateAll(db, columns: ["grams"])
        }
    } catch DatabaseError.SQLITE_CONSTRAINT {
        let total = try queue.read { try Sample.select(sum(Column("grams")), as: Int.self).fetchOne($0) ?? 0 }
        print("Not halved: the museum still has \(decimal(Double(total) / 1000)) kg.")
    }

    // Records that are taken away, and some that come back by `savedAll`, which inserts what is not there.
    try queue.write { db in
        let ofApollo11 = try Sample.filter(Column("mission") == 11).fetchAll(db)
        print("Lent to another museum: \(try ofApollo11.deleteAll(db)) samples of Apollo 11.")
        let returned = try ofApollo11.prefix(5).savedAll(db)
        print("Returned: numbers \(returned.compactMap(\.id).map(String.init).joined(separator: ", ")).")
        print("Samples in the house: \(try Sample.fetchCount(db)).")
    }
}
