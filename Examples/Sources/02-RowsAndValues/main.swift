// 2. Rows and values
//
// RowDecoding fetches rows, and Swift values of the types that you ask for: numbers, strings, dates, optionals, and types of
// your own. You write the SQL. It brings SQLiteDriver along: one import is enough.

import ExampleSupport
import Foundation
import RowDecoding

// An enum with raw values is stored as its raw value. This line is all it takes.
enum Flight: String, DatabaseValueConvertible {
    case earthOrbit = "Earth orbit"
    case lunarOrbit = "lunar orbit"
    case lunarFlyby = "lunar flyby"
    case lunarLanding = "lunar landing"
}

runProgram {
    let queue = try DatabaseQueue(path: newDatabasePath("02-rows-and-values"))

    try queue.write { db in
        try db.execute(
            sql: """
                CREATE TABLE mission (number INTEGER PRIMARY KEY, flight TEXT NOT NULL, launch TEXT NOT NULL, splashdown TEXT NOT NULL);
                CREATE TABLE landing (
                    mission INTEGER PRIMARY KEY REFERENCES mission,
                    site TEXT NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL, hours REAL NOT NULL, samples REAL NOT NULL
                );
                """)
        // Dates can be arguments now, and values of our enum. A date is stored as a text in UTC, to the millisecond:
        // SQLite has no type for dates, but functions that understand such texts.
        for record in try readCSV("missions") {
            guard let flight = Flight(rawValue: try record.text("flight")) else { continue }
            try db.execute(
                sql: "INSERT INTO mission VALUES (?, ?, ?, ?)",
                arguments: [record.integer("number"), flight, record.date("launch"), record.date("splashdown")])
        }
        for record in try readCSV("landings") {
            try db.execute(
                sql: "INSERT INTO landing VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [
                    record.integer("mission"), record.text("site"), record.number("latitude"), record.number("longitude"),
                    record.number("surface_hours"), record.number("samples_kg"),
                ])
        }
    }

    try queue.read { db in
        // MARK: Values

        // A value type fetches the first column: one value, all of them, or a set.
        let samples = try Double.fetchOne(db, sql: "SELECT sum(samples) FROM landing") ?? 0
        let sites = try String.fetchAll(db, sql: "SELECT site FROM landing WHERE latitude > ? ORDER BY mission", arguments: [20])
        let flights = try Flight.fetchSet(db, sql: "SELECT flight FROM mission")
        print("The missions brought \(decimal(samples)) kg of the Moon home.")
        print("Far in the north of it lie \(sites.joined(separator: " and ")).")
        print("There were \(flights.count) kinds of flight; \(flights.contains(.lunarFlyby) ? "one" : "none") was a flyby.")

        // `fetchOne` is nil when there is no row, and when the value is NULL.
        let latest = try Date.fetchOne(db, sql: "SELECT max(splashdown) FROM mission")
        print("The last splashdown was on \(latest.map(utc) ?? "no day"), UTC.\n")

        // MARK: Rows

        // A row gives each column the type that is asked for, or throws an error. A cursor reads one row after the other, and holds one at a time.
        var missions = TextTable("Mission", "Flight", "Launch (UTC)", "Splashdown (UTC)", .right("In flight"))
        let rows = try Row.fetchCursor(db, sql: "SELECT number, flight, launch, splashdown FROM mission ORDER BY launch")
        while let row = try rows.next() {
            let number: Int = try row.decode(forKey: "number")
            let flight: Flight = try row.decode(forKey: "flight")
            let launch: Date = try row.decode(forKey: "launch")
            let splashdown: Date = try row.decode(atIndex: 3)  // by index is possible too
            missions.add(
                "Apollo \(number)", flight.rawValue, utc(launch), utc(splashdown),
                daysAndHours(seconds: splashdown.timeIntervalSince(launch)))
        }
        show("The missions", missions)

        // `fetchAll` gives an array of rows that can be kept. A column that can be NULL, as one of an outer join, is asked for
        // as an optional. The subscripts are shorter than `decode`, and stop the program in place of throwing: they are for columns that the
        // program's own SQL and schema are sure of.
        var landings = TextTable("Mission", "Site", "Coordinates", .right("Surface (h)"), .right("Samples (kg)"))
        let sql = """
            SELECT number, landing.* FROM mission LEFT JOIN landing ON landing.mission = mission.number
            WHERE flight LIKE 'lunar%' ORDER BY number
            """
        for row in try Row.fetchAll(db, sql: sql) {
            if let site: String = row["site"] {
                landings.add(
                    "Apollo \(row["number"] as Int)", site, place(latitude: row["latitude"], longitude: row["longitude"]),
                    decimal(row["hours"]), decimal(row["samples"]))
            } else {
                landings.add("Apollo \(row["number"] as Int)", "–", "", "", "")
            }
        }
        show("The landings of the missions to the Moon", landings)

        // MARK: Values that are not what was asked for

        // A column may hold something else than its type says, say in a file that somebody else made. `decode` throws then, where
        // `row["site"] as Int` would stop the program.
        guard let row = try Row.fetchOne(db, sql: "SELECT site FROM landing WHERE mission = 11") else { return }
        do {
            print(try row.decode(Int.self, forKey: "site"))
        } catch let error as RowDecodingError {
            print("No coercion: \(error)")
        }
    }
}
