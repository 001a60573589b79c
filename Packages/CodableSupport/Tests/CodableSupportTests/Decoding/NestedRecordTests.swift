import CodableSupport
import Foundation
import Testing

/// Records that are made of other records: of scopes, of prefetched rows, and of the row itself.
@Suite struct NestedRecordTests {
    struct Country: Codable, FetchableRecord, PersistableRecord, Hashable {
        var code: String
        var name: String
        static let authors = hasMany(Author.self)
    }
    struct Author: Codable, FetchableRecord, PersistableRecord, Hashable {
        var id: Int64
        var name: String
        var born: Date?
        var countryCode: String?
        static let country = belongsTo(Country.self)
        static let books = hasMany(Book.self, using: ForeignKey(["authorId"]))
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
        static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
    }
    struct Book: Codable, FetchableRecord, PersistableRecord, Hashable {
        var id: Int64
        var authorId: Int64
        var editorId: Int64?
        var title: String
        var tags: [String]
        static let author = belongsTo(Author.self, using: ForeignKey(["authorId"]))
        static let editor = belongsTo(Author.self, key: "editor", using: ForeignKey(["editorId"]))
    }

    static let france = Country(code: "FR", name: "France")
    static let verne = Author(id: 1, name: "Verne", born: Date(timeIntervalSince1970: -100), countryCode: "FR")
    static let wells = Author(id: 2, name: "Wells")
    static let steam = Book(id: 1, authorId: 1, editorId: 2, title: "The Steam House", tags: ["india"])
    static let ray = Book(id: 2, authorId: 1, editorId: nil, title: "The Green Ray", tags: [])

    func withLibrary(_ body: (Database) throws -> Void) throws {
        try withDatabase(
            """
            CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER, countryCode TEXT REFERENCES country);
            CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author,
                editorId INTEGER REFERENCES author, title TEXT NOT NULL, tags TEXT NOT NULL);
            """
        ) { db in
            try Self.france.insert(db)
            try Self.verne.insert(db)
            try Self.wells.insert(db)
            try Self.steam.insert(db)
            try Self.ray.insert(db)
            try body(db)
        }
    }

    @Test
    func `A record of a row and its scopes: including(required:) and including(optional:)`() throws {
        struct BookInfo: Decodable, FetchableRecord, Hashable {
            var book: Book
            var author: Author
            var editor: Author?
        }
        try withLibrary { db throws in
            let request = Book.including(required: Book.author).including(optional: Book.editor).order(Column("id")).asRequest(
                of: BookInfo.self)
            let infos = [
                BookInfo(book: Self.steam, author: Self.verne, editor: Self.wells),
                BookInfo(book: Self.ray, author: Self.verne, editor: nil),
            ]
            #expect(try request.fetchAll(db) == infos)
            #expect(try request.fetchOne(db) == infos[0])
            #expect(try request.fetchSet(db) == Set(infos))
            #expect(try Array(request.fetchCursor(db)) == infos)
            // From copied rows, in any order, and again.
            let rows = try Row.fetchAll(db, request)
            for _ in 1...2 {
                #expect(try rows.reversed().map { try BookInfo(row: $0) } == infos.reversed())
            }
        }
    }

    /// Returns the description of the error that a closure throws.
    private func message(_ fetch: () throws -> Void) -> String {
        let result = Result(catching: fetch)
        guard case .failure(let error) = result else { return "no error" }
        return "\(error)"
    }

