// 10. Upserts and batches
//
// An upsert inserts a row, or updates the existing one. A batch writes many records in one transaction: all of them or none.
//
// Next: 11. Migrations.

import CodableSupport
import ExampleSupport
import Foundation

/// An astronaut, with the number of flights.
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

/// A rock sample, cut from the rocks that a mission brought back.
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
            // An astronaut who exists already gets one more flight. The column that the closure does not assign, the seat, is updated with
            // the value of the record.
            try astronaut.upsert(db, onConflict: ["name"]) { _ in [Astronaut.Columns.flights += 1] }
        }
        var table = TextTable("Astronaut", .right("Flights"), "Last seat")
        for astronaut in try Astronaut.filter(Astronaut.Columns.flights > 1).order(Astronaut.Columns.name).fetchAll(db) {
            table.add(astronaut.name, String(astronaut.flights), astronaut.lastSeat ?? "–")
        }
        show("\(try readCSV("crew").count) seats, \(try Astronaut.fetchCount(db)) astronauts. Who flew twice:", table)

        // The record gets the id of its row, whether the row is new or not.
        var young = Astronaut(name: "John Young", lastSeat: "Space Shuttle")
        let stored = try young.upsertAndFetch(
            db, onConflict: ["name"], doUpdate: { _ in [Astronaut.Columns.flights.noOverwrite] })
        print("\(stored.name) is number \(young.id ?? 0), with \(stored.flights) flights to \(stored.lastSeat ?? "–").\n")
    }

    // MARK: Batches

    // One statement, prepared once, in one transaction. The closure is called after each record.
    var samples = try readCSV("landings").flatMap { record in
        let (mission, grams) = (try record.integer("mission"), Int((try record.number("samples_kg") * 1000).rounded()))
        return stride(from: 0, to: grams, by: 100).map { Sample(mission: mission, grams: min(100, grams - $0)) }
    }
    try queue.write { db in
        try showingProgress("Inserting samples", of: samples.count) { bar in
            try samples.insertAll(db) { completed in bar.show(completed) }
        }
        let number = samples.last?.id ?? 0
        print("\(samples.count) samples; the last is number \(number).")
    }

    // A batch succeeds or fails completely. Half of the samples are updated before one violates a constraint.
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

    // Deletes records, and saves some of them again: `savedAll` inserts records whose rows do not exist.
    try queue.write { db in
        let ofApollo11 = try Sample.filter(Column("mission") == 11).fetchAll(db)
        print("Lent to another museum: \(try ofApollo11.deleteAll(db)) samples of Apollo 11.")
        let returned = try ofApollo11.prefix(5).savedAll(db)
        print("Returned: numbers \(returned.compactMap(\.id).map(String.init).joined(separator: ", ")).")
        print("Samples in the house: \(try Sample.fetchCount(db)).")
    }
}
