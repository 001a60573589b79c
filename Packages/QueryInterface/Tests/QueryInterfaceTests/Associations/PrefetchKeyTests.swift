import CSQLiteShims
import Foundation
import QueryInterface
import Testing

@Suite struct PrefetchKeyTests {
    /// The rows of a table, each with the values of a column of its prefetched rows.
    private func prefetched(
        _ request: QueryInterfaceRequest<Row>, _ key: String, _ column: String, _ db: Database
    ) throws -> [[String?]] {
        try request.fetchAll(db).map { row in
            try #require(row.prefetchedRows[key]).map { try $0.decode(forKey: column) }
        }
    }

    @Test
    func `A row belongs to all rows whose keys are equal by its collation, and to no others`() throws {
        let schema = """
            CREATE TABLE word (text TEXT); CREATE TABLE meaning (id INTEGER PRIMARY KEY, word TEXT COLLATE NOCASE, note TEXT);
            INSERT INTO word VALUES ('fr'), ('FR'), ('É'), ('é'), ('aÉ'), ('aé'), ('Aé'), (NULL);
            INSERT INTO meaning VALUES (1, 'Fr', 'one'), (2, 'FR', 'two'), (3, 'É', 'three'), (4, 'AÉ', 'four'), (5, 'aé', 'five'), (6, NULL, '');
            """
        try withDatabase(schema) { db throws in
            let words = Table<Row>("word")
            let meanings = words.hasMany(Table<Row>("meaning"), key: "meanings", using: ForeignKey(["word"], to: ["text"]))
                .order(Column("id"))
            let found = try prefetched(words.including(all: meanings), "meanings", "note", db)
            #expect(found == [["one", "two"], ["one", "two"], ["three"], [], ["four"], ["five"], ["five"], []])
            // The rows that a join finds.
            let joined = words.including(required: meanings).order(Column.rowID, Column("id"))
            #expect(try joined.fetchCount(db) == found.reduce(0) { $0 + $1.count })
        }
    }

    @Test
    func `Keys are UUIDs, as blobs and as strings`() throws {
        try withDatabase("CREATE TABLE a (id BLOB PRIMARY KEY); CREATE TABLE b (aId, name TEXT)") { db throws in
            let ids = [UUID(), UUID(), UUID()]
            for (index, id) in ids.enumerated() {
                try db.execute(sql: "INSERT INTO a VALUES (?)", arguments: [id])
                try db.execute(sql: "INSERT INTO b VALUES (?, ?), (?, ?)", arguments: [id, "\(index)", id.uuidString, "text"])
            }
            let table = Table<Row>("a")
            let bs = table.hasMany(Table<Row>("b"), key: "bs", using: ForeignKey(["aId"], to: ["id"]))
            let request = table.order(Column.rowID).including(all: bs)
            #expect(try prefetched(request, "bs", "name", db) == [["0"], ["1"], ["2"]])
        }
    }

