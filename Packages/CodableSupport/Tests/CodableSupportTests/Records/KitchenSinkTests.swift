import CodableSupport
import Foundation
import Testing

/// One record of everything, on every way in and out.
@Suite struct KitchenSinkTests {
    struct Sink: Codable, FetchableRecord, MutablePersistableRecord, Hashable {
        var id: Int64?
        var ownerId: Int64?
        var flag: Bool
        var count: Int
        var small: Int8
        var big: UInt64
        var ratio: Double
        var half: Float
        var text: String
        var optional: String?
        var date: Date
        var unixDate: Date?
        var isoDate: Date
        var data: Data
        var base64: Data
        var uuid: UUID
        var lowerUuid: UUID
        var url: URL
        var price: Decimal
        var kind: Kind
        var level: Level?
        var point: Point
        var tags: [String]
        var limits: [String: Int]
        var colors: Set<Kind>
        var address: Address?
        var meters: Meters

        enum Kind: String, Codable { case red, green }
        enum Level: Int, Codable, DatabaseValueConvertible { case low = 1, high }
        struct Point: Codable, DatabaseValueConvertible, Hashable { var x: Double; var y: Double }
        struct Address: Codable, Hashable { var street: String; var since: Date }
        struct Meters: RawRepresentable, Codable, Hashable { var rawValue: Double }

        static let owner = belongsTo(Owner.self)

        static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
        static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase

