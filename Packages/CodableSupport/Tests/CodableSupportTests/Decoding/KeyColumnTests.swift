import CodableSupport
import Foundation
import Testing

/// Coding keys of one byte find their columns without their names, from the second row on.
@Suite struct KeyColumnTests {
    struct Person: CodableRecord, Equatable {
        var id: Int
        var name: String
        var born: Date?
        var token: UUID?
    }

    private static let token = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    private static let people = (1...3).map {
        Person(id: $0, name: "n\($0)", born: $0 == 2 ? nil : Date(timeIntervalSince1970: Double($0)), token: $0 == 3 ? nil : token)
    }

    private static let schema = "CREATE TABLE person (id INTEGER PRIMARY KEY, name, born, token)"

    @Test
    func `The same type is read from queries whose columns are in other places`() throws {
        try withDatabase(Self.schema) { db throws in
            try Self.people.insertAll(db)
            for columns in [
                "*", "token, NAME, Born, id", "name, 'x' AS name, token, 1 AS extra, born, id", "born, token, name, id, 7 AS id",
            ] {
                let sql = "SELECT \(columns) FROM person ORDER BY person.id"
                let people = try Person.fetchAll(db, sql: sql)
                #expect(people == Self.people)
                let fromCopies = try Row.fetchAll(db, sql: sql).map { try Person(row: $0) }
                #expect(fromCopies == Self.people)
            }
        }
    }

    @Test
    func `A statement that is kept finds its columns again when the schema has changed`() throws {
        try withDatabase(Self.schema) { db throws in
            try Self.people.insertAll(db)
            let statement = try db.cachedStatement(sql: "SELECT * FROM person ORDER BY id")
            let before = try Person.fetchAll(statement)
            #expect(before == Self.people)
            try db.execute(
                sql: """
                    ALTER TABLE person DROP COLUMN name;
                    ALTER TABLE person ADD COLUMN "first" TEXT DEFAULT 'f';
                    ALTER TABLE person ADD COLUMN name TEXT;
                    UPDATE person SET name = 'n' || id
                    """)
            let after = try Person.fetchAll(statement)
            #expect(after == Self.people)
        }
    }

    struct Pair: Decodable, FetchableRecord, Equatable {
        var first: Person
        var second: Person?
    }

    @Test
    func `Two scopes and the row itself, all of one type, each have their own columns`() throws {
        let sql = """
            SELECT p.*, q.born, q.token, q.id, q.name FROM person p LEFT JOIN person q ON q.id = p.id + 1 ORDER BY p.id
            """
        try withDatabase(Self.schema) { db throws in
            try Self.people.insertAll(db)
            let adapter = ScopeAdapter(["first": RangeRowAdapter(0..<4), "second": SuffixRowAdapter(fromIndex: 4)])
            let expected = Self.people.indices.map {
                Pair(first: Self.people[$0], second: $0 < 2 ? Self.people[$0 + 1] : nil)
            }
            let records = try Pair.fetchAll(db, sql: sql, adapter: adapter)
            #expect(records == expected)
            let fromCopies = try Row.fetchAll(db, sql: sql, adapter: adapter).map { try Pair(row: $0) }
            #expect(fromCopies == expected)
        }
    }

    @Test(arguments: [false, true])
    func `A column that is missing, or has no such value, is the same error in each row`(isCopied: Bool) throws {
        try withDatabase(Self.schema) { db throws in
            let sql = "SELECT id, CASE id WHEN 2 THEN NULL ELSE name END AS name, CASE id WHEN 3 THEN 'soon' END AS born FROM person"
            try Self.people.insertAll(db)
            let cursor = try Row.fetchCursor(db, sql: sql)
            var outcomes: [String] = []
            while let live = try cursor.next() {
                let row = isCopied ? live.copy() : live
                do {
                    outcomes.append(try Person(row: row).name)
                } catch let error as RowDecodingError {
                    outcomes.append("\(error.column ?? ""): \(error.value?.description ?? "")")
                }
            }
            #expect(outcomes == ["n1", "name: NULL", "born: \"soon\""])
            let missing = try Row.fetchCursor(db, sql: "SELECT id FROM person")
            while let live = try missing.next() {
                let row = isCopied ? live.copy() : live
                #expect(throws: RowDecodingError.self) { try Person(row: row) }
            }
        }
    }

