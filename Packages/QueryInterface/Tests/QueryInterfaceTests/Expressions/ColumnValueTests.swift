import CSQLiteShims
import Foundation
import QueryInterface
import Testing

/// Values that are compared with or assigned to columns, of record types that define how their tables store values.
@Suite struct ColumnValueTests {
    struct Author: FetchableRecord, TableRecord, ColumnValueEncoding, Identifiable {
        var id: UUID
        enum Columns {
            static let id = Column("id")
            static let born = Column("born")
            static let died = Column("died")
        }
        init(row: Row) throws { id = try row.decode(forColumn: Columns.id) }

        static let books = hasMany(Book.self, using: ForeignKey(["authorId"]))

        static func databaseValue(of value: any DatabaseValueConvertible & Sendable, inColumn column: String) throws -> DatabaseValue? {
            switch value {
            case let date as Date:
                if date == .distantPast { throw Unencodable() }
                return column == "born" || column == "died" ? Int(date.timeIntervalSince1970).databaseValue : nil
            case let uuid as UUID: return uuid.uuidString.databaseValue
            case let data as Data: return data.base64EncodedString().databaseValue
            default: return nil
            }
        }
    }

    /// Books store their dates as days.
    struct Book: FetchableRecord, TableRecord, ColumnValueEncoding {
        enum Columns { static let published = Column("published") }
        init(row: Row) {}

        static let author = belongsTo(Author.self, using: ForeignKey(["authorId"]))
        static let recent = hasMany(Book.self, using: ForeignKey(["seriesId"])).filter { $0.published > ColumnValueTests.date }

        static func databaseValue(of value: any DatabaseValueConvertible & Sendable, inColumn column: String) -> DatabaseValue? {
            (value as? Date).map { Int($0.timeIntervalSince1970 / 86400).databaseValue }
        }
    }

    /// A record type of the same table that only decodes.
    struct Reader: FetchableRecord, TableRecord {
        static let databaseTableName = "author"
        init(row: Row) {}
    }

    struct Unencodable: Error {}

    static let date = Date(timeIntervalSince1970: 864_000)
    static let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
    static let text = "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'"
    static let blob = "x'e621e1f8c36c495a93fc0c247a3e6e5f'"
    static let day = "'1970-01-11 00:00:00.000'"

    static let schema = """
        CREATE TABLE author (id TEXT PRIMARY KEY, born INTEGER, died INTEGER, photo TEXT, other);
        CREATE TABLE book (id INTEGER PRIMARY KEY, authorId TEXT REFERENCES author, seriesId INTEGER REFERENCES book, published INTEGER);
        INSERT INTO author VALUES (\(text), 864000, NULL, 'AQI=', 1);
        INSERT INTO book VALUES (1, \(text), NULL, 10);
        """

    private func expectCondition(_ sql: String, _ make: (Author.Columns.Type) -> any SQLSpecificExpressible) throws {
        try withDatabase(Self.schema) { db throws in
            #expect(try Author.filter(make).sql(db) == "SELECT * FROM \"author\" WHERE " + sql)
        }
    }

    @Test
    func `Columns encode the values that they are compared with`() throws {
        let date = Self.date
        try expectCondition("\"born\" = 864000") { $0.born == date }
        try expectCondition("864000 = \"born\"") { date == $0.born }
        try expectCondition("\"born\" <> 864000") { $0.born != date }
        try expectCondition("\"born\" < 864000") { $0.born < date }
        try expectCondition("864000 < \"born\"") { date < $0.born }
        try expectCondition("\"born\" <= 864000") { $0.born <= date }
        try expectCondition("\"born\" > 864000") { $0.born > date }
        try expectCondition("\"born\" >= 864000") { $0.born >= date }
        try expectCondition("\"born\" IS 864000") { $0.born === date }
        try expectCondition("\"born\" IS NOT 864000") { $0.born !== date }
        try expectCondition("\"born\" <> 864000") { !($0.born == date) }
        try expectCondition("\"born\" = 864000") { $0.born == Optional(date) }
        try expectCondition("\"born\" IS NULL") { $0.born == Date?.none }
        try expectCondition("\"born\" = 864000") { $0.born == NSDate(timeIntervalSince1970: 864_000) }
        try expectCondition("\"id\" = " + Self.text) { $0.id == Self.uuid }
        try expectCondition("\"id\" COLLATE NOCASE = " + Self.text) { $0.id.collating(.nocase) == Self.uuid }
        try expectCondition("\"photo\" = 'AQI='") { _ in Column("photo") == Data([1, 2]) }
        try expectCondition("\"photo\" = 'AQI='") { _ in JSONColumn("photo") == Data([1, 2]) }
        try expectCondition("864000 - \"born\" > 10") { date - $0.born > 10 }
    }

