import CodableSupport
import Foundation
import Testing

/// The coding paths of decoders, of their containers, and of their errors.
@Suite("Coding paths") struct CodingPathTests {
    struct Author: TableRecord {
        static let books = hasMany(Book.self, key: "books")
        static let country = belongsTo(Country.self, key: "country")
    }
    struct Book: TableRecord {
        static let author = belongsTo(Author.self, key: "author")
    }
    struct Country: TableRecord {}

    /// Keeps the coding paths of its decoder and container.
    struct Probe: Decodable, Equatable {
        var paths: [[String]] = []
        enum CodingKeys: CodingKey { case name }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            for path in [
                decoder.codingPath, container.codingPath, try decoder.singleValueContainer().codingPath,
                try container.superDecoder().codingPath, try container.superDecoder(forKey: .name).codingPath.dropLast(),
            ] {
                paths.append(path.map(\.stringValue))
            }
        }
        static func == (probe: Probe, path: [String]) -> Bool { probe.paths.count == 5 && probe.paths.allSatisfy { $0 == path } }
    }

    /// The same, as a record.
    struct ProbeRecord: Decodable, FetchableRecord {
        var probe: Probe
        init(from decoder: any Decoder) throws { probe = try Probe(from: decoder) }
    }

    /// Throws an error of its own.
    struct Failing: Decodable, FetchableRecord {
        enum CodingKeys: CodingKey { case name }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            throw DecodingError.dataCorruptedError(forKey: .name, in: container, debugDescription: "no")
        }
    }

    func withBooks(_ body: (Database) throws -> Void) throws {
        try withDatabase(
            """
            CREATE TABLE country (id INTEGER PRIMARY KEY, name TEXT, tags TEXT);
            CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, countryId INTEGER REFERENCES country);
            CREATE TABLE book (id INTEGER PRIMARY KEY, name TEXT, authorId INTEGER REFERENCES author);
            INSERT INTO country VALUES (1, 'France', '[1,"x"]'); INSERT INTO author VALUES (1, 'Verne', 1), (2, NULL, NULL);
            INSERT INTO book VALUES (1, 'Ray', 1), (2, 'Sun', 1);
            """, body)
    }

    private func path(_ error: (any Error)?) -> [String]? {
        switch error as? DecodingError {
        case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?, .keyNotFound(_, let context)?, .dataCorrupted(let context)?:
            context.codingPath.map(\.stringValue)
        default: nil
        }
    }

    @Test
    func `The decoder of a scope has the keys that lead to it`() throws {
        struct Flat: Decodable, FetchableRecord {
            var author: Probe
        }
        struct Records: Decodable, FetchableRecord {
            var author: ProbeRecord
        }
        struct Deep: Decodable, FetchableRecord {
            var author: Inner
            struct Inner: Decodable { var country: ProbeRecord }
        }
        struct Kept: Decodable, FetchableRecord {
            var paths: [[String]]
            enum CodingKeys: CodingKey { case author, country, name }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                let author = try container.superDecoder(forKey: .author)
                let keyed = try author.container(keyedBy: CodingKeys.self)
                let country = try keyed.nestedContainer(keyedBy: CodingKeys.self, forKey: .country)
                paths = [
                    decoder.codingPath, container.codingPath, author.codingPath, keyed.codingPath, country.codingPath,
                    try country.superDecoder(forKey: .name).codingPath,
                ].map { $0.map(\.stringValue) }
            }
        }
        try withBooks { db throws in
            let request = Book.including(required: Book.author.including(optional: Author.country)).order(Column("id"))
            let rows = try Row.fetchAll(db, request)
            for _ in 1...2 {
                #expect(try request.asRequest(of: Flat.self).fetchAll(db).allSatisfy { $0.author == ["author"] })
                #expect(try request.asRequest(of: Records.self).fetchAll(db).allSatisfy { $0.author.probe == ["author"] })
                #expect(try request.asRequest(of: Deep.self).fetchAll(db).allSatisfy { $0.author.country.probe == ["author", "country"] })
                #expect(try rows.allSatisfy { try Flat(row: $0).author == ["author"] })
                #expect(try rows.allSatisfy { try Deep(row: $0).author.country.probe == ["author", "country"] })
                #expect(try ProbeRecord(row: rows[0].scopesTree["country"]!).probe == ["author", "country"])
                #expect(try ProbeRecord(row: rows[0].scopes["author"]!.unscoped).probe == ["author"])
                #expect(try ProbeRecord(row: rows[0].scopes["author"]!.unadapted).probe == [])
                let paths = [[], [], ["author"], ["author"], ["author", "country"], ["author", "country", "name"]]
                #expect(try request.asRequest(of: Kept.self).fetchAll(db).map(\.paths) == [paths, paths])
            }
        }
    }

    @Test
    func `The decoder of a prefetched row has the key of its association`() throws {
        struct WithBooks: Decodable, FetchableRecord {
            var books: [Probe]
        }
        struct WithSet: Decodable, FetchableRecord {
            var books: Books
            struct Books: Decodable {
                var probes: [Probe] = []
                var path: [String]
                init(from decoder: any Decoder) throws {
                    var container = try decoder.unkeyedContainer()
                    path = container.codingPath.map(\.stringValue)
                    #expect(decoder.codingPath.map(\.stringValue) == path)
                    while !container.isAtEnd { probes.append(try container.decode(Probe.self)) }
                }
            }
        }
        struct Deep: Decodable, FetchableRecord {
            var authors: [WithBooks]
        }
        struct OfScope: Decodable, FetchableRecord {
            var author: WithSet
        }
        try withBooks { db throws in
            let request = Author.including(all: Author.books).filter(key: 1)
            #expect(try request.asRequest(of: WithBooks.self).fetchOne(db)?.books.map { $0 == ["books"] } == [true, true])
            let set = try #require(try request.asRequest(of: WithSet.self).fetchOne(db)).books
            #expect(set.path == ["books"] && set.probes.map { $0 == ["books"] } == [true, true])
            let authors = Country.hasMany(Author.self, key: "authors").including(all: Author.books)
            let deep = try Country.including(all: authors).asRequest(of: Deep.self).fetchOne(db)
            #expect(deep?.authors.first?.books.map { $0 == ["authors", "books"] } == [true, true])
            let scoped = try Book.including(required: Book.author.including(all: Author.books)).asRequest(of: OfScope.self).fetchOne(db)
            #expect(scoped?.author.books.path == ["author", "books"])
            #expect(scoped?.author.books.probes.map { $0 == ["author", "books"] } == [true, true])
        }
    }

    @Test
    func `An error names the scope, the association, or the property of the row in which it was thrown`() throws {
        struct InScope: Decodable, FetchableRecord {
            var author: Failing
        }
        struct InRow: Decodable, FetchableRecord {
            var book: Failing
        }
        struct InBoth: Decodable, FetchableRecord {
            var author: Inner
            struct Inner: Decodable, FetchableRecord {
                var me: Failing
            }
        }
        struct InRows: Decodable, FetchableRecord {
            var books: [Failing]
        }
        struct InJSON: Decodable, FetchableRecord {
            var author: Inner
            struct Inner: Decodable {
                var country: Country
                struct Country: Decodable { var tags: [Int] }
            }
        }
        struct NoName: Decodable, FetchableRecord {
            var author: Inner
            struct Inner: Decodable { var name: Int }
        }
        try withBooks { db throws in
            let books = Book.including(required: Book.author.including(optional: Author.country)).order(Column("id"))
            func pathOfError<Record: FetchableRecord>(_ request: QueryInterfaceRequest<some Any>, _ type: Record.Type) -> [String]? {
                path(#expect(throws: DecodingError.self) { try request.asRequest(of: type).fetchAll(db) })
            }
            #expect(pathOfError(books, InScope.self) == ["author", "name"])
            #expect(pathOfError(books, InRow.self) == ["book", "name"])
            #expect(pathOfError(books, InBoth.self) == ["author", "me", "name"])
            #expect(pathOfError(Author.including(all: Author.books), InRows.self) == ["books", "name"])
            #expect(pathOfError(books, InJSON.self) == ["author", "country", "tags", "Index 1"])
            let error = #expect(throws: RowDecodingError.self) { try books.asRequest(of: NoName.self).fetchAll(db) }
            #expect(error?.scopes == ["author"] && error?.column == "name")
            #expect(error.map { "\($0)".hasPrefix(#"could not decode Int from column 1 "name" of "author": "#) } == true)
        }
    }
}