    @Test
    func `Keys of several columns, more than SQLite allows variables, with NULL in some`() throws {
        let schema = """
            CREATE TABLE a (x, y, PRIMARY KEY (x, y)); CREATE TABLE b (ax, ay, name TEXT, FOREIGN KEY (ax, ay) REFERENCES a);
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO a SELECT i, 'k' || i FROM n;
            INSERT INTO b SELECT x, y, y FROM a; INSERT INTO a VALUES (NULL, 1), (1, NULL); INSERT INTO b VALUES (NULL, 1, '');
            """
        try withDatabase(schema) { db throws in
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_VARIABLE_NUMBER, 250)
            let table = Table<Row>("a")
            let request = table.order(Column.rowID).including(all: table.hasMany(Table<Row>("b"), key: "bs"))
            let names = try prefetched(request, "bs", "name", db)
            #expect(names.prefix(300) == ArraySlice((1...300).map { ["k\($0)"] }))
            #expect(names.suffix(2) == [[], []])
        }
    }

    @Test
    func `Equal integers and reals are the same key, in any order of the rows, and NULL is not a key`() throws {
        let schema = """
            CREATE TABLE a (k); INSERT INTO a VALUES (1), (2), (1.0), (2.5), (NULL), (9223372036854775807), (9);
            CREATE TABLE b (ak, name TEXT);
            INSERT INTO b VALUES (1.0, 'a'), (2, 'b'), (1, 'c'), (2.5, 'd'), (2.0, 'e'), (1, 'f'), (NULL, 'g'), (9223372036854775807, 'h'), (3, 'i');
            """
        try withDatabase(schema) { db throws in
            let table = Table<Row>("a")
            let request = table.order(Column.rowID)
                .including(all: table.hasMany(Table<Row>("b"), key: "bs", using: ForeignKey(["ak"], to: ["k"])).order(Column.rowID))
            let expected = [["a", "c", "f"], ["b", "e"], ["a", "c", "f"], ["d"], [], ["h"], []]
            #expect(try prefetched(request, "bs", "name", db) == expected)
            // An index returns the rows of each key one after the other.
            try db.execute(sql: "CREATE INDEX bByKey ON b (ak)")
            #expect(try prefetched(request, "bs", "name", db) == expected)
            // With a single string among the keys, each of them may equal a string.
            try db.execute(sql: "INSERT INTO a VALUES ('x'); INSERT INTO b VALUES ('x', 'j'), ('X', 'k')")
            #expect(try prefetched(request, "bs", "name", db) == expected + [["j"]])
        }
    }

    @Test
    func `Keys of two columns are compared value by value, and a key that contains NULL has no rows`() throws {
        let schema = """
            CREATE TABLE a (x, y); INSERT INTO a VALUES (1, 1), (1.0, 2), (1, NULL), (2, 1), (1, 1.0);
            CREATE TABLE b (ax, ay, name TEXT);
            INSERT INTO b VALUES (1, 2, 'a'), (1.0, 1, 'b'), (2, 1, 'c'), (1, NULL, 'd'), (1, 1, 'e'), (1, 2.0, 'f');
            """
        try withDatabase(schema) { db throws in
            let table = Table<Row>("a")
            let bs = table.hasMany(Table<Row>("b"), key: "bs", using: ForeignKey(["ax", "ay"], to: ["x", "y"])).order(Column.rowID)
            let request = table.order(Column.rowID).including(all: bs)
            #expect(try prefetched(request, "bs", "name", db) == [["b", "e"], ["a", "f"], [], ["c"], ["b", "e"]])
        }
    }

    @Test
    func `Duplicate rows each have their prefetched rows`() throws {
        try Library.withDatabase { db throws in
            let request = Author.joining(required: Author.books).including(all: Author.books).order(Author.Columns.id).asRequest(
                of: Row.self)
            #expect(
                try prefetched(request, "books", "title", db) == [
                    ["The Steam House", "The Green Ray"], ["The Steam House", "The Green Ray"], ["The Time Machine"], ["Invisible Cities"],
                ])
        }
    }

    @Test
    func `A limit does not limit prefetched rows, and a single row has its own`() throws {
        try Library.withDatabase { db throws in
            let request = Author.including(all: Author.books).order(Author.Columns.id).limit(1, offset: 1).asRequest(of: Row.self)
            #expect(try prefetched(request, "books", "title", db) == [["The Time Machine"]])
            let first = try #require(try Row.fetchOne(db, Author.including(all: Author.books).orderByPrimaryKey().asRequest(of: Row.self)))
            #expect(first.prefetchedRows["books"]?.count == 2)
        }
    }

    @Test
    func `An optional association without a row has no prefetched rows`() throws {
        try Library.withDatabase { db throws in
            let request = Author.including(optional: Author.country.including(all: Country.authors)).order(Author.Columns.id)
                .asRequest(of: Row.self)
            let rows = try request.fetchAll(db)
            #expect(rows.map { $0.scopes["country"]?.prefetchedRows["authors"]?.count } == [1, 1, 1, 0])
        }
    }

    @Test
    func `Requests of a common table expression can prefetch associations`() throws {
        try Library.withDatabase { db throws in
            let old = CommonTableExpression<Author>(named: "old", request: Author.filter { $0.birthYear < 1900 })
            let request = old.all().with(old).including(all: Author.books).order(Column("id")).asRequest(of: Row.self)
            #expect(try prefetched(request, "books", "title", db) == [["The Steam House", "The Green Ray"], ["The Time Machine"]])
        }
    }

    @Test
    func `Associations on two levels can have the same key`() throws {
        try withDatabase(
            "CREATE TABLE node (id INTEGER PRIMARY KEY, parentId REFERENCES node); INSERT INTO node VALUES (1, NULL), (2, 1), (3, 1), (4, 2)"
        ) { db throws in
            let nodes = Table<Row>("node")
            let children = nodes.hasMany(nodes, key: "children").order(Column("id"))
            let request = nodes.filter(Column("parentId") == nil).including(all: children.including(all: children.including(all: children)))
            let root = try #require(try request.fetchOne(db))
            let level = try #require(root.prefetchedRows["children"])
            #expect(level.map { $0["id"] as Int } == [2, 3])
            #expect(level.map { $0.prefetchedRows["children"]?.map { $0["id"] as Int } } == [[4], []])

            let parent = nodes.belongsTo(nodes, key: "parent")
            let upward = nodes.filter(key: 4).including(required: parent.including(required: parent))
            #expect(
                try upward.sql(db) == #"""
                    SELECT "node1".*, "node2".*, "node3".* FROM "node" AS "node1" \#
                    JOIN "node" AS "node2" ON "node2"."id" = "node1"."parentId" \#
                    JOIN "node" AS "node3" ON "node3"."id" = "node2"."parentId" WHERE "node1"."id" = 4
                    """#)
            let row = try #require(try upward.fetchOne(db))
            #expect(row.scopes["parent"]?.scopes["parent"]?["id"] == 1)
        }
    }

    @Test
    func `An association can go through another association that goes through a third`() throws {
        try Library.withDatabase { db throws in
            let countries = Table<Row>("country")
            let authors = countries.hasMany(Table<Row>("author"), key: "authors")
            let books = countries.hasMany(
                Table<Row>("book"), through: authors, using: Table<Row>("author").hasMany(Table<Row>("book"), key: "books"), key: "books")
            let chapters = countries.hasMany(
                Table<Row>("chapter"), through: books, using: Table<Row>("book").hasMany(Table<Row>("chapter"), key: "chapters"),
                key: "chapters"
            )
            .order(Column("id"))
            let request = countries.order(Column("code")).including(all: chapters).annotated(with: chapters.count.forKey("n"))
            #expect(try prefetched(request, "chapters", "title", db) == [["Departure", "Arrival"], ["The Machine"], []])
            #expect(try request.fetchAll(db).map { $0["n"] as Int } == [2, 1, 0])
        }
    }
}
