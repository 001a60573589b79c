// 4. Codable records
//
// A Codable type needs no code to be a record: its properties are the columns. CodableSupport adds this to the layers of the previous
// tutorials.
//
// Next: 5. Queries.

import CodableSupport
import ExampleSupport
import Foundation

struct Mission: Codable, FetchableRecord, PersistableRecord {
    var number: Int
    var launch: Date
    var splashdown: Date
    /// Nil is stored as NULL.
    var lunarModule: String?
    /// Properties that are not single values, such as arrays, are stored as JSON.
    var crew: [CrewMember]

    struct CrewMember: Codable {
        var seat: String
        var name: String
    }

    // Columns often have names in snake case: the property `lunarModule` is the column "lunar_module".
    static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
    static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
}

/// A record can decode a part of a table, or the results of any query.
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
        // Columns contain plain values, which other programs and SQL can read.
        if let row = try Row.fetchOne(db, sql: "SELECT * FROM mission WHERE number = 11") {
            print("A row, as SQLite stores it:\n")
            for (column, value) in row {
                print("    \(column) = \(value)")
            }
            print()
        }

        // Fetched records contain Swift values again: dates, optionals, arrays.
        var table = TextTable("Mission", "Lunar module", "Launch (UTC)", "Crew")
        for mission in try Mission.fetchAll(db, sql: "SELECT * FROM mission ORDER BY number") {
            table.add(
                "Apollo \(mission.number)", mission.lunarModule ?? "–", utc(mission.launch),
                mission.crew.map(\.name).joined(separator: ", "))
        }
        show("The missions and their crews", table)

        // SQLite's JSON functions can query such columns.
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
        // Eagle was the call sign. The official designation of Apollo 11's lunar module was LM-5. `update` writes all columns, or only
        // those that you name.
        var mission = try Mission.find(db, key: 11)
        mission.lunarModule = "LM-5"
        try mission.update(db, columns: ["lunar_module"])
        print("On paper, Apollo 11 landed with \(try Mission.find(db, key: 11).lunarModule ?? "nothing").")
    }

    // A row that does not match the type throws an error that names the column. It does not crash the program.
    do {
        try queue.write { db in
            try db.execute(sql: "UPDATE mission SET launch = 'one summer morning' WHERE number = 11")
            _ = try Mission.find(db, key: 11)
        }
    } catch let error as RowDecodingError {
        print("Undone, since Apollo 11 must have a launch: \(error.column ?? "") was \(error.value ?? .null).")
    }
}
