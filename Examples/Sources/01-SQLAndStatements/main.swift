// 1. SQL and statements
//
// SQLiteDriver is the lowest layer, and enough by itself if SQL is what you want to write: it opens a database, runs SQL,
// prepares statements, gives them arguments, and steps through their results.
//
// The files of Examples/Data are about the eleven Apollo missions that carried people. We load two of them.

import ExampleSupport
import SQLiteDriver

runProgram {
    // MARK: A database is a file

    // Opening a database that is not there creates it. The queue holds one connection, and can be used from any thread:
    // accesses run one after the other.
    let queue = try DatabaseQueue(path: newDatabasePath("01-sql-and-statements"))

    // `write` is a transaction: all that happens in it is kept, or nothing, when an error leaves the closure. The connection,
    // `db`, is there for the closure alone.
    try queue.write { db in
        // `execute` runs any number of statements.
        try db.execute(
            sql: """
                CREATE TABLE mission (
                    number INTEGER PRIMARY KEY,
                    flight TEXT NOT NULL,
                    launch TEXT NOT NULL,
                    splashdown TEXT NOT NULL,
                    lunarModule TEXT
                );
                CREATE TABLE crew (
                    mission INTEGER NOT NULL REFERENCES mission,
                    seat TEXT NOT NULL,
                    astronaut TEXT NOT NULL,
                    PRIMARY KEY (mission, seat)
                );
                """)

        // Values never become a part of the SQL: they are arguments, for which `?` or a name holds the place. So there is
        // nothing to quote, and nothing to inject. Swift's numbers, strings, booleans and `Data` can be arguments, and
        // optionals of them: nil is NULL.
        for record in try readCSV("missions") {
            try db.execute(
                sql: """
                    INSERT INTO mission (number, flight, launch, splashdown, lunarModule)
                    VALUES (:number, :flight, :launch, :splashdown, :lunarModule)
                    """,
                arguments: [
                    "number": record.integer("number"), "flight": record.text("flight"), "launch": record.text("launch"),
                    "splashdown": record.text("splashdown"), "lunarModule": record["lunar_module"],
                ])
        }

        // A statement that runs many times is best prepared once: SQLite then compiles it once.
        let insertion = try db.makeStatement(sql: "INSERT INTO crew (mission, seat, astronaut) VALUES (?, ?, ?)")
        for record in try readCSV("crew") {
            try insertion.execute(arguments: [record.integer("mission"), record.text("seat"), record.text("astronaut")])
        }
    }

    // MARK: Stepping through results

    // `read` can't write: a statement that tries is an error.
    try queue.read { db in
        let statement = try db.makeStatement(
            sql: """
                SELECT number, flight, lunarModule, strftime('%Y-%m-%d %H:%M', launch),
                       strftime('%s', splashdown) - strftime('%s', launch)
                FROM mission ORDER BY number
                """)
        var table = TextTable("Mission", "Flight", "Lunar module", "Launch (UTC)", .right("In flight"))
        // Each step goes to the next row, whose columns are read by index. Reading gives nil for NULL, and for a value of
        // another kind: SQLite would turn the text 'lunar orbit' into the integer 0, the driver does not.
        while try statement.step() {
            table.add(
                "Apollo \(statement.int64(at: 0) ?? 0)", statement.string(at: 1) ?? "", statement.string(at: 2) ?? "–",
                statement.string(at: 3) ?? "", daysAndHours(seconds: statement.double(at: 4) ?? 0))
        }
        show("The missions", table)
    }

    // A closure can return what it read. The same statement can run again with other arguments.
    let crews = try queue.read { db in
        let statement = try db.makeStatement(sql: "SELECT astronaut FROM crew WHERE mission = ? ORDER BY rowid")
        return try [8, 11, 13].map { mission in
            var names: [String] = []
            try statement.setArguments([mission])
            while try statement.step() {
                names.append(statement.string(at: 0) ?? "")
            }
            return (mission, names.joined(separator: ", "))
        }
    }
    for (mission, names) in crews {
        print("Apollo \(mission) was flown by \(names).")
    }

    // MARK: Errors

    // What goes wrong is a `DatabaseError`: SQLite's result code, its message, and the SQL. There was one Apollo 11; the whole
    // transaction is undone, with what it did before the error.
    do {
        try queue.write { db in
            try db.execute(sql: "DELETE FROM crew")
            try db.execute(sql: "INSERT INTO mission SELECT * FROM mission WHERE number = 11")
        }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        print("\nA second Apollo 11? \(error.message ?? "")")
    }
    let seats = try queue.read { db in
        let statement = try db.makeStatement(sql: "SELECT count(*) FROM crew")
        return try statement.step() ? statement.int64(at: 0) ?? 0 : 0
    }
    print("After the rollback, all \(seats) seats are still taken.")
}
