import Foundation
import QueryInterface
import Testing

/// Columns that know the table of the record type that declares them: the request, its SQL, and its rows.
@Suite("Columns that know their table")
struct ColumnTableTests {
    struct Invoice: TableRecord, FetchableRecord {
        let id: Int64
        enum Columns {
            static let id = TypedColumn<Int64>("id", of: Invoice.self)
            static let total = TypedColumn<Int64>("total", of: Invoice.self)
            static let date = TypedColumn<Date>("date", of: Invoice.self)
            static let info = JSONColumn("info", of: Invoice.self)
        }
        init(row: Row) throws { id = try row.decode(forKey: "id") }

        static let payments = hasMany(Payment.self)
        static let refunds = hasMany(Payment.self, key: "refunds", using: ForeignKey(["refundedId"], to: ["id"]))
    }

    /// A payment, which stores dates as seconds.
    struct Payment: TableRecord, FetchableRecord, ColumnValueEncoding {
        enum Columns {
            static let id = TypedColumn<Int64>("id", of: Payment.self)
            static let invoiceId = TypedColumn<Int64>(CodingKeys.invoiceId, of: Payment.self)
            static let amount = TypedColumn<Int64>("amount", of: Payment.self)
            static let date = TypedColumn<Date>("date", of: Payment.self)
            static let info = JSONColumn(CodingKeys.info, of: Payment.self)
        }
        enum CodingKeys: String, CodingKey { case invoiceId, info }
        init(row: Row) {}

        static let invoice = belongsTo(Invoice.self, using: ForeignKey(["invoiceId"]))

        static func databaseValue(of value: any DatabaseValueConvertible & Sendable, inColumn column: String) -> DatabaseValue? {
            (value as? Date).map { Int($0.timeIntervalSince1970).databaseValue }
        }
    }

    struct Emp: TableRecord, FetchableRecord {
        let name: String
        enum Columns {
            static let id = Column("id", of: Emp.self)
            static let name = Column("name", of: Emp.self)
            static let managerId = Column(CodingKeys.managerId, of: Emp.self)
        }
        enum CodingKeys: CodingKey { case managerId }
        init(row: Row) throws { name = try row.decode(forKey: "name") }

        static let manager = belongsTo(Emp.self, key: "manager")
        static let reports = hasMany(Emp.self, key: "reports")
    }

    /// Another record of the same table.
    struct EmpName: TableRecord, FetchableRecord {
        static let databaseTableName = "EMP"
        let name: String
        init(row: Row) throws { name = try row.decode(forKey: "name") }
    }

    struct Job: TableRecord {
        enum Columns {
            static let id = TypedColumn<Int64>("id", of: Job.self)
            static let doerId = TypedColumn<Int64>("doerId", of: Job.self)
        }
        static let doer = belongsTo(Emp.self, key: "doer", using: ForeignKey(["doerId"]))
        static let reviewer = belongsTo(Emp.self, key: "reviewer", using: ForeignKey(["reviewerId"]))
    }

    private static let schema = """
        CREATE TABLE invoice (id INTEGER PRIMARY KEY, total INTEGER, date TEXT, info TEXT);
        CREATE TABLE payment (id INTEGER PRIMARY KEY, invoiceId INTEGER REFERENCES invoice ON DELETE SET NULL, amount INTEGER, date INTEGER, info TEXT,
            refundedId INTEGER);
        CREATE TABLE emp (id INTEGER PRIMARY KEY, name TEXT, managerId INTEGER REFERENCES emp);
        CREATE TABLE job (id INTEGER PRIMARY KEY, doerId INTEGER REFERENCES emp, reviewerId INTEGER REFERENCES emp);
        INSERT INTO invoice VALUES (1, 30, '1970-01-01 00:01:40.000', '{"a":1}'), (2, 20, NULL, '{"a":2}');
        INSERT INTO payment VALUES (10, 1, 10, 100, '{"a":3}', NULL), (11, 1, 25, 200, '{"a":4}', 2);
        INSERT INTO emp VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'c', 2);
        INSERT INTO job VALUES (1, 2, 3), (2, 3, 1);
        """

    private func withInvoices(_ body: (Database) throws -> Void) throws {
        try withDatabase(Self.schema, body)
    }

    /// Checks the SQL of a request and its rows: the first time, and with the statement that the connection keeps.
    private func check(
        _ request: QueryInterfaceRequest<some Any>, _ sql: String, _ rows: [[(any DatabaseValueConvertible)?]],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withInvoices { db throws in
            let actual = try request.sql(db)
            #expect(actual == sql, sourceLocation: sourceLocation)
            let expected = rows.map { $0.map { $0?.databaseValue ?? .null } }
            for _ in 0..<2 {
                #expect(try Row.fetchAll(db, request).map { Array($0.databaseValues) } == expected, sourceLocation: sourceLocation)
            }
            #expect(try request.fetchCount(db) == rows.count, sourceLocation: sourceLocation)
        }
    }

    private func sentences(_ request: QueryInterfaceRequest<some Any>) throws -> String? {
        var sentences: String?
        try withInvoices { db throws in
            let error = #expect(throws: DatabaseError.self) { try Row.fetchAll(db, request) }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            sentences = error?.sentences
        }
        return sentences
    }

