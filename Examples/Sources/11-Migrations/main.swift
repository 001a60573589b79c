// 11. Migrations
//
// The database of the Apollo missions in five versions. Programs change, and the files of their users change with them, without
// losing a row.
//
// Next: 12. Full-text search.

import ExampleSupport
import Strata

/// Prints what has run, and the tables with their columns.
func showState(_ title: String, _ migrator: DatabaseMigrator, _ queue: DatabaseQueue) throws {
    try queue.read { db in
        var table = TextTable("Table", .right("Rows"), "Columns")
        for name in ["mission", "seat", "astronaut", "landing"] where try db.tableExists(name) {
            let count = try Table(name).fetchCount(db)
            table.add(name, String(count), try db.columns(in: name).map(\.name).joined(separator: ", "))
        }
        show("\(title), after \(try migrator.appliedMigrations(db).joined(separator: ", "))", table)
    }
}

runProgram {
    let queue = try DatabaseQueue(path: newDatabasePath("11-migrations"))

    // MARK: Version 1: a table and its rows

    // Migrations are registered in order, and never change once a user has them.
    var migrator = DatabaseMigrator()
    migrator.registerMigration("missions") { db in
        try db.create(table: "mission") { t in
            t.primaryKey("number", .integer)
            t.column("flight", .text)
            t.column("lunarModule", .text)
        }
        for record in try readCSV("missions") {
            try db.execute(
                literal: """
                    INSERT INTO mission VALUES (\(record.integer("number")), \(record.text("flight")), \(record["lunar_module"]))
                    """)
        }
    }
    try migrator.migrate(queue)
    try showState("Version 1", migrator, queue)

    // MARK: Version 2: another table

    migrator.registerMigration("crew") { db in
        try db.create(table: "seat") { t in
            t.autoIncrementedPrimaryKey("id")
            t.belongsTo("mission")
            t.column("name", .text)
            t.column("astronaut", .text)
        }
        for record in try readCSV("crew") {
            try db.execute(
                literal: """
                    INSERT INTO seat (missionNumber, name, astronaut)
                    VALUES (\(record.integer("mission")), \(record.text("seat")), \(record.text("astronaut")))
                    """)
        }
    }
    // Only migrations that have not run yet run.
    try migrator.migrate(queue)
    try showState("Version 2", migrator, queue)

    // MARK: Version 3: rows that move to a table of their own

    // Astronauts who flew twice are in two rows. They get a table, and the seats refer to it. This needs a new definition of a table that
    // has rows, which ALTER TABLE can't provide. `rebuild` can.
    migrator.registerMigration("astronauts") { db in
        try db.create(table: "astronaut") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull().unique()
        }
        try db.execute(sql: "INSERT INTO astronaut (name) SELECT DISTINCT astronaut FROM seat ORDER BY astronaut")
        try db.rebuild(table: "seat") { t in
            t.autoIncrementedPrimaryKey("id")
            t.belongsTo("mission").notNull()
            t.column("name", .text).notNull()
            t.belongsTo("astronaut", onDelete: .cascade).notNull()
            t.fill("astronautId", sql: "(SELECT id FROM astronaut WHERE astronaut.name = seat.astronaut)")
            // Without this line `rebuild` refuses: the names would be lost.
            t.drop(column: "astronaut")
        }
    }
    try migrator.migrate(queue)
    try showState("Version 3", migrator, queue)

    // MARK: Version 4: looking before leaping

    migrator.registerMigration("landings") { db in
        try db.create(table: "landing") { t in
            t.primaryKey { t.belongsTo("mission") }
            t.column("site", .text).notNull()
        }
        for record in try readCSV("landings") {
            try db.execute(literal: "INSERT INTO landing VALUES (\(record.integer("mission")), \(record.text("site")))")
        }
    }
    migrator.registerMigration("strict missions") { db in
        // `seat` and `landing` refer to this table, and continue to do so.
        try db.rebuild(table: "mission", options: .strict) { t in
            t.primaryKey("number", .integer)
            t.column("flight", .text).notNull().check { ["Earth orbit", "lunar orbit", "lunar flyby", "lunar landing"].contains($0) }
            t.column("landerName", .text)
            t.rename(column: "lunarModule", to: "landerName")
        }
    }
    try queue.read { db in
        print("What is to come:\n\(try migrator.plan(db))\n")
        // In a copy, with all rows.
        print("What it does to the schema:\n\(try migrator.dryRun(db).difference)\n")
    }
    let monitor = MigrationMonitor(queue) { progress in
        if progress.phase == .ended { print("\(progress.number) of \(progress.count) done: \(progress.identifier)") }
    }
    try migrator.migrate(queue, monitor: monitor)
    print()
    try showState("Version 4", migrator, queue)

    // MARK: Version 5: a failure

    // Someone is sure that nobody flew twice. The rows know better.
    var hasty = migrator
    hasty.registerMigration("unique seats") { db in
        try db.create(table: "note") { t in t.column("text", .text) }
        try db.create(index: "seatsAreUnique", on: "seat", columns: ["astronautId"], options: .unique)
    }
    do {
        try hasty.migrate(queue)
    } catch let error as MigrationError {
        print("\(error.identifier ?? "") failed: \((error.underlyingError as? DatabaseError)?.message ?? "\(error)")")
        let isUndone = try queue.read { try !$0.tableExists("note") }
        print("All that it did is undone: \(isUndone). The versions before it stay.\n")
    }

    // It never completed, so it can be fixed, and the next start of the program continues with it.
    migrator.registerMigration("unique seats") { db in
        try db.create(index: "seatsAreUnique", on: "seat", columns: ["missionNumber", "name"], options: .unique)
    }
    try migrator.migrate(queue)
    try showState("Version 5", migrator, queue)

    // MARK: An older program meets a newer file

    var old = DatabaseMigrator()
    old.registerMigration("missions") { _ in }
    old.refusesNewerDatabases = true
    do {
        try old.migrate(queue)
    } catch {
        print("An old program: \(error)")
    }
}
