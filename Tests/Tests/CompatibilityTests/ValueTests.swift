import Strata
import Testing

/// A generic wrapper of raw values, which has each ability if its raw value has it.
struct Tagged<RawValue>: RawRepresentable {
    var rawValue: RawValue
}

extension Tagged: SQLExpressible where RawValue: SQLExpressible {}
extension Tagged: StatementBinding where RawValue: StatementBinding {}
extension Tagged: DatabaseValueConvertible where RawValue: DatabaseValueConvertible {}
extension Tagged: StatementColumnConvertible where RawValue: StatementColumnConvertible {}

/// The greatest value of a group, as an aggregate that knows convertible values only.
struct Greatest: DatabaseAggregate {
    var value: Int?

    mutating func step(_ dbValues: [DatabaseValue]) {
        guard let candidate = Int.fromDatabaseValue(dbValues[0]) else { return }
        value = max(candidate, value ?? candidate)
    }

    func finalize() -> (any DatabaseValueConvertible)? { value }
}

@Suite("Values, statements and rows as GRDB's users write them")
struct ValueTests {
    @Test
    func `Columns are decoded by their name, with or without a record's columns`() throws {
        try makeDatabase().read { db throws in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT *, NULL AS note FROM player ORDER BY id"))
            let name: String = try row.decode(forColumn: "name")
            #expect(name == "Arthur")
            #expect(try row.decode(Int.self, forColumn: "score") == 10)
            #expect(try row.decode(Int.self, forColumn: Player.Columns.score) == 10)
            #expect(try row.decodeIfPresent(Int.self, forColumn: "note") == nil)
            #expect(throws: RowDecodingError.self) { try row.decode(Int.self, forColumn: "note") }
            #expect(throws: RowDecodingError.self) { try row.decode(Int.self, forColumn: "missing") }
        }
    }

    @Test
    func `Generic wrappers of raw values are values`() throws {
        try makeDatabase().read { db throws in
            let scores = try Tagged<Int>.fetchAll(
                db, sql: "SELECT score FROM player WHERE name <> ? ORDER BY score", arguments: [Tagged(rawValue: "Craig")])
            #expect(scores.map(\.rawValue) == [10, 30])
            let names = try Player.filter { $0.score > Tagged(rawValue: 15) }.select({ $0.name }, as: Tagged<String>.self).fetchAll(db)
            #expect(names.map(\.rawValue) == ["Barbara", "Craig"])
        }
    }

    @Test
    func `An aggregate function may return any convertible value`() throws {
        try makeDatabase().write { db throws in
            db.add(function: DatabaseFunction("greatest", argumentCount: 1, pure: true, aggregate: Greatest.self))
            #expect(try Int.fetchAll(db, sql: "SELECT greatest(score) FROM player GROUP BY teamId ORDER BY teamId") == [30, 20])
            #expect(try Int?.fetchAll(db, sql: "SELECT greatest(NULL)") == [nil])
        }
    }

    @Test
    func `Unchecked arguments are set without try, and the run throws the error of a bad value`() throws {
        try makeDatabase().read { db throws in
            let statement = try db.makeStatement(sql: "SELECT ?, ?")
            statement.setUncheckedArguments([1])
            #expect(try Row.fetchOne(statement)?.databaseValues.elementsEqual([1.databaseValue, .null]) == true)
            statement.setUncheckedArguments([UInt64.max])
            #expect(throws: DatabaseError.self) { try Row.fetchOne(statement) }
            statement.setUncheckedArguments([2, "x"])
            #expect(try Row.fetchOne(statement)?.databaseValues.elementsEqual([2.databaseValue, "x".databaseValue]) == true)
        }
    }

    @Test
    func `Cursors drop their first or last element`() throws {
        try makeDatabase().read { db throws in
            let sql = "SELECT score FROM player ORDER BY score"
            #expect(try Array(Int.fetchCursor(db, sql: sql).dropFirst()) == [20, 30])
            #expect(try Array(Int.fetchCursor(db, sql: sql).dropFirst(2)) == [30])
            #expect(try Int.fetchCursor(db, sql: sql).dropLast() == [10, 20])
            #expect(try Int.fetchCursor(db, sql: sql).dropLast(2) == [10])
        }
    }

    @Test
    func `Constants are upserted, of any type of record`() throws {
        struct Country: Codable, Equatable, FetchableRecord, PersistableRecord {
            var code: String
            var name: String
        }
        func upsert(_ record: some PersistableRecord, _ db: Database) throws { try record.upsert(db) }
        try DatabaseQueue().write { db throws in
            try db.create(table: "country") { t in
                t.primaryKey("code", .text)
                t.column("name", .text).notNull()
            }
            let france = Country(code: "FR", name: "Frankreich")
            try france.upsert(db)
            let renamed: any PersistableRecord = Country(code: "FR", name: "Frankrijk")
            try renamed.upsert(db)
            #expect(try Country.fetchAll(db).map(\.name) == ["Frankrijk"])
            try upsert(Country(code: "FR", name: "France"), db)
            #expect(try Country.fetchAll(db).map(\.name) == ["France"])
        }
    }
}
