import Foundation
import QueryInterface
import Testing

/// Large numbers of keys, filters and values.
@Suite struct ManyKeysTests {
    private struct Citizenship: TableRecord, FetchableRecord {
        let citizenId: Int
        let country: String

        init(row: Row) throws {
            citizenId = try row.decode(forKey: "citizenId")
            country = try row.decode(forKey: "country")
        }
    }

    private static let schema = """
        CREATE TABLE citizenship (
            citizenId INTEGER NOT NULL, country TEXT NOT NULL COLLATE NOCASE, email TEXT UNIQUE, number REAL,
            PRIMARY KEY (citizenId, country)) WITHOUT ROWID;
        CREATE UNIQUE INDEX numbers ON citizenship(number);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO citizenship SELECT i, 'c' || (i % 7), 'e' || i, i FROM n;
        """

    typealias Key = [String: (any DatabaseValueConvertible)?]

    private func plan(_ request: some FetchRequest, _ db: Database) throws -> String {
        let sql = try request.makePreparedRequest(db).statement.expandedSQL
        return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }.joined(separator: "\n")
    }

    @Test
    func `Fetching by many keys of several columns uses the index`() throws {
        try withDatabase(Self.schema) { db throws in
            for count in [2, 40, 41, 300, 1_500, 6_000] {
                let keys = (1...count).map { ["citizenId": $0, "country": "C\($0 % 7)"] as Key }
                #expect(try Citizenship.fetchAll(db, keys: keys).count == min(count, 5_000))
                #expect(try Citizenship.filter(keys: keys).fetchCount(db) == min(count, 5_000))
                #expect(try Citizenship.filter(!Citizenship.filter(keys: keys).exists()).fetchCount(db) == 0)
                let plan = try plan(Citizenship.filter(keys: keys), db)
                // Later releases of SQLite use both columns for any number of keys.
                #expect(plan.contains("USING PRIMARY KEY (citizenId=?\(count > 1_000 ? "" : " AND country=?")"), "\(plan)")
                #expect(!plan.contains("SCAN citizenship"))
            }
            // Fewer parameters than SQLite allows on most systems.
            db.setLimit(.parameterCount, to: 999)
            let keys = (1...20_000).map { ["citizenId": $0, "country": "C\($0 % 7)"] as Key }
            #expect(try Citizenship.fetchAll(db, keys: keys).count == 5_000)
            #expect(try plan(Citizenship.filter(keys: keys), db).contains("SEARCH citizenship"))
            #expect(try Citizenship.deleteAll(db, keys: Array(keys.prefix(3_000))) == 3_000)
            #expect(try Citizenship.fetchCount(db) == 2_000)
        }
    }

    @Test
    func `Fetching by many keys of one column uses the index`() throws {
        try withDatabase(Self.schema) { db throws in
            for limit in [250_000, 999] {
                db.setLimit(.parameterCount, to: limit)
                for count in [2, 300, 1_500, 20_000] {
                    let keys = (1...count).map { ["email": "e\($0)"] as Key }
                    #expect(try Citizenship.fetchAll(db, keys: keys).count == min(count, 5_000))
                    let plan = try plan(Citizenship.filter(keys: keys), db)
                    #expect(plan.contains("SEARCH citizenship") && !plan.contains("SCAN citizenship"), "\(plan)")
                    // Texts can equal numbers in a numeric column.
                    let texts = (1...count).map { ["number": String($0)] as Key }
                    #expect(try Citizenship.fetchAll(db, keys: texts).count == min(count, 5_000))
                }
            }
        }
    }

    @Test
    func `Keys of different columns can be mixed, in any number`() throws {
        try withDatabase(Self.schema) { db throws in
            var keys: [Key] = []
            for index in stride(from: 1, to: 3_000, by: 3) {
                keys.append(["citizenId": index, "country": "c\(index % 7)"])
                keys.append(["EMAIL": "e\(index + 1)"])
                keys.append(["email": "e\(index + 2)", "country": "c\((index + 2) % 7)"])
                keys.append(["number": -1])
            }
            #expect(try Citizenship.fetchAll(db, keys: keys).map(\.citizenId).sorted() == Array(1...3_000))
            db.setLimit(.parameterCount, to: 999)
            #expect(try Citizenship.filter(keys: keys).deleteAll(db) == 3_000)
        }
    }

    @Test
    func `A few keys become one condition each`() throws {
        try withDatabase(Self.schema) { db throws in
            let request = Citizenship.filter(keys: [["citizenId": 1, "country": "c1"], ["email": "e2"]])
            let sql = #"SELECT * FROM "citizenship" WHERE "citizenId" = 1 AND "country" = 'c1' OR "email" = 'e2'"#
            #expect(try request.sql(db) == sql)
        }
    }

    @Test(.disabled(if: sqliteChecksItself, "the time is quadratic"))
    func `Thousands of filters and conditions on groups become one condition`() throws {
        try withDatabase(Self.schema) { db throws in
            var request = Citizenship.all()
            var groups = Citizenship.select(Column("country")).group(Column("country")).asRequest(of: String.self)
            var selected = Citizenship.select(Column("citizenId"))
            for index in 1...3_000 {
                request = request.filter(Column("citizenId") != index * 2)
                groups = groups.having(max(Column("citizenId")) != index * 2)
                if index < 1_999 { selected = selected.annotated(with: Column("country")) }
            }
            #expect(try request.fetchCount(db) == 2_500)
            #expect(try request.fetchAll(db).count == 2_500)
            // The maximums of the groups are 4,994 to 5,000. The even ones are skipped.
            #expect(try groups.fetchAll(db).sorted() == [4_995, 4_997, 4_999].map { "c\($0 % 7)" }.sorted())
            #expect(try Row.fetchOne(db, selected.asRequest(of: Row.self))?.count == 1_999)
            #expect(try request.deleteAll(db) == 2_500)
        }
    }
}
