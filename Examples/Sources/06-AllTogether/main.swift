// 6. All together
//
// `import Strata` imports all layers: Codable records, requests in Swift, SQL where it is the better choice, and transactions. Most
// programs use Strata this way.
//
// Next: 7. Readers and a writer.

import ExampleSupport
import Foundation
import Strata

// MARK: The records

struct Mission: Codable, FetchableRecord, PersistableRecord {
    var number: Int
    var flight: String
    var launch: Date
    var splashdown: Date
    var commandModule: String?
    var lunarModule: String?

    /// Coding keys can be columns.
    enum Columns {
        static let number = Column(CodingKeys.number)
    }
}

struct Astronaut: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

struct Seat: Codable, FetchableRecord, PersistableRecord {
    var missionNumber: Int
    var name: String
    var astronautId: Int64
}

struct Landing: Codable, FetchableRecord, PersistableRecord {
    var missionNumber: Int
    var site: String
    var latitude: Double
    var longitude: Double
    var surfaceHours: Double
    var samples: Double

    enum Columns {
        static let missionNumber = Column(CodingKeys.missionNumber)
    }
}

// MARK: Loading

func createSchema(_ db: Database) throws {
    try db.execute(
        sql: """
            CREATE TABLE mission (
                number INTEGER PRIMARY KEY, flight TEXT NOT NULL,
                launch TEXT NOT NULL, splashdown TEXT NOT NULL CHECK (splashdown > launch), commandModule TEXT, lunarModule TEXT
            );
            CREATE TABLE astronaut (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
            CREATE TABLE seat (
                missionNumber INTEGER NOT NULL REFERENCES mission, name TEXT NOT NULL,
                astronautId INTEGER NOT NULL REFERENCES astronaut, PRIMARY KEY (missionNumber, name)
            ) WITHOUT ROWID;
            CREATE TABLE landing (
                missionNumber INTEGER PRIMARY KEY REFERENCES mission, site TEXT NOT NULL,
                latitude REAL NOT NULL, longitude REAL NOT NULL, surfaceHours REAL NOT NULL, samples REAL NOT NULL
            );
            CREATE VIEW walker AS
                SELECT seat.missionNumber, astronaut.name, seat.name AS seat FROM seat
                JOIN astronaut ON astronaut.id = seat.astronautId
                JOIN landing ON landing.missionNumber = seat.missionNumber
                WHERE seat.name <> 'Command Module Pilot';
            """)
}

func loadFiles(_ db: Database) throws {
    for record in try readCSV("missions") {
        try Mission(
            number: record.integer("number"), flight: record.text("flight"), launch: record.date("launch"),
            splashdown: record.date("splashdown"), commandModule: record["command_module"], lunarModule: record["lunar_module"]
        ).insert(db)
    }
    for record in try readCSV("crew") {
        let name = try record.text("astronaut")
        // Some astronauts flew twice. Fetch the existing record, or create a new one:
        var astronaut = try Astronaut.filter(Column("name") == name).fetchOne(db) ?? Astronaut(id: nil, name: name)
        try astronaut.save(db)
        try Seat(missionNumber: record.integer("mission"), name: record.text("seat"), astronautId: astronaut.id!).insert(db)
    }
    for record in try readCSV("landings") {
        try Landing(
            missionNumber: record.integer("mission"), site: record.text("site"), latitude: record.number("latitude"),
            longitude: record.number("longitude"), surfaceHours: record.number("surface_hours"),
            samples: record.number("samples_kg")
        ).insert(db)
    }
}

// MARK: Reading

/// The result of a query with a join: a record type without a table.
struct Walkers: Decodable, FetchableRecord {
    var names: String
    var site: String
    var surfaceHours: Double
}

func showMissions(_ db: Database) throws {
    var table = TextTable("Mission", "Spacecraft", "Launch (UTC)", .right("In flight"), "Flight")
    for mission in try Mission.order(Mission.Columns.number).fetchAll(db) {
        let spacecraft = [mission.commandModule, mission.lunarModule].compactMap { $0 }
        table.add(
            "Apollo \(mission.number)", spacecraft.isEmpty ? "–" : spacecraft.joined(separator: " and "), utc(mission.launch),
            daysAndHours(seconds: mission.splashdown.timeIntervalSince(mission.launch)), mission.flight)
    }
    show("Eleven missions", table)
}

func showLandings(_ db: Database) throws {
    var table = TextTable("Mission", "Site", "Coordinates", .right("Surface (h)"), .right("Samples (kg)"))
    for landing in try Landing.order(Landing.Columns.missionNumber).fetchAll(db) {
        table.add(
            "Apollo \(landing.missionNumber)", landing.site, place(latitude: landing.latitude, longitude: landing.longitude),
            decimal(landing.surfaceHours), decimal(landing.samples))
    }
    show("Six landings", table)
}

func showWalkers(_ db: Database) throws {
    let pairs = try Walkers.fetchAll(
        db,
        sql: """
            SELECT commander.name || ' and ' || pilot.name AS names, site, surfaceHours
            FROM landing
            JOIN walker AS commander ON commander.missionNumber = landing.missionNumber AND commander.seat = 'Commander'
            JOIN walker AS pilot ON pilot.missionNumber = landing.missionNumber AND pilot.seat = 'Lunar Module Pilot'
            ORDER BY landing.missionNumber
            """)
    for pair in pairs {
        print("\(pair.names) spent \(decimal(pair.surfaceHours)) h at \(pair.site).")
    }
    let count = try Int.fetchOne(db, sql: "SELECT count(DISTINCT name) FROM walker") ?? 0
    let samples = try Double.fetchOne(db, sql: "SELECT sum(samples) FROM landing") ?? 0
    print("Together, \(count) people have walked on the Moon. They came home with \(decimal(samples)) kg of it.\n")
}

runProgram {
    let path = try newDatabasePath("06-all-together")
    let queue = try DatabaseQueue(path: path)

    // One transaction: if a file can't be read, no partial database remains.
    try queue.write { db in
        try createSchema(db)
        try loadFiles(db)
    }
    try queue.read { db in
        try showMissions(db)
        try showLandings(db)
        try showWalkers(db)
    }

    // The database enforces its constraints: a seat needs a mission.
    do {
        try queue.write { db in
            var astronaut = Astronaut(id: nil, name: "Somebody Else")
            try astronaut.insert(db)
            try Seat(missionNumber: 18, name: "Commander", astronautId: astronaut.id!).insert(db)
        }
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY {
        let count = try queue.read { db in try Astronaut.fetchCount(db) }
        print("There was no Apollo 18: \(error.message ?? ""). The \(count) astronauts are as they were.\n")
    }

    print("The database is \(path)\nTo see all of it: make demo DB='\(path)'")
}
