import QueryInterface
import Testing

/// Rows prefetched for joined tables that are not selected. They belong to the fetched row.
@Suite struct JoinedPrefetchTests {
    private func titles(_ row: Row, _ key: String) -> [String]? {
        row.prefetchedRows[key]?.map { $0["title"] ?? $0["name"] ?? "" }.sorted()
    }

    @Test
    func `Rows prefetched for a joined table belong to the row that it is joined to`() throws {
        try Library.withDatabase { db throws in
            let awards = Book.author.including(all: Author.awards)
            for request in [Book.joining(optional: awards), Book.joining(required: awards)] {
                let rows = try Row.fetchAll(db, request.order(\.id))
                #expect(rows.map { titles($0, "awards") } == [["Gold", "Silver"], ["Gold", "Silver"], [], ["Gold"]])
                #expect(rows.allSatisfy { Array($0.columnNames) == ["id", "authorId", "title", "year", "price", "libraryId"] })
                #expect(rows.allSatisfy { $0.scopes.names.isEmpty })
                #expect(rows[0].debugDescription.contains("+ awards: 2 rows"))
            }
            let some = try Row.fetchAll(db, Book.joining(optional: awards.filter { $0.birthYear > 1900 }).order(\.id))
            #expect(some.map { titles($0, "awards") } == [[], [], [], ["Gold"]])
            #expect(try Row.fetchOne(db, Book.joining(optional: awards).order(\.id)).map { titles($0, "awards") } == ["Gold", "Silver"])
            #expect(try Book.joining(optional: awards).databaseRegion(db).description.contains("award"))
        }
    }

    @Test
    func `Rows are prefetched for joined tables in annotations, through other tables, and in scopes`() throws {
        try Library.withDatabase { db throws in
            let awards = Book.author.including(all: Author.awards)
            let annotated = Book.annotated(withRequired: awards.select { $0.name.forKey("authorName") }).order(\.id)
            let first = try #require(try Row.fetchOne(db, annotated.asRequest(of: Row.self)))
            #expect(first["authorName"] == "Verne" && titles(first, "awards") == ["Gold", "Silver"])

            // Through two tables.
            let book = Table<Row>("chapter").belongsTo(Table<Book>("book")).joining(required: awards)
            let far = try Table<Row>("chapter").joining(required: book).order(Column("id")).fetchAll(db)
            #expect(far.map { titles($0, "awards") } == [["Gold", "Silver"], ["Gold", "Silver"], []])

            // The author's country is selected, the author is not.
            let scoped = Book.joining(required: awards.including(optional: Author.country)).order(\.id).asRequest(of: Row.self)
            let row = try #require(try scoped.fetchOne(db))
            #expect(row.scopes["author"]?.scopes["country"]?["name"] == "France")
            #expect(titles(row, "awards") == ["Gold", "Silver"])
            #expect(row.scopes["author"].flatMap { titles($0, "awards") } == ["Gold", "Silver"])

            // Inside a prefetched association.
            let books = Author.books.joining(required: awards).order(\.id)
            let author = try #require(try Row.fetchOne(db, Author.including(all: books).order(\.id).asRequest(of: Row.self)))
            #expect(author.prefetchedRows["books"]?.map { titles($0, "awards") } == [["Gold", "Silver"], ["Gold", "Silver"]])
        }
    }

    @Test
    func `Two associations with the same key can't be prefetched for the same row`() throws {
        try Library.withDatabase { db throws in
            let books = Country.authors.including(all: Author.books)
            let own = Country.joining(optional: books).including(all: Country.citizens.forKey("books"))
            let error = #expect(throws: DatabaseError.self) { try Row.fetchAll(db, own) }
            #expect(error?.message?.contains("the same key books") == true)
        }
    }

    @Test
    func `A compound request can't prefetch associations of joined tables`() throws {
        try Library.withDatabase { db throws in
            let request = Book.joining(optional: Book.author.including(all: Author.awards))
            _ = #expect(throws: DatabaseError.self) { try request.union(Book.all()).fetchAll(db) }
        }
    }

    @Test
    func `Nested associations work up to a depth, and throw an error beyond it, on a small stack`() throws {
        try onSmallStack {
            let node = Table<Row>("node")
            let children = node.hasMany(node, key: "children", using: ForeignKey(["parentId"], to: ["id"]))
            let parent = node.belongsTo(node, key: "parent", using: ForeignKey(["parentId"], to: ["id"]))
            try withDatabase(
                """
                CREATE TABLE node (id INTEGER PRIMARY KEY, parentId INTEGER REFERENCES node);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO node SELECT i, nullif(i - 1, 0) FROM n;
                """
            ) { db throws in
                for count in [10, 60, 100, 10_000] {
                    var (all, joined, included) = (children, parent, parent)
                    for _ in 1..<count {
                        all = children.including(all: all)
                        joined = parent.joining(optional: joined)
                        included = parent.including(optional: included)
                    }
                    let requests = [
                        node.including(all: all).filter(Column("id") == 1), node.joining(optional: joined),
                        node.including(optional: included),
                    ]
                    for request in requests {
                        if count <= 60 {
                            #expect(try !request.fetchAll(db).isEmpty)
                            _ = try request.databaseRegion(db)
                        } else {
                            let error = #expect(throws: DatabaseError.self) { try request.fetchAll(db) }
                            #expect(error?.message?.contains("more than 64 levels deep") == true)
                        }
                    }
                }
                let three = children.including(all: children.including(all: children))
                var row = try #require(try node.including(all: three).filter(Column("id") == 1).fetchOne(db))
                for _ in 1...3 { row = try #require(row.prefetchedRows["children"]?.first) }
                #expect(row["id"] == 4)
                var wide = node.all()
                for index in 0..<70 { wide = wide.joining(optional: parent.forKey("p\(index)")) }
                let error = #expect(throws: DatabaseError.self) { try wide.fetchAll(db) }
                #expect(error?.message?.contains("joins 71 tables") == true)
            }
        }
    }
}
