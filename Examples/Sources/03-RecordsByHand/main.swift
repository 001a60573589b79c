// 3. Records by hand
//
// A record is a type of yours that stands for the rows of a table. Here it says itself how it is made from a row, and which
// columns it writes; Persistence then fetches, inserts, updates and deletes it. The next tutorial leaves all that to Codable.

import ExampleSupport
import Persistence

/// A person. The table's name, "astronaut", follows from the type's.
struct Astronaut {
    /// Nil until the database has given one.
    var id: Int64?
    var name: String
}

// From a row. `decode` throws an error when a column is missing, or holds something else; `decodeIfPresent` is for what may be NULL.
extension Astronaut: FetchableRecord {
    init(row: Row) throws {
        id = try row.decodeIfPresent(forKey: "id")
        name = try row.decode(forKey: "name")
    }
}

// To a row. "Mutable" because inserting changes the record: it learns its id.
extension Astronaut: MutablePersistableRecord {
    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

/// Who sat where. This record does not change when it is inserted, so it is a `PersistableRecord`.
struct Seat: FetchableRecord, PersistableRecord {
    var mission: Int
    var name: String
    var astronautID: Int64

    init(mission: Int, name: String, astronautID: Int64) {
        self.mission = mission
        self.name = name
        self.astronautID = astronautID
    }

    // `decode` throws where a subscript would stop the program: the better choice for files that others have made.
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
        // Records come from SQL that gives their columns …
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
        // … or by primary key. `find` throws when there is no such row, `fetchOne` gives nil.
        guard let id = try Int64.fetchOne(db, sql: "SELECT id FROM astronaut WHERE name = 'Thomas Mattingly'") else { return }
        var astronaut = try Astronaut.find(db, key: id)
        astronaut.name = "Ken Mattingly"
        try astronaut.update(db)
        print("Number \(id) now goes by the name of \(try Astronaut.find(db, key: id).name).")

        // `save` updates the row if there is one, and inserts it else.
        var passenger = Astronaut(id: nil, name: "Snoopy")
        try passenger.save(db)
        passenger.name = "Snoopy the beagle"
        try passenger.save(db)
        print("\(passenger.name) is number \(passenger.id ?? 0), and on board: \(try passenger.exists(db)).")

        // `delete` says whether there was a row.
        let isDeleted = try passenger.delete(db)
        print("Off he goes: \(isDeleted). On board: \(try passenger.exists(db)).")

        // A record without its row can't be updated: that is an error, which here we expect.
        do {
            try passenger.update(db)
        } catch let error as RecordError {
            print("And he can't come back by an update: \(error).")
        }
    }
}
