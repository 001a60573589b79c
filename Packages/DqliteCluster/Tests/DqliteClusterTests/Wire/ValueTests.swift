import DqliteCluster
import Foundation
import Testing

@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized)
struct ClusterValueTests {
    static let nodes = DqliteNode.isAvailable ? try! TestNodes() : nil

    /// Values of all storage classes, and their limits. (The leak checker does not see the memory of a `Data` in a global.)
    static var values: [DatabaseValue] {
        [
            .null, DatabaseValue(storage: .int64(0)), DatabaseValue(storage: .int64(.min)), DatabaseValue(storage: .int64(.max)),
            DatabaseValue(storage: .double(-0.0)), DatabaseValue(storage: .double(.infinity)), DatabaseValue(storage: .double(-.infinity)),
            DatabaseValue(storage: .double(.leastNonzeroMagnitude)), DatabaseValue(storage: .double(1e300)),
            DatabaseValue(storage: .string("")),
            DatabaseValue(storage: .string("é 🎉 'quoted'")), DatabaseValue(storage: .string("12345678")),
            DatabaseValue(storage: .string("2026-11-22")), DatabaseValue(storage: .blob(Data())),
            DatabaseValue(storage: .blob(Data([0, 1, 255]))),
            DatabaseValue(storage: .blob(Data(repeating: 7, count: 100_000))),
        ]
    }

    static let declaredTypes = [
        "", "INTEGER", "REAL", "TEXT", "BLOB", "NUMERIC", "DATE", "DATETIME", "TIMESTAMP", "BOOLEAN", "date", "VARCHAR(10)",
    ]

    private func read(_ db: Database, _ sql: String) throws -> [DatabaseValue] {
        let statement = try db.makeStatement(sql: sql)
        var values: [DatabaseValue] = []
        while try statement.step() {
            for index in 0..<statement.columnCount { values.append(statement.databaseValue(at: index)) }
        }
        return values
    }

    private func fill(_ db: Database, _ table: String, _ type: String) throws -> [DatabaseValue] {
        try db.execute(sql: "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, a \(type))")
        let statement = try db.makeStatement(sql: "INSERT INTO \(table) (a) VALUES (?) RETURNING a, typeof(a)")
        var returned: [DatabaseValue] = []
        for value in Self.values {
            try statement.bind(value, at: 1)
            statement.didBindArguments()
            while try statement.step() { returned += [statement.databaseValue(at: 0), statement.databaseValue(at: 1)] }
        }
        return returned
    }

    @Test(arguments: declaredTypes.indices)
    func `All values are read as a local database reads them, whatever the declared type`(index: Int) throws {
        let table = "t\(index)"
        let cluster = try Self.nodes!.open("values")
        let local = try DatabaseQueue()
        let query = "SELECT a, typeof(a), id FROM \(table) ORDER BY id DESC"
        let expected = try local.write { db in (try fill(db, table, Self.declaredTypes[index]), try read(db, query)) }
        let actual = try cluster.write { db in (try fill(db, table, Self.declaredTypes[index]), try read(db, query)) }
        #expect(actual.0 == expected.0)
        #expect(actual.1 == expected.1)
        #expect(try cluster.read { db in try read(db, query) } == expected.1)
        // -0.0 == 0.0
        let signs = try cluster.read { db in try read(db, "SELECT a FROM \(table) WHERE id = 5") }
        let localSigns = try local.read { db in try read(db, "SELECT a FROM \(table) WHERE id = 5") }
        #expect("\(signs)" == "\(localSigns)")
    }

