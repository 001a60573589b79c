// 1. SQL and statements
//
// SQLiteDriver is the lowest layer. It is all you need if you want to write SQL yourself: it opens a database, runs SQL, prepares
// statements, binds their arguments, and steps through their results.
//
// The files in Examples/Data describe the eleven crewed Apollo missions. This tutorial loads two of them.
//
// Next: 2. Rows and values.

import ExampleSupport
import SQLiteDriver

runProgram {
    // MARK: A database is a file

    // Opening a database creates its file if it does not exist. The queue owns one connection, and can be used from any thread: it
    // runs one access after the other.
    let queue = try DatabaseQueue(path: newDatabasePath("01-sql-and-statements"))

    // `write` runs its closure in a transaction: if the closure throws an error, none of its changes are kept. The connection `db`
    // must not be used outside of the closure.
    try queue.write { db in
        // `execute` runs one or several statements.
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

        // Values are not written into the SQL. They are arguments, whose places are marked by `?` or by names. So values need no
        // quotes, and can't inject SQL. Arguments can be Swift's numbers, strings, booleans and `Data`, and optionals of these: nil is
        // NULL.
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

        // Prepare a statement that runs many times, so that SQLite compiles it only once.
        let insertion = try db.makeStatement(sql: "INSERT INTO crew (mission, seat, astronaut) VALUES (?, ?, ?)")
        for record in try readCSV("crew") {
            try insertion.execute(arguments: [record.integer("mission"), record.text("seat"), record.text("astronaut")])
        }
    }

    // MARK: Stepping through results

    // `read` does not allow writing: a statement that tries throws an error.
    try queue.read { db in
        let statement = try db.makeStatement(
            sql: """
                SELECT number, flight, lunarModule, strftime('%Y-%m-%d %H:%M', launch),
                       strftime('%s', splashdown) - strftime('%s', launch)
                FROM mission ORDER BY number
                """)
        var table = TextTable("Mission", "Flight", "Lunar module", "Launch (UTC)", .right("In flight"))
        // Each step moves to the next row. Columns are read by index. The result is nil for NULL, and for a value of another type:
        // SQLite would convert the string 'lunar orbit' to the integer 0; the driver does not.
        while try statement.step() {
            table.add(
                "Apollo \(statement.int64(at: 0) ?? 0)", statement.string(at: 1) ?? "", statement.string(at: 2) ?? "–",
                statement.string(at: 3) ?? "", daysAndHours(seconds: statement.double(at: 4) ?? 0))
        }
        show("The missions", table)
    }

    // A closure can return a value. A statement can run again with other arguments.
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

    // Errors are `DatabaseError`s, with SQLite's result code, its message, and the SQL. Mission 11 exists already, so the insertion
    // fails. The transaction is rolled back, including the deletion before the error.
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
