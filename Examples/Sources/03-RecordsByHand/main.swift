// 3. Records by hand
//
// A record type represents the rows of a table. In this tutorial, record types define how to decode a row, and which columns to write.
// Persistence then fetches, inserts, updates and deletes records. The next tutorial lets Codable do all that.

import ExampleSupport
import Persistence

/// A person. The table name, "astronaut", is derived from the name of the type.
struct Astronaut {
    /// Nil until the record is inserted.
    var id: Int64?
    var name: String
}

// Decoding a row. `decode` throws an error if a column is missing or has an unexpected type. `decodeIfPresent` allows NULL.
extension Astronaut: FetchableRecord {
    init(row: Row) throws {
        id = try row.decodeIfPresent(forKey: "id")
        name = try row.decode(forKey: "name")
    }
}

// Encoding a row. The protocol is "mutable" because inserting changes the record: it gets its id.
extension Astronaut: MutablePersistableRecord {
    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

/// A seat in a mission. Inserting does not change this record, so it is a `PersistableRecord`.
struct Seat: FetchableRecord, PersistableRecord {
    var mission: Int
    var name: String
    var astronautID: Int64

    init(mission: Int, name: String, astronautID: Int64) {
        self.mission = mission
        self.name = name
        self.astronautID = astronautID
    }

    // `decode` throws an error where a subscript would stop the program. Prefer it for files from somewhere else.
    init(row: Row) throws {
        mission = try row.decode(forKey: "mission")
        name = try row.decode(forKey: "name")
        astronautID = try row.decode(forKey: "astronautID")
    }

    func encode(to container: inout PersistenceContainer) {
        container["mission"] = mission
        container["name"] = name
        container["astronautID"] = astronautID
    }
}

runProgram {
    let queue = try DatabaseQueue(path: newDatabasePath("03-records-by-hand"))

    // MARK: Inserting

    try queue.write { db in
        try db.execute(
            sql: """
                CREATE TABLE astronaut (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
                CREATE TABLE seat (
                    mission INTEGER NOT NULL,
                    name TEXT NOT NULL,
                    astronautID INTEGER NOT NULL REFERENCES astronaut,
                    PRIMARY KEY (mission, name)
                );
                """)
        var ids: [String: Int64] = [:]
        for record in try readCSV("crew") {
            let name = try record.text("astronaut")
            if ids[name] == nil {
                var astronaut = Astronaut(id: nil, name: name)
                try astronaut.insert(db)
                ids[name] = astronaut.id
            }
            let seat = Seat(mission: try record.integer("mission"), name: try record.text("seat"), astronautID: ids[name]!)
            try seat.insert(db)
        }
        print("Inserted \(try Seat.fetchCount(db)) seats, and \(try Astronaut.fetchCount(db)) people to take them.\n")
    }

    // MARK: Fetching

    try queue.read { db in
        // Records can be fetched with SQL that selects their columns …
        let veterans = try Astronaut.fetchAll(
            db,
            sql: """
                SELECT astronaut.* FROM astronaut JOIN seat ON astronautID = id
                GROUP BY id HAVING count(*) > 1 ORDER BY min(mission), id
                """)
        var table = TextTable("Astronaut", "First flight", "Second flight")
        for veteran in veterans {
            let seats = try Seat.fetchAll(
                db, sql: "SELECT * FROM seat WHERE astronautID = ? ORDER BY mission", arguments: [veteran.id])
            table.add([TextTable.Cell(veteran.name)] + seats.map { TextTable.Cell("Apollo \($0.mission), \($0.name)") })
        }
        show("Who flew twice", table)
    }

    // MARK: Updating, saving, deleting

    try queue.write { db in
        // … or by primary key. `find` throws an error if the row does not exist; `fetchOne` returns nil.
        guard let id = try Int64.fetchOne(db, sql: "SELECT id FROM astronaut WHERE name = 'Thomas Mattingly'") else { return }
        var astronaut = try Astronaut.find(db, key: id)
        astronaut.name = "Ken Mattingly"
        try astronaut.update(db)
        print("Number \(id) now goes by the name of \(try Astronaut.find(db, key: id).name).")

        // `save` updates the row if it exists. Otherwise it inserts the record.
        var passenger = Astronaut(id: nil, name: "Snoopy")
        try passenger.save(db)
        passenger.name = "Snoopy the beagle"
        try passenger.save(db)
        print("\(passenger.name) is number \(passenger.id ?? 0), and on board: \(try passenger.exists(db)).")

        // `delete` returns whether a row was deleted.
        let isDeleted = try passenger.delete(db)
        print("Off he goes: \(isDeleted). On board: \(try passenger.exists(db)).")

        // Updating a record whose row does not exist throws an error.
        do {
            try passenger.update(db)
        } catch let error as RecordError {
            print("And he can't come back by an update: \(error).")
        }
    }
}