    @Test
    func `Ranges and lists`() throws {
        let (date, later) = (Self.date, Self.date + 60)
        try expectCondition("\"born\" BETWEEN 864000 AND 864060") { (date...later).contains($0.born) }
        try expectCondition("\"born\" NOT BETWEEN 864000 AND 864060") { !(date...later).contains($0.born) }
        try expectCondition("\"born\" >= 864000 AND \"born\" < 864060") { (date..<later).contains($0.born) }
        try expectCondition("\"born\" >= 864000") { (date...).contains($0.born) }
        try expectCondition("\"born\" <= 864000") { (...date).contains($0.born) }
        try expectCondition("\"born\" < 864000") { (..<date).contains($0.born) }
        try expectCondition("\"born\" IN (864000, 864060)") { [date, later].contains($0.born) }
        try expectCondition("\"born\" NOT IN (864000, NULL)") { ![date, nil].contains($0.born) }
        try expectCondition("\"id\" IN (\(Self.text))") { Set([Self.uuid]).contains($0.id) }
        try expectCondition("864000 IN (\"born\", \"died\")") { [$0.born, $0.died].contains(date.sqlExpression) }
    }

    @Test
    func `A list can have more values than SQLite allows parameters`() throws {
        try withDatabase(Self.schema) { db throws in
            db.setLimit(.parameterCount, to: 300)
            let dates = (0..<400).map { Date(timeIntervalSince1970: 864_000 + Double($0)) }
            #expect(try Author.filter { dates.contains($0.born) }.fetchCount(db) == 1)
            #expect(try Author.fetchAll(db, ids: (0..<400).map { _ in UUID() } + [Self.uuid]).count == 1)
        }
    }

    @Test
    func `CASE, and functions that return one of their arguments`() throws {
        let date = Self.date
        try expectCondition("ifnull(\"died\", 864000) > \"born\"") { ($0.died ?? date) > $0.born }
        try expectCondition("ifnull(\"died\", \"born\") > 864000") { ($0.died ?? $0.born) > date }
        try expectCondition("coalesce(\"died\", 864000, 864060) > 864000") { (($0.died ?? date) ?? (date + 60)) > date }
        try expectCondition("nullif(\"died\", 864000) = 864000") { $0.died.nullIf(date) == date }
        try expectCondition("max(\"born\", 864000) = 864000") { max($0.born, date) == date }
        try expectCondition("CASE \"born\" WHEN 864000 THEN 1 ELSE 0 END") { Case($0.born, when: date, then: 1).else(0) }
        try expectCondition("\"born\" = CASE WHEN \"died\" > 864000 THEN 864000 ELSE CASE WHEN 1 THEN 864060 END END") {
            $0.born == Case(when: $0.died > date, then: date).else(Case(when: 1.sqlExpression, then: date + 60))
        }
        try withDatabase(Self.schema) { db throws in
            let request = Author.select { $0.id }.group(Author.Columns.id).having(max(Author.Columns.born) >= date)
            #expect(try request.sql(db) == "SELECT \"id\" FROM \"author\" GROUP BY \"id\" HAVING max(\"born\") >= 864000")
            let previous = Author.select((lag(Author.Columns.born, default: date).over(windowNamed: "w") == date).forKey("x"))
                .window("w", WindowDefinition())
            #expect(try previous.sql(db).hasPrefix("SELECT lag(\"born\", 1, 864000) OVER \"w\" = 864000 AS \"x\""))
        }
    }

    @Test
    func `Columns of subqueries encode values`() throws {
        let date = Self.date
        let born = "(SELECT max(\"born\") FROM \"author\")"
        try expectCondition("\(born) < 864000") { Author.select(max($0.born)) < date }
        try expectCondition("864000 IN (SELECT \"published\" FROM \"book\")".replacingOccurrences(of: "864000", with: "10")) { _ in
            Book.select { $0.published }.contains(date)
        }
        try expectCondition("EXISTS (SELECT * FROM \"book\" WHERE \"published\" = 10)") { _ in
            Book.filter { $0.published == date }.exists()
        }
        try expectCondition("\"born\" IN (SELECT \"published\" FROM \"book\" WHERE \"published\" <> 10)") {
            Book.filter { $0.published != date }.select { $0.published }.contains($0.born)
        }
    }

