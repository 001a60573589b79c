import CSQLite

// 2,000 authors with 20,000 books.

let associationSides =
    ["join-records", "join-codable"].map { Side($0, prepare: joinBooks) }
    + ["prefetch-records", "prefetch-codable"].map { Side($0, prepare: prefetchBooks) }

extension Author {
    @inline(__always)
    fileprivate init(_ statement: OpaquePointer, from index: CInt = 0) {
        self.init(
            id: sqlite3_column_int64(statement, index), name: text(statement, index + 1)!, country: text(statement, index + 2),
            birthYear: integer(statement, index + 3).map { Int($0) })
    }
}

extension Book {
    @inline(__always)
    fileprivate init(_ statement: OpaquePointer) {
        self.init(
            id: sqlite3_column_int64(statement, 0), authorID: sqlite3_column_int64(statement, 1), title: text(statement, 2)!,
            publisher: text(statement, 3), year: Int(sqlite3_column_int64(statement, 4)), price: sqlite3_column_double(statement, 5))
    }
}

private let joinBooks: @Sendable () -> Rounds = {
    let connection = CConnection()
    connection.execute(Book.createTables)
    return Rounds {
        [BookInfo]()
    } work: { books in
        let statement = connection.prepare("SELECT book.*, author.* FROM book JOIN author ON author.id = book.authorID")
        defer { sqlite3_finalize(statement) }
        while sqlite3_step(statement) == SQLITE_ROW {
            books.append(BookInfo(book: Book(statement), author: Author(statement, from: 6)))
        }
    } check: {
        checksum($0) { $0.checksum }
    }
}

/// One query returns the authors, and another all of their books, which go to their authors by a dictionary.
private let prefetchBooks: @Sendable () -> Rounds = {
    let connection = CConnection()
    connection.execute(Book.createTables)
    return Rounds {
        [AuthorInfo]()
    } work: { authors in
        let authorStatement = connection.prepare("SELECT * FROM author")
        let bookStatement = connection.prepare("SELECT * FROM book WHERE authorID IN (SELECT id FROM author)")
        defer {
            sqlite3_finalize(authorStatement)
            sqlite3_finalize(bookStatement)
        }
        var places: [Int64: Int] = [:]
        while sqlite3_step(authorStatement) == SQLITE_ROW {
            let author = Author(authorStatement)
            places[author.id] = authors.count
            authors.append(AuthorInfo(author: author, books: []))
        }
        while sqlite3_step(bookStatement) == SQLITE_ROW {
            let book = Book(bookStatement)
            guard let place = places[book.authorID] else { continue }
            authors[place].books.append(book)
        }
    } check: {
        checksum($0) { $0.checksum }
    }
}