    struct Dates: Decodable, FetchableRecord, Equatable {
        var plain: Date
        var seconds: Date
        var maybe: Date?

        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
            column == "plain" ? .deferredToDate : .timeIntervalSince1970
        }
    }

    @Test
    func `Each date goes by the strategy of its own column in each row`() throws {
        let sql = "SELECT '1970-01-01 00:00:01' AS plain, 2 AS seconds, 3 AS maybe UNION ALL SELECT 10, 20, NULL"
        let expected = [(1.0, 2.0, Optional(3.0)), (10.0, 20.0, nil)].map {
            Dates(
                plain: Date(timeIntervalSince1970: $0.0), seconds: Date(timeIntervalSince1970: $0.1),
                maybe: $0.2.map { Date(timeIntervalSince1970: $0) })
        }
        try withDatabase("") { db throws in
            let records = try Dates.fetchAll(db, sql: sql)
            #expect(records == expected)
            let fromCopies = try Row.fetchAll(db, sql: sql).map { try Dates(row: $0) }
            #expect(fromCopies == expected)
        }
    }

    struct Converted: Decodable, FetchableRecord, Equatable {
        var firstName: String
        var lastName: String?

        static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .convertFromSnakeCase }
    }

    @Test
    func `Names that a strategy makes of columns hold for each row`() throws {
        let sql = "SELECT 'b' AS last_name, 'a' AS first_name UNION ALL SELECT NULL, 'c'"
        try withDatabase("") { db throws in
            let records = try Converted.fetchAll(db, sql: sql)
            #expect(records == [Converted(firstName: "a", lastName: "b"), Converted(firstName: "c", lastName: nil)])
        }
    }

    /// A record whose keys are distinguished by other means than an enumeration.
    struct Numbered<Number: FixedWidthInteger & Sendable>: Decodable, FetchableRecord {
        struct Key: CodingKey {
            var number: Number

            init(_ number: Int) { self.number = Number(truncatingIfNeeded: number) }

            var stringValue: String { "c\(number)" }
            var intValue: Int? { nil }

            init?(stringValue: String) { nil }
            init?(intValue: Int) { nil }
        }

        var values: [Int]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            values = try (0..<120).map { try container.decode(Int.self, forKey: Key($0)) }
        }
    }

    @Test
    func `Keys that are numbers find their columns, however large they are`() throws {
        let columns = (0..<120).map { "n + \($0) AS c\($0)" }.reversed().joined(separator: ", ")
        let sql = "WITH t(n) AS (VALUES (0), (1000), (2000)) SELECT \(columns) FROM t"
        let expected = [0, 1000, 2000].map { first in (0..<120).map { first + $0 } }
        try withDatabase("") { db throws in
            let ofOneByte = try Numbered<UInt8>.fetchAll(db, sql: sql).map(\.values)
            let ofTwoBytes = try Numbered<Int16>.fetchAll(db, sql: sql).map(\.values)
            let fromCopies = try Row.fetchAll(db, sql: sql).map { try Numbered<UInt8>(row: $0).values }
            #expect(ofOneByte == expected)
            #expect(ofTwoBytes == expected)
            #expect(fromCopies == expected)
        }
    }

    @Test
    func `Reading the columns in between does not keep the decoder from noticing the change`() throws {
        struct Pair: CodableRecord, Equatable {
            var a: Int?
            var b: Int?
        }
        try withDatabase("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2)") { db throws in
            let statement = try db.makeStatement(sql: "SELECT * FROM t WHERE b = ?")
            #expect(try Pair.fetchAll(statement, arguments: [2]) == [Pair(a: 1, b: 2)])
            try db.execute(sql: "ALTER TABLE t RENAME a TO old; ALTER TABLE t ADD a")
            #expect(try statement.step())
            #expect(statement.columnNames == ["old", "b", "a"])
            statement.reset()
            let empty = try Pair.fetchCursor(statement, arguments: [0])
            #expect(try empty.next() == nil)
            #expect(empty.columnNames == ["old", "b", "a"])
            #expect(try Pair.fetchAll(statement, arguments: [2]) == [Pair(a: nil, b: 2)])
        }
    }
}
