import Foundation
import Strata

/// Makes random requests to three tables, whose rows have values of all storage classes in columns of all declared types that dqlite
/// treats in its own way. The same seed gives the same requests.
///
/// The random requests of QueryInterface's tests would not do: they have strings with NUL characters as arguments, which a cluster refuses,
/// and orders that depend on the plan. Here each order ends with a primary key, so that results can be compared row by row.
struct RandomClusterRequests {
    static let creation = #"""
        CREATE TABLE author (
            id INTEGER PRIMARY KEY, name TEXT, "any value", born DATE, isLiving BOOLEAN, mentor INTEGER REFERENCES author);
        CREATE TABLE book (
            id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT COLLATE NOCASE, price REAL, published DATETIME,
            cover BLOB, "a ""b""" NUMERIC);
        CREATE TABLE review (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book, stars INTEGER, changed TIMESTAMP);
        CREATE VIEW rated AS SELECT book.*, avg(stars) AS rating FROM book LEFT JOIN review ON bookId = book.id GROUP BY book.id;
        """#

    static let values: [DatabaseValue] = [
        .null, 0.databaseValue, 1.databaseValue, 2.databaseValue, 7.databaseValue, Int64.min.databaseValue, Int64.max.databaseValue,
        0.5.databaseValue, (-1e300).databaseValue, "".databaseValue, "a".databaseValue, "é 😀".databaseValue, "2026-11-23".databaseValue,
        "1".databaseValue, Data().databaseValue, Data([0, 1, 255]).databaseValue,
    ]

    /// Inserts the rows, the same for each generator with the same seed.
    static func fill(_ db: Database, seed: UInt64) throws {
        var random = RandomClusterRequests(seed: seed)
        try db.execute(sql: creation)
        for id in 1...12 {
            try db.execute(
                sql: "INSERT INTO author VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [id, random.value(), random.value(), random.value(), random.value(), id > 3 ? random.number(1...3) : nil])
        }
        for id in 1...30 {
            try db.execute(
                sql: "INSERT INTO book VALUES (?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    id, id % 5 == 0 ? nil : random.number(1...12), random.value(), random.value(), random.value(), random.value(),
                    random.value(),
                ])
        }
        for id in 1...40 {
            try db.execute(
                sql: "INSERT INTO review VALUES (?, ?, ?, ?)",
                arguments: [id, random.number(1...30), random.number(0...5), random.value()])
        }
    }

    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    // MARK: - Random decisions

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    mutating func value() -> DatabaseValue { pick(Self.values) }

    // MARK: - Expressions

    private static let columns = ["id", "authorId", "title", "price", "published", "cover", "a \"b\""].map { Column($0) }

    private mutating func column() -> Column { pick(Self.columns) }

    /// A condition on the columns of a book.
    private mutating func condition(depth: Int) -> SQLExpression {
        switch number(0...(depth > 0 ? 9 : 5)) {
        case 0: return (column() == value()).sqlExpression
        case 1: return (column() >= value()).sqlExpression
        case 2: return (column() != nil).sqlExpression
        case 3: return [value(), value(), number(0...9).databaseValue].contains(column()).sqlExpression
        case 4: return column().like("%\(pick(["a", "é", "1", "-"]))%").sqlExpression
        case 5: return (number(0...3)...number(4...30)).contains(Column("id")).sqlExpression
        case 6: return !condition(depth: depth - 1)
        case 7: return condition(depth: depth - 1) && condition(depth: depth - 1)
        case 8:
            let best = Table<Row>("review").select(Column("bookId")).filter(Column("stars") >= number(0...5))
            return best.contains(Column("id")).sqlExpression
        default: return condition(depth: depth - 1) || condition(depth: depth - 1)
        }
    }

    // MARK: - Requests

    private static let authors = Table<Row>("author")
    private static let books = Table<Row>("book")
    private static let reviews = Table<Row>("review")
    private static let author = books.belongsTo(authors, key: "author")
    private static let mentor = authors.belongsTo(authors, key: "mentor")
    private static let booksOfAuthor = authors.hasMany(books, key: "books")
    private static let reviewsOfBook = books.hasMany(reviews, key: "reviews")
    private static let reviewsOfAuthor = authors.hasMany(reviews, through: booksOfAuthor, using: reviewsOfBook, key: "criticism")

    /// A request with random clauses.
    mutating func request() -> QueryInterfaceRequest<Row> {
        var request = Self.books.all()
        if number(0...2) > 0 { request = request.filter(condition(depth: 2)) }
        switch number(0...9) {
        case 0:
            request = request.including(optional: Self.author.including(optional: Self.mentor))
        case 1:
            request = request.including(required: Self.author.filter(Column("isLiving") != value()))
        case 2:
            request = request.joining(required: Self.author).annotated(with: [length(Column("title")), Column("price") * 2])
        case 3:
            request = request.including(
                all: Self.reviewsOfBook.order(Column("stars").desc, Column("id")).filter(Column("stars") > number(0...4)))
        case 4:
            request = request.annotated(with: Self.reviewsOfBook.count, Self.reviewsOfBook.average(Column("stars")))
        case 5:
            let key = column()
            return request.select(key, count(Column("id")), max(Column("published")), min(Column("cover"))).group(key)
                .having(count(Column("id")) >= number(1...3)).order(key, min(Column("id")))
        case 6:
            return Self.authors.including(all: Self.booksOfAuthor.filter(condition(depth: 1)).order(Column("id")))
                .annotated(with: Self.reviewsOfAuthor.count, Self.booksOfAuthor.max(Column("published"))).order(Column("id"))
        case 7:
            request = request.select((0...number(0...4)).map { _ in column() } + [Column("id")])
        case 8:
            let name = CommonTableExpression<Row>(named: "cheap", request: Self.books.filter(condition(depth: 1)))
            return name.all().with(name).filter(condition(depth: 1)).order(Column("id"))
        default:
            request = Table<Row>("rated").all().filter(condition(depth: 1))
        }
        request = number(0...1) == 0 ? request.order(column().desc, Column("id")) : request.order(column(), Column("id").desc)
        if number(0...2) == 0 { request = request.limit(number(0...10), offset: number(0...4)) }
        return request
    }
}
