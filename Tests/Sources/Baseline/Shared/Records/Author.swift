/// An author, of 4 columns.
struct Author {
    var id: Int64
    var name: String
    var country: String?
    var birthYear: Int?

    var checksum: Int { Int(id) &+ name.utf8.count &+ (country?.utf8.count ?? -1) &+ (birthYear ?? -2) }
}

/// A book, of 6 columns.
struct Book {
    var id: Int64
    var authorID: Int64
    var title: String
    var publisher: String?
    var year: Int
    var price: Double

    /// Creates 2,000 authors with 20,000 books.
    static let createTables = """
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, birthYear INTEGER);
        CREATE TABLE book (
            id INTEGER PRIMARY KEY, authorID INTEGER NOT NULL REFERENCES author(id), title TEXT NOT NULL, publisher TEXT,
            year INTEGER NOT NULL, price REAL NOT NULL);
        CREATE INDEX bookByAuthor ON book(authorID);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO author SELECT i, printf('Author number %d', i), iif(i % 5, printf('Country %d', i % 70), NULL), 1900 + i % 90 FROM n;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO book SELECT i, i * 7919 % 2000 + 1, printf('The book with the number %d', i),
                iif(i % 3, printf('Publisher %d', i % 40), NULL), 1950 + i % 70, (i % 400) / 4.0 FROM n;
        """

    var checksum: Int {
        Int(id) &+ Int(authorID) &* 5 &+ title.utf8.count &+ (publisher?.utf8.count ?? -1) &+ year &+ Int(price * 4)
    }
}

/// A book with its author.
struct BookInfo {
    var book: Book
    var author: Author

    var checksum: Int { book.checksum &+ 3 &* author.checksum }
}

/// An author with all books.
struct AuthorInfo {
    var author: Author
    var books: [Book]

    var checksum: Int { author.checksum &* (1 &+ books.reduce(0) { $0 &+ $1.checksum }) }
}
