// 5. Queries
//
// QueryInterface generates SQL: you build a request in Swift, step by step, and it fetches records. This layer is below Persistence. It
// is for programs that only read records; here, the driver's statements write them.
//
// Next: 6. All together.

import ExampleSupport
import Foundation
import QueryInterface

struct Mission: FetchableRecord, TableRecord {
    let number: Int
    let flight: String
    let launch: Date
    let lunarModule: String?

    /// The columns, as names that the compiler checks.
    enum Columns {
        static let number = Column("number")
        static let flight = Column("flight")
        static let launch = Column("launch")
        static let lunarModule = Column("lunarModule")
    }

    init(row: Row) throws {
        number = try row.decode(forColumn: Columns.number)
        flight = try row.decode(forColumn: Columns.flight)
        launch = try row.decode(forColumn: Columns.launch)
        lunarModule = try row.decodeIfPresent(forColumn: Columns.lunarModule)
    }
}

struct Landing: FetchableRecord, TableRecord {
    let mission: Int
    let site: String
    let hours: Double
    let samples: Double

    enum Columns {
        static let mission = Column("mission")
        static let site = Column("site")
        static let hours = Column("hours")
        static let samples = Column("samples")
    }

    init(row: Row) throws {
        mission = try row.decode(forColumn: Columns.mission)
        site = try row.decode(forColumn: Columns.site)
        hours = try row.decode(forColumn: Columns.hours)
        samples = try row.decode(forColumn: Columns.samples)
    }
}

/// Prints the SQL of a request, with the values of its arguments, and the missions that it fetches.
func show(_ db: Database, _ title: String, _ request: QueryInterfaceRequest<Mission>) throws {
    var table = TextTable("Mission", "Flight", "Lunar module", "Launch (UTC)")
    for mission in try request.fetchAll(db) {
        table.add("Apollo \(mission.number)", mission.flight, mission.lunarModule ?? "–", utc(mission.launch))
    }
    show("\(title)\n\(try request.makePreparedRequest(db).statement.expandedSQL)", table)
}

runProgram {
    let queue = try DatabaseQueue(path: newDatabasePath("05-queries"))

    try queue.write { db in
        try db.execute(
            sql: """
                CREATE TABLE mission (number INTEGER PRIMARY KEY, flight TEXT NOT NULL, launch TEXT NOT NULL, lunarModule TEXT);
                CREATE TABLE landing (
                    mission INTEGER PRIMARY KEY REFERENCES mission, site TEXT NOT NULL, hours REAL NOT NULL, samples REAL NOT NULL
                );
                """)
        for record in try readCSV("missions") {
            try db.execute(
                sql: "INSERT INTO mission VALUES (?, ?, ?, ?)",
                arguments: [record.integer("number"), record.text("flight"), record.date("launch"), record["lunar_module"]])
        }
        for record in try readCSV("landings") {
            try db.execute(
                sql: "INSERT INTO landing VALUES (?, ?, ?, ?)",
                arguments: [
                    record.integer("mission"), record.text("site"), record.number("surface_hours"), record.number("samples_kg"),
                ])
        }
    }

    try queue.read { db in
        // MARK: Filter, order, limit

        // Swift operators on columns create SQL conditions. Values become arguments.
        let columns = Mission.Columns.self
        try show(db, "To the Moon, without landing", Mission.filter(["lunar orbit", "lunar flyby"].contains(columns.flight)))

        // A comparison with nil becomes IS NULL.
        try show(db, "Without a lunar module", Mission.filter(columns.lunarModule == nil))

        // Conditions can contain all values that can be stored, also dates. A request is a value: it can be stored and refined, and runs
        // only when you fetch from it.
        let newYear1969 = Date(timeIntervalSince1970: -365 * 86400)
        let newYear1970 = Date(timeIntervalSince1970: 0)
        let in1969 = Mission.filter(columns.launch >= newYear1969 && columns.launch < newYear1970)
        try show(db, "The last two of 1969, latest first", in1969.order(columns.launch.desc).limit(2))

        // MARK: Counting, and the first one

        print("In 1969 \(try in1969.fetchCount(db)) missions flew, of \(try Mission.fetchCount(db)).")
        if let first = try in1969.filter(columns.flight == "lunar landing").order(columns.launch).fetchOne(db) {
            print("The first landing was Apollo \(first.number)'s, launched \(utc(first.launch)) UTC.")
        }

        // MARK: By primary key

        // `fetchOne` returns nil if the row does not exist; `find` throws an error.
        let mission = try Mission.find(db, key: 13)
        let landing = try Landing.fetchOne(db, key: 13)
        print("Apollo \(mission.number) and its \(mission.lunarModule ?? "") \(landing == nil ? "did not land" : "landed").\n")

        // MARK: Another table

        var table = TextTable("Mission", "Site", .right("Surface (h)"), .right("Samples (kg)"), .right("per hour (kg)"))
        for landing in try Landing.filter(Landing.Columns.hours > 24).order(Landing.Columns.samples.desc).fetchAll(db) {
            table.add(
                "Apollo \(landing.mission)", landing.site, decimal(landing.hours), decimal(landing.samples),
                decimal(landing.samples / landing.hours, digits: 2))
        }
        show("Over a day on the Moon, the richest harvest first", table)
    }
}
