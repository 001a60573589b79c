import QueryInterface
import Testing

/// Requests that join associations: the request, its SQL, and its rows.
@Suite("Joins")
struct JoinTests {
    @Test
    func `including(required:) selects both tables, and gives the joined one a scope`() throws {
        try Library.withDatabase { db throws in
            let request = Book.including(required: Book.author).order { $0.id }
            #expect(
                try request.sql(db)
                    == #"SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."id""#
            )
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0["title"] } == ["The Steam House", "The Green Ray", "The Time Machine", "Invisible Cities"])
            #expect(rows[0].columnNames.contains("title"))
            #expect(!rows[0].columnNames.contains("birthYear"))
            let authors: [Author] = rows.map { $0["author"] }
            #expect(authors.map(\.name) == ["Verne", "Verne", "Wells", "Calvino"])
            #expect(try request.fetchCount(db) == 4)
        }
    }

    @Test
    func `including(optional:) keeps rows without a match, whose scope has only NULL`() throws {
        try Library.withDatabase { db throws in
            let request = Author.including(optional: Author.country).order { $0.id }
            #expect(
                try request.sql(db)
                    == #"SELECT "author".*, "country".* FROM "author" LEFT JOIN "country" ON "country"."code" = "author"."countryCode" ORDER BY "author"."id""#
            )
            let countries: [Country?] = try Row.fetchAll(db, request).map { $0["country"] }
            #expect(countries.map(\.?.name) == ["France", "Britain", "Italy", nil])
        }
    }

    @Test
    func `joining selects no columns of the joined table, whose filters are in the join condition`() throws {
        try Library.withDatabase { db throws in
            let request = Book.joining(required: Book.author.filter { $0.birthYear < 1850 })
            #expect(
                try request.sql(db)
                    == #"SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" AND "author"."birthYear" < 1850"#
            )
            #expect(try request.fetchAll(db).map(\.title) == ["The Steam House", "The Green Ray"])
            let optional = Author.joining(optional: Author.books.filter { $0.year > 1900 })
            #expect(
                try optional.sql(db)
                    == #"SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" AND "book"."year" > 1900"#
            )
            #expect(try optional.fetchCount(db) == 4)
        }
    }

    @Test
    func `Nested associations are scopes in scopes, found breadth-first`() throws {
        try Library.withDatabase { db throws in
            let request = Chapter.including(required: Chapter.book.including(required: Book.author.including(optional: Author.country)))
            #expect(
                try request.sql(db)
                    == #"SELECT "chapter".*, "book".*, "author".*, "country".* FROM "chapter" JOIN "book" ON "book"."id" = "chapter"."bookId" JOIN "author" ON "author"."id" = "book"."authorId" LEFT JOIN "country" ON "country"."code" = "author"."countryCode""#
            )
            let row = try #require(try Row.fetchOne(db, request))
            let (book, author, country): (Book, Author, Country) = (row["book"], row["author"], row["country"])
            #expect(book.title == "The Steam House")
            #expect(author.name == "Verne")
            #expect(country.name == "France")
            #expect(row.scopes.names == ["book"])
            #expect(row.scopesTree.names == ["book", "author", "country"])
        }
    }

    @Test
    func `Requirements of an optional association do not leave out rows of the request`() throws {
        try Library.withDatabase { db throws in
            let request = Book.including(optional: Book.library.including(required: LibraryRecord.address)).order { $0.id }
            #expect(
                try request.sql(db)
                    == #"SELECT "book".*, "library".*, "address".* FROM "book" LEFT JOIN ("library" JOIN "address" ON "address"."libraryId" = "library"."id") ON "library"."id" = "book"."libraryId" ORDER BY "book"."id""#
            )
            let rows = try Row.fetchAll(db, request)
            let libraries: [LibraryRecord?] = rows.map { $0["library"] }
            #expect(libraries.map(\.?.name) == ["Old", nil, "Old", nil])
            let addresses: [Address?] = rows.map { $0["address"] }
            #expect(addresses.map(\.?.street) == ["High Street", nil, "High Street", nil])
        }
    }

    @Test
    func `Associations through others join the tables in between`() throws {
        try Library.withDatabase { db throws in
            let request = Book.including(optional: Book.address).order { $0.id }
            #expect(
                try request.sql(db)
                    == #"SELECT "book".*, "address".* FROM "book" LEFT JOIN "library" ON "library"."id" = "book"."libraryId" LEFT JOIN "address" ON "address"."libraryId" = "library"."id" ORDER BY "book"."id""#
            )
            let addresses: [Address?] = try Row.fetchAll(db, request).map { $0["address"] }
            #expect(addresses.map(\.?.street) == ["High Street", nil, "High Street", nil])
            let citizens = Country.joining(required: Country.citizens.filter { $0.name == "Ada" }).order(\.code)
            #expect(
                try citizens.sql(db)
                    == #"SELECT "country".* FROM "country" JOIN "passport" ON "passport"."countryCode" = "country"."code" JOIN "citizen" ON "citizen"."id" = "passport"."citizenId" AND "citizen"."name" = 'Ada' ORDER BY "country"."code""#
            )
            #expect(try citizens.fetchAll(db).map(\.code) == ["FR", "GB"])
        }
    }

    @Test
    func `Joins of the same association are merged`() throws {
        try Library.withDatabase { db throws in
            let request =
                Book
                .joining(optional: Book.author.filter { $0.birthYear > 1800 })
                .including(required: Book.author.filter { $0.birthYear < 1900 })
                .joining(required: Book.author.joining(required: Author.country.filter { $0.code == "FR" }))
            #expect(
                try request.sql(db)
                    == #"SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" AND "author"."birthYear" > 1800 AND "author"."birthYear" < 1900 JOIN "country" ON "country"."code" = "author"."countryCode" AND "country"."code" = 'FR'"#
            )
            #expect(try request.fetchAll(db).map(\.title) == ["The Steam House", "The Green Ray"])
        }
    }

    @Test
    func `Different associations with the same key throw an error that suggests a solution`() throws {
        try Library.withDatabase { db throws in
            let other = Book.belongsTo(Author.self, using: ForeignKey(["id"]))
            let request = Book.joining(required: Book.author).joining(required: other)
            let error = #expect(throws: DatabaseError.self) { try request.fetchAll(db) }
            #expect(
                error?.sentences
                    == "two associations to author that join it in different ways have the same key author. Give one of the associations another key with forKey(_:)."
            )
            let both = Book.joining(required: Book.author).joining(required: other.forKey("other"))
            #expect(
                try both.sql(db)
                    == #"SELECT "book".* FROM "book" JOIN "author" AS "author1" ON "author1"."id" = "book"."authorId" JOIN "author" AS "author2" ON "author2"."id" = "book"."id""#
            )
            #expect(try both.fetchCount(db) == 4)
        }
    }

    @Test
    func `The order of a joined table comes after the order of the request, and reversed() reverses both`() throws {
        try Library.withDatabase { db throws in
            let request = Book.joining(required: Book.author.order { $0.name.desc }).order { $0.libraryOrZero }
            let sql = try request.sql(db)
            #expect(
                sql
                    == #"SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY ifnull("book"."libraryId", 0), "author"."name" DESC"#
            )
            #expect(try request.fetchAll(db).map(\.id) == [4, 3, 1, 2])
            #expect(try request.reversed().fetchAll(db).map(\.id) == [2, 1, 3, 4])
            #expect(
                try request.unordered().sql(db)
                    == #"SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#)
        }
    }

    @Test
    func `annotated(withRequired:) and annotated(withOptional:) select columns of the association after the columns of the row`() throws {
        try Library.withDatabase { db throws in
            let request = Book.annotated(withRequired: Book.author.select { $0.name.forKey("authorName") })
                .filter { $0.price > 10 }
            #expect(
                try request.sql(db)
                    == #"SELECT "book".*, "author"."name" AS "authorName" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" WHERE "book"."price" > 10"#
            )
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0["authorName"] } == ["Verne", "Calvino"])
            #expect(rows[0].scopes.names.isEmpty)
            let optional = Author.annotated(withOptional: Author.country.select { $0.name.forKey("countryName") }).order(\.id)
            let names: [String?] = try Row.fetchAll(db, optional).map { $0["countryName"] }
            #expect(names == ["France", "Britain", "Italy", nil])
        }
    }

    @Test
    func `Aliases of selected expressions are not qualified as columns of a table`() throws {
        try Library.withDatabase { db throws in
            let request =
                Book
                .annotated(withRequired: Book.author.select { $0.name.forKey("authorName") })
                .order(Column("authorName"), Column("title").desc)
            #expect(
                try request.sql(db)
                    == #"SELECT "book".*, "author"."name" AS "authorName" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "authorName", "book"."title" DESC"#
            )
            #expect(try request.fetchAll(db).map(\.id) == [4, 1, 2, 3])
        }
    }

    @Test
    func `The scope of an association has the columns that the association selects`() throws {
        try Library.withDatabase { db throws in
            let request = Book.select { $0.title }.including(required: Book.author.select { [$0.name, $0.birthYear] })
            #expect(
                try request.sql(db)
                    == #"SELECT "book"."title", "author"."name", "author"."birthYear" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#
            )
            let row = try #require(try Row.fetchOne(db, request))
            #expect(row.columnNames.elementsEqual(["title"]))
            #expect(try #require(row.scopes["author"]).columnNames.elementsEqual(["name", "birthYear"]))
            // SQLite reports the number of columns that handwritten SQL selects.
            let literal = Book.select(sql: "book.title, book.year").including(
                required: Book.author.select(literal: "author.name, 1 AS one"))
            let other = try #require(try Row.fetchOne(db, literal))
            #expect(other.columnNames.elementsEqual(["title", "year"]))
            #expect(try #require(other.scopes["author"]).columnNames.elementsEqual(["name", "one"]))
        }
    }

    @Test
    func `Joining an association with a limit, distinct or groups throws an error`() throws {
        try Library.withDatabase { db throws in
            for association in [Author.books.distinct(), Author.books.group(\.year), Author.books.having(sql: "1")] {
                let error = #expect(throws: DatabaseError.self) { try Author.joining(required: association).fetchAll(db) }
                #expect(error?.message?.contains("can't be joined") == true)
            }
        }
    }

    @Test
    func `A missing or ambiguous foreign key throws an error that suggests a solution`() throws {
        try Library.withDatabase { db throws in
            let none = Author.belongsTo(Citizen.self)
            #expect(throws: DatabaseError.self) { try Author.joining(required: none).fetchAll(db) }
            do {
                _ = try Author.joining(required: none).fetchAll(db)
            } catch let error as DatabaseError {
                #expect(
                    error.sentences
                        == "no foreign key of author refers to citizen. Declare a foreign key in the table, or give the association its columns with using: ForeignKey([…])."
                )
            }
            try db.execute(sql: "CREATE TABLE match (id INTEGER PRIMARY KEY, homeId REFERENCES author, guestId REFERENCES author)")
            let match = Table<Row>("match")
            let several = match.belongsTo(Author.self)
            do {
                _ = try match.joining(required: several).fetchAll(db)
                Issue.record("an ambiguous association was joined")
            } catch let error as DatabaseError {
                #expect(
                    error.sentences
                        == "several foreign keys of match refer to author: (homeId) and (guestId). Say which one the association follows with using: ForeignKey([…])."
                )
            }
            let (home, guest) = (
                match.belongsTo(Author.self, key: "home", using: ForeignKey(["homeId"])),
                match.belongsTo(Author.self, key: "guest", using: ForeignKey([Column("guestId")], to: [Column("id")]))
            )
            #expect(
                try match.including(required: home).including(required: guest).sql(db)
                    == #"SELECT "match".*, "author1".*, "author2".* FROM "match" JOIN "author" AS "author1" ON "author1"."id" = "match"."homeId" JOIN "author" AS "author2" ON "author2"."id" = "match"."guestId""#
            )
            let counts = Author.belongsTo(Citizen.self, using: ForeignKey(["id"], to: ["id", "name"]))
            let error = #expect(throws: DatabaseError.self) { try Author.joining(required: counts).fetchAll(db) }
            #expect(error?.message?.contains("has 1 column (id), but refers to 2 of citizen (id, name)") == true)
        }
    }

    @Test
    func `A table can be joined to itself`() throws {
        struct Employee: TableRecord, FetchableRecord {
            var name: String
            static let manager = belongsTo(Employee.self, key: "manager", using: ForeignKey(["managerId"]))
            static let reports = hasMany(Employee.self, key: "reports", using: ForeignKey(["managerId"]))
            init(row: Row) throws { name = try row.decode(forKey: "name") }
        }
        try withDatabase(
            """
            CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, managerId INTEGER REFERENCES employee);
            INSERT INTO employee VALUES (1, 'Ann', NULL), (2, 'Ben', 1), (3, 'Cat', 1);
            """
        ) { db throws in
            let request = Employee.including(optional: Employee.manager)
            #expect(
                try request.sql(db)
                    == #"SELECT "employee1".*, "employee2".* FROM "employee" AS "employee1" LEFT JOIN "employee" AS "employee2" ON "employee2"."id" = "employee1"."managerId""#
            )
            let managers: [Employee?] = try Row.fetchAll(db, request).map { $0["manager"] }
            #expect(managers.map(\.?.name) == [nil, "Ann", "Ann"])
            let counted = Employee.annotated(with: Employee.reports.count.forKey("count"))
            #expect(
                try counted.sql(db)
                    == #"SELECT *, (SELECT count(*) FROM "employee" AS "employee1" WHERE "employee1"."managerId" = "employee"."id") AS "count" FROM "employee""#
            )
            #expect(try Row.fetchAll(db, counted).map { $0["count"] } == [2, 0, 0])
            let prefetched = try Row.fetchAll(db, Employee.including(all: Employee.reports))
            let reports: [[Employee]] = prefetched.map { $0["reports"] }
            #expect(reports.map { $0.map(\.name) } == [["Ben", "Cat"], [], []])
        }
    }

    @Test
    func `A foreign key of several columns joins by all of them`() throws {
        struct Stop: TableRecord {
            static let station = belongsTo(Station.self)
        }
        struct Station: TableRecord, FetchableRecord {
            var name: String
            static let stops = hasMany(Stop.self)
            init(row: Row) throws { name = try row.decode(forKey: "name") }
        }
        try withDatabase(
            """
            CREATE TABLE station (line TEXT, number INTEGER, name TEXT, PRIMARY KEY (line, number));
            CREATE TABLE stop (
                id INTEGER PRIMARY KEY, stationLine TEXT, stationNumber INTEGER, at TEXT,
                FOREIGN KEY (stationLine, stationNumber) REFERENCES station (line, number));
            INSERT INTO station VALUES ('A', 1, 'Airport'), ('A', 2, 'Bridge'), ('B', 1, 'Castle');
            INSERT INTO stop VALUES (1, 'A', 1, '9:00'), (2, 'A', 2, '9:10'), (3, 'A', 2, '9:20'), (4, NULL, NULL, 'x');
            """
        ) { db throws in
            #expect(
                try Stop.including(optional: Stop.station).sql(db)
                    == #"SELECT "stop".*, "station".* FROM "stop" LEFT JOIN "station" ON "station"."line" = "stop"."stationLine" AND "station"."number" = "stop"."stationNumber""#
            )
            let rows = try Row.fetchAll(db, Station.including(all: Station.stops))
            #expect(
                rows.map { row in row.prefetchedRows["stops"]?.map { $0["at"] as String } } == [["9:00"], ["9:10", "9:20"], []])
            #expect(
                try Row.fetchAll(db, Station.annotated(with: Station.stops.count)).map { $0["stopCount"] } == [1, 2, 0])
        }
    }
}

extension Book.Columns {
    /// The id of the library, or 0 for a book without one.
    static let libraryOrZero = Column("libraryId") ?? 0
}
