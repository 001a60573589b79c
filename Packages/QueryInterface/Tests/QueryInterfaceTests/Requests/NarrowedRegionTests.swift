import QueryInterface
import Testing

/// Which rows a recording of accesses, and the region of a request, contain.
@Suite("Regions narrowed to rows")
struct NarrowedRegionTests {
    /// Returns the region that a fetch reads, the second time: the first one also reads the schema.
    private func region(_ db: Database, _ fetch: () throws -> some Any) throws -> String {
        _ = try fetch()
        return try db.recordingAccesses { _ = try fetch() }.region.description
    }

    private static let author = "author(birthyear,countrycode,id,name)"

    @Test
    func `Fetches by key read the rows of the keys`() throws {
        try Library.withDatabase { db throws in
            let author = Self.author
            #expect(try region(db) { try Author.fetchOne(db, id: 1) } == "\(author)[1]")
            #expect(try region(db) { try Author.fetchOne(db, key: 42) } == "\(author)[42]")
            #expect(try region(db) { try Author.fetchOne(db, key: Int64?.none) } == "empty")
            #expect(try region(db) { try Author.fetchOne(db, key: "1") } == author)
            #expect(try region(db) { try Author.find(db, id: 2) } == "\(author)[2]")
            #expect(try region(db) { try Author.fetchAll(db, ids: [3, 1, 7]) } == "\(author)[1,3,7]")
            #expect(try region(db) { try Author.fetchAll(db, ids: []) } == "empty")
            #expect(try region(db) { try Author.fetchSet(db, keys: [3, 1]) } == "\(author)[1,3]")
            #expect(try region(db) { try Author.fetchCursor(db, ids: [1, 2]).next() } == "\(author)[1,2]")
            #expect(try region(db) { try Author.fetchOne(db, key: ["id": 1]) } == "\(author)[1]")
            #expect(try region(db) { try Author.exists(db, id: 5) }.hasSuffix("[5]"))
            #expect(try region(db) { try Author.filter(id: 1).fetchCount(db) } == "author(id)[1]")
            #expect(try region(db) { try Author.filter(ids: [1, 2]).isEmpty(db) }.hasSuffix("[1,2]"))
            #expect(try region(db) { try Table("author").filter(key: 1).fetchCount(db) } == "author(id)[1]")
            // A row that is read twice, and another one.
            let both = try region(db) { (try Author.fetchOne(db, id: 1), try Author.fetchOne(db, id: 3), try Author.fetchOne(db, id: 1)) }
            #expect(both == "\(author)[1,3]")
        }
    }

    @Test
    func `The region of prefetched rows does not depend on the rows`() throws {
        try Library.withDatabase { db throws in
            func fetch(_ condition: String) throws -> String {
                try region(db) {
                    try Row.fetchAll(
                        db, Country.filter(sql: condition).including(all: Country.authors.including(all: Author.books)))
                }
            }
            // With countries, authors and books; with countries without authors; and without countries.
            let complete = try fetch("code = 'FR'")
            #expect(complete.contains("author(") && complete.contains("book("))
            #expect(try fetch("code NOT IN (SELECT countryCode FROM author)") == complete)
            #expect(try fetch("0") == complete)
            #expect(try region(db) { try Row.fetchOne(db, Country.filter(sql: "0").including(all: Country.authors)) }.contains("author("))
        }
    }

    @Test
    func `Keys that are not the row ID read all rows`() throws {
        try Library.withDatabase { db throws in
            #expect(try region(db) { try Country.fetchOne(db, key: "FR") } == "country(code,name)")
            #expect(try region(db) { try Profile.filter(key: ["countryCode": "FR"]).fetchOne(db) } == "profile(area,countrycode,id)")
        }
    }

    @Test
    func `Conditions on the row ID read the rows that may be true`() throws {
        try withDatabase(
            """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name, score, rowid);
            CREATE TABLE note (text);
            CREATE VIEW best AS SELECT * FROM player;
            """
        ) { db throws in
            let id = Column("id")
            let players = Table("player")
            func rows(_ request: some FetchRequest) throws -> String {
                let text = try request.databaseRegion(db).description
                let recorded = try region(db) { try Row.fetchAll(db, request) }
                #expect(recorded == text)
                return text.split(separator: ")").last.map(String.init) ?? text
            }
            #expect(try rows(players.filter(id == 1)) == "[1]")
            #expect(try rows(players.filter(1 == id)) == "[1]")
            #expect(try rows(players.filter(Column("ID") == 1)) == "[1]")
            #expect(try rows(players.filter(Column("_rowid_") == 1)) == "[1]")
            #expect(try rows(players.filter([1, 2].contains(id))) == "[1,2]")
            #expect(try rows(players.filter(id == 1 || id == 2)) == "[1,2]")
            #expect(try rows(players.filter(id == 1 && Column("score") > 10)) == "[1]")
            #expect(try rows(players.filter(id == 1).filter(Column("score") > 10).order(Column("name")).limit(1)) == "[1]")
            #expect(try rows(players.filter([1, 2, 3].contains(id)).filter([2, 3, 4].contains(id))) == "[2,3]")
            #expect(try rows(players.filter(id == 1).filter(id == 2)) == "empty")
            #expect(try rows(players.filter(keys: [1, 2]).select(count(id))) == "[1,2]")
            #expect(try rows(Table("note").filter(Column.rowID == 5)) == "[5]")

            func readsAll(_ request: some FetchRequest) throws -> Bool { try !rows(request).contains("[") }
            #expect(try readsAll(players.all()))
            #expect(try readsAll(players.filter(id == 1 || Column("score") > 10)))
            #expect(try readsAll(players.filter(id != 1)))
            #expect(try readsAll(players.filter(!(id == 1))))
            #expect(try readsAll(players.filter(![1, 2].contains(id))))
            #expect(try readsAll(players.filter(id == "1")))
            #expect(try readsAll(players.filter(id == 1.5)))
            #expect(try readsAll(players.filter(id == Column("score"))))
            #expect(try readsAll(players.filter(Column("rowid") == 1)), "the name of a column")
            #expect(try readsAll(players.filter((id == 1) == false)))
            #expect(try readsAll(players.filter(id + 1 == 2)))
            #expect(try readsAll(Table("best").filter(id == 1)))
        }
    }

