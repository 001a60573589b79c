import Foundation
import RowDecoding
import Testing

/// All fetch methods: from SQL, from statements and from requests, with arguments and adapters, for all kinds of results.
struct FetchMethodTests {
    /// A value that has no fast way from the statement.
    enum Name: String, DatabaseValueConvertible { case arthur = "Arthur", barbara = "Barbara", craig = "Craig" }

    static let all = "SELECT id, name, score FROM player ORDER BY id"
    static let some = "SELECT id, name, score FROM player WHERE score > ? ORDER BY id"
    static let none = "SELECT id, name, score FROM player WHERE 0"

    // MARK: - Values

    @Test
    func `Values are fetched alike from SQL, statements and requests`() throws {
        try checkValues([1, 2, 3], some: [1, 3], adapter: SuffixRowAdapter(fromIndex: 2), adapted: [1500, 750, 1200])
        try checkValues(["Arthur", "Barbara", "Craig"], some: ["Arthur", "Craig"], column: "name")
        try checkValues([Name.arthur, .barbara, .craig], some: [.arthur, .craig], column: "name")
        try checkValues([1, 2, 3] as [Int?], some: [1, 3])
        try checkValues([Name.arthur, .barbara, .craig] as [Name?], some: [.arthur, .craig], column: "name")
    }

    /// Values of the leftmost column, or of another column through an adapter that all fetches have.
    private func checkValues<Value: DatabaseValueConvertible & Hashable>(
        _ all: [Value], some: [Value], adapter: (any RowAdapter)? = nil, adapted: [Value] = []
    ) throws {
        try withPlayers { db throws in
            #expect(try Value.fetchAll(db, sql: Self.all) == all)
            #expect(try Value.fetchSet(db, sql: Self.all) == Set(all))
            #expect(try Value.fetchOne(db, sql: Self.all) == all[0])
            #expect(try Array(Value.fetchCursor(db, sql: Self.all)) == all)
            #expect(try Value.fetchAll(db, sql: Self.none) == [])
            #expect(try Value.fetchSet(db, sql: Self.none) == [])
            #expect(try Value.fetchOne(db, sql: Self.none) == nil)
            #expect(try Value.fetchCursor(db, sql: Self.none).next() == nil)

            #expect(try Value.fetchAll(db, sql: Self.some, arguments: [1000]) == some)
            #expect(try Value.fetchSet(db, sql: Self.some, arguments: [1000]) == Set(some))
            #expect(try Value.fetchOne(db, sql: Self.some, arguments: [1000]) == some[0])
            #expect(try Array(Value.fetchCursor(db, sql: Self.some, arguments: [1000])) == some)

            let statement = try db.makeStatement(sql: Self.some)
            #expect(try Value.fetchAll(statement, arguments: [1000]) == some)
            #expect(try Value.fetchSet(statement) == Set(some))
            #expect(try Value.fetchOne(statement) == some[0])
            #expect(try Array(Value.fetchCursor(statement)) == some)
            #expect(try Value.fetchSet(statement, arguments: [0]) == Set(all))
            #expect(try Value.fetchOne(statement, arguments: [9999]) == nil)
            #expect(try Array(Value.fetchCursor(statement, arguments: [0])) == all)

            let request = SQLRequest<Value>(sql: Self.some, arguments: [1000])
            #expect(try Value.fetchAll(db, request) == some)
            #expect(try Value.fetchSet(db, request) == Set(some))
            #expect(try Value.fetchOne(db, request) == some[0])
            #expect(try Array(Value.fetchCursor(db, request)) == some)
            #expect(try request.fetchAll(db) == some)
            #expect(try request.fetchSet(db) == Set(some))
            #expect(try request.fetchOne(db) == some[0])
            #expect(try Array(request.fetchCursor(db)) == some)
            #expect(try request.fetchCount(db) == some.count)

            guard let adapter else { return }
            #expect(try Value.fetchAll(db, sql: Self.all, adapter: adapter) == adapted)
            #expect(try Value.fetchSet(db, sql: Self.all, adapter: adapter) == Set(adapted))
            #expect(try Value.fetchOne(db, sql: Self.all, adapter: adapter) == adapted[0])
            #expect(try Array(Value.fetchCursor(db, sql: Self.all, adapter: adapter)) == adapted)
            let all = try db.makeStatement(sql: Self.all)
            #expect(try Value.fetchAll(all, adapter: adapter) == adapted)
            #expect(try Value.fetchSet(all, adapter: adapter) == Set(adapted))
            #expect(try Value.fetchOne(all, adapter: adapter) == adapted[0])
            #expect(try Array(Value.fetchCursor(all, adapter: adapter)) == adapted)
            let adaptedRequest = SQLRequest<Value>(sql: Self.all, adapter: adapter)
            #expect(try adaptedRequest.fetchAll(db) == adapted)
            #expect(try Array(adaptedRequest.fetchCursor(db)) == adapted)
        }
    }

