// 4. Codable records
//
// A type that is Codable is a record with no code of its own: its properties are the columns. CodableSupport adds that to what
// the tutorials before have shown.

import CodableSupport
import ExampleSupport
import Foundation

struct Mission: Codable, FetchableRecord, PersistableRecord {
    var number: Int
    var launch: Date
    var splashdown: Date
    /// A property that is nil is NULL.
    var lunarModule: String?
    /// An array, or any other property that is no single value, becomes a text of JSON in its column.
    var crew: [CrewMember]

    struct CrewMember: Codable {
        var seat: String
        var name: String
    }

    // Columns are often in snake case: the property `lunarModule` is the column "lunar_module".
    static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
    static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
}

/// A record can read less than the whole table, or something that no table holds.
struct Career: Decodable, FetchableRecord {
    var name: String
    var flights: Int
    var seconds: Double
}

runProgram {
    let queue = try DatabaseQueue(path: newDatabasePath("04-codable-records"))

    // MARK: Writing

    try queue.write { db in
        try db.execute(
            sql: """
                CREATE TABLE mission (
                    number INTEGER PRIMARY KEY,
                    launch TEXT NOT NULL,
                    splashdown TEXT NOT NULL,
                    lunar_module TEXT,
                    crew TEXT NOT NULL
                )
                """)
        let seats = try readCSV("crew")
        for record in try readCSV("missions") {
            let number = try record.integer("number")
            let mission = Mission(
                number: number, launch: try record.date("launch"), splashdown: try record.date("splashdown"),
                lunarModule: record["lunar_module"],
                crew: try seats.filter { try $0.integer("mission") == number }.map {
                    Mission.CrewMember(seat: try $0.text("seat"), name: try $0.text("astronaut"))
                })
            try mission.insert(db)
        }
    }

    // MARK: Reading

    try queue.read { db in
        // What the columns hold is plain: other programs can read it, and so can SQL.
        if let row = try Row.fetchOne(db, sql: "SELECT * FROM mission WHERE number = 11") {
            print("A row, as SQLite stores it:\n")
            for (column, value) in row {
                print("    \(column) = \(value)")
            }
            print()
        }

        // Read back, it is Swift again: dates, optionals, arrays.
        var table = TextTable("Mission", "Lunar module", "Launch (UTC)", "Crew")
        for mission in try Mission.fetchAll(db, sql: "SELECT * FROM mission ORDER BY number") {
            table.add(
                "Apollo \(mission.number)", mission.lunarModule ?? "–", utc(mission.launch),
                mission.crew.map(\.name).joined(separator: ", "))
        }
        show("The missions and their crews", table)

        // SQLite's JSON functions look into such columns.
        let careers = try Career.fetchAll(
            db,
            sql: """
                SELECT json_extract(value, '$.name') AS name, count(*) AS flights,
                       sum(strftime('%s', splashdown) - strftime('%s', launch)) AS seconds
                FROM mission, json_each(crew)
                GROUP BY name ORDER BY seconds DESC, name LIMIT 5
                """)
        var ranking = TextTable("Astronaut", .right("Flights"), .right("In flight"))
        for career in careers {
            ranking.add(career.name, "\(career.flights)", daysAndHours(seconds: career.seconds))
        }
        show("The longest time in flight, with Apollo", ranking)
    }

    // MARK: Changing

    try queue.write { db in
        // Eagle was a call sign for the radio; on paper the lunar module of Apollo 11 was LM-5. `update` writes all columns, or
        // those that are named.
        var mission = try Mission.find(db, key: 11)
        mission.lunarModule = "LM-5"
        try mission.update(db, columns: ["lunar_module"])
        print("On paper, Apollo 11 landed with \(try Mission.find(db, key: 11).lunarModule ?? "nothing").")
    }

    // A row that does not fit the type is an error that names the column, and never a crash.
    do {
        try queue.write { db in
            try db.execute(sql: "UPDATE mission SET launch = 'one summer morning' WHERE number = 11")
            _ = try Mission.find(db, key: 11)
        }
    } catch let error as RowDecodingError {
        print("Undone, since Apollo 11 must have a launch: \(error.column ?? "") was \(error.value ?? .null).")
    }
}
