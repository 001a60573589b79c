import Foundation
import Persistence
import Testing

/// A record with one value, which the database may store in another form than the one that the record encodes.
private struct Moment<Value: DatabaseValueConvertible & Sendable>: PersistableRecord, FetchableRecord {
    static var databaseTableName: String { "moment" }

    var id: Int64
    var value: Value?

    init(row: Row) throws { (id, value) = try (row.decode(forKey: "id"), row.decodeIfPresent(forKey: "value")) }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["value"] = value
    }
}

/// A form in which a column stores values.
private struct StoredForm: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var type: String
    /// SQL literals, of which several are equal.
    var literals: [String]
    /// Fetches all pages: the ids of the records, and whether the pages came to an end.
    var fetchPages: @Sendable (Database, _ order: [any SQLOrderingTerm], _ size: Int, _ byRecord: Bool) throws -> [Int64]

    init<Value: DatabaseValueConvertible & Sendable>(_ name: String, _ type: String, as value: Value.Type, _ literals: [String]) {
        (testDescription, self.type, self.literals) = (name, type, literals + [literals[0], literals[2], literals[2]])
        fetchPages = { db, order, size, byRecord in
            var ids: [Int64] = []
            var (cursor, last): (String?, Moment<Value>?) = (nil, nil)
            // More pages than rows would never end.
            for _ in 0..<20 {
                if byRecord {
                    let records = try Moment<Value>.all().page(after: last, by: order).limit(size).fetchAll(db)
                    ids += records.map(\.id)
                    if records.count < size { return ids }
                    last = records.last
                } else {
                    let page = try Moment<Value>.fetchPage(db, after: cursor, size: size, by: order)
                    ids += page.records.map(\.id)
                    if page.next == nil { return ids }
                    cursor = page.next
                }
            }
            return ids + [-1]
        }
    }

    static let all = [
        StoredForm(
            "CURRENT_TIMESTAMP", "DATETIME", as: Date.self,
            ["'2026-11-28 10:00:00'", "'2026-11-28 10:00:01'", "'2026-11-28 10:00:01.500'", "'2026-11-28 10:00:00.001'"]),
        StoredForm(
            "ISO 8601", "TEXT", as: Date.self, ["'2026-11-28T10:00:00Z'", "'2026-11-28T09:00:00.5Z'", "'2026-11-28T10:00:00.500+01:00'"]),
        StoredForm("seconds", "INTEGER", as: Date.self, ["1764324000", "1764324001", "1764324002"]),
        StoredForm("fractions of seconds", "REAL", as: Date.self, ["1764324000.25", "1764324000.2504", "1764324001.75"]),
        StoredForm(
            "microseconds", "TEXT", as: Date.self,
            ["'2026-11-28 10:00:00.123456'", "'2026-11-28 10:00:00.123999'", "'2026-11-28 10:00:00.124'"]),
        StoredForm(
            "lower-case UUID", "TEXT", as: UUID.self,
            [
                "'0b7e9f0a-0000-4000-8000-000000000001'", "'1b7e9f0a-0000-4000-8000-000000000002'",
                "'fb7e9f0a-0000-4000-8000-000000000003'",
            ]),
        StoredForm("Float", "REAL", as: Float.self, ["0.1", "0.3", "16777217.0", "1e-3"]),
        StoredForm("decimal", "TEXT", as: Decimal.self, ["'10.50'", "'10.5'", "'9.00'", "'10.500'"]),
        StoredForm("Int of REAL", "REAL", as: Int.self, ["1.25", "1.5", "1.75", "2.0"]),
        StoredForm("Double of TEXT", "TEXT", as: Double.self, ["'1'", "'1.0'", "'10'", "'9.50'"]),
        StoredForm("Bool", "INTEGER", as: Bool.self, ["2", "0", "1", "7"]),
    ]
}

@Suite struct StoredPageTests {
    private static let value = Column("value")

    private static let orders: [[any SQLOrderingTerm & Sendable]] = [
        [value], [value.desc], [value.ascNullsLast], [value, Column("id").desc], [value.desc, Column("id")],
    ]