    /// Values of a column that is moved to the left.
    private func checkValues<Value: DatabaseValueConvertible & Hashable>(
        _ all: [Value], some: [Value], column: String
    ) throws {
        let adapter = ColumnMapping(["x": column])
        try withPlayers { db throws in
            #expect(try Value.fetchAll(db, sql: Self.all, adapter: adapter) == all)
            #expect(try Value.fetchSet(db, sql: Self.some, arguments: [1000], adapter: adapter) == Set(some))
            #expect(try Value.fetchOne(db, sql: Self.some, arguments: [1000], adapter: adapter) == some[0])
            #expect(try Array(Value.fetchCursor(db, sql: Self.some, arguments: [1000], adapter: adapter)) == some)
            let statement = try db.makeStatement(sql: Self.some)
            #expect(try Value.fetchAll(statement, arguments: [1000], adapter: adapter) == some)
            #expect(try Value.fetchOne(statement, arguments: [1000], adapter: adapter) == some[0])
            let sql = "SELECT \(column) FROM player WHERE score > ? ORDER BY id"
            #expect(try Value.fetchAll(db, sql: sql, arguments: [0]) == all)
            #expect(try SQLRequest<Value>(sql: sql, arguments: [1000]).fetchAll(db) == some)
            #expect(try Array(Value.fetchCursor(db, sql: sql, arguments: [1000])) == some)
        }
    }

    @Test
    func `NULL has no value, and is nil where values are optional`() throws {
        try withDatabase { db throws in
            let sql = "SELECT NULL UNION ALL SELECT 1"
            #expect(try Int?.fetchAll(db, sql: sql) == [nil, 1])
            #expect(try Int?.fetchSet(db, sql: sql) == [nil, 1])
            #expect(try Array(Int?.fetchCursor(db, sql: sql)) == [nil, 1])
            #expect(try Int.fetchOne(db, sql: sql) == nil)
            #expect(throws: RowDecodingError.self) { try Int.fetchAll(db, sql: sql) }
            #expect(throws: RowDecodingError.self) { try Int.fetchSet(db, sql: sql) }
            let cursor = try Int.fetchCursor(db, sql: sql)
            #expect(throws: RowDecodingError.self) { try cursor.next() }
            #expect(try cursor.next() == nil)
        }
    }

    @Test
    func `The two names of cursors of values are one cursor`() throws {
        try withDatabase { db throws in
            let fast: FastDatabaseValueCursor<Int> = try Int.fetchCursor(db, sql: "SELECT 1")
            #expect(try fast.next() == 1)
            let slow: DatabaseValueCursor<Name> = try Name.fetchCursor(db, sql: "SELECT 'Craig'")
            #expect(try slow.next() == .craig)
        }
    }

    /// A type that counts by which way it is read.
    struct Probe: DatabaseValueConvertible, StatementColumnConvertible, Hashable {
        static nonisolated(unsafe) var statementReads = 0
        static nonisolated(unsafe) var valueReads = 0
        var databaseValue: DatabaseValue { .null }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Probe? {
            valueReads += 1
            return dbValue.isNull ? nil : Probe()
        }

        init() {}

        init?(sqliteStatement: SQLiteStatement, index: CInt) {
            Self.statementReads += 1
            if DatabaseValue(sqliteStatement: sqliteStatement, index: index).isNull { return nil }
        }
    }

    @Test
    func `A type that is read straight from the statement is read so by every call, for optionals and in generic code too`() throws {
        func generic<Value: DatabaseValueConvertible>(_ type: Value.Type, _ row: Row) throws -> Value {
            try row.decode(Value.self, forKey: "x")
        }
        try withDatabase { db throws in
            let sql = "SELECT 1 AS x"
            _ = try Probe.fetchAll(db, sql: sql)
            _ = try Probe.fetchSet(db, sql: sql)
            _ = try Probe.fetchOne(db, sql: sql)
            _ = try Probe?.fetchAll(db, sql: sql)
            _ = try Probe.fetchCursor(db, sql: sql).next()
            let rows = try Row.fetchCursor(db, sql: sql)
            let row = try #require(try rows.next())
            _ = row["x"] as Probe
            _ = row[0] as Probe?
            _ = try row.decode(Probe.self, atIndex: 0)
            _ = try row.decodeIfPresent(Probe.self, forKey: "x")
            _ = try generic(Probe.self, row)
            #expect(Probe.statementReads == 10)
            #expect(Probe.valueReads == 0)
            _ = row.copy()["x"] as Probe
            #expect(Probe.valueReads == 1)
            // NULL is a database value on all paths.
            #expect(try Probe?.fetchOne(db, sql: "SELECT NULL") == .some(nil))
            #expect(Probe.statementReads == 10)
            #expect(Probe.valueReads == 2)
        }
    }

    // MARK: - Rows and records