    @Test
    func `Values that do not meet a single column have their own form`() throws {
        let date = Self.date
        try expectCondition("\"born\" + 60 < " + Self.day) { $0.born + 60 < date }
        try expectCondition("abs(\"born\") < " + Self.day) { abs($0.born) < date }
        try expectCondition("'a' || \"born\" || " + Self.day) { ["a", $0.born, date].joined(operator: .concat) }
        try expectCondition("born < " + Self.day) { _ in SQL("born < \(date)") }
        try expectCondition("\"born\" < 864000 OR \(Self.day) IS NULL") { SQL("\($0.born < date) OR \(date) IS NULL") }
        // The record type does not encode values for this column, nor strings and numbers.
        try expectCondition("\"other\" < " + Self.day) { _ in Column("other") < date }
        try expectCondition("\"born\" = '1970'") { $0.born == "1970" }
        try expectCondition("\"born\" = 1970") { $0.born == 1970 }
        try expectCondition("\"born\" = " + Self.day) { $0.born == date.databaseValue }
        try withDatabase(Self.schema) { db throws in
            #expect(try Reader.filter(Column("born") < date).sql(db) == "SELECT * FROM \"author\" WHERE \"born\" < \(Self.day)")
            #expect(try Table("author").filter(Column("born") < date).sql(db) == "SELECT * FROM \"author\" WHERE \"born\" < \(Self.day)")
            #expect(try Reader.filter(id: Self.uuid).sql(db) == "SELECT * FROM \"author\" WHERE \"id\" = \(Self.blob)")
        }
    }

    @Test
    func `The record type gets the column's name as the table defines it`() throws {
        try expectCondition("\"BORN\" < 864000") { _ in Column("BORN") < Self.date }
    }

    @Test
    func `A value that the column can't store throws an error when the request runs`() throws {
        try withDatabase(Self.schema) { db throws in
            let request = Author.filter { $0.born == Date.distantPast }
            #expect(throws: Unencodable.self) { try request.fetchAll(db) }
            #expect(throws: Unencodable.self) { try Author.updateAll(db) { $0.born.set(to: Date.distantPast) } }
            #expect(throws: Unencodable.self) { try Author.fetchOne(db, key: Date.distantPast) }
            #expect(throws: DatabaseError.self) { try Author.filter(Column("other") == Date.distantFuture + 1e15).fetchAll(db) }
        }
    }

    @Test
    func `Columns encode the values of keys`() throws {
        let uuid = Self.uuid
        try withDatabase(Self.schema) { db throws in
            #expect(try Author.fetchOne(db, id: uuid)?.id == uuid)
            #expect(try Author.fetchOne(db, key: uuid)?.id == uuid)
            #expect(try Author.fetchOne(db, key: Optional(uuid))?.id == uuid)
            #expect(try Author.fetchOne(db, key: UUID?.none) == nil)
            #expect(try Author.fetchOne(db, key: NSUUID(uuidString: uuid.uuidString)!)?.id == uuid)
            #expect(try Author.fetchOne(db, key: ["id": uuid])?.id == uuid)
            #expect(try Author.fetchOne(db, key: uuid.uuidString)?.id == uuid)
            #expect(try Author.find(db, id: uuid).id == uuid)
            #expect(try Author.exists(db, id: uuid))
            #expect(try Author.exists(db, key: ["id": uuid]))
            #expect(try Author.fetchAll(db, ids: [uuid]).count == 1)
            #expect(try Author.fetchAll(db, keys: [uuid, UUID()]).count == 1)
            #expect(try Author.fetchAll(db, keys: [["id": uuid], ["ID": UUID()]]).count == 1)
            #expect(try Author.filter(id: uuid).fetchCount(db) == 1)
            #expect(try Author.filter(key: uuid as (any DatabaseValueConvertible)?).fetchCount(db) == 1)
            #expect(try Author.filter(ids: [uuid]).fetchCount(db) == 1)
            #expect(try Table<Author>("author").exists(db, id: uuid))
            let unknown = UUID()
            for find in [{ try Author.find(db, id: unknown) }, { try Author.find(db, key: ["id": unknown]) }] {
                let error = #expect(throws: RecordError.self) { try find() }
                #expect(error?.expandedDescription == "no row in table author with id = \"\(unknown.uuidString)\"")
            }
            #expect(try !Author.deleteOne(db, id: unknown))
            try Book.deleteAll(db)
            #expect(try Author.deleteOne(db, id: uuid))
            try db.execute(sql: "INSERT INTO author (id) VALUES (\(Self.text))")
            #expect(try Author.deleteOne(db, key: ["id": uuid]))
            try db.execute(sql: "INSERT INTO author (id) VALUES (\(Self.text))")
            #expect(try Author.deleteAll(db, ids: [uuid]) == 1)
            try db.execute(sql: "INSERT INTO author (id) VALUES (\(Self.text))")
            #expect(try Table<Author>("author").deleteOne(db, id: uuid))
        }
    }

