import Foundation
import QueryInterface

/// A small library: countries, authors, books, libraries with addresses, and passports.
enum Library {
    static let schema = """
        CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE profile (id INTEGER PRIMARY KEY, countryCode TEXT NOT NULL UNIQUE REFERENCES country, area INTEGER);
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, birthYear INTEGER, countryCode TEXT REFERENCES country);
        CREATE TABLE book (
            id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL, year INTEGER,
            price REAL, libraryId INTEGER REFERENCES library);
        CREATE TABLE chapter (id INTEGER PRIMARY KEY, bookId INTEGER NOT NULL REFERENCES book, number INTEGER, title TEXT);
        CREATE TABLE award (id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author, name TEXT, prize REAL);
        CREATE TABLE library (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE address (id INTEGER PRIMARY KEY, libraryId INTEGER NOT NULL UNIQUE REFERENCES library, street TEXT);
        CREATE TABLE citizen (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE passport (
            countryCode TEXT NOT NULL REFERENCES country, citizenId INTEGER NOT NULL REFERENCES citizen, issued INTEGER,
            PRIMARY KEY (countryCode, citizenId)) WITHOUT ROWID;

        INSERT INTO country VALUES ('FR', 'France'), ('GB', 'Britain'), ('IT', 'Italy');
        INSERT INTO profile VALUES (1, 'FR', 643), (2, 'GB', 242);
        INSERT INTO author VALUES
            (1, 'Verne', 1828, 'FR'), (2, 'Wells', 1866, 'GB'), (3, 'Calvino', 1923, 'IT'), (4, 'Anonymous', NULL, NULL);
        INSERT INTO library VALUES (1, 'Old'), (2, 'New');
        INSERT INTO address VALUES (1, 1, 'High Street');
        INSERT INTO book VALUES
            (1, 1, 'The Steam House', 1880, 12.5, 1), (2, 1, 'The Green Ray', 1882, 8, 2), (3, 2, 'The Time Machine', 1895, 9.5, 1),
            (4, 3, 'Invisible Cities', 1972, 15, NULL);
        INSERT INTO chapter VALUES (1, 1, 1, 'Departure'), (2, 1, 2, 'Arrival'), (3, 3, 1, 'The Machine');
        INSERT INTO award VALUES (1, 1, 'Gold', 100), (2, 1, 'Silver', 50), (3, 3, 'Gold', 100);
        INSERT INTO citizen VALUES (1, 'Ada'), (2, 'Bo'), (3, 'Cy');
        INSERT INTO passport VALUES ('FR', 1, 2001), ('FR', 2, 2015), ('GB', 1, 2010);
        """

    /// Runs a closure with a new library in memory, in a transaction.
    static func withDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try DatabaseQueue().write { db in
            try db.execute(sql: schema)
            return try body(db)
        }
    }
}

struct Country: TableRecord, FetchableRecord, Hashable {
    var code: String
    var name: String

    enum Columns {
        static let code = Column("code")
        static let name = Column("name")
    }

    static let profile = hasOne(Profile.self)
    static let authors = hasMany(Author.self)
    static let passports = hasMany(Passport.self)
    static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)

    init(row: Row) throws {
        code = try row.decode(forColumn: Columns.code)
        name = try row.decode(forColumn: Columns.name)
    }
}

struct Profile: TableRecord, FetchableRecord {
    var area: Int?

    init(row: Row) throws {
        area = try row.decode(forKey: "area")
    }
}

struct Author: TableRecord, FetchableRecord, Hashable, Identifiable {
    var id: Int64
    var name: String
    var birthYear: Int?

    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let birthYear = Column("birthYear")
        static let countryCode = Column("countryCode")
    }

    static let country = belongsTo(Country.self)
    static let countryProfile = hasOne(Profile.self, through: country, using: Country.profile)
    static let books = hasMany(Book.self)
    static let awards = hasMany(Award.self)
    static let libraries = hasMany(LibraryRecord.self, through: books, using: Book.library)

    init(row: Row) throws {
        id = try row.decode(forColumn: Columns.id)
        name = try row.decode(forColumn: Columns.name)
        birthYear = try row.decode(forColumn: Columns.birthYear)
    }
}

struct Book: TableRecord, FetchableRecord, Hashable {
    var id: Int64
    var authorId: Int64
    var title: String

    enum Columns {
        static let id = Column("id")
        static let authorId = Column("authorId")
        static let title = Column("title")
        static let year = Column("year")
        static let price = Column("price")
    }

    static let author = belongsTo(Author.self)
    static let chapters = hasMany(Chapter.self)
    static let library = belongsTo(LibraryRecord.self)
    static let address = hasOne(Address.self, through: library, using: LibraryRecord.address)

    init(row: Row) throws {
        id = try row.decode(forColumn: Columns.id)
        authorId = try row.decode(forColumn: Columns.authorId)
        title = try row.decode(forColumn: Columns.title)
    }
}

struct Chapter: TableRecord, FetchableRecord, Hashable {
    var title: String?

    enum Columns {
        static let number = Column("number")
        static let title = Column("title")
    }

    static let book = belongsTo(Book.self)

    init(row: Row) throws {
        title = try row.decode(forKey: "title")
    }
}

struct Award: TableRecord {
    enum Columns {
        static let name = Column("name")
        static let prize = Column("prize")
    }
}

struct LibraryRecord: TableRecord, FetchableRecord, Hashable {
    static let databaseTableName = "library"
    var name: String

    static let address = hasOne(Address.self)

    init(row: Row) throws {
        name = try row.decode(forKey: "name")
    }
}

struct Address: TableRecord, FetchableRecord {
    var street: String

    init(row: Row) throws {
        street = try row.decode(forKey: "street")
    }
}

struct Citizen: TableRecord, FetchableRecord, Hashable {
    var name: String

    enum Columns {
        static let name = Column("name")
    }

    init(row: Row) throws {
        name = try row.decode(forKey: "name")
    }
}

struct Passport: TableRecord {
    enum Columns {
        static let issued = Column("issued")
    }

    static let citizen = belongsTo(Citizen.self)
    static let country = belongsTo(Country.self)
}