    @Test
    func `Records are fetched alike from SQL, statements and requests`() throws {
        let adapter = RenameColumnAdapter { $0 == "score" ? "points" : $0 }
        try withPlayers { db throws in
            let all: [Player] = [.arthur, .barbara, .craig]
            let some: [Player] = [.arthur, .craig]
            #expect(try Player.fetchAll(db, sql: Self.all) == all)
            #expect(try Player.fetchSet(db, sql: Self.some, arguments: [1000]) == Set(some))
            #expect(try Player.fetchOne(db, sql: Self.some, arguments: [1000]) == .arthur)
            #expect(try Player.fetchOne(db, sql: Self.none) == nil)
            #expect(try Array(Player.fetchCursor(db, sql: Self.some, arguments: [1000])) == some)
            let statement = try db.makeStatement(sql: Self.some)
            #expect(try Player.fetchAll(statement, arguments: [1000]) == some)
            #expect(try Player.fetchSet(statement) == Set(some))
            #expect(try Player.fetchOne(statement) == .arthur)
            #expect(try Array(Player.fetchCursor(statement, arguments: [0])) == all)
            // An adapter that takes away a column that the record needs.
            #expect(throws: RowDecodingError.self) { try Player.fetchAll(db, sql: Self.all, adapter: adapter) }
            #expect(throws: RowDecodingError.self) { try Player.fetchSet(db, sql: Self.all, adapter: adapter) }
            #expect(throws: RowDecodingError.self) { try Player.fetchOne(statement, adapter: adapter) }
            #expect(throws: RowDecodingError.self) { try Player.fetchCursor(statement, adapter: adapter).next() }
            // One that gives it back.
            let sql = "SELECT id, name, score AS points FROM player ORDER BY id"
            let restoring = RenameColumnAdapter { $0 == "points" ? "score" : $0 }
            #expect(try Player.fetchAll(db, sql: sql, adapter: restoring) == all)
            #expect(try Array(Player.fetchCursor(db, sql: sql, adapter: restoring)) == all)
            #expect(try SQLRequest<Player>(sql: sql, adapter: restoring).fetchSet(db) == Set(all))
        }
    }

    @Test
    func `Rows are fetched alike from SQL, statements and requests`() throws {
        let adapter = RangeRowAdapter(1..<2)
        try withPlayers { db throws in
            let all: [Row] = [["name": "Arthur"], ["name": "Barbara"], ["name": "Craig"]]
            let some: [Row] = [["name": "Arthur"], ["name": "Craig"]]
            #expect(try Row.fetchAll(db, sql: Self.all, adapter: adapter) == all)
            #expect(try Row.fetchSet(db, sql: Self.some, arguments: [1000], adapter: adapter) == Set(some))
            #expect(try Row.fetchOne(db, sql: Self.some, arguments: [1000], adapter: adapter) == some[0])
            #expect(try Row.fetchOne(db, sql: Self.none) == nil)
            #expect(try Array(Row.fetchCursor(db, sql: Self.all, adapter: adapter).map { $0.copy() }) == all)
            let statement = try db.makeStatement(sql: Self.some)
            #expect(try Row.fetchAll(statement, arguments: [1000], adapter: adapter) == some)
            #expect(try Row.fetchSet(statement, adapter: adapter) == Set(some))
            #expect(try Row.fetchOne(statement, adapter: adapter) == some[0])
            #expect(try Array(Row.fetchCursor(statement, arguments: [0], adapter: adapter).map { $0.copy() }) == all)
            #expect(try Row.fetchAll(statement).map(\.count) == [3, 3, 3])
            let request = SQLRequest(sql: Self.all, adapter: adapter)
            #expect(try Row.fetchAll(db, request) == all)
            #expect(try Row.fetchSet(db, request) == Set(all))
            #expect(try Row.fetchOne(db, request) == all[0])
            #expect(try Array(Row.fetchCursor(db, request).map { $0.copy() }) == all)
        }
    }

    @Test
    func `Errors of SQL and of arguments are thrown by every method, before there are results`() throws {
        try withPlayers { db throws in
            let attempts: [() throws -> Void] = [
                { _ = try Int.fetchAll(db, sql: "SELECT * FROM nowhere") },
                { _ = try Int.fetchCursor(db, sql: "SELECT * FROM nowhere") },
                { _ = try Name.fetchSet(db, sql: "SELECT * FROM nowhere") },
                { _ = try Player.fetchOne(db, sql: "SELECT * FROM nowhere") },
                { _ = try Row.fetchAll(db, sql: "SELECT * FROM nowhere") },
                { _ = try Int.fetchAll(db, sql: Self.some) },
                { _ = try Int.fetchCursor(db, sql: Self.some) },
                { _ = try Name.fetchOne(db, sql: Self.some, arguments: [1, 2]) },
                { _ = try Player.fetchSet(db, sql: Self.some, arguments: ["minimum": 1]) },
                { _ = try Row.fetchCursor(db.makeStatement(sql: Self.some)) },
            ]
            for attempt in attempts {
                #expect(throws: DatabaseError.self, performing: attempt)
            }
        }
    }
}