    @Test
    func `In associations, each table encodes values as its record type does`() throws {
        let date = Self.date
        try withDatabase(Self.schema) { db throws in
            let joined = Book.joining(required: Book.author.filter { $0.born >= date }).filter { $0.published == date }
            #expect(
                try joined.sql(db)
                    == """
                    SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" AND "author"."born" >= 864000 \
                    WHERE "book"."published" = 10
                    """)
            let alias = TableAlias<Author>()
            let aliased = Book.joining(required: Book.author.aliased(alias))
                .filter { alias.born > date || $0.published > date || alias[Column("died") == date] }
            #expect(
                try aliased.sql(db)
                    == """
                    SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" \
                    WHERE "author"."born" > 864000 OR "book"."published" > 10 OR "author"."died" = 864000
                    """)
            let byExpression = Book.association(to: Author.self) { book, author in
                book["published"] < date && author["born"] < date
            }
            #expect(
                try Book.joining(required: byExpression).sql(db)
                    == """
                    SELECT "book".* FROM "book" JOIN "author" ON "book"."published" < 10 AND "author"."born" < 864000
                    """)
            let aggregated = Author.having(Author.books.max(Book.Columns.published) >= date).annotated(with: Author.books.count)
            #expect(
                try aggregated.sql(db).hasSuffix(
                    "WHERE (SELECT max(\"book\".\"published\") FROM \"book\" WHERE \"book\".\"authorId\" = \"author\".\"id\") >= 10"))
            #expect(
                try Author.including(all: Author.books.filter { $0.published == date }).asRequest(of: Row.self).fetchOne(db)?
                    .prefetchedRows["books"]?.count == 1)
            #expect(try Book.including(all: Book.recent).sql(db) == "SELECT * FROM \"book\"")
            // An alias defined in handwritten SQL.
            let other = TableAlias<Author>(name: "a")
            #expect(try Book.filter(SQL("EXISTS (SELECT 1 FROM author \(other) WHERE \(other.born == date))")).fetchCount(db) == 1)
        }
    }

    @Test
    func `Common table expressions encode values as their record type does`() throws {
        let date = Self.date
        try withDatabase(Self.schema) { db throws in
            let authors = CommonTableExpression<Author>(named: "a", request: Author.filter { $0.born == date })
            #expect(
                try authors.all().with(authors).filter { $0.born == date }.sql(db)
                    == "WITH \"a\" AS (SELECT * FROM \"author\" WHERE \"born\" = 864000) SELECT * FROM \"a\" WHERE \"born\" = 864000")
            let rows = CommonTableExpression(named: "a", request: Author.filter { $0.born == date })
            #expect(try rows.all().with(rows).filter(Column("born") == date).sql(db).hasSuffix("WHERE \"born\" = " + Self.day))
        }
    }

    @Test
    func `Columns encode the values that are assigned to them`() throws {
        let date = Self.date + 60
        try withDatabase(Self.schema) { db throws in
            func expect(_ died: Int?, _ assignments: ColumnAssignment...) throws {
                try db.execute(sql: "UPDATE author SET died = NULL")
                #expect(try Author.filter { $0.born < date }.updateAll(db, assignments) == 1)
                #expect(try DatabaseValue.fetchOne(db, sql: "SELECT died FROM author") == (died?.databaseValue ?? .null))
            }
            let died = Author.Columns.died
            try expect(864_060, died.set(to: date))
            try expect(864_060, died.set(to: Optional(date)))
            try expect(nil, died.set(to: Date?.none))
            try expect(864_060, died.set(to: died ?? date))
            try expect(864_060, died.set(to: Case(when: Author.Columns.born < date, then: date).else(nil)))
            try expect(864_060, Column("DIED").set(to: date))
            #expect(try Author.limit(1).updateAll(db) { $0.died.set(to: date) } == 1)
            #expect(try Author.updateAll(db) { $0.died -= Self.date } == 1)
            #expect(try Int.fetchOne(db, sql: "SELECT died FROM author") == 60)
            #expect(try Table<Author>("author").updateAll(db) { $0.died.set(to: date) } == 1)
            let statement = try Author.all().updateAndFetchStatement(
                db, [died.set(to: date)], selection: [(died == date).forKey("isEncoded")])
            #expect(try Bool.fetchOne(statement) == true)
            try Book.deleteAll(db)
            #expect(try Author.filter { $0.died == date }.deleteAll(db) == 1)
        }
    }
}
