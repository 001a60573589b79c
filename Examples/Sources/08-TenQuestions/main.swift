// 8. Ten questions
//
// Queries beyond one table: joins, associations, groups, window functions, combined requests, and recursive common table expressions.
// For each question, the tutorial prints the SQL that answers it.
//
// Next: 9. Callbacks and timestamps.

import ExampleSupport
import Foundation
import QueryInterface

struct Mission: TableRecord {
    enum Columns {
        static let number = Column("number")
        static let flight = Column("flight")
        static let launch = Column("launch")
    }

    // An association follows the foreign key between two tables. Declare it in the record types, and use it in requests.
    static let seats = hasMany(Seat.self)
    static let landing = hasOne(Landing.self)
}

struct Seat: TableRecord {
    enum Columns {
        static let missionNumber = Column("missionNumber")
        static let name = Column("name")
        static let astronaut = Column("astronaut")
    }

    static let mission = belongsTo(Mission.self)
    // From a seat through its mission to the landing.
    static let landing = hasOne(Landing.self, through: mission, using: Mission.landing)
}

struct Landing: TableRecord {
    enum Columns {
        static let site = Column("site")
        static let hours = Column("hours")
        static let samples = Column("samples")
    }

    static let mission = belongsTo(Mission.self)
}

/// Prints a question, the SQL that answers it, and the answer.
func ask(_ db: Database, _ question: String, _ request: some FetchRequest<Row>) throws {
    let statement = try request.makePreparedRequest(db).statement
    let rows = try Row.fetchAll(db, request)
    let names = rows.first.map { Array($0.columnNames) } ?? []
    var table = TextTable(columns: names.map { TextTable.Column($0) })
    for row in rows {
        table.add(row.databaseValues.map(cell))
    }
    show("\(question)\n\(statement.expandedSQL)", table)
}

/// Formats a value for people, with numbers aligned to the right.
func cell(_ value: DatabaseValue) -> TextTable.Cell {
    switch value.storage {
    case .null: TextTable.Cell("–")
    case .int64(let integer): TextTable.Cell(String(integer), isRightAligned: true)
    case .double(let number): TextTable.Cell(decimal(number), isRightAligned: true)
    case .string(let text): TextTable.Cell(text)
    case .blob(let data): TextTable.Cell("\(data.count) bytes")
    }
}

func createTables(_ db: Database) throws {
    try db.create(table: "mission") { t in
        t.primaryKey("number", .integer)
        t.column("flight", .text).notNull()
        t.column("launch", .datetime).notNull()
    }
    try db.create(table: "seat") { t in
        // The column "missionNumber", named after the table and the primary key that it refers to.
        t.belongsTo("mission").notNull()
        t.column("name", .text).notNull()
        t.column("astronaut", .text).notNull()
        t.uniqueKey(["missionNumber", "name"])
    }
    try db.create(table: "landing") { t in
        t.primaryKey("missionNumber", .integer).references("mission")
        t.column("site", .text).notNull()
        t.column("hours", .real).notNull()
        t.column("samples", .real).notNull()
    }
}

func load(_ db: Database) throws {
    for record in try readCSV("missions") {
        try db.execute(
            literal: """
                INSERT INTO mission VALUES (\(record.integer("number")), \(record.text("flight")), \(record.date("launch")))
                """)
    }
    for record in try readCSV("crew") {
        try db.execute(
            literal: """
                INSERT INTO seat VALUES (\(record.integer("mission")), \(record.text("seat")), \(record.text("astronaut")))
                """)
    }
    for record in try readCSV("landings") {
        try db.execute(
            literal: """
                INSERT INTO landing VALUES (
                    \(record.integer("mission")), \(record.text("site")), \(record.number("surface_hours")),
                    \(record.number("samples_kg")))
                """)
    }
}

