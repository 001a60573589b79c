import FullTextSearch
import Testing

private struct Document: TableRecord, FetchableRecord, Equatable {
    static let index = fullTextIndex("document_ft")

    var id: Int64
    var title: String

    init(row: Row) throws {
        id = try row.decode(forKey: "id")
        title = try row.decode(forKey: "title")
    }
}

private struct Page: TableRecord, FetchableRecord {
    var body: String

    init(row: Row) throws {
        body = try row.decode(forKey: "body")
    }
}

private struct Author: TableRecord {
    static let documents = hasMany(Document.self)
}

@Suite struct MatchingTests {
    private func withDocuments(_ body: (Database) throws -> Void) throws {
        try withDatabase { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name);
                    CREATE TABLE document (id INTEGER PRIMARY KEY, title TEXT, body TEXT, authorId REFERENCES author);
                    INSERT INTO author VALUES (1, 'A'), (2, 'B');
                    INSERT INTO document VALUES (10, 'swift', 'about sql', 1), (20, 'other', 'swift swift swift', 2), (30, 'sql', 'no', 2);
                    """)
            try db.create(virtualTable: "document_ft", using: FTS5()) { t in
                t.synchronize(withTable: "document")
                t.column("title")
                t.column("body")
            }
            try db.create(virtualTable: "page", using: FTS5()) { $0.column("body") }
            try db.execute(sql: "INSERT INTO page VALUES ('swift'), ('sql')")
            try body(db)
        }
    }

    private func sql(_ db: Database, _ request: some FetchRequest) throws -> String {
        try request.makePreparedRequest(db).statement.expandedSQL
    }

    @Test
    func `A request matches the rows of a full-text table`() throws {
        try withDocuments { db throws in
            let request = Page.matching(FTS5Pattern(matchingAllTokensIn: "swift"))
            #expect(try sql(db, request) == #"SELECT * FROM "page" WHERE "page" MATCH '"swift"'"#)
            #expect(try request.fetchAll(db).map(\.body) == ["swift"])
            #expect(try request.fetchCount(db) == 1)
            #expect(try sql(db, Page.matching(FTS5Pattern(matchingAllTokensIn: ""))) == #"SELECT * FROM "page" WHERE 0"#)
            #expect(
                try sql(db, Page.matching("swift" || "sql").order(Column.rank))
                    == #"SELECT * FROM "page" WHERE "page" MATCH '"swift" OR "sql"' ORDER BY "rank""#)
            #expect(
                try sql(db, Page.filter(TypedColumn<String>("body").match(FTS5Pattern(matchingPhrase: "swift"))))
                    == #"SELECT * FROM "page" WHERE "body" MATCH '"swift"'"#)
            #expect(try Page.filter(Column("body").match(FTS5Pattern(matchingPhrase: ""))).fetchCount(db) == 0)
            #expect(try Page.filter(!Column("body").match("swift")).select(sql: "1", as: Int.self).limit(0).fetchAll(db) == [])
            let page = TableAlias(name: "p")
            let aliased = try sql(db, Page.all().aliased(page).matching("swift"))
            #expect(aliased == #"SELECT "p".* FROM "page" AS "p" WHERE "p"."page" MATCH '"swift"'"#)
            #expect(try Page.all().aliased(page).matching("swift").fetchCount(db) == 1)
        }
    }

    @Test
    func `A request matches the rows of a table that is synchronized`() throws {
        try withDocuments { db throws in
            let request = Document.matching(FTS5Pattern(matchingAllTokensIn: "swift"))
            #expect(
                try sql(db, request) == """
                    SELECT * FROM "document" WHERE "rowid" IN \
                    (SELECT "rowid" FROM "main"."document_ft" WHERE "document_ft" MATCH '"swift"')
                    """)
            #expect(try request.order(Column("id")).fetchAll(db).map(\.id) == [10, 20])
            let authors = Author.joining(required: Author.documents.matching("sql")).order(Column("id")).select(
                Column("name"), as: String.self)
            #expect(try authors.fetchAll(db) == ["A", "B"])
            let ranked = Document.joining(required: Document.index.matching("swift").order(Column.rank))
            #expect(
                try sql(db, ranked) == """
                    SELECT "document".* FROM "document" JOIN "document_ft" ON "document_ft"."rowid" = "document"."rowid" \
                    AND "document_ft"."document_ft" MATCH '"swift"' ORDER BY "document_ft"."rank"
                    """)
            #expect(try ranked.fetchAll(db).map(\.id) == [20, 10])
            #expect(
                throws: DatabaseError.self,
                performing: { try Document.matching(FTS3Pattern(matchingAllTokensIn: "swift")).fetchAll(db) })
            let error = #expect(throws: DatabaseError.self) { try Table<Row>("author").matching("swift").fetchAll(db) }
            #expect(
                error?.message?.hasPrefix("author is not a full-text table (fts5), and no full-text table is synchronized with it") == true)

            // The schema changes: a full-text table of another version is synchronized with the table.
            try db.drop(table: "document_ft")
            try db.dropFTS5SynchronizationTriggers(forTable: "document_ft")
            #expect(throws: DatabaseError.self) { try request.fetchAll(db) }
            try db.create(virtualTable: "index_2", using: FTS4()) { t in
                t.synchronize(withTable: "document")
                t.column("body")
            }
            #expect(try Document.matching(FTS3Pattern(matchingAllTokensIn: "swift")).fetchAll(db).map(\.id) == [20])
        }
    }

    @Test
    func `FTS4 and FTS3 tables match FTS3 patterns`() throws {
        try withDatabase { db throws in
            try db.create(virtualTable: "page", using: FTS3()) { $0.column("body") }
            try db.execute(sql: "INSERT INTO page VALUES ('swift'), ('sql')")
            let pattern = FTS3Pattern(matchingAllTokensIn: "Swift")
            #expect(try Page.matching(pattern).fetchAll(db).map(\.body) == ["swift"])
            #expect(try Page.filter(Column("body").match(pattern)).fetchAll(db).map(\.body) == ["swift"])
            #expect(try Page.matching(FTS3Pattern(rawPattern: "sw* OR sql")).fetchCount(db) == 2)
        }
    }
}
