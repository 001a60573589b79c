import Persistence
import Testing

private struct Author: MutablePersistableRecord, FetchableRecord {
    var id: Int64?
    var name: String

    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
    }

    static let books = hasMany(Book.self)

    init(id: Int64? = nil, name: String) {
        self.id = id
        self.name = name
    }

    init(row: Row) throws {
        id = try row.decode(forColumn: Columns.id)
        name = try row.decode(forColumn: Columns.name)
    }

    func encode(to container: inout PersistenceContainer) {
        container["ID"] = id
        container["name"] = name
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

private struct Book: PersistableRecord, FetchableRecord, Equatable {
    var authorId: Int64?
    var title: String

    static let author = belongsTo(Author.self)

    init(authorId: Int64?, title: String) {
        self.authorId = authorId
        self.title = title
    }

    init(row: Row) throws {
        authorId = try row.decode(forKey: "authorId")
        title = try row.decode(forKey: "title")
    }

    func encode(to container: inout PersistenceContainer) {
        container["authorId"] = authorId
        container["title"] = title
    }
}

@Suite("Records and their associations")
struct AssociationRequestTests {
    private func withLibrary(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.create(table: "author") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
            }
            try db.create(table: "book") { t in
                t.belongsTo("author")
                t.column("title", .text).notNull()
            }
            try body(db)
        }
    }

    @Test
    func `A record's association is a request for the rows that belong to it`() throws {
        try withLibrary { db throws in
            var verne = Author(name: "Verne")
            try verne.insert(db)
            var wells = Author(name: "Wells")
            try wells.insert(db)
            let machine = Book(authorId: wells.id, title: "The Time Machine")
            try machine.insert(db)
            try Book(authorId: verne.id, title: "The Green Ray").insert(db)
            try Book(authorId: nil, title: "The Thousand Nights").insert(db)

            let books = wells.request(for: Author.books)
            let statement = try books.makePreparedRequest(db).statement
            #expect(statement.expandedSQL == #"SELECT * FROM "book" WHERE "authorId" = 2"#)
            #expect(try books.fetchAll(db) == [machine])
            #expect(try machine.request(for: Book.author).fetchOne(db)?.name == "Wells")
            let nobody = Book(authorId: nil, title: "The Thousand Nights")
            #expect(try nobody.request(for: Book.author).fetchOne(db) == nil)
            let titles = try verne.request(for: Author.books).select(Column("title"), as: String.self).fetchAll(db)
            #expect(titles == ["The Green Ray"])
        }
    }

    @Test
    func `A record without a key has no association, and the error says so`() throws {
        struct Shadow: EncodableRecord, TableRecord {
            static let databaseTableName = "author"
            static let books = hasMany(Book.self)
            func encode(to container: inout PersistenceContainer) { container["name"] = "?" }
        }
        try withLibrary { db throws in
            let error = #expect(throws: DatabaseError.self) { try Shadow().request(for: Shadow.books).fetchAll(db) }
            #expect(error?.message == "the record has no column id, which its association to book needs")
        }
    }

    @Test
    func `The error of a missing row names the record's table and key`() throws {
        try withLibrary { db throws in
            let error = Author(id: 7, name: "x").recordNotFound(db) as? RecordError
            #expect(error?.expandedDescription == "no row in table author with id = 7")
        }
    }

    @Test
    func `Columns to fetch after an insertion can be named by the record type's columns`() throws {
        try withLibrary { db throws in
            var author = Author(name: "Verne")
            let name = try author.insertAndFetch(db, fetch: { try String.fetchOne($0) }, select: { [$0.name] })
            #expect(name == "Verne")
            #expect(author.id == 1)
        }
    }
}