    @Test
    func `Texts with NUL characters, which expressions have made, are read whole if the cluster is opened so, else cut off`() throws {
        let cluster = try DqliteCluster(addresses: Self.nodes!.addresses, database: "nul", readsNULs: true)
        let local = try DatabaseQueue()
        for writer in [cluster, local] as [any DatabaseWriter] {
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE t (id INTEGER PRIMARY KEY, a, b TEXT);
                        INSERT INTO t VALUES
                            (1, 'a' || char(0) || 'b', char(0)), (2, x'610062', 'plain'), (3, CAST(x'6100' AS TEXT), NULL), (4, 0, 'é');
                        """)
            }
        }
        let queries = [
            "SELECT * FROM t ORDER BY id DESC", "SELECT id + 1, a || b, (SELECT a FROM t AS o WHERE o.id = t.id) FROM t ORDER BY id",
            "SELECT a FROM t UNION SELECT b FROM t ORDER BY 1", "SELECT max(b), count(*) FROM t GROUP BY b IS NULL ORDER BY 2",
            "SELECT upper(b) FROM t ORDER BY a DESC LIMIT 2 OFFSET 1", "WITH x AS (SELECT a AS y FROM t) SELECT y FROM x ORDER BY y",
            "SELECT DISTINCT typeof(a), a FROM t ORDER BY id -- all", "VALUES ((SELECT a FROM t WHERE id = 1))",
        ]
        for query in queries {
            let expected = try local.read { db in try read(db, query) }
            #expect(try cluster.read { db in try read(db, query) } == expected, "\(query)")
        }
        let change = "UPDATE t SET a = a RETURNING *, a, \"b\", id + 1"
        let expected = try local.write { db in try read(db, change) }
        #expect(try cluster.write { db in try read(db, change) } == expected)
        #expect(expected.contains(DatabaseValue(storage: .string("a\0b"))))
        let other = try Self.nodes!.open("nul")
        #expect(try other.read { db in try read(db, "SELECT a FROM t WHERE id = 1") } == [DatabaseValue(storage: .string("a"))])
    }

    @Test
    func `A blob of 5 MB survives the way to the cluster and back`() throws {
        let cluster = try Self.nodes!.open("blob")
        let blob = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try cluster.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [blob])
        }
        #expect(try cluster.read { db in try read(db, "SELECT a FROM t") } == [DatabaseValue(storage: .blob(blob))])
    }

    @Test
    func `Many rows arrive in several messages, between which other statements run`() throws {
        let cluster = try Self.nodes!.open("many")
        try cluster.write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                    INSERT INTO t SELECT i, 'row ' || i FROM n
                    """)
            #expect(db.changesCount == 5000)
        }
        try cluster.read { db in
            let outer = try db.makeStatement(sql: "SELECT id, a FROM t ORDER BY id")
            let inner = try db.makeStatement(sql: "SELECT a FROM t WHERE id = ?")
            var count = 0
            while try outer.step() {
                count += 1
                #expect(outer.int64(at: 0) == Int64(count))
                guard count % 1000 == 1 else { continue }
                try inner.setArguments([count])
                #expect(try inner.step())
                #expect(inner.string(at: 0) == "row \(count)")
                inner.reset()
            }
            #expect(count == 5000)
            // A statement that is not read to its end.
            #expect(try outer.step())
            outer.reset()
            #expect(try read(db, "SELECT count(*) FROM t") == [DatabaseValue(storage: .int64(5000))])
        }
    }

    @Test(arguments: [33, 64, 500])
    func `Wide results are read`(count: Int) throws {
        let cluster = try Self.nodes!.open("wide")
        try cluster.write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS one (a)")
            try db.execute(sql: "DELETE FROM one")
            try db.execute(sql: "INSERT INTO one VALUES (1)")
        }
        let columns = (1...count).map { "a + \($0) AS \"a column with the long name number \($0)\"" }.joined(separator: ", ")
        let values = try cluster.read { db in
            let statement = try db.makeStatement(sql: "SELECT \(columns) FROM one")
            #expect(statement.columnNames.last == "a column with the long name number \(count)")
            return try read(db, "SELECT \(columns) FROM one")
        }
        #expect(values == (1...count).map { DatabaseValue(storage: .int64(Int64($0 + 1))) })
    }

    @Test
    func `A statement has up to 255 arguments`() throws {
        let cluster = try Self.nodes!.open("many")
        try cluster.read { db in
            #expect(db.maximumStatementArgumentCount == 255)
            let marks = Array(repeating: "?", count: 255).joined(separator: ", ")
            let statement = try db.makeStatement(sql: "SELECT count(*) FROM t WHERE id IN (\(marks))")
            try statement.setArguments(StatementArguments(1...255))
            #expect(try statement.step())
            #expect(statement.int64(at: 0) == 255)
            #expect(throws: DatabaseError.self) { try db.makeStatement(sql: "SELECT ?256") }
        }
    }
}