    // MARK: - Tables of the request

    @Test
    func `A column of a joined table belongs to it, although the table of the request has a column of the same name`() throws {
        try check(
            Invoice.joining(optional: Invoice.payments).select(count(Payment.Columns.id).forKey("n")).filter(Invoice.Columns.id == 2),
            #"SELECT count("payment"."id") AS "n" FROM "invoice" LEFT JOIN "payment" ON "payment"."invoiceId" = "invoice"."id" WHERE "invoice"."id" = 2"#,
            [[0]])
        try check(
            Invoice.joining(optional: Invoice.payments)
                .select(Invoice.Columns.id, count(Payment.Columns.id).forKey("n"), sum(Payment.Columns.amount).forKey("paid"))
                .group(Invoice.Columns.id)
                .having(count(Payment.Columns.id) < 10)
                .order(max(Payment.Columns.id).desc, Invoice.Columns.id),
            #"SELECT "invoice"."id", count("payment"."id") AS "n", sum("payment"."amount") AS "paid" FROM "invoice" LEFT JOIN "payment" ON "payment"."invoiceId" = "invoice"."id" GROUP BY "invoice"."id" HAVING count("payment"."id") < 10 ORDER BY max("payment"."id") DESC, "invoice"."id""#,
            [[1, 2, 35], [2, 0, nil]])
        // In closures, too, and as JSON, with operators, collations and functions.
        try check(
            Invoice.joining(required: Invoice.payments)
                .select { [$0.id, Payment.Columns.id, Payment.Columns.info["a"], $0.info["a"]] }
                .filter { Payment.Columns.amount * 2 >= $0.total && Payment.Columns.id.sqlExpression.collating(.nocase) != 12 }
                .order { [Payment.Columns.id.asc, $0.id.desc] }
                .reversed(),
            #"SELECT "invoice"."id", "payment"."id", "payment"."info" ->> 'a', "invoice"."info" ->> 'a' FROM "invoice" JOIN "payment" ON "payment"."invoiceId" = "invoice"."id" WHERE "payment"."amount" * 2 >= "invoice"."total" AND "payment"."id" COLLATE NOCASE <> 12 ORDER BY "payment"."id" DESC, "invoice"."id" ASC"#,
            [[1, 11, 4, 1]])
        // The name of a selected expression is not the column of a joined table.
        try check(
            Invoice.joining(required: Invoice.payments)
                .select(Invoice.Columns.id, (Payment.Columns.amount + 100).forKey("amount"))
                .filter(Payment.Columns.amount == 25)
                .order(Payment.Columns.amount),
            #"SELECT "invoice"."id", "payment"."amount" + 100 AS "amount" FROM "invoice" JOIN "payment" ON "payment"."invoiceId" = "invoice"."id" WHERE "payment"."amount" = 25 ORDER BY "payment"."amount""#,
            [[1, 125]])
        // Two tables away.
        try check(
            Job.joining(required: Job.doer.joining(required: Emp.manager.forKey("boss")).filter(Emp.Columns.name == "b")).select(
                Job.Columns.id),
            #"SELECT "job"."id" FROM "job" JOIN "emp" AS "emp1" ON "emp1"."id" = "job"."doerId" AND "emp1"."name" = 'b' JOIN "emp" AS "emp2" ON "emp2"."id" = "emp1"."managerId""#,
            [[1]])
    }

    @Test
    func `A column without a table belongs to the table of the request`() throws {
        try check(
            Invoice.joining(optional: Invoice.payments).select(count(Column("id")).forKey("n")).filter(TypedColumn<Int64>("id") == 2),
            #"SELECT count("invoice"."id") AS "n" FROM "invoice" LEFT JOIN "payment" ON "payment"."invoiceId" = "invoice"."id" WHERE "invoice"."id" = 2"#,
            [[1]])
    }

    private enum PaymentColumns: String, ColumnExpression {
        case id, amount
        var sqlExpression: SQLExpression { Column(rawValue, of: Payment.self).sqlExpression }
    }

    @Test
    func `The cases of an enumeration of columns can know their table`() throws {
        try check(
            Invoice.joining(required: Invoice.payments).select(PaymentColumns.id, Column("id")).filter(PaymentColumns.amount > 10)
                .order(PaymentColumns.id.desc),
            #"SELECT "payment"."id", "invoice"."id" FROM "invoice" JOIN "payment" ON "payment"."invoiceId" = "invoice"."id" WHERE "payment"."amount" > 10 ORDER BY "payment"."id" DESC"#,
            [[11, 1]])
        #expect(MemoryLayout<Column>.size <= 24)
    }

