import Foundation
import QueryInterface
import Testing

/// Columns of requests as arrays.
struct ColumnFetchingTests {
    private struct Typed: TableRecord, FetchableRecord {
        static let databaseTableName = "player"

        enum Columns {
            static let id = TypedColumn<Int64>("id", of: Typed.self)
            static let name = TypedColumn<String>("name")
            static let score = TypedColumn<Int64>("score")
            static let best = TypedColumn<Double>("best")
        }

        init(row: Row) {}
    }

    private func withPlayers(_ body: (Database) throws -> Void) throws { try QueryInterfaceTests.withDatabase(Player.createTable, body) }

    @Test
    func `A selection is fetched into arrays of the types that are asked for`() throws {
        try withPlayers { db in
            let request = Player.select(Column("id"), Column("score")).order(Column("id"))
            let (columns, sql) = try db.recordingSQL { try request.fetchColumns(db, as: Int64.self, Double?.self) }
            #expect(columns.0 == [1, 2, 3, 4])
            #expect(columns.1 == [1000, 750, nil, 0])
            #expect(sql == [#"SELECT "id", "score" FROM "player" ORDER BY "id""#])
            let best = try Player.select(max(Column("score")), count(Column("score"))).fetchColumns(db, as: Int?.self, Int.self)
            #expect(best == ([1000], [3]))
            // All columns, of which the leftmost are read, and a table.
            #expect(try Player.all().fetchColumns(db, as: Int.self, String.self).1.count == 4)
            #expect(try Table("player").fetchColumns(db, as: Int.self) == [1, 2, 3, 4])
            #expect(try Player.none().select(Column("id")).fetchColumns(db, as: Int.self) == [])
        }
    }

    @Test
    func `Columns that know their types need no others`() throws {
        try withPlayers { db in
            let all = Typed.order { $0.id }
            let (columns, sql) = try db.recordingSQL { try all.fetchColumns(db) { ($0.id, $0.score.optional) } }
            #expect(columns.0 == [1, 2, 3, 4])
            #expect(columns.1 == [1000, 750, nil, 0])
            #expect(sql == [#"SELECT "id", "score" FROM "player" ORDER BY "id""#])
            #expect(try all.fetchColumns(db) { $0.name } == ["Arthur", "Barbara", "Craig", "David"])
            let scored = all.filter { $0.score != nil }
            let three = try scored.fetchColumns(db) { ($0.id, $0.score, $0.best.optional) }
            #expect(three == ([1, 2, 4], [1000, 750, 0], [1000, 1200, nil]))
            // The same column twice.
            let four = try scored.fetchColumns(db) { ($0.id, $0.id, $0.name, $0.score) }
            #expect(four.0 == four.1)
            #expect((four.2, four.3) == (["Arthur", "Barbara", "David"], [1000, 750, 0]))
            let five = try scored.limit(1).fetchColumns(db) { ($0.score, $0.name, $0.id, $0.best, $0.best.optional) }
            #expect((five.0, five.1, five.2, five.3) == ([1000], ["Arthur"], [1], [1000]))
            #expect(five.4 == [1000])
            let six = try scored.limit(1).fetchColumns(db) { ($0.score, $0.name, $0.id, $0.best, $0.id, $0.name) }
            #expect((six.4, six.5) == ([1], ["Arthur"]))
            let table = try Table<Typed>("player").filter { $0.id > 3 }.fetchColumns(db) { ($0.id, $0.name) }
            #expect(table == ([4], ["David"]))
            // NULL where the column has no optional values.
            let error = try #require(#expect(throws: RowDecodingError.self) { try all.fetchColumns(db) { ($0.id, $0.score) } })
            #expect((error.column, error.columnIndex, error.value) == ("score", 1, .null))
        }
    }

    @Test
    func `The columns of joined tables come after those that are asked for, and nothing is prefetched`() throws {
        try Library.withDatabase { db in
            let books = Book.including(required: Book.author).order(Column("id"))
            #expect(try books.fetchColumns(db, as: Int.self, Int.self) == ([1, 2, 3, 4], [1, 1, 2, 3]))
            let authors = Author.including(all: Author.books).select(Column("name")).order(Column("id"))
            let (names, sql) = try db.recordingSQL { try authors.fetchColumns(db, as: String.self) }
            #expect(names == ["Verne", "Wells", "Calvino", "Anonymous"])
            #expect(sql.count == 1)
        }
    }

    @Test
    func `Portions of a request come as a sequence`() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Player.createTable) }
        var portions: [[Int]] = []
        let request = Player.select(Column("id"), Column("name")).order(Column("id"))
        for try await (ids, names) in request.fetchColumnSequence(queue, rowsPerElement: 3, as: Int.self, String.self) {
            #expect(names.count == ids.count)
            portions.append(ids)
        }
        #expect(portions == [[1, 2, 3], [4]])
    }

    @Test
    func `A fetch of columns is recorded as what it reads`() throws {
        try withPlayers { db in
            let request = Player.filter(key: 2).select(Column("id"), Column("name"))
            let (columns, region) = try db.recordingAccesses { try request.fetchColumns(db, as: Int.self, String.self) }
            #expect(columns == ([2], ["Barbara"]))
            #expect("\(region)" == "player(id,name)[2]")
            #expect(try request.databaseRegion(db) == region)
        }
    }
}
