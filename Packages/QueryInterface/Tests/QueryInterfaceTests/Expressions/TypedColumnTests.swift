import Foundation
import QueryInterface
import Testing

/// Columns that know the type of their values: which operands compile, and the SQL of each. `CompilerTests` has those that don't compile.
@Suite struct TypedColumnTests {
    enum State: String, DatabaseValueConvertible { case queued, failed }

    struct Queue: TableRecord {
        enum Columns {
            static let name = TypedColumn<String>("name")
            static let limit = TypedColumn<Int64>("limit")
        }

        static let databaseTableName = "queue"
    }

    struct Job: TableRecord {
        enum Columns {
            static let id = TypedColumn<Int64>("id")
            static let queue = TypedColumn<String>("queue")
            static let state = TypedColumn<State>("state")
            static let priority = TypedColumn<Int64>("priority")
            static let attempts = TypedColumn<Int64>("attempts")
            static let cost = TypedColumn<Double>("cost")
            static let day = TypedColumn<Date>("day")
            static let info = JSONColumn("info")
            static let untyped = Column("attempts")
        }

        static let databaseTableName = "job"
        static let definition = belongsTo(Queue.self, using: ForeignKey([Columns.queue], to: [Queue.Columns.name]))
    }

    static let creation = """
        CREATE TABLE queue (name TEXT PRIMARY KEY, "limit" INTEGER);
        CREATE TABLE job (
            id INTEGER PRIMARY KEY, queue TEXT REFERENCES queue, state TEXT, priority INTEGER, attempts INTEGER, cost REAL, day DATETIME,
            info TEXT);
        INSERT INTO queue VALUES ('mail', 5), ('web', 0);
        INSERT INTO job VALUES
            (1, 'mail', 'queued', 4, 0, 2.5, '2024-02-29 00:00:00.000', '{"a":1}'),
            (2, 'web', 'failed', 1, 3, 1.0, NULL, NULL);
        """

    private func check(
        _ sql: String, _ values: [Bool?], sourceLocation: SourceLocation = #_sourceLocation,
        _ predicate: (Job.Columns.Type) -> SQLExpression
    ) throws {
        try ExpressionSample(predicate(Job.Columns.self), sql, values)
            .check("job", createdBy: Self.creation, sourceLocation: sourceLocation)
    }