        static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
            switch column {
            case "unix_date": .millisecondsSince1970
            case "iso_date": .iso8601
            default: .deferredToDate
            }
        }
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
            switch column {
            case "unix_date": .millisecondsSince1970
            case "iso_date": .iso8601
            default: .deferredToDate
            }
        }
        static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
            column == "base64" ? .custom { $0.base64EncodedString() } : .deferredToData
        }
        static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
            column == "base64" ? .custom { $0.string.flatMap { Data(base64Encoded: $0) } } : .deferredToData
        }
        static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
            column == "lower_uuid" ? .lowercaseString : .deferredToUUID
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }
    struct Owner: Codable, FetchableRecord, MutablePersistableRecord, Hashable {
        var id: Int64?
        var fullName: String
        // Other strategies than the sink's.
        static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.custom {
            RecordKey(stringValue: $0 == "NAME" ? "fullName" : $0)
        }
        static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.custom {
            $0.stringValue == "fullName" ? "NAME" : $0.stringValue
        }
        static let sinks = hasMany(Sink.self)
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    static let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!

    static func sink(_ number: Int) -> Sink {
        Sink(
            id: nil, ownerId: nil, flag: number % 2 == 0, count: number, small: Int8(number), big: UInt64(Int64.max) - UInt64(number),
            ratio: Double(number) / 3, half: 0.5, text: "it's\u{0}\(number) 🦋", optional: number % 2 == 0 ? nil : "",
            date: Date(timeIntervalSince1970: 1_234_567_890.125), unixDate: number % 3 == 0 ? nil : Date(timeIntervalSince1970: 1.5),
            isoDate: Date(timeIntervalSince1970: Double(number)), data: Data([0, UInt8(number)]), base64: Data([255, UInt8(number)]),
            uuid: uuid, lowerUuid: uuid, url: URL(string: "https://example.com/\(number)")!, price: Decimal(string: "10.50")!,
            kind: number % 2 == 0 ? .red : .green, level: number % 2 == 0 ? .high : nil, point: .init(x: 1, y: Double(number)),
            tags: ["a", "\(number)"], limits: ["b": 2, "a": number], colors: [.red],
            address: number % 2 == 0 ? nil : .init(street: "Main", since: Date(timeIntervalSince1970: 2)),
            meters: .init(rawValue: 1.25))
    }

    /// A database with sinks of two owners.
    func withSinks(_ body: (Database, _ owners: [Owner], _ sinks: [Sink]) throws -> Void) throws {
        var columns = try Self.sink(1).databaseDictionary.keys.filter { !["id", "owner_id"].contains($0) }.sorted()
        columns = ["id INTEGER PRIMARY KEY", "owner_id INTEGER REFERENCES owner"] + columns.map(\.quotedDatabaseIdentifier)
        try withDatabase(
            """
            CREATE TABLE owner (id INTEGER PRIMARY KEY, NAME TEXT NOT NULL);
            CREATE TABLE sink (\(columns.joined(separator: ", ")));
            """
        ) { db in
            var owners = [Owner(id: nil, fullName: "Ann"), Owner(id: nil, fullName: "Ben")]
            for index in owners.indices { try owners[index].insert(db) }
            var sinks: [Sink] = []
            for number in 1...6 {
                var sink = Self.sink(number)
                sink.ownerId = owners[number % 2].id
                try sink.insert(db)
                sinks.append(sink)
            }
            try body(db, owners, sinks)
        }
    }

    @Test
    func `What is stored`() throws {
        let columns = try Self.sink(2).databaseDictionary
        #expect(columns["iso_date"] == "1970-01-01T00:00:02Z".databaseValue)
        #expect(columns["unix_date"] == 1500.databaseValue)
        #expect(columns["date"] == "2009-02-13 23:31:30.125".databaseValue)
        #expect(columns["base64"] == "/wI=".databaseValue)
        #expect(columns["uuid"] == Self.uuid.databaseValue)
        #expect(columns["lower_uuid"] == Self.uuid.uuidString.lowercased().databaseValue)
        #expect(columns["point"] == #"{"x":1,"y":2}"#.databaseValue)
        #expect(columns["limits"] == #"{"a":2,"b":2}"#.databaseValue)
        #expect(columns["kind"] == "red".databaseValue && columns["level"] == 2.databaseValue)
        #expect(columns["meters"] == 1.25.databaseValue && columns["price"] == "10.5".databaseValue)
        #expect(columns["address"] == .null && columns["optional"] == .null)
    }

    @Test
    func `Fetched records, one by one and all together, are those that were inserted`() throws {
        try withSinks { db, _, sinks throws in
            #expect(try Sink.order(Column("id")).fetchAll(db) == sinks)
            #expect(try Sink.fetchSet(db) == Set(sinks))
            #expect(try Array(Sink.fetchCursor(db, sql: "SELECT * FROM sink ORDER BY id")) == sinks)
            #expect(try sinks.map { try Sink.fetchOne(db, key: $0.id) } == sinks)
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM sink ORDER BY id DESC")
            #expect(try rows.map { try Sink(row: $0) } == sinks.reversed())
            #expect(try rows.map { try Sink(row: $0.copy()) } == sinks.reversed())
            #expect(try rows.map { try FetchableRecordDecoder().decode(Sink.self, from: $0) } == sinks.reversed())
            // The columns can be in any order.
            let names = rows[0].columnNames.reversed().map { $0.quotedDatabaseIdentifier }.joined(separator: ", ")
            #expect(try Sink.fetchAll(db, sql: "SELECT \(names) FROM sink ORDER BY id") == sinks)
            // Rows made of values.
            let made = Row(
                Dictionary(uniqueKeysWithValues: try sinks[0].databaseDictionary.map { ($0, $1 as (any DatabaseValueConvertible)?) }))
            #expect(try Sink(row: made) == sinks[0])
        }
    }

    @Test
    func `Updates, saves, and changes`() throws {
        try withSinks { db, _, sinks throws in
            for (sink, other) in zip(sinks, sinks.reversed()) {
                var changed = other
                changed.id = sink.id
                try changed.update(db)
                #expect(try Sink.find(db, key: sink.id) == changed)
                #expect(try changed.databaseChanges(from: changed).isEmpty)
                #expect(try changed.databaseEquals(Sink.find(db, key: sink.id)))
                let differences = try changed.databaseChanges(from: sink)
                #expect(differences["count"] == sink.count.databaseValue)
                #expect(differences["lower_uuid"] == nil && differences["base64"] == sink.base64.base64EncodedString().databaseValue)
                changed.isoDate = Date(timeIntervalSince1970: 77)
                try changed.save(db)
                #expect(try Sink.find(db, key: sink.id) == changed)
                let modified = try changed.updateChanges(db) { $0.limits["a"] = 99 }
                #expect(modified)
                #expect(try Sink.find(db, key: sink.id).limits == changed.limits)
            }
        }
    }

    @Test
    func `INSERT and UPDATE with RETURNING give the record back`() throws {
        try withSinks { db, _, sinks throws in
            var sink = Self.sink(9)
            let inserted = try sink.insertAndFetch(db)
            sink.id = Int64(sinks.count) + 1
            #expect(inserted == sink)
            sink.text = "other"
            let updated = try sink.updateAndFetch(db)
            #expect(updated == sink)
            #expect(try Sink.fetchCount(db) == sinks.count + 1)
        }
    }

    @Test
    func `Scopes and prefetched rows give the same records, each by its own strategies`() throws {
        struct SinkInfo: Decodable, FetchableRecord {
            var sink: Sink
            var owner: Owner?
        }
        struct OwnerInfo: Decodable, FetchableRecord {
            var owner: Owner
            var sinks: [Sink]
        }
        try withSinks { db, owners, sinks throws in
            let infos = try Sink.including(optional: Sink.owner).order(Column("id")).asRequest(of: SinkInfo.self).fetchAll(db)
            #expect(infos.map(\.sink) == sinks)
            #expect(infos.map(\.owner) == sinks.map { sink in owners.first { $0.id == sink.ownerId } })
            let request = Owner.including(all: Owner.sinks.order(Column("id"))).order(Column("id"))
            let ownerInfos = try request.asRequest(of: OwnerInfo.self).fetchAll(db)
            #expect(ownerInfos.map(\.owner) == owners)
            #expect(ownerInfos.map(\.sinks) == owners.map { owner in sinks.filter { $0.ownerId == owner.id } })
            let rows = try Row.fetchAll(db, request)
            #expect(try rows.map { try OwnerInfo(row: $0).sinks } == ownerInfos.map(\.sinks))
        }
    }

    @Test
    func `A fetch that fails at any row leaves the next one as it was`() throws {
        try withSinks { db, _, sinks throws in
            let columns = ["tags", "iso_date", "point", "kind", "small", "uuid", "url", "address", "limits"]
            for column in columns {
                let id = sinks[3].id!
                let before = try DatabaseValue.fetchOne(db, sql: "SELECT \(column) FROM sink WHERE id = \(id)")
                try db.execute(sql: "UPDATE sink SET \(column) = x'ff00ff' WHERE id = \(id)")
                for _ in 1...2 {
                    let error = #expect(throws: (any Error).self) { try Sink.fetchAll(db) }
                    // Who reads it finds the column and the SQL, and no value.
                    let text = error.map { "\($0)" } ?? ""
                    #expect(text.contains("\"\(column)\": its value is BLOB") && text.contains("SELECT * FROM"), "\(text)")
                    #expect(try Sink.fetchOne(db, key: sinks[0].id) == sinks[0])
                    let rows = try Row.fetchAll(db, sql: "SELECT * FROM sink ORDER BY id")
                    let decoded = rows.map { try? Sink(row: $0) }
                    #expect(decoded == sinks.map { $0.id == id ? nil : $0 })
                }
                try db.execute(sql: "UPDATE sink SET \(column) = ? WHERE id = ?", arguments: [before, id])
                #expect(try Sink.order(Column("id")).fetchAll(db) == sinks)
            }
        }
    }
}