runProgram {
    let queue = try DatabaseQueue(path: newDatabasePath("08-ten-questions"))
    try queue.write { db in
        try createTables(db)
        try load(db)
    }

    try queue.read { db in
        // MARK: Joins

        // Columns of an association can be selected next to the row's own columns.
        try ask(
            db, "1. Who was first to set foot on each site?",
            Landing
                .select { $0.site }
                .annotated(withRequired: Landing.mission.select { date($0.launch).forKey("launch") })
                .annotated(
                    withRequired: Landing.hasOne(Seat.self, through: Landing.mission, using: commander)
                        .select { $0.astronaut.forKey("commander") }
                )
                .order(Column("launch"))
                .asRequest(of: Row.self))

        // An optional association keeps rows without a match. An alias shows whether there is a match.
        let landing = TableAlias<Landing>()
        try ask(
            db, "2. Which missions never landed?",
            Mission
                .select { [$0.number, $0.flight] }
                .joining(optional: Mission.landing.aliased(landing))
                .filter(!landing.exists)
                .order(\.number)
                .asRequest(of: Row.self))

        // MARK: Groups

        try ask(
            db, "3. Who flew more than once?",
            Seat
                .select { [$0.astronaut, count($0.missionNumber).forKey("flights"), groupConcat($0.missionNumber).forKey("missions")] }
                .group(\.astronaut)
                .having { count($0.missionNumber) > 1 }
                .order { $0.astronaut }
                .asRequest(of: Row.self))

        // Aggregate functions accept a filter.
        try ask(
            db, "4. How did the years compare?",
            Mission
                .select {
                    let year = strftime("%Y", $0.launch)
                    return [
                        year.forKey("year"), count($0.number).forKey("missions"),
                        count($0.number, filter: $0.flight == "lunar landing").forKey("to land"),
                    ]
                }
                .group { strftime("%Y", $0.launch) }
                .asRequest(of: Row.self))

        try ask(
            db, "5. Who spent the most hours on the Moon?",
            Seat
                .filter { $0.name != "Command Module Pilot" }
                .select { $0.astronaut }
                .annotated(withRequired: Seat.landing.select { sum($0.hours).forKey("hours") })
                .group(\.astronaut)
                .order(Column("hours").desc)
                .limit(4)
                .asRequest(of: Row.self))

        // MARK: Aggregates of associations

        // Each aggregate is a subquery, so they do not multiply each other's rows.
        try ask(
            db, "6. Which missions had a crew member who flew again later?",
            Mission
                .select { $0.number }
                .annotated(with: Mission.seats.filter { returning.contains($0.astronaut) }.count.forKey("old hands"))
                .having(Mission.seats.filter { returning.contains($0.astronaut) }.count >= 2)
                .asRequest(of: Row.self))

        // MARK: Windows

        try ask(
            db, "7. How did the harvest grow?",
            Landing
                .select {
                    [
                        $0.site, $0.samples,
                        sum($0.samples).over(windowNamed: "so far").forKey("in all"),
                        rank().over(orderBy: ($0.samples / $0.hours).desc).forKey("rank by hour"),
                    ]
                }
                .window("so far", WindowDefinition(orderBy: Column("missionNumber")))
                .order(Column("missionNumber"))
                .asRequest(of: Row.self))

        try ask(
            db, "8. How many days lay between launches?",
            Mission
                .select {
                    let days = julianDay($0.launch) - lag(julianDay($0.launch)).over(orderBy: $0.launch)
                    return [$0.number, days.rounded(toDigits: 1).forKey("days since the last")]
                }
                .order(\.number)
                .asRequest(of: Row.self))

        // MARK: Two requests in one

        let flewToTheMoon = Seat.joining(required: Seat.mission.filter { $0.flight != "Earth orbit" }).select { $0.astronaut }
        let walkedOnIt = Seat.joining(required: Seat.landing).filter { $0.name != "Command Module Pilot" }.select { $0.astronaut }
        try ask(
            db, "9. Who went to the Moon, and never stood on it?",
            flewToTheMoon.except(walkedOnIt).order(Column("astronaut")).asRequest(of: Row.self))

        // MARK: Recursion

        // From one astronaut to everyone who flew with them, to everyone who flew with these people, and so on.
        let chain = CommonTableExpression(
            recursive: true, named: "chain", columns: ["astronaut", "handshakes"],
            literal: """
                SELECT \("Eugene Cernan"), 0
                UNION
                SELECT other.astronaut, handshakes + 1
                FROM chain
                JOIN seat ON seat.astronaut = chain.astronaut
                JOIN seat AS other ON other.missionNumber = seat.missionNumber
                WHERE handshakes < \(6)
                """)
        try ask(
            db, "10. How many handshakes is everyone away from Eugene Cernan?",
            chain.all()
                .with(chain)
                .select(Column("astronaut"), min(Column("handshakes")).forKey("handshakes"))
                .group(Column("astronaut"))
                .order(Column("handshakes"), Column("astronaut")))
    }
}

/// The seats of commanders.
var commander: HasOneAssociation<Mission, Seat> {
    Mission.hasOne(Seat.self).filter { $0.name == "Commander" }
}

/// The names of astronauts who flew more than once.
var returning: QueryInterfaceRequest<String> {
    Seat.select({ $0.astronaut }, as: String.self).group(Column("astronaut")).having(count(Column("missionNumber")) > 1)
}
