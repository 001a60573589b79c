// 2. Rows and values
//
// RowDecoding fetches rows, and values of Swift types: numbers, strings, dates, optionals, and your own types. You write the SQL. It
// re-exports SQLiteDriver, so a single import is enough.
//
// Next: 3. Records by hand.

import ExampleSupport
import Foundation
import RowDecoding

// An enum with raw values is stored as its raw value. This declaration is sufficient.
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
        // With this layer, dates and values of the enum can be arguments. A date is stored as a string in UTC, with milliseconds: SQLite
        // has no date type, but its date functions understand this format.
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

        // Value types fetch the first column: a single value, all values, or a set.
        let samples = try Double.fetchOne(db, sql: "SELECT sum(samples) FROM landing") ?? 0
        let sites = try String.fetchAll(db, sql: "SELECT site FROM landing WHERE latitude > ? ORDER BY mission", arguments: [20])
        let flights = try Flight.fetchSet(db, sql: "SELECT flight FROM mission")
        print("The missions brought \(decimal(samples)) kg of the Moon home.")
        print("Far in the north of it lie \(sites.joined(separator: " and ")).")
        print("There were \(flights.count) kinds of flight; \(flights.contains(.lunarFlyby) ? "one" : "none") was a flyby.")

        // `fetchOne` returns nil if there is no row, or if the value is NULL.
        let latest = try Date.fetchOne(db, sql: "SELECT max(splashdown) FROM mission")
        print("The last splashdown was on \(latest.map(utc) ?? "no day"), UTC.\n")

        // MARK: Rows

        // `decode` converts a column to the requested type, or throws an error. A cursor fetches row by row, and holds one row at a time.
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

        // `fetchAll` returns an array of rows, which can be kept. Decode columns that can be NULL, such as the columns of an outer join, as
        // optionals. Subscripts are shorter than `decode`, but stop the program instead of throwing. Use them for columns that your own SQL
        // and schema guarantee.
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

        // MARK: Values of unexpected types

        // A column can contain values of types other than the declared type, for example in a file from somewhere else. `decode` throws an
        // error then, where `row["site"] as Int` would stop the program.
        guard let row = try Row.fetchOne(db, sql: "SELECT site FROM landing WHERE mission = 11") else { return }
        do {
            print(try row.decode(Int.self, forKey: "site"))
        } catch let error as RowDecodingError {
            print("No coercion: \(error)")
        }
    }
}