    @Test
    func `A value is on either side of a comparison, and literals have the column's type`() throws {
        let now = Date(timeIntervalSince1970: 1_709_164_800)
        let state = State.failed
        let limit: Int64? = 3
        try check(#""state" = 'queued' AND 'failed' <> "state" AND "state" = 'failed'"#, [false, false]) {
            $0.state == .queued && .failed != $0.state && $0.state == state
        }
        try check(#""priority" > 3 AND 3 < "priority" AND "priority" >= 3 AND 3 <= "priority""#, [true, false]) {
            $0.priority > 3 && 3 < $0.priority && $0.priority >= limit && limit <= $0.priority
        }
        try check(#""priority" < 2 AND "priority" <= 1 AND 2 > "priority" AND 1 >= "priority""#, [false, true]) {
            $0.priority < 2 && $0.priority <= 1 && 2 > $0.priority && 1 >= $0.priority
        }
        try check(#""cost" < 2.5 OR "queue" = 'mail'"#, [true, true]) { $0.cost < 2.5 || $0.queue == "mail" }
        try check(#""cost" > 2.0"#, [true, false]) { $0.cost > 2 }
        try check(#""day" <= '2024-02-29 00:00:00.000'"#, [true, nil]) { $0.day <= now }
        try check(#""state" IS 'queued' AND 'failed' IS NOT "state""#, [true, false]) { $0.state === .queued && .failed !== $0.state }
    }

    @Test
    func `An Int compares with a column of Int64`() throws {
        let limit: Int = 3
        try check(#""priority" > 3 AND 3 < "priority" AND "priority" >= 3 AND 3 <= "priority""#, [true, false]) {
            $0.priority > limit && limit < $0.priority && $0.priority >= limit && limit <= $0.priority
        }
        try check(#""priority" < 3 AND 3 > "priority" AND "priority" <= 3 AND 3 >= "priority""#, [false, true]) {
            $0.priority < limit && limit > $0.priority && $0.priority <= limit && limit >= $0.priority
        }
        try check(#""priority" <> 3 AND 3 <> "priority" AND ("priority" = 3 OR 3 = "priority" OR "id" = 1)"#, [true, false]) {
            $0.priority != limit && limit != $0.priority && ($0.priority == limit || limit == $0.priority || $0.id == 1)
        }
        try check(#""priority" BETWEEN 3 AND 4 AND "id" IN (1, 3) AND "id" >= 1 AND "id" < 3"#, [true, false]) {
            (limit...4).contains($0.priority) && [1, limit].contains($0.id) && (1..<limit).contains($0.id)
        }
        try check(#""priority" >= 3 AND "id" <= 3 AND "id" < 3"#, [true, false]) {
            (limit...).contains($0.priority) && (...limit).contains($0.id) && (..<limit).contains($0.id)
        }
        let assignment = Job.Columns.priority.set(to: limit)
        #expect(assignment.columnName == "priority" && assignment.value?.value == 3.databaseValue)
    }

    @Test
    func `nil compares with columns of any type`() throws {
        let state: State? = nil
        try check(#""day" IS NULL AND "priority" IS NOT NULL"#, [false, true]) { $0.day == nil && nil != $0.priority }
        try check(#""state" IS NULL OR "day" IS NULL OR "cost" IS NULL"#, [false, true]) {
            $0.state == state || $0.day === nil || !($0.cost !== nil)
        }
    }

    @Test
    func `Columns of the same type, and expressions without a type, are operands`() throws {
        try check(#""priority" > "attempts" AND "priority" <> "attempts" AND "priority" IS NOT "attempts""#, [true, false]) {
            $0.priority > $0.attempts && $0.priority != $0.attempts && $0.priority !== $0.attempts
        }
        try check(#""priority" > "attempts" * 2 AND "attempts" + 1 < "priority""#, [true, false]) {
            $0.priority > $0.attempts * 2 && $0.attempts + 1 < $0.priority
        }
        try check(#""priority" = "attempts" OR "attempts" = "attempts" OR "info" ->> 'a' = "priority""#, [true, true]) {
            $0.priority == $0.untyped || $0.untyped == $0.attempts || $0.info["a"] == $0.priority
        }
        try check(#""priority" = (SELECT max("priority") FROM "job")"#, [true, false]) {
            $0.priority == Job.select(max(Job.Columns.priority))
        }
        try check(#""priority" = 4.0 AND "state" = 'queued'"#, [true, false]) {
            $0.priority.sqlExpression == 4.0.databaseValue && $0.state.sqlExpression == "queued"
        }
    }

    @Test
    func `Lists and ranges`() throws {
        try check(#""state" IN ('queued', 'failed') AND "id" NOT IN (2, 3) AND "queue" IN ('mail')"#, [true, false]) {
            [.queued, .failed].contains($0.state) && ![2, 3].contains($0.id) && Set(["mail"]).contains($0.queue)
        }
        try check(#""id" IN ("priority", "attempts") OR "id" IN ("attempts", "priority" + 1) OR "id" IN ("id" + 1)"#, [false, true]) {
            [$0.priority, $0.attempts].contains($0.id) || [$0.attempts, $0.priority + 1].contains($0.id) || [$0.id + 1].contains($0.id)
        }
        try check(#""id" IN (SELECT "priority" FROM "job")"#, [true, false]) { Job.select(Job.Columns.priority).contains($0.id) }
        try check(#""priority" BETWEEN 1 AND 3 OR "priority" >= 4 AND "priority" < 5"#, [true, true]) {
            (1...3).contains($0.priority) || (4..<5).contains($0.priority)
        }
        try check(#""cost" >= 2.0 AND "cost" <= 3.0 AND "cost" < 4.0"#, [true, false]) {
            (2...).contains($0.cost) && (...3).contains($0.cost) && (..<4).contains($0.cost)
        }
    }

    @Test
    func `Functions, arithmetic and logic work as for any column`() throws {
        try check(#"abs("priority") = 4 AND length("queue") > 3 AND "queue" LIKE 'm%' AND NOT "attempts""#, [true, false]) {
            abs($0.priority) == 4 && length($0.queue) > 3 && $0.queue.like("m%") && !$0.attempts
        }
        try check(#""queue" COLLATE NOCASE = 'MAIL' AND lower("queue") = 'mail' AND "priority""#, [true, false]) {
            $0.queue.collating(.nocase) == "MAIL" && $0.queue.asciiLowercased == "mail" && $0.priority
        }
        try check(#"-"priority" + 2 * "attempts" - "id" % 7 < 0 AND "priority" & 4 <> 0 AND ifnull("attempts", 1) = 0"#, [true, false]) {
            -$0.priority + 2 * $0.attempts - $0.id % 7 < 0 && $0.priority & 4 != 0 && ($0.attempts ?? 1) == 0
        }
        try check(#"CASE WHEN "priority" > 1 THEN 'x' ELSE "queue" END = 'x' AND max("priority", "attempts", 2) = 4"#, [true, false]) {
            Case(when: $0.priority > 1, then: "x").else($0.queue) == "x" && max($0.priority, $0.attempts, 2) == 4
        }
        try check(#""queue" || '-' || "state" = 'mail-queued'"#, [true, false]) {
            [$0.queue, "-", $0.state].joined(operator: .concat) == "mail-queued"
        }
    }

    /// Checks a request: its SQL, and the first column of its rows.
    private func check(
        _ request: QueryInterfaceRequest<some Any>, _ sql: String, _ values: [(any DatabaseValueConvertible)?],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withDatabase(Self.creation) { db throws in
            #expect(try request.makePreparedRequest(db).statement.expandedSQL == sql, sourceLocation: sourceLocation)
            let rows = try Row.fetchAll(db, request.asRequest(of: Row.self)).map { $0.databaseValues.first ?? .null }
            #expect(rows == values.map { $0?.databaseValue ?? .null }, sourceLocation: sourceLocation)
        }
    }

    @Test
    func `All clauses of a request take typed columns`() throws {
        try check(
            Job.select { [$0.queue, max($0.priority)] }.group { $0.queue }.having { max($0.priority) > 1 }.order(\.queue.desc),
            #"SELECT "queue", max("priority") FROM "job" GROUP BY "queue" HAVING max("priority") > 1 ORDER BY "queue" DESC"#, ["mail"])
        try check(
            Job.select(Job.Columns.id, Job.Columns.state.forKey("s")).annotated { $0.cost }.order { [$0.priority, $0.day.ascNullsLast] },
            #"SELECT "id", "state" AS "s", "cost" FROM "job" ORDER BY "priority", "day" ASC NULLS LAST"#, [2, 1])
        try check(
            Job.select(AllColumnsExcluding([Job.Columns.id, Column("info")])).filter { $0.id == 1 },
            #"SELECT "queue", "state", "priority", "attempts", "cost", "day" FROM "job" WHERE "id" = 1"#, ["mail"])
    }

    @Test
    func `Columns of aliases and associations keep their type`() throws {
        let queue = TableAlias<Queue>(name: "q")
        try check(
            Job.select(\.id).joining(required: Job.definition.aliased(queue)).filter { _ in
                queue.limit > 3 && queue[Queue.Columns.name] == "mail"
            },
            #"SELECT "job"."id" FROM "job" JOIN "queue" AS "q" ON "q"."name" = "job"."queue" WHERE "q"."limit" > 3 AND "q"."name" = 'mail'"#,
            [1])
        try check(
            Job.select(\.id).joining(required: Job.definition).filter { Job.definition.columns.limit > $0.attempts },
            #"SELECT "job"."id" FROM "job" JOIN "queue" ON "queue"."name" = "job"."queue" WHERE "queue"."limit" > "job"."attempts""#, [1])
    }

    @Test
    func `Assignments take values of the column's type, and expressions`() throws {
        try withDatabase(Self.creation) { db throws in
            var statements: [String] = []
            db.trace { statements.append("\($0)") }
            try Job.updateAll(db) {
                [
                    $0.state.set(to: .failed), $0.day.set(to: nil), $0.priority += 1, $0.attempts.set(to: $0.priority),
                    $0.cost.set(to: $0.cost * 2),
                ]
            }
            #expect(
                statements.last == #"UPDATE "job" SET "state" = ?, "day" = ?, "priority" = "priority" + ?, "#
                    + #""attempts" = "priority", "cost" = "cost" * ?"#)
            db.trace(options: [])
            let row = try #require(try Row.fetchOne(db, Job.filter { $0.id == 1 }.asRequest(of: Row.self)))
            #expect(row[Job.Columns.state] == State.failed)
            #expect(try row.decode(Double.self, forColumn: Job.Columns.cost) == 5)
            #expect(try row.decodeIfPresent(Date.self, forColumn: Job.Columns.day) == nil)
            #expect(row.coalesce([Job.Columns.day, Job.Columns.queue]) == "mail")
        }
    }
}