    @Test
    func `Requests that read the table elsewhere are not narrowed`() throws {
        try Library.withDatabase { db throws in
            try db.execute(sql: "CREATE VIEW years AS SELECT birthYear FROM author")
            let one = Author.filter(id: 1)
            func isNarrowed(_ request: some FetchRequest) throws -> Bool {
                let text = try region(db) { try Row.fetchAll(db, request) }
                #expect(try request.databaseRegion(db).description == text)
                return text.contains("[")
            }
            #expect(try isNarrowed(one))
            #expect(try isNarrowed(one.annotated(with: SQL("1 + 1").sqlExpression)))
            #expect(try !isNarrowed(one.annotated(with: SQL("(SELECT max(birthYear) FROM author)").sqlExpression)))
            #expect(try !isNarrowed(one.filter(Author.select(max(Column("id"))).contains(Column("birthYear")))))
            #expect(try !isNarrowed(one.filter(Author.all().exists())))
            #expect(try !isNarrowed(one.filter(sql: "birthYear IN years")))
            #expect(try !isNarrowed(one.filter(sql: "1) OR (1")))
            #expect(try !isNarrowed(one.select(sql: "*, 1 IN \"years\"")))
            #expect(try !isNarrowed(one.select(sql: "* /* ( */")))
            #expect(try !isNarrowed(one.union(Author.filter(id: 2))))
            let table = CommonTableExpression<Row>(named: "author", sql: "SELECT * FROM book")
            #expect(try !isNarrowed(Author.all().with(table).filter(id: 1)))
        }
    }

    @Test
    func `Joined and prefetched tables are not narrowed`() throws {
        try Library.withDatabase { db throws in
            let joined = Book.including(required: Book.author).filter(id: 1)
            let books = "book(authorid,id,libraryid,price,title,year)"
            let read = try region(db) { try Row.fetchAll(db, joined) }
            // Later releases of SQLite compile a join again once its arguments are known, which reads all tables, as far as SQLite reports.
            let isWide = Database.sqliteLibVersionNumber >= 3_051_000 && read == "\(Self.author),\(books)"
            #expect(read == "\(Self.author),\(books)[1]" || isWide)
            #expect(try joined.databaseRegion(db).description == "\(Self.author),\(books)[1]")
            #expect(try Book.joining(required: Book.author.filter(id: 1)).databaseRegion(db).description == "author(id),\(books)")
            let prefetching = Author.including(all: Author.books).filter(id: 1)
            #expect(try region(db) { try Row.fetchAll(db, prefetching) } == "\(Self.author)[1],\(books)")
            #expect(try prefetching.databaseRegion(db).description == "\(Self.author)[1],\(books)")
            // The table is joined to itself.
            let again = Book.joining(required: Book.author.joining(required: Author.books)).filter(id: 1)
            #expect(try !again.databaseRegion(db).description.contains("["))
        }
    }

    @Test
    func `Reads of attached and temporary tables are narrowed in their databases`() throws {
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS archive;
                    CREATE TABLE player (id INTEGER PRIMARY KEY);
                    CREATE TABLE archive.player (id INTEGER PRIMARY KEY);
                    CREATE TEMP TABLE note (id INTEGER PRIMARY KEY);
                    """)
            // Outside transactions, each fetch reads the schema again, which the region contains.
            let archived = try region(db) { try Row.fetchAll(db, Table("archive.player").filter(key: 1)) }
            #expect(archived.contains("archive.player(id)[1]"), "\(archived)")
            let temporary = try region(db) { try Row.fetchAll(db, Table("note").filter(key: 1)) }
            #expect(temporary.contains("temp.note(id)[1]"), "\(temporary)")
            try db.execute(sql: "CREATE TEMP VIEW player AS SELECT * FROM main.player")
            #expect(try !region(db) { try Row.fetchAll(db, Table("player").filter(Column("id") == 1)) }.contains("["))
        }
    }
}