    @Test
    func `A column belongs to the table in whose clause it stands`() throws {
        try check(
            Emp.joining(required: Emp.manager).filter(Emp.Columns.name == "b"),
            #"SELECT "emp1".* FROM "emp" AS "emp1" JOIN "emp" AS "emp2" ON "emp2"."id" = "emp1"."managerId" WHERE "emp1"."name" = 'b'"#,
            [[2, "b", 1]])
        try check(
            Emp.joining(required: Emp.manager.filter(Emp.Columns.name == "b").order(Emp.Columns.id)),
            #"SELECT "emp1".* FROM "emp" AS "emp1" JOIN "emp" AS "emp2" ON "emp2"."id" = "emp1"."managerId" AND "emp2"."name" = 'b' ORDER BY "emp2"."id""#,
            [[3, "c", 2]])
        try check(EmpName.filter(Emp.Columns.id == 2), #"SELECT * FROM "EMP" WHERE "id" = 2"#, [[2, "b", 1]])
        try check(Table("emp").filter(Emp.Columns.id == 2), #"SELECT * FROM "emp" WHERE "id" = 2"#, [[2, "b", 1]])
        try check(
            EmpName.joining(required: EmpName.belongsTo(Emp.self, using: ForeignKey(["managerId"]))).filter(Emp.Columns.id == 2),
            #"SELECT "EMP1".* FROM "EMP" AS "EMP1" JOIN "emp" AS "emp2" ON "emp2"."id" = "EMP1"."managerId" WHERE "EMP1"."id" = 2"#,
            [[2, "b", 1]])
        // The filter of an association can use the columns of the table that has it.
        try check(
            Invoice.joining(required: Invoice.payments.filter(Payment.Columns.amount * 2 < Invoice.Columns.total)).select(
                Payment.Columns.id),
            #"SELECT "payment"."id" FROM "invoice" JOIN "payment" ON "payment"."invoiceId" = "invoice"."id" AND "payment"."amount" * 2 < "invoice"."total""#,
            [[10]])
    }

    @Test
    func `If no table has the name, a column belongs to the table in whose clause it stands`() throws {
        try check(Emp.filter(Payment.Columns.id == 2), #"SELECT * FROM "emp" WHERE "id" = 2"#, [[2, "b", 1]])
        try check(
            Emp.joining(required: Emp.manager).filter(Payment.Columns.id == 2),
            #"SELECT "emp1".* FROM "emp" AS "emp1" JOIN "emp" AS "emp2" ON "emp2"."id" = "emp1"."managerId" WHERE "emp1"."id" = 2"#,
            [[2, "b", 1]])
        let table = CommonTableExpression<Emp>(named: "some", request: Emp.filter(Emp.Columns.id > 1))
        try check(
            table.all().with(table).filter(Emp.Columns.id == 2),
            #"WITH "some" AS (SELECT * FROM "emp" WHERE "id" > 1) SELECT * FROM "some" WHERE "id" = 2"#, [[2, "b", 1]])
        // Its rows are records of the table: its own clauses are on its own columns.
        let manager = table.association(to: Emp.self, on: { some, manager in some["managerId"] == manager["id"] })
        try check(
            table.all().with(table).joining(required: manager).filter { _ in Emp.Columns.id == 2 },
            #"WITH "some" AS (SELECT * FROM "emp" WHERE "id" > 1) SELECT "some".* FROM "some" JOIN "emp" ON "some"."managerId" = "emp"."id" WHERE "some"."id" = 2"#,
            [[2, "b", 1]])
        let rows = CommonTableExpression<Row>(named: "some", request: Emp.filter(Emp.Columns.id > 1))
        let other = rows.association(to: Emp.self, on: { some, manager in some["managerId"] == manager["id"] })
        try check(
            rows.all().with(rows).joining(required: other).filter(Emp.Columns.id == 2).select(Column("id")),
            #"WITH "some" AS (SELECT * FROM "emp" WHERE "id" > 1) SELECT "some"."id" FROM "some" JOIN "emp" ON "some"."managerId" = "emp"."id" WHERE "emp"."id" = 2"#,
            [[3]])
        // A common table expression takes the place of the table of the same name.
        let emp = CommonTableExpression<Row>(named: "emp", sql: "SELECT 7 AS id")
        let job = Job.association(to: emp, on: { _, emp in emp["id"] == 7 })
        try check(
            Job.with(emp).joining(required: job).select(Job.Columns.id, Emp.Columns.id).limit(1),
            #"WITH "emp" AS (SELECT 7 AS id) SELECT "job"."id", "emp"."id" FROM "job" JOIN "emp" ON "emp"."id" = 7 LIMIT 1"#, [[1, 7]])
    }

    @Test
    func `A column of one of several other tables is an error that names the choice`() throws {
        let request = Job.joining(required: Job.doer).joining(required: Job.reviewer)
        #expect(
            try sentences(request.filter(Emp.Columns.name == "b"))
                == "the column name of emp can belong to several tables of the request, emp1 and emp2. Take the column from the association that joins one of them, as in Job.doer.columns.name or Job.reviewer.columns.name, or from a table alias, as in alias[Emp.Columns.name]."
        )
        for request in [
            request.select(Emp.Columns.id, as: Row.self), request.order(Emp.Columns.id).asRequest(of: Row.self),
            request.group(Emp.Columns.id).asRequest(of: Row.self),
            request.group(Job.Columns.id).having(count(Emp.Columns.id) > 1).asRequest(of: Row.self),
            request.annotated(with: Emp.Columns.id).asRequest(of: Row.self),
            request.filter(Emp.Columns.id.like("b")).asRequest(of: Row.self),
            request.filter([1, 2].contains(Emp.Columns.id)).asRequest(of: Row.self),
        ] {
            #expect(try sentences(request)?.contains("as in Job.doer.columns.id or Job.reviewer.columns.id") == true)
        }
        // In a subquery, only an alias can refer to them. So it is for the table of the request, and for one that another one joins.
        #expect(
            try sentences(request.filter(Invoice.filter(Emp.Columns.id == 1).exists()))
                == "the column id of emp can belong to several tables of an outer request, emp1 and emp2. Take the column from a table alias, as in alias[Emp.Columns.id]."
        )
        let nested = Job.joining(required: Job.doer.joining(required: Emp.manager))
        #expect(
            try sentences(nested.filter(Emp.Columns.id == 1))?
                .hasSuffix("as in Job.doer.columns.id, or from a table alias, as in alias[Emp.Columns.id].") == true)
        #expect(
            try sentences(Invoice.joining(optional: Invoice.payments).joining(optional: Invoice.refunds).select(count(Payment.Columns.id)))?
                .contains("as in Invoice.payments.columns.id or Invoice.refunds.columns.id, or from") == true)
        // The choices that it names.
        let sql =
            #"SELECT "job".* FROM "job" JOIN "emp" AS "emp1" ON "emp1"."id" = "job"."doerId" JOIN "emp" AS "emp2" ON "emp2"."id" = "job"."reviewerId" WHERE "emp2"."name" = 'c'"#
        try check(request.filter(Job.reviewer.columns.name == "c"), sql, [[1, 2, 3]])
        let alias = TableAlias<Emp>()
        try check(
            Job.joining(required: Job.doer).joining(required: Job.reviewer.aliased(alias)).filter(alias[Emp.Columns.name] == "c"), sql,
            [[1, 2, 3]])
    }

    @Test
    func `A table alias decides for the columns of its expression`() throws {
        let (manager, emp) = (TableAlias<Emp>(name: "m"), TableAlias<EmpName>())
        try check(
            EmpName.aliased(emp).joining(required: EmpName.belongsTo(Emp.self, using: ForeignKey(["managerId"])).aliased(manager))
                .select(emp[Emp.Columns.id], manager[Emp.Columns.id], manager.name, manager[Emp.Columns.id + Emp.Columns.managerId])
                .filter { _ in Emp.Columns.id == 3 },
            #"SELECT "EMP"."id", "m"."id", "m"."name", "m"."id" + "m"."managerId" FROM "EMP" JOIN "emp" AS "m" ON "m"."id" = "EMP"."managerId" WHERE "EMP"."id" = 3"#,
            [[3, 2, "b", 3]])
        let payments = Invoice.payments.columns
        try check(
            Invoice.joining(required: Invoice.payments).select(payments.id, payments[Payment.Columns.id], payments[Invoice.Columns.id])
                .filter(payments[Payment.Columns.info]["a"] == 4),
            #"SELECT "payment"."id", "payment"."id", "payment"."id" FROM "invoice" JOIN "payment" ON "payment"."invoiceId" = "invoice"."id" WHERE "payment"."info" ->> 'a' = 4"#,
            [[11, 11, 11]])
    }

    // MARK: - Outer requests

    @Test
    func `A subquery uses the columns of the outer request without an alias`() throws {
        try check(
            Invoice.filter(Payment.filter(Payment.Columns.invoiceId == Invoice.Columns.id).exists()),
            #"SELECT * FROM "invoice" WHERE EXISTS (SELECT * FROM "payment" WHERE "invoiceId" = "invoice"."id")"#,
            [[1, 30, "1970-01-01 00:01:40.000", #"{"a":1}"#]])
        try check(
            Invoice.select(
                Invoice.Columns.id,
                Payment.filter(Payment.Columns.invoiceId == Invoice.Columns.id && Payment.Columns.amount < Invoice.Columns.total)
                    .select(sum(Payment.Columns.amount)).forKey("paid")
            ).order(Payment.select(min(Payment.Columns.id)).filter(Payment.Columns.invoiceId == Invoice.Columns.id), Invoice.Columns.id),
            #"SELECT "id", (SELECT sum("amount") FROM "payment" WHERE "invoiceId" = "invoice"."id" AND "amount" < "invoice"."total") AS "paid" FROM "invoice" ORDER BY (SELECT min("id") FROM "payment" WHERE "invoiceId" = "invoice"."id"), "id""#,
            [[2, nil], [1, 35]])
        // From two requests farther out, and from a request with joins: the table in whose clause the subquery stands comes first.
        try check(
            Emp.joining(required: Emp.manager).select(Emp.Columns.id)
                .filter(
                    Job.filter(Invoice.filter(Invoice.Columns.id == Job.Columns.id && Job.Columns.doerId == Emp.Columns.id).exists())
                        .exists()),
            #"SELECT "emp1"."id" FROM "emp" AS "emp1" JOIN "emp" AS "emp2" ON "emp2"."id" = "emp1"."managerId" WHERE EXISTS (SELECT * FROM "job" WHERE EXISTS (SELECT * FROM "invoice" WHERE "id" = "job"."id" AND "job"."doerId" = "emp1"."id"))"#,
            [[2], [3]])
        try check(
            Emp.joining(required: Emp.manager.filter(Job.filter(Job.Columns.doerId == Emp.Columns.id).exists())).select(Emp.Columns.id),
            #"SELECT "emp1"."id" FROM "emp" AS "emp1" JOIN "emp" AS "emp2" ON "emp2"."id" = "emp1"."managerId" AND EXISTS (SELECT * FROM "job" WHERE "doerId" = "emp2"."id")"#,
            [[3]])
        // A table of the subquery comes before one of the outer request.
        try check(
            Emp.filter(Job.joining(required: Job.doer).filter(Emp.Columns.name == "b").exists()).select(Emp.Columns.id),
            #"SELECT "id" FROM "emp" WHERE EXISTS (SELECT "job".* FROM "job" JOIN "emp" ON "emp"."id" = "job"."doerId" WHERE "emp"."name" = 'b')"#,
            [[1], [2], [3]])
        try check(
            Emp.filter(Emp.filter(Emp.Columns.id == 1).exists()).select(Emp.Columns.id),
            #"SELECT "id" FROM "emp" WHERE EXISTS (SELECT * FROM "emp" WHERE "id" = 1)"#, [[1], [2], [3]])
    }

    @Test
    func `Handwritten SQL keeps its plain meaning, and pieces of SQL have the meaning of their place`() throws {
        try check(
            Emp.select(Emp.Columns.id).filter(
                literal: "EXISTS (SELECT 1 FROM emp AS other WHERE other.\(Column("managerId")) = \(Emp.Columns.id))"),
            #"SELECT "id" FROM "emp" WHERE EXISTS (SELECT 1 FROM emp AS other WHERE other."managerId" = "id")"#, [])
        let subquery: SQLRequest<Row> = "SELECT 1 FROM emp WHERE \(Emp.Columns.id) = 1"
        try check(
            Emp.select(Emp.Columns.id).filter(subquery.exists()),
            #"SELECT "id" FROM "emp" WHERE EXISTS (SELECT 1 FROM emp WHERE "id" = 1)"#, [[1], [2], [3]])
        try check(
            Invoice.joining(required: Invoice.payments).select(sql: "1").filter(
                literal: "\(Payment.Columns.id) > \(Invoice.Columns.id) + 9"),
            #"SELECT 1 FROM "invoice" JOIN "payment" ON "payment"."invoiceId" = "invoice"."id" WHERE "payment"."id" > "invoice"."id" + 9"#,
            [[1]])
    }

    @Test
    func `A subquery whose own table hides the table of the outer request is an error`() throws {
        let alias = TableAlias(name: "emp")
        let request = Emp.filter(Table("job").aliased(alias).filter(alias["doerId"] == Emp.Columns.id).exists())
        #expect(
            try sentences(request)
                == "the column id of emp is used in a subquery, where another table is named emp, too. Give the table of the outer request an alias with aliased(_:), and write alias[Emp.Columns.id]."
        )
        let outer = TableAlias<Emp>()
        try check(
            Emp.aliased(outer).filter(Table("job").aliased(TableAlias(name: "j")).filter(Column("doerId") == Emp.Columns.id).exists())
                .select(Emp.Columns.id),
            #"SELECT "emp"."id" FROM "emp" WHERE EXISTS (SELECT "j".* FROM "job" AS "j" WHERE "j"."doerId" = "emp"."id")"#, [[2], [3]])
    }

    // MARK: - Associations

    @Test
    func `Aggregates of associations have the columns of their own table and of the outer table`() throws {
        try check(
            Invoice.select(Invoice.Columns.id).annotated(
                with: Invoice.payments.max(Payment.Columns.id),
                Invoice.payments.sum(Payment.Columns.amount - Invoice.Columns.total).forKey("rest"),
                Invoice.payments.filter(Payment.Columns.amount < Invoice.Columns.total - 10).count.forKey("small")),
            #"SELECT "id", (SELECT max("payment"."id") FROM "payment" WHERE "payment"."invoiceId" = "invoice"."id") AS "maxPaymentId", (SELECT sum("payment"."amount" - "invoice"."total") FROM "payment" WHERE "payment"."invoiceId" = "invoice"."id") AS "rest", (SELECT count(*) FROM "payment" WHERE "payment"."invoiceId" = "invoice"."id" AND "payment"."amount" < "invoice"."total" - 10) AS "small" FROM "invoice""#,
            [[1, 11, -25, 1], [2, nil, nil, 0]])
        try check(
            Emp.select(Emp.Columns.id).filter(Emp.reports.filter(Emp.Columns.name == "c").count > 0),
            #"SELECT "id" FROM "emp" WHERE (SELECT count(*) FROM "emp" AS "emp1" WHERE "emp1"."managerId" = "emp"."id" AND "emp1"."name" = 'c') > 0"#,
            [[2]])
    }

    @Test
    func `Rows are repeated for a joined table whose column is selected, and only then`() throws {
        let request = Invoice.joining(required: Invoice.payments).filter(Invoice.payments.count > 0)
        try check(
            request.select(Invoice.Columns.id),
            #"SELECT "invoice"."id" FROM "invoice" JOIN "payment" ON "payment"."invoiceId" = "invoice"."id" WHERE (SELECT count(*) FROM "payment" AS "payment1" WHERE "payment1"."invoiceId" = "invoice"."id") > 0 GROUP BY "invoice"."id""#,
            [[1]])
        try check(
            request.select(Invoice.Columns.id, Payment.Columns.id),
            #"SELECT "invoice"."id", "payment"."id" FROM "invoice" JOIN "payment" ON "payment"."invoiceId" = "invoice"."id" WHERE (SELECT count(*) FROM "payment" AS "payment1" WHERE "payment1"."invoiceId" = "invoice"."id") > 0"#,
            [[1, 10], [1, 11]])
        let place =
            #"FROM "invoice" JOIN "payment" ON "payment"."invoiceId" = "invoice"."id" WHERE (SELECT count(*) FROM "payment" AS "payment1" WHERE "payment1"."invoiceId" = "invoice"."id") > 0"#
        try check(
            request.select(
                Invoice.Columns.id, Job.select(count(Job.Columns.id)).filter(Job.Columns.id + 9 == Payment.Columns.id).forKey("n")),
            #"SELECT "invoice"."id", (SELECT count("id") FROM "job" WHERE "id" + 9 = "payment"."id") AS "n" \#(place)"#, [[1, 1], [1, 1]])
        try check(
            request.select([SQL("\(Payment.Columns.id) + 1")]), #"SELECT "payment"."id" + 1 \#(place)"#, [[11], [12]])
        try check(
            request.select(Invoice.Columns.id, Payment.select(count(Payment.Columns.id)).forKey("n")),
            #"SELECT "invoice"."id", (SELECT count("id") FROM "payment" AS "payment1") AS "n" \#(place) GROUP BY "invoice"."id""#, [[1, 2]])
        // The columns of the request's table don't belong to the same table that is joined.
        try check(
            Emp.joining(required: Emp.reports).filter(Emp.reports.count > 0).select(Emp.Columns.id),
            #"SELECT "emp1"."id" FROM "emp" AS "emp1" JOIN "emp" AS "emp2" ON "emp2"."managerId" = "emp1"."id" WHERE (SELECT count(*) FROM "emp" WHERE "emp"."managerId" = "emp1"."id") > 0 GROUP BY "emp1"."id""#,
            [[1], [2]])
    }

    @Test
    func `Prefetched associations have the columns of their own tables`() throws {
        try withInvoices { db throws in
            let payments = Invoice.payments.filter(Payment.Columns.id > 10).joining(required: Payment.invoice)
                .filter(Invoice.Columns.id == 1).order(Payment.Columns.id)
            let request = Invoice.including(all: payments).order(Invoice.Columns.id)
            for _ in 0..<2 {
                let rows = try Row.fetchAll(db, request).map {
                    try $0.prefetchedRows["payments"]?.map { try $0.decode(Int.self, forKey: "id") }
                }
                #expect(rows == [[11], []])
            }
            let reports = Emp.including(all: Emp.reports.filter(Emp.Columns.name == "c")).order(Emp.Columns.id)
            #expect(try Row.fetchAll(db, reports).map { $0.prefetchedRows["reports"]?.count } == [0, 1, 0])
        }
    }

    @Test
    func `The condition of an optional association groups the tables whose columns it uses`() throws {
        try check(
            Payment.joining(optional: Payment.invoice.filter(Payment.Columns.id == 11)).select(Payment.Columns.id, Invoice.Columns.id),
            #"SELECT "payment"."id", "invoice"."id" FROM "payment" LEFT JOIN "invoice" ON "invoice"."id" = "payment"."invoiceId" AND "payment"."id" = 11"#,
            [[10, nil], [11, 1]])
        try check(
            Job.joining(
                optional: Job.doer.joining(optional: Emp.hasMany(Payment.self, using: ForeignKey(["invoiceId"], to: ["id"]))).filter(
                    Payment.Columns.amount > 20)
            )
            .select(Job.Columns.id, Emp.Columns.id, Payment.Columns.id).order(Job.Columns.id),
            #"SELECT "job"."id", "emp"."id", "payment"."id" FROM "job" LEFT JOIN ("emp" LEFT JOIN "payment" ON "payment"."invoiceId" = "emp"."id") ON "emp"."id" = "job"."doerId" AND "payment"."amount" > 20 ORDER BY "job"."id""#,
            [[1, nil, nil], [2, nil, nil]])
        // A table that is joined later.
        let payments = Job.hasMany(Payment.self, using: ForeignKey(["invoiceId"], to: ["id"]))
        #expect(
            try sentences(Job.joining(optional: Job.doer.filter(Payment.Columns.id > 0)).joining(optional: payments))?
                .contains("has a condition on columns of payment, which the request joins after it") == true)
    }

    // MARK: - Values, rows, changes

    @Test
    func `Values are encoded as the table of the column stores them`() throws {
        let date = Date(timeIntervalSince1970: 100)
        let join = #"FROM "invoice" JOIN "payment" ON "payment"."invoiceId" = "invoice"."id""#
        let request = Invoice.joining(required: Invoice.payments).select(Payment.Columns.id)
        try check(
            request.filter(Payment.Columns.date == date), #"SELECT "payment"."id" \#(join) WHERE "payment"."date" = 100"#, [[10]])
        try check(
            request.filter(Invoice.Columns.date == date && [date].contains(Payment.Columns.date)),
            #"SELECT "payment"."id" \#(join) WHERE "invoice"."date" = '1970-01-01 00:01:40.000' AND "payment"."date" IN (100)"#, [[10]])
        try check(
            Payment.joining(required: Payment.invoice).select(Payment.Columns.id).filter {
                Invoice.Columns.date == date && (date...date).contains($0.date)
            },
            #"SELECT "payment"."id" FROM "payment" JOIN "invoice" ON "invoice"."id" = "payment"."invoiceId" WHERE "invoice"."date" = '1970-01-01 00:01:40.000' AND "payment"."date" BETWEEN 100 AND 100"#,
            [[10]])
        // Through functions, subqueries and aggregates of associations.
        try check(
            request.group(Payment.Columns.id).having(max(Payment.Columns.date) > date),
            #"SELECT "payment"."id" \#(join) GROUP BY "payment"."id" HAVING max("payment"."date") > 100"#, [[11]])
        try check(
            Invoice.select(Invoice.Columns.id).filter(
                Payment.select(Payment.Columns.date).filter(Payment.Columns.invoiceId == Invoice.Columns.id).order(Payment.Columns.id)
                    .limit(1) == date),
            #"SELECT "id" FROM "invoice" WHERE (SELECT "date" FROM "payment" WHERE "invoiceId" = "invoice"."id" ORDER BY "id" LIMIT 1) = 100"#,
            [[1]])
        try check(
            Invoice.select(Invoice.Columns.id).filter(
                Invoice.joining(required: Invoice.payments).select(min(Payment.Columns.date)) == date),
            #"SELECT "id" FROM "invoice" WHERE (SELECT min("payment"."date") \#(join)) = 100"#, [[1], [2]])
        try check(
            Payment.select(Payment.Columns.id).filter(Invoice.select(Payment.Columns.date).limit(1) == date),
            #"SELECT "id" FROM "payment" WHERE (SELECT "payment"."date" FROM "invoice" LIMIT 1) = 100"#, [[10]])
        try check(
            Invoice.select(Invoice.Columns.id).filter(Invoice.payments.max(Payment.Columns.date) > date),
            #"SELECT "id" FROM "invoice" WHERE (SELECT max("payment"."date") FROM "payment" WHERE "payment"."invoiceId" = "invoice"."id") > 100"#,
            [[1]])
        // A table that the request uses without a record type.
        try check(
            Table("payment").select(Column("id")).filter(Payment.Columns.date == date), #"SELECT "id" FROM "payment" WHERE "date" = 100"#,
            [[10]])
    }

    @Test
    func `A condition on a joined table does not narrow the request to rows of its own`() throws {
        try withInvoices { db throws in
            func region(_ request: QueryInterfaceRequest<some FetchableRecord>) throws -> String {
                _ = try request.fetchCount(db)
                return try db.recordingAccesses { _ = try request.fetchCount(db) }.region.description
            }
            let request = Invoice.joining(required: Invoice.payments)
            let ofPayment = try region(request.filter(Payment.Columns.id == 10))
            #expect(ofPayment == "invoice(id),payment(id,invoiceid)")
            let ofInvoice = try region(request.filter(Invoice.Columns.id == 1))
            #expect(ofInvoice == "invoice(id)[1],payment(invoiceid)")
            #expect(try region(Invoice.filter(Invoice.Columns.id == 1)) == "invoice(id)[1]")
        }
    }

    @Test
    func `Changes use the columns of their table, of joined tables, and of outer requests`() throws {
        try withInvoices { db throws in
            let payments = Payment.filter(Payment.Columns.invoiceId == Invoice.Columns.id)
            let sql = try db.statements {
                try Invoice.filter(payments.exists()).updateAll(
                    db, Invoice.Columns.total.set(to: payments.select(sum(Payment.Columns.amount))))
            }
            #expect(
                sql.last
                    == #"UPDATE "invoice" SET "total" = (SELECT sum("amount") FROM "payment" WHERE "invoiceId" = "invoice"."id") WHERE EXISTS (SELECT * FROM "payment" WHERE "invoiceId" = "invoice"."id")"#
            )
            #expect(try Int.fetchAll(db, Invoice.select(Invoice.Columns.total).order(Invoice.Columns.id)) == [35, 20])
            #expect(try Invoice.updateAll(db, [Invoice.Columns.total += 1, Invoice.Columns.date.set(to: nil)]) == 2)
            // The groups are not the rows of the request: they don't contain its key.
            let grouped = Invoice.joining(required: Invoice.payments).group(Payment.Columns.id)
            #expect(throws: DatabaseError.self) { try grouped.deleteAll(db) }
            #expect(
                try Invoice.joining(required: Invoice.payments).group(Invoice.Columns.id).filter(Payment.Columns.id == 10).deleteAll(db)
                    == 1)
            #expect(try Int.fetchAll(db, Invoice.select(Invoice.Columns.id)) == [2])
            #expect(try Table("job").filter(Job.Columns.id < 3).group(Job.Columns.id).deleteAll(db) == 2)
        }
    }

    @Test
    func `A column of a table that is not read is an error, where the plain name would be another column`() throws {
        try withInvoices { db throws in
            let joined = Invoice.joining(required: Invoice.payments)
            let message = try #require(throws: DatabaseError.self) {
                try joined.updateAll(db, Invoice.Columns.total.set(to: Payment.Columns.id))
            }
            #expect(
                message.sentences
                    == "the column id of payment can't be used here: a change finds its rows by their keys, without the joined tables. Use a subquery."
            )
            // The association's own request, and its prefetching, don't read the invoice.
            let odd = Invoice.payments.filter(Payment.Columns.amount > Invoice.Columns.id)
            #expect(try Invoice.joining(required: odd).fetchCount(db) > 0)
            #expect(try Row.fetchAll(db, Invoice.annotated(with: odd.count)).count == 2)
            for _ in 0..<2 {
                #expect(throws: DatabaseError.self) { try Row.fetchAll(db, Invoice.including(all: odd)) }
            }
            #expect(try Row.fetchAll(db, Invoice.including(all: Invoice.payments.filter(Payment.Columns.amount > 0))).count == 2)
        }
    }

    @Test
    func `Pages are ordered by columns of joined tables`() throws {
        try check(
            Invoice.joining(required: Invoice.payments).select(Payment.Columns.id).page(after: [10], by: [Payment.Columns.id]),
            #"SELECT "payment"."id" FROM "invoice" JOIN "payment" ON "payment"."invoiceId" = "invoice"."id" WHERE "payment"."id" > 10 ORDER BY "payment"."id""#,
            [[11]])
        try check(
            Invoice.select(Invoice.Columns.id).page(after: [2], by: [Invoice.Columns.id.desc]),
            #"SELECT "id" FROM "invoice" WHERE "id" < 2 ORDER BY "id" DESC"#, [[1]])
    }

    @Test
    func `Requests that differ in the table of a column don't share a statement`() throws {
        try withInvoices { db throws in
            let request = Invoice.joining(optional: Invoice.payments)
            func counted(_ column: some SQLOperand) throws -> [Int] {
                try Int.fetchAll(db, request.filter(Invoice.Columns.id == 2).select(count(column)))
            }
            for _ in 0..<2 {
                #expect(try counted(Payment.Columns.id) == [0])
                #expect(try counted(Invoice.Columns.id) == [1])
                #expect(try counted(TypedColumn<Int64>("id")) == [1])
            }
            let plans = db.requestPlans.count
            #expect(try counted(Column("id", of: Payment.self)) == [0])
            #expect(db.requestPlans.count == plans)
        }
    }

    // MARK: - Names

    /// A record of a table of the attached database.
    struct AuxEmp: TableRecord {
        static let databaseTableName = "aux.emp"
        enum Columns { static let id = Column("id", of: AuxEmp.self) }
    }

    struct MainEmp: TableRecord {
        static let databaseTableName = "MAIN.Emp"
        enum Columns { static let id = Column("id", of: MainEmp.self) }
    }

    @Test
    func `Tables are compared as SQLite compares their names, with and without the name of the database`() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: Self.schema)
            try db.execute(sql: "ATTACH ':memory:' AS aux; CREATE TABLE aux.emp (id INTEGER PRIMARY KEY, name TEXT, managerId INTEGER)")
            let aux = Job.belongsTo(AuxEmp.self, using: ForeignKey(["doerId"], to: ["id"]))
            // Two tables of the same name.
            let both = Job.joining(required: Job.doer).joining(required: aux.forKey("other"))
            let from =
                #"FROM "job" JOIN "emp" AS "emp1" ON "emp1"."id" = "job"."doerId" JOIN "aux"."emp" AS "emp2" ON "emp2"."id" = "job"."doerId""#
            for (column, name) in [(Emp.Columns.id, "emp1"), (MainEmp.Columns.id, "emp1"), (AuxEmp.Columns.id, "emp2")] {
                #expect(try both.select(column).sql(db) == #"SELECT "\#(name)"."id" \#(from)"#)
            }
            // The column of the main database in a request of the other one.
            #expect(try AuxEmp.filter(Emp.Columns.id == 1).sql(db) == #"SELECT * FROM "aux"."emp" WHERE "id" = 1"#)
            let hidden = #expect(throws: DatabaseError.self) {
                try Emp.filter(AuxEmp.filter(AuxEmp.Columns.id == Emp.Columns.id).exists()).sql(db)
            }
            #expect(hidden?.message?.contains("another table is named emp, too") == true)
            // A temporary table comes first. Without the name of a database, the only table of the name is meant.
            try db.execute(sql: "CREATE TEMPORARY TABLE emp (id INTEGER PRIMARY KEY)")
            #expect(try both.select(Emp.Columns.id).sql(db) == #"SELECT "emp1"."id" \#(from)"#)
            #expect(try both.select(MainEmp.Columns.id).sql(db) == #"SELECT "job"."id" \#(from)"#)
            try db.execute(sql: "DROP TABLE temp.emp; DROP TABLE main.job; DROP TABLE main.emp; CREATE TABLE job (id, doerId)")
            #expect(
                try Job.joining(required: aux).select(Emp.Columns.id, Job.Columns.id).sql(db)
                    == #"SELECT "emp"."id", "job"."id" FROM "job" JOIN "aux"."emp" ON "emp"."id" = "job"."doerId""#)
        }
    }
}