    @Test(arguments: StoredForm.all)
    fileprivate func `Pages go by the stored values, whatever form the record gives them`(_ form: StoredForm) throws {
        for seed in 0..<4 as Range<UInt64> {
            try withDatabase("CREATE TABLE moment (id INTEGER PRIMARY KEY, value \(form.type))") { db throws in
                var random = SeededGenerator(seed: seed)
                let others = (0..<seed).map { _ in form.literals.randomElement(using: &random)! }
                for literal in (form.literals + others + ["NULL", "NULL"]).shuffled(using: &random) {
                    try db.execute(sql: "INSERT INTO moment (value) VALUES (\(literal))")
                }
                for order in Self.orders {
                    let whole = try Int64.fetchAll(db, Table("moment").select(Column("id")).order(order + [last(of: order)]))
                    for size in 1...4 {
                        for byRecord in [false, true] {
                            #expect(
                                try form.fetchPages(db, order, size, byRecord) == whole,
                                "seed \(seed), \(size) rows, \(byRecord ? "by record" : "by cursor")")
                        }
                    }
                }
            }
        }
    }

    /// The term with which the order ends.
    private func last(of order: [any SQLOrderingTerm & Sendable]) -> any SQLOrderingTerm & Sendable {
        order.last?.sqlOrdering.isDescending == true ? Column("id").desc : Column("id")
    }

    // MARK: - The columns of the order

    /// A record that selects some columns, under other names.
    private struct Title: PersistableRecord, FetchableRecord {
        static let databaseTableName = "moment"
        static var databaseSelection: [any SQLSelectable] { [Column("id"), upper(Column("name")).forKey("name")] }
        var id: Int64
        var name: String

        init(row: Row) throws { (id, name) = (row["id"], row["name"]) }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
        }

        private static func upper(_ column: Column) -> SQLExpression { SQL("upper(\(column))").sqlExpression }
    }

    private static let titles = """
        CREATE TABLE moment (id INTEGER PRIMARY KEY, name TEXT, value INTEGER);
        INSERT INTO moment (name, value) VALUES ('b', 1), ('a', 2), ('C', 3), ('b', 4), ('a', 5), ('d', 5);
        """

    @Test
    func `A page selects the columns of its order behind those of the record`() throws {
        try withDatabase(Self.titles) { db throws in
            let name = Column("name")
            try db.expect([
                #"SELECT "moment"."id", upper("moment"."name") AS "name", "moment"."name", "moment"."id" FROM "moment" "#
                    + #"ORDER BY "moment"."name", "moment"."id" LIMIT 3"#
            ]) { _ = try Title.fetchPage(db, after: nil, size: 2, by: [name]) }
            for (order, expected) in [([name], [3, 2, 5, 1, 4, 6]), ([name.desc], [6, 4, 1, 5, 2, 3])] as [([any SQLOrderingTerm], [Int64])]
            {
                var (ids, cursor): ([Int64], String?) = ([], nil)
                repeat {
                    let page = try Title.fetchPage(db, after: cursor, size: 1, by: order)
                    ids += page.records.map(\.id)
                    cursor = page.next
                } while cursor != nil && ids.count < 20
                #expect(ids == expected)
            }
        }
    }

    @Test
    func `The column that a record lacks is an error, as the cursor would show its value`() throws {
        try withDatabase(Self.titles) { db throws in
            let error = #expect(throws: DatabaseError.self) { try Title.fetchPage(db, after: nil, size: 2, by: [Column("value")]) }
            #expect(error?.message == "the record has no value for the column value, by which pages of moment are ordered")
        }
    }

    /// A record of any selection.
    private struct Part: PersistableRecord, FetchableRecord {
        static let databaseTableName = "moment"
        var id: Int64?
        var value: Int?

        init(row: Row) throws { (id, value) = (row["id"], row["value"]) }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["value"] = value
        }
    }

    @Test
    func `Hidden columns would change the rows of a distinct or grouped request, which must select those of the order`() throws {
        try withDatabase(Self.titles) { db throws in
            let (id, name, value) = (Column("id"), Column("name"), Column("value"))
            for (request, column) in [
                (Part.select(value).distinct(), "id"), (Part.select(value, name).group(value), "id"),
                (Part.select(max(value).forKey("value")), "value"), (Part.select(value, max(id).forKey("id")).group(value), "id"),
            ] {
                let error = #expect(throws: DatabaseError.self) { try request.fetchPage(db, after: nil, size: 2, by: [value]) }
                #expect(
                    error?.message
                        == "a distinct, grouped or aggregated request of moment does not select the column \(column), which its pages or its associations need"
                )
                #expect(error?.advice == "Select the column: select(…, Column(\"\(column)\")).")
            }
            for request in [Part.select(value, id).distinct(), Part.all().distinct(), Part.select(value, id, name).group(id)] {
                var (ids, cursor): ([Int64?], String?) = ([], nil)
                repeat {
                    let page = try request.fetchPage(db, after: cursor, size: 4, by: [value.desc])
                    ids += page.records.map(\.id)
                    cursor = page.next
                } while cursor != nil
                #expect(ids == [6, 5, 4, 3, 2, 1])
            }
        }
    }

    // MARK: - Keys

    /// A record with a string as its key.
    private struct Account: PersistableRecord, FetchableRecord {
        static let databaseTableName = "account"
        var email: String?
        var note: String?

        init(row: Row) throws { (email, note) = (row["email"], row["note"]) }

        func encode(to container: inout PersistenceContainer) {
            container["email"] = email
            container["note"] = note
        }
    }

    /// The emails and notes of all pages.
    private func pages(_ db: Database, _ order: [any SQLOrderingTerm], size: Int = 1, byRecord: Bool = false) throws -> [String] {
        var texts: [String] = []
        var (cursor, last): (String?, Account?) = (nil, nil)
        for _ in 0..<20 {
            if byRecord {
                let records = try Account.all().page(after: last, by: order).limit(size).fetchAll(db)
                texts += records.map { "\($0.email ?? "-") \($0.note ?? "-")" }
                if records.count < size { return texts }
                last = records.last
            } else {
                let page = try Account.fetchPage(db, after: cursor, size: size, by: order)
                texts += page.records.map { "\($0.email ?? "-") \($0.note ?? "-")" }
                if page.next == nil { return texts }
                cursor = page.next
            }
        }
        return texts + ["…"]
    }

    @Test(arguments: [
        "email TEXT PRIMARY KEY NOT NULL, note TEXT", "email TEXT PRIMARY KEY, note TEXT) WITHOUT ROWID; --",
        "email TEXT PRIMARY KEY, note TEXT",
        "email TEXT COLLATE NOCASE NOT NULL, note TEXT, PRIMARY KEY (email COLLATE BINARY)",
        "email TEXT COLLATE NOCASE, note TEXT, PRIMARY KEY (email COLLATE BINARY)) WITHOUT ROWID; --",
        "email TEXT COLLATE NOCASE CHECK (email COLLATE BINARY <> ''), note TEXT, PRIMARY KEY (note, email COLLATE BINARY)) WITHOUT ROWID; --",
    ])
    func `A key makes an order total only with the collation of its index`(_ columns: String) throws {
        try withDatabase("CREATE TABLE account (\(columns)\n)".replacing("; --\n)", with: "")) { db throws in
            try db.execute(sql: "INSERT INTO account VALUES ('A@x', 'n'), ('a@x', 'n'), ('b@x', 'n'), ('B@X', 'n'), ('c@x', 'n')")
            let email = Column("email")
            for order in [
                [email.collating(.nocase)], [email.collating(.nocase).desc], [email], [email.desc], [email.collating(.binary)],
                [Column("note"), email.collating(.nocase)], [Column("note")], [],
            ] as [[any SQLOrderingTerm]] {
                for byRecord in [false, true] {
                    let texts = try pages(db, order, byRecord: byRecord)
                    #expect(texts.sorted() == ["A@x n", "B@X n", "a@x n", "b@x n", "c@x n"], "\(order)")
                }
            }
        }
    }

    @Test
    func `A page ends its order with the key once`() throws {
        func order(_ columns: String, _ terms: [any SQLOrderingTerm]) throws -> String {
            let table = "CREATE TABLE account (\(columns)\n)".replacing("; --\n)", with: "")
            var statements: [String] = []
            try withDatabase(table) { db throws in
                statements = try db.statements { _ = try Account.fetchPage(db, after: nil, size: 1, by: terms) }
            }
            let sql = try #require(statements.last)
            let start = try #require(sql.range(of: " ORDER BY "))
            return String(sql[start.upperBound...].replacing(" LIMIT 2", with: ""))
        }
        let (email, note) = (Column("email"), Column("note"))
        #expect(try order("email TEXT PRIMARY KEY NOT NULL, note", [note.desc]) == #""note" DESC, "email" DESC"#)
        #expect(try order("email TEXT PRIMARY KEY, note) WITHOUT ROWID; --", [email]) == #""email""#)
        #expect(try order("email TEXT PRIMARY KEY COLLATE NOCASE NOT NULL, note", [email]) == #""email""#)
        #expect(try order("email TEXT PRIMARY KEY COLLATE NOCASE NOT NULL, note", [email.collating(.nocase)]) == #""email" COLLATE NOCASE"#)
        #expect(try order("email TEXT PRIMARY KEY COLLATE NOCASE NOT NULL, note", [email.collating(.binary)]) == #""email" COLLATE BINARY"#)
        #expect(try order("email TEXT PRIMARY KEY NOT NULL, note", [email.collating(.nocase)]) == #""email" COLLATE NOCASE, "email""#)
        #expect(
            try order("email TEXT COLLATE NOCASE NOT NULL, note, PRIMARY KEY (email COLLATE BINARY)", [note])
                == #""note", "email" COLLATE BINARY"#)
        // A key that may be NULL, and an order by the row ID.
        #expect(try order("email TEXT PRIMARY KEY, note", [note]) == #""note", "email", "rowid""#)
        #expect(try order("email TEXT PRIMARY KEY, rowid TEXT, note", [note.desc]) == #""note" DESC, "email" DESC, "oid" DESC"#)
    }

    @Test
    func `Rows with NULL in their key are on pages, too`() throws {
        try withDatabase("CREATE TABLE account (email TEXT PRIMARY KEY, note TEXT)") { db throws in
            try db.execute(sql: "INSERT INTO account VALUES (NULL, '1'), ('a', '2'), (NULL, '3'), (NULL, '4'), ('b', '5')")
            let email = Column("email")
            for size in 1...3 {
                #expect(try pages(db, [email], size: size) == ["- 1", "- 3", "- 4", "a 2", "b 5"])
                #expect(try pages(db, [email.desc], size: size) == ["b 5", "a 2", "- 4", "- 3", "- 1"])
                #expect(try pages(db, [Column("note")], size: size) == ["- 1", "a 2", "- 3", "- 4", "b 5"])
            }
            // A record with NULL in its key has no row of its own.
            let record = try #require(try Account.filter(email == nil).fetchOne(db))
            let error = #expect(throws: DatabaseError.self) { try Account.all().page(after: record, by: [email]).fetchAll(db) }
            #expect(error?.message == "the position of a record of account with NULL in its primary key is not known")
            #expect(error?.advice == "Fetch the pages with fetchPage(_:after:size:by:).")
            // A record with a key has one, even without its row.
            let key = try #require(try Account.fetchOne(db, key: "a"))
            try key.delete(db)
            #expect(try Account.all().page(after: key, by: [email]).fetchAll(db).map(\.email) == ["b"])
            #expect(try Account.all().page(after: key, by: [email.desc]).fetchAll(db).map(\.note) == ["4", "3", "1"])
        }
    }

    // MARK: - Pages after a record

    @Test
    func `The page after a record reads the stored values of its row`() throws {
        try withDatabase("CREATE TABLE moment (id INTEGER PRIMARY KEY, value DATETIME)") { db throws in
            try db.execute(
                sql: "INSERT INTO moment (value) VALUES ('2026-11-28 10:00:00'), ('2026-11-28 10:00:00'), ('2026-11-28 10:00:01')")
            let value = Column("value")
            var record = try #require(try Moment<Date>.fetchOne(db, key: 1))
            try db.expect([
                #"SELECT * FROM "moment" WHERE "id" = 1"#,
                #"SELECT * FROM "moment" WHERE ("value", "id") > ('2026-11-28 10:00:00', 1) ORDER BY "value", "id" LIMIT 5"#,
            ]) {
                let records = try Moment<Date>.all().page(after: record, by: [value]).limit(5).fetchAll(db)
                #expect(records.map(\.id) == [2, 3])
            }
            // The record has another value than its row.
            record.value = record.value?.addingTimeInterval(0.5)
            #expect(try Moment<Date>.all().page(after: record, by: [value]).fetchAll(db).map(\.id) == [3])
            // The row is gone.
            try record.delete(db)
            #expect(try Moment<Date>.all().page(after: record, by: [value]).fetchAll(db).map(\.id) == [3])
        }
    }
}