    @Test
    func `A property without the key of an association is an error that lists the keys`() throws {
        struct AuthorInfo: Decodable, FetchableRecord {
            var author: Author
            var works: [Book]
        }
        struct BookInfo: Decodable, FetchableRecord {
            var book: Book
            var authors: Author
        }
        struct Columns: Decodable, FetchableRecord {
            var title: String
            var author_id: Int64
        }
        try withLibrary { db throws in
            #expect(
                message { _ = try Author.including(all: Author.books).asRequest(of: AuthorInfo.self).fetchAll(db) }.hasPrefix(
                    """
                    could not decode Array<Book> from "works": there is no such column; the row has the prefetched rows books \
                    - columns: [id name born countryCode] - SQL:
                    """))
            let books = Book.including(required: Book.author.including(optional: Author.country))
            #expect(
                message { _ = try books.asRequest(of: BookInfo.self).fetchAll(db) }.contains(
                    """
                    Only one of book and authors can be in the columns of the row itself; the row has the scopes author, country; \
                    the most similar name is "author" - columns: [id authorId
                    """))
            #expect(
                message { _ = try Columns.fetchAll(db, sql: "SELECT * FROM book") }.hasPrefix(
                    """
                    could not decode Int64 from "author_id": there is no such column; the most similar name is "authorId" - columns:
                    """))
        }
    }

    @Test
    func `The columns of the record itself stand beside the scopes`() throws {
        struct BookInfo: Decodable, FetchableRecord, Hashable {
            var title: String
            var author: Name
            struct Name: Decodable, Hashable { var name: String }
        }
        try withLibrary { db throws in
            let infos = try Book.including(required: Book.author).order(Column("id")).asRequest(of: BookInfo.self).fetchAll(db)
            #expect(infos.map(\.title) == ["The Steam House", "The Green Ray"])
            #expect(infos.map(\.author.name) == ["Verne", "Verne"])
        }
    }

    @Test
    func `A scope in a scope is found by its key, from outside and from inside`() throws {
        struct Flat: Decodable, FetchableRecord {
            var book: Book
            var author: Author
            var country: Country?
        }
        struct Deep: Decodable, FetchableRecord {
            var book: Book
            var author: AuthorInfo
            struct AuthorInfo: Decodable, FetchableRecord {
                var author: Author
                var country: Country?
            }
        }
        try withLibrary { db throws in
            let request = Book.including(required: Book.author.including(optional: Author.country)).order(Column("id"))
            let flat = try request.asRequest(of: Flat.self).fetchAll(db)
            #expect(flat.map(\.country) == [Self.france, Self.france])
            let deep = try request.asRequest(of: Deep.self).fetchAll(db)
            #expect(deep.map(\.author.author) == [Self.verne, Self.verne])
            #expect(deep.map(\.author.country) == [Self.france, Self.france])
        }
    }

    @Test
    func `Prefetched rows are arrays, sets, optionals of them, or collections of types that are not records`() throws {
        struct AuthorInfo: Decodable, FetchableRecord {
            var author: Author
            var books: [Book]
        }
        struct WithSet: Decodable, FetchableRecord, Hashable {
            var name: String
            var books: Set<Book>
        }
        struct WithOptional: Decodable, FetchableRecord {
            var name: String
            var books: [Book]?
            var awards: [Book]?
        }
        struct Titles: Decodable, FetchableRecord {
            var author: Author
            var books: Titles
            struct Titles: Decodable {
                var titles: [Title]
                init(from decoder: any Decoder) throws { titles = try decoder.singleValueContainer().decode([Title].self) }
            }
            struct Title: Decodable, Equatable { var title: String }
        }
        try withLibrary { db throws in
            let request = Author.including(all: Author.books.order(Column("id"))).order(Column("id"))
            let infos = try request.asRequest(of: AuthorInfo.self).fetchAll(db)
            #expect(infos.map(\.author) == [Self.verne, Self.wells])
            #expect(infos.map(\.books) == [[Self.steam, Self.ray], []])
            #expect(try request.asRequest(of: AuthorInfo.self).fetchOne(db)?.books == [Self.steam, Self.ray])
            #expect(try request.asRequest(of: WithSet.self).fetchAll(db).map(\.books) == [[Self.steam, Self.ray], []])
            #expect(try request.asRequest(of: WithSet.self).fetchSet(db).count == 2)
            let optionals = try request.asRequest(of: WithOptional.self).fetchAll(db)
            #expect(optionals.map(\.books) == [[Self.steam, Self.ray], []])
            #expect(optionals.map(\.awards) == [nil, nil])
            let titles = try request.asRequest(of: Titles.self).fetchAll(db)
            #expect(titles.map { $0.books.titles.map(\.title) } == [["The Steam House", "The Green Ray"], []])
        }
    }

    @Test
    func `Several levels of prefetched rows, and the prefetched rows of a scope`() throws {
        struct CountryInfo: Decodable, FetchableRecord {
            var country: Country
            var authors: [AuthorInfo]
        }
        struct AuthorInfo: Decodable, FetchableRecord, Hashable {
            var author: Author
            var books: [Book]
        }
        struct BookInfo: Decodable, FetchableRecord {
            var book: Book
            var author: AuthorInfo
        }
        try withLibrary { db throws in
            let books = Author.books.order(Column("id"))
            let countries = try Country.including(all: Country.authors.including(all: books)).asRequest(of: CountryInfo.self).fetchAll(db)
            #expect(countries.map(\.country) == [Self.france])
            #expect(countries[0].authors == [AuthorInfo(author: Self.verne, books: [Self.steam, Self.ray])])
            let infos = try Book.including(required: Book.author.including(all: books)).order(Column("id"))
                .asRequest(of: BookInfo.self).fetchAll(db)
            #expect(infos.map(\.book) == [Self.steam, Self.ray])
            #expect(infos.map(\.author.books) == [[Self.steam, Self.ray], [Self.steam, Self.ray]])
        }
    }

    @Test
    func `Prefetched rows by an unkeyed container, element by element`() throws {
        struct Summary: Decodable, FetchableRecord {
            var first: Book
            var second: String
            var third: String
            var count: Int?
            var isAtEnd: Bool
            enum CodingKeys: CodingKey { case books }
            enum BookKeys: CodingKey { case title, tags }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                #expect(container.contains(.books) && container.allKeys == [.books])
                var books = try container.nestedUnkeyedContainer(forKey: .books)
                count = books.count
                first = try books.decode(Book.self)
                // Containers and decoders may be kept.
                let book = try books.nestedContainer(keyedBy: BookKeys.self)
                let decoder = try book.superDecoder(forKey: .title)
                second = try book.decode(String.self, forKey: .title)
                #expect(try book.decode([String].self, forKey: .tags) == [])
                third = try decoder.singleValueContainer().decode(String.self)
                isAtEnd = books.isAtEnd
                #expect(try books.decodeNil() == false)
                #expect(throws: DecodingError.self) { _ = try container.decode(Book.self, forKey: .books) }
                _ = try books.decode(Book.self)
            }
        }
        try withLibrary { db throws in
            let row = try #require(try Row.fetchOne(db, Author.including(all: Author.books.order(Column("id"))).filter(key: 1)))
            // The third book is not there.
            #expect(throws: DecodingError.self) { try Summary(row: row) }
            try Book(id: 3, authorId: 1, title: "Mathias Sandorf", tags: []).insert(db)
            let summary = try #require(
                try Author.including(all: Author.books.order(Column("id"))).filter(key: 1).asRequest(of: Summary.self).fetchOne(db))
            #expect(summary.first == Self.steam)
            #expect(summary.second == "The Green Ray" && summary.third == "The Green Ray")
            #expect(summary.count == 3 && !summary.isAtEnd)
        }
    }

    @Test
    func `Containers of scopes serve each row with its own values`() throws {
        struct Names: Decodable, FetchableRecord, Equatable {
            var author: String
            var editor: String?
            enum CodingKeys: CodingKey { case author, editor }
            enum AuthorKeys: CodingKey { case name, born, other }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                let nested = try container.nestedContainer(keyedBy: AuthorKeys.self, forKey: .author)
                author = try nested.decode(String.self, forKey: .name)
                #expect(nested.contains(.born) && !nested.contains(.other) && nested.allKeys == [.name, .born])
                #expect(try nested.decodeNil(forKey: .other))
                // nil means that the book has no editor.
                if try !container.decodeNil(forKey: .editor) {
                    editor = try container.superDecoder(forKey: .editor).container(keyedBy: AuthorKeys.self)
                        .decodeIfPresent(String.self, forKey: .name)
                }
            }
        }
        try withLibrary { db throws in
            try Book(id: 3, authorId: 2, editorId: 1, title: "The Time Machine", tags: []).insert(db)
            let request = Book.including(required: Book.author).including(optional: Book.editor).order(Column("id"))
            let names = try request.asRequest(of: Names.self).fetchAll(db)
            #expect(names.map(\.author) == ["Verne", "Verne", "Wells"])
            #expect(names.map(\.editor) == ["Wells", nil, "Verne"])
            let rows = try Row.fetchAll(db, request)
            #expect(try rows.map { try Names(row: $0) } == names)
        }
    }

    @Test
    func `Optionals that a record asks for by hand, and property wrappers, know scopes and prefetched rows`() throws {
        @propertyWrapper struct Box<Value: Decodable>: Decodable {
            var wrappedValue: Value
            init(from decoder: any Decoder) throws { wrappedValue = try decoder.singleValueContainer().decode(Value.self) }
        }
        struct ByHand: Decodable, FetchableRecord {
            var editor: Author?
            var author: Author?
            var missing: Author?
            enum CodingKeys: CodingKey { case editor, author, missing }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                editor = try container.decode(Author?.self, forKey: .editor)
                author = try container.decode(Author?.self, forKey: .author)
                missing = try container.decode(Author?.self, forKey: .missing)
            }
        }
        struct Boxed: Decodable, FetchableRecord {
            @Box var author: Author
            @Box var editor: Author?
        }
        struct BoxedBooks: Decodable, FetchableRecord {
            @Box var books: [Book]
        }
        try withLibrary { db throws in
            let request = Book.including(required: Book.author).including(optional: Book.editor).order(Column("id"))
            let byHand = try request.asRequest(of: ByHand.self).fetchAll(db)
            #expect(byHand.map(\.author) == [Self.verne, Self.verne])
            #expect(byHand.map(\.editor) == [Self.wells, nil])
            #expect(byHand.map(\.missing) == [nil, nil])
            let boxed = try request.asRequest(of: Boxed.self).fetchAll(db)
            #expect(boxed.map(\.author) == [Self.verne, Self.verne])
            #expect(boxed.map(\.editor) == [Self.wells, nil])
            let books = Author.including(all: Author.books.order(Column("id"))).filter(key: 1).asRequest(of: BoxedBooks.self)
            #expect(try books.fetchOne(db)?.books == [Self.steam, Self.ray])
        }
    }

    @Test
    func `A type that is not a record has the strategies of the record that contains it`() throws {
        struct Person: Decodable, Equatable {
            var name: String
            var born: Date?
        }
        struct InSeconds: Decodable, FetchableRecord {
            var author: Person
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
        }
        struct InMilliseconds: Decodable, FetchableRecord {
            var author: Person
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .millisecondsSince1970 }
        }
        try withLibrary { db throws in
            let rows = try Row.fetchAll(db, Book.including(required: Book.author).order(Column("id")))
            for row in rows {
                #expect(try InSeconds(row: row).author.born == Date(timeIntervalSince1970: -100))
                #expect(try InMilliseconds(row: row).author.born == Date(timeIntervalSince1970: -0.1))
            }
        }
    }

    @Test
    func `A record of the same type in a scope, and in that one's scope`() throws {
        final class Employee: Decodable, FetchableRecord {
            var name: String
            var manager: Employee?
            var last: String
        }
        let adapter = ScopeAdapter([
            "manager": RangeRowAdapter(2..<4).addingScopes(["manager": RangeRowAdapter(4..<6)])
        ])
        try withDatabase("") { db throws in
            let sql = """
                SELECT 'a' AS name, 'A' AS last, 'b' AS name, 'B' AS last, 'c' AS name, 'C' AS last
                UNION ALL SELECT 'd', 'D', 'e', 'E', NULL, NULL
                """
            for _ in 1...2 {
                let employees = try Employee.fetchAll(db, sql: sql, adapter: adapter)
                #expect(employees.map(\.last) == ["A", "D"])
                #expect(employees.map(\.manager?.last) == ["B", "E"])
                #expect(employees.map(\.manager?.manager?.last) == ["C", nil])
            }
        }
    }

    @Test
    func `A column goes before a scope of its name`() throws {
        struct Item: Decodable, FetchableRecord {
            var part: Part
            struct Part: Decodable { var id: Int }
        }
        let item = try DatabaseQueue().read { db in
            try Item.fetchOne(
                db, sql: #"SELECT '{"id": 1}' AS part, 2 AS id"#,
                adapter: ScopeAdapter(base: RangeRowAdapter(0..<1), scopes: ["part": RangeRowAdapter(1..<2)]))
        }
        #expect(item?.part.id == 1)
    }

    @Test
    func `A scope that is not there, or has only NULL, is an error where a record must be`() throws {
        struct BookInfo: Decodable, FetchableRecord {
            var book: Book
            var editor: Author
        }
        struct Tagged: Decodable, FetchableRecord {
            var title: String
            var marks: [String]
        }
        struct Plain: Decodable, FetchableRecord {
            var id: Int
            var owner: Person
            struct Person: Decodable { var email: String? }
        }
        try withLibrary { db throws in
            let request = Book.including(optional: Book.editor).order(Column("id")).asRequest(of: BookInfo.self)
            let error = #expect(throws: RowDecodingError.self) { try request.fetchAll(db) }
            #expect(error?.column == "id" && error?.value == .null)
            #expect(try request.fetchOne(db)?.editor == Self.wells)
            let noTags = #expect(throws: RowDecodingError.self) { try Tagged.fetchAll(db, sql: "SELECT * FROM book") }
            #expect(noTags?.column == "marks" && noTags?.typeName == "Array<String>")
            // The columns of the row itself make a nested record, and another type only if the row has one of its keys.
            let noOwner = #expect(throws: RowDecodingError.self) { try Plain.fetchAll(db, sql: "SELECT * FROM book") }
            #expect(noOwner?.column == "owner" && noOwner?.typeName == "Person")
            // A record of the row itself that lacks a column says which.
            struct Wrapper: Decodable, FetchableRecord { var author: Author }
            let noName = #expect(throws: RowDecodingError.self) { try Wrapper.fetchAll(db, sql: "SELECT 1 AS id") }
            #expect(noName?.column == "name" && noName?.typeName == "String")
        }
    }

    @Test
    func `Of two records without a scope, only one can be in the columns of the row`() throws {
        struct Info: Decodable, FetchableRecord {
            var book: Book
            var author: Author
        }
        struct Twice: Decodable, FetchableRecord {
            var book: Book
            var again: Book
            enum CodingKeys: CodingKey { case book }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                book = try container.decode(Book.self, forKey: .book)
                again = try container.decode(Book.self, forKey: .book)
            }
        }
        try withLibrary { db throws in
            for _ in 1...2 {
                let error = #expect(throws: DecodingError.self) { try Book.all().asRequest(of: Info.self).fetchAll(db) }
                guard case .keyNotFound(let key, let context) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(key.stringValue == "author" && context.debugDescription.contains("Only one of book and author"))
                #expect(context.debugDescription.hasSuffix(". Include the association of the other one in the request, or adapt the row."))
                // With the association, and the next time, all is well.
                let infos = try Book.including(required: Book.author).order(Column("id")).asRequest(of: Info.self).fetchAll(db)
                #expect(infos.map(\.author) == [Self.verne, Self.verne])
            }
            let twice = try Book.order(Column("id")).asRequest(of: Twice.self).fetchAll(db)
            #expect(twice.count > 1 && twice.allSatisfy { $0.book == $0.again })
        }
    }

    @Test
    func `A record that contains itself in its own columns is an error`() throws {
        final class Loop: Decodable, FetchableRecord {
            let loop: Loop?
            enum CodingKeys: CodingKey { case loop }
            init(from decoder: any Decoder) throws {
                loop = try decoder.container(keyedBy: CodingKeys.self).decode(Loop.self, forKey: .loop)
            }
        }
        for _ in 1...2 {
            let error = #expect(throws: RowDecodingError.self) { try decode(Loop.self, "SELECT 1 AS a") }
            #expect(error?.column == "loop")
        }
    }

    @Test
    func `A record that wraps another record has its strategies, and NULL columns make an optional nil`() throws {
        struct Wrapped: CodableRecord, Equatable {
            var author: Author?
            init(_ author: Author?) { self.author = author }
            init(from decoder: any Decoder) throws { author = try decoder.singleValueContainer().decode(Author?.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(author)
            }
        }
        #expect(try Wrapped(Self.verne).databaseDictionary["born"] == (-100).databaseValue)
        #expect(throws: EncodingError.self) { try Wrapped(nil).databaseDictionary }
        try roundTrip(Wrapped(Self.verne))
        #expect(try decode(Wrapped.self, "SELECT NULL AS id, NULL AS name") == Wrapped(nil))
    }
}
