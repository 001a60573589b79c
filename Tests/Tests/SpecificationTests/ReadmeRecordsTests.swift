import Foundation
import Strata
import Testing

// The samples of the README on the record protocols, in their order. What a sample abbreviates is filled in, and what it prints is expected.

/// What the README's places have from another framework.
private struct CLLocationCoordinate2D: Equatable {
    var latitude: Double
    var longitude: Double
}

private struct Place {
    var id: Int64?
    var title: String
    var coordinate: CLLocationCoordinate2D
}

extension Place: FetchableRecord {
    enum Columns {
        static let id = Column("id")
        static let title = Column("title")
        static let latitude = Column("latitude")
        static let longitude = Column("longitude")
    }

    init(row: Row) {
        id = row[Columns.id]
        title = row[Columns.title]
        coordinate = CLLocationCoordinate2D(
            latitude: row[Columns.latitude],
            longitude: row[Columns.longitude])
    }
}

extension Place: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

@Suite struct ReadmeRecordsTests {
    private func makePlaces() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE place (id INTEGER PRIMARY KEY, title TEXT, latitude REAL, longitude REAL);
                    INSERT INTO place VALUES (1, 'Paris', 48.85, 2.35), (2, 'Roma', 41.89, 12.48);
                    """)
        }
        return dbQueue
    }

    @Test
    func `A persistable record is inserted, and deleted by its id`() throws {
        struct Place: PersistableRecord {
            var id: Int64?
            var title: String

            func encode(to container: inout PersistenceContainer) throws {
                container["id"] = id
                container["title"] = title
            }
        }

        let dbQueue = try makePlaces()
        try dbQueue.write { db in
            try Place.delete(db, id: 1)
            try Place(id: nil, title: "Oslo").insert(db)
        }
        #expect(try dbQueue.read { try String.fetchAll($0, sql: "SELECT title FROM place") } == ["Roma", "Oslo"])
    }

    @Test
    func `FetchableRecord allows adopting types to be fetched from SQL queries`() throws {
        try makePlaces().read { db in
            let sql = "SELECT * FROM place WHERE id < ?"
            #expect(try Array(Place.fetchCursor(db, sql: sql, arguments: [3])).map(\.title) == ["Paris", "Roma"])
            #expect(try Place.fetchAll(db, sql: sql, arguments: [3]).map(\.title) == ["Paris", "Roma"])
            #expect(try Place.fetchSet(db, sql: sql, arguments: [3]).count == 2)
            let place = try Place.fetchOne(db, sql: sql, arguments: [3])
            #expect(place?.coordinate == CLLocationCoordinate2D(latitude: 48.85, longitude: 2.35))
        }
    }

    @Test
    func `Decodable records have columns made of coding keys`() throws {
        // That's all
        struct Player: Decodable, FetchableRecord {
            var id: Int64
            var name: String
            var score: Int

            enum Columns {
                static let id = Column(CodingKeys.id)
                static let name = Column(CodingKeys.name)
                static let score = Column(CodingKeys.score)
            }
        }

        try makeDatabase().read { db in
            let player = try Player.fetchOne(db, sql: "SELECT * FROM player")
            #expect(player?.name == "Arthur")
            #expect([Player.Columns.id, Player.Columns.name, Player.Columns.score].map(\.name) == ["id", "name", "score"])
        }
    }

    @Test
    func `The name of a table is derived from the type's`() {
        struct Place: TableRecord {}
        struct Country: TableRecord {}
        struct PostalAddress: TableRecord {}
        struct HTTPRequest: TableRecord {}
        struct TOEFL: TableRecord {}

        #expect(Place.databaseTableName == "place")
        #expect(Country.databaseTableName == "country")
        #expect(PostalAddress.databaseTableName == "postalAddress")
        #expect(HTTPRequest.databaseTableName == "httpRequest")
        #expect(TOEFL.databaseTableName == "toefl")
    }

    @Test
    func `A type can have a table name of its own`() {
        struct Place: TableRecord {
            static let databaseTableName = "location"
        }

        #expect(Place.databaseTableName == "location")
    }

    @Test
    func `A type that is TableRecord and FetchableRecord is fetched with the query interface`() throws {
        struct Place: TableRecord, FetchableRecord, Decodable {
            var id: Int64
            var name: String

            enum Columns {
                static let name = Column("name")
            }
        }

        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: "CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO place VALUES (1, 'Oslo'), (2, 'Paris')")
            var statements: [String] = []
            db.trace { statements.append("\($0)") }
            // SELECT * FROM place WHERE name = 'Paris'
            let paris = try Place.filter { $0.name == "Paris" }.fetchOne(db)
            db.trace(options: [])
            #expect(paris?.id == 2)
            #expect(statements.last == #"SELECT * FROM "place" WHERE "name" = ? LIMIT 1"#)
        }
    }

    @Test
    func `The three protocols of records that write`() throws {
        // Defines how a record encodes itself into the database
        struct Encoded: EncodableRecord {
            /// Defines the values persisted in the database
            func encode(to container: inout PersistenceContainer) throws {
                container["title"] = "Oslo"
            }
        }
        // Adds persistence methods
        struct Mutable: MutablePersistableRecord {
            static let databaseTableName = "place"
            var id: Int64?

            func encode(to container: inout PersistenceContainer) throws {
                container["id"] = id
            }

            mutating func didInsert(_ inserted: InsertionSuccess) {
                id = inserted.rowID
            }
        }
        // Adds immutability
        final class Immutable: PersistableRecord {
            static let databaseTableName = "place"
            var id: Int64?

            func encode(to container: inout PersistenceContainer) throws {
                container["id"] = id
            }

            func didInsert(_ inserted: InsertionSuccess) {
                id = inserted.rowID
            }
        }

        #expect(try Encoded().databaseDictionary == ["title": "Oslo".databaseValue])
        try makePlaces().write { db in
            var mutable = Mutable()
            try mutable.insert(db)
            #expect(mutable.id == 3)
            let immutable = Immutable()
            try immutable.insert(db)
            #expect(immutable.id == 4)
        }
    }
}
