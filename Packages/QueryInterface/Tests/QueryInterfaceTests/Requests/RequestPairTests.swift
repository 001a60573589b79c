import Foundation
import QueryInterface
import Testing

/// Pairs of requests that differ in one thing. If the description of requests lacks it, the second request of a pair runs the statement of
/// the first: `make soak` leaves out each part of the description, and these tests must notice.
@Suite struct RequestPairTests {
    private typealias Pair = (QueryInterfaceRequest<Row>, QueryInterfaceRequest<Row>)

    private static let creation = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER UNIQUE, b INTEGER UNIQUE, c TEXT, parent INTEGER REFERENCES t, UNIQUE (a, b));
        CREATE TABLE u (id INTEGER PRIMARY KEY, t INTEGER REFERENCES t, a INTEGER, b INTEGER, c TEXT);
        CREATE TABLE v (a INTEGER PRIMARY KEY, b INTEGER);
        CREATE TABLE w (a INTEGER);
        INSERT INTO t VALUES (1, 10, 1, '[1]', NULL), (2, 30, 20, '{"a":2}', 1), (3, 20, 10, '"text"', 1), (4, NULL, 3, NULL, 2);
        INSERT INTO u VALUES (1, 1, 2, 4, 'x'), (2, 1, 3, 2, 'Y'), (3, 2, 1, NULL, 'x%'), (4, NULL, 4, 1, NULL), (10, 3, 1, 1, '1000.0');
        INSERT INTO v VALUES (1, 2), (2, 1), (3, 30);
        """

    /// Makes a list of pairs. The compiler checks the types of each pair apart.
    @resultBuilder
    private enum Pairs {
        static func buildExpression(_ pair: Pair) -> [Pair] { [pair] }
        static func buildExpression(_ pairs: [Pair]) -> [Pair] { pairs }
        static func buildBlock(_ pairs: [Pair]...) -> [Pair] { pairs.flatMap { $0 } }
    }

    /// Expects that each request of a pair gets its own statement, its own rows and its own errors after the other one.
    private func expectDifferent(sourceLocation: SourceLocation = #_sourceLocation, @Pairs _ pairs: () -> [Pair]) throws {
        try withDatabase(Self.creation) { db throws in
            db.add(function: Self.twice)
            for (first, second) in pairs() { try expectDifferent(db, first, second, outcome, sourceLocation) }
        }
    }

    private func expectDifferent<Request>(
        _ db: Database, _ first: Request, _ second: Request, _ outcome: (Request, Database) throws -> [String],
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (other, request) in [(first, second), (second, first)] {
            // Drops all plans.
            db.clearSchemaCache()
            let expected = try outcome(request, db)
            db.clearSchemaCache()
            let different = try outcome(other, db)
            #expect(try outcome(request, db) == expected, sourceLocation: sourceLocation)
            #expect(different != expected, sourceLocation: sourceLocation)
        }
    }

    /// The SQL, rows and numbers of a request, which is kept, or its error.
    private func outcome(_ request: QueryInterfaceRequest<Row>, _ db: Database) -> [String] {
        do {
            let prepared = try request.makePreparedRequest(db, forSingleResult: false)
            let count = db.requestPlans.count
            #expect(count > 0, "\(prepared.statement.sql) is not kept")
            let rows = try request.fetchAll(db).map { "\($0.debugDescription) \($0.prefetchedRows["us"].map { "\($0)" } ?? "")" }
            let one = try request.fetchOne(db)?.debugDescription ?? "none"
            return try [
                "\(prepared.statement.sql) \(prepared.statement.arguments)", "\(request.fetchCount(db)) \(request.isEmpty(db)) \(one)",
            ]
                + rows
        } catch {
            return ["\(error)"]
        }
    }

    private static let twice = DatabaseFunction("twice", argumentCount: 1, pure: true) { $0[0] }

    private static let (t, u, v) = (Table<Row>("t"), Table<Row>("u"), Table<Row>("v"))
    private static let (id, a, b, c) = (Column("id"), Column("a"), Column("b"), Column("c"))
    private let t = Self.t
    private let u = Self.u
    private let v = Self.v
    private let id = Self.id
    private let a = Self.a
    private let b = Self.b
    private let c = Self.c

    /// A pair of requests that select different expressions.
    private func selecting(_ first: any SQLSelectable, _ second: any SQLSelectable) -> Pair {
        (t.select([first]).order(id), t.select([second]).order(id))
    }

    // MARK: - Selections, orders and limits

    @Test
    func `Selections`() throws {
        let (x, y) = (TableAlias<Row>(), TableAlias<Row>())
        let joined = t.all().aliased(x).joining(required: t.hasMany(u, using: ForeignKey(["t"])).aliased(y))
        try expectDifferent {
            selecting(a, b)
            selecting(a.forKey("x"), a.forKey("y"))
            selecting(a.forKey("x"), b.forKey("x"))
            selecting(a.forKey("x"), a)
            selecting(AllColumns(), AllColumnsExcluding(["a"]))
            selecting(AllColumnsExcluding(["a"]), AllColumnsExcluding(["b"]))
            selecting(AllColumnsExcluding(["a"]), a)
            selecting(AllColumnsExcluding(["a"]), a.detached)
            selecting(AllColumnsExcluding(["a"]), AllColumnsExcluding(["a", "b"]))
            selecting("a" as SQL, "b" as SQL)
            selecting("a + \(1)" as SQL, "a + \(b)" as SQL)
            selecting("12345678 + a" as SQL, "12345679 + a" as SQL)
            selecting("12345678 + a" as SQL, "12345678 + b" as SQL)
            (t.select(AllColumns(), a), t.select(a, AllColumns()))
            (t.select(a), t.select(a, b))
            (t.all().annotated(with: a), t.select(a))
            (t.all().annotated(with: a), t.all().annotated(with: b))
            (t.all().annotated(with: a), t.all().annotated(with: a).annotated(with: b))
            (t.select(a).annotated(with: b), t.select(b).annotated(with: b))
            (joined.select(x[a]), joined.select(y[a]))
            (joined.select(x[a]), joined.select(x[b]))
            (joined.select(a), joined.select(a.detached))
            (joined.select(x[AllColumns()]), joined.select(y[AllColumns()]))
            (joined.select(x[AllColumnsExcluding(["a"])]), joined.select(y[AllColumnsExcluding(["a"])]))
            (joined.select(x[AllColumnsExcluding(["a"])]), joined.select(x[AllColumnsExcluding(["b"])]))
            (t.select(a), t.select(a).distinct())
            (t.select(a), u.select(a))
        }
    }

    @Test
    func `Orders and limits`() throws {
        let (x, y) = (TableAlias<Row>(), TableAlias<Row>())
        let joined = t.all().aliased(x).joining(required: t.hasMany(u, using: ForeignKey(["t"])).aliased(y))
        try expectDifferent {
            (t.order(a), t.order(b))
            (t.order(a), t.order(a.desc))
            (t.order(a.asc), t.order(a))
            (t.order(a), t.order(a.ascNullsLast))
            (t.order(a.desc), t.order(a.descNullsFirst))
            (t.order(a, b), t.order(b, a))
            (t.order(a), t.order(a, b))
            (t.order(a), t.order(a).reversed())
            (t.order(a), t.order(a).withStableOrder())
            (t.order(a), t.all())
            (t.order("a" as SQL), t.order("b" as SQL))
            (t.order("a" as SQL), t.order("a" as SQL, "b" as SQL))
            (joined.order(x[a.asc]), joined.order(y[a.asc]))
            (joined.order(x[a.asc]), joined.order(x[b.asc]))
            (t.order(a).limit(1), t.order(a).limit(2))
            (t.order(a).limit(1), t.order(a))
            (t.order(a).limit(2, offset: 1), t.order(a).limit(2, offset: 0))
            (t.order(a).limit(2, offset: 1), t.order(a).limit(2))
            (t.all().limit(1, offset: 2), t.all().limit(2, offset: 1))
            (t.orderWhenConnected { _ in [Self.a] }, t.orderWhenConnected { _ in [Self.b] })
        }
    }

    @Test
    func `Columns of the order that a query returns`() throws {
        try withDatabase(Self.creation) { db throws in
            for (first, second) in [([a], [b]), ([a], [a, b]), ([], [a])] {
                try expectDifferent(db, first, second) { columns, db in
                    let (rows, indexes) = try t.select(c).order(a, b).fetchRows(db, withColumnsOf: columns.map(\.sqlOrdering))
                    return rows.map { row in "\(row.unadapted) \(indexes)" }
                }
            }
        }
    }

    @Test
    func `Groups and windows`() throws {
        let definition = WindowDefinition(orderBy: a)
        func windows(_ first: WindowDefinition, _ second: WindowDefinition? = nil, name: String = "x") -> QueryInterfaceRequest<Row> {
            let request = t.select(id, count(id).over(windowNamed: "w")).window("w", first)
            return second.map { request.window(name, $0) } ?? request
        }
        func over(_ definition: WindowDefinition) -> QueryInterfaceRequest<Row> { t.select(id, count(id).over(definition)) }
        let frames: [WindowFrame] = [
            .rows(from: .preceding(1)), .groups(from: .preceding(1)), .rows(from: .unboundedPreceding),
            .rows(from: .preceding(1.sqlExpression + 1)),
            .rows(from: .preceding(1), to: .following(1)), .rows(from: .preceding(1), excluding: .ties),
            .rows(from: .preceding(1), excluding: .group), .rows(from: .currentRow, to: .following(1)),
            .rows(from: .following(1), to: .following(2)), .rows(from: .preceding(1), to: .unboundedFollowing),
        ]
        try expectDifferent {
            (t.select(count(id)).group(a), t.select(count(id)).group(b))
            (t.select(count(id)).group(a), t.select(count(id)))
            (t.select(count(id)).group(b), t.select(count(id)).group(b, c))
            (t.select(b).group(b).having(max(a) > 10), t.select(b).group(b).having(max(a) < 10))
            (t.select(b).group(b).having(max(a) > 10), t.select(b).group(b).having(max(a) > 10).having(max(c) > 10))
            (t.select(b).group(b).having(max(a) > 10), t.select(b).group(b))
            (windows(definition), windows(WindowDefinition(orderBy: b)))
            (windows(definition), windows(definition, definition))
            (windows(definition, definition, name: "x"), windows(definition, definition, name: "y"))
            (windows(definition), windows(WindowDefinition(partitionBy: a)))
            (windows(definition, WindowDefinition(basedOn: "w")), windows(definition, WindowDefinition()))
            (
                windows(WindowDefinition(frame: frames[0]), WindowDefinition(basedOn: "w2"), name: "TIES"),
                windows(WindowDefinition(frame: frames[5]), WindowDefinition(), name: "w2")
            )
            (
                t.select(count(id).over(windowNamed: "w")).window("w", definition).window("y", WindowDefinition(orderBy: b)),
                t.select(count(id).over(windowNamed: "y")).window("w", definition).window("y", WindowDefinition(orderBy: b))
            )
            (
                t.select(count(a).over(windowNamed: "w")).window("w", definition),
                t.select(count(id).over(windowNamed: "w")).window("w", definition)
            )
            (over(definition), t.select(id, sum(id).over(definition)))
            (over(definition), over(WindowDefinition(orderBy: b)))
            (over(WindowDefinition(partitionBy: a)), over(WindowDefinition(partitionBy: b)))
            (over(WindowDefinition(partitionBy: a, b)), over(WindowDefinition(partitionBy: a, orderBy: b)))
            (over(WindowDefinition(orderBy: a)), over(WindowDefinition(orderBy: a, b)))
            frames.indices.dropFirst().map { index in
                (over(WindowDefinition(orderBy: a, frame: frames[0])), over(WindowDefinition(orderBy: a, frame: frames[index])))
            }
            (over(WindowDefinition(orderBy: a, frame: frames[0])), over(WindowDefinition(orderBy: a)))
        }
    }

    // MARK: - Expressions

    @Test
    func `Operators`() throws {
        let shared = (2.sqlExpression, 3.sqlExpression)
        try expectDifferent {
            selecting(a == b, a != b)
            selecting(a < b, b < a)
            selecting(a < b, a < id)
            selecting(a < b, id < b)
            selecting(a == 1, 1.sqlExpression == a)
            selecting(a == 1, a == nil)
            selecting(a + b, a * b)
            selecting(a + b + id, a + b)
            selecting(a + b + id, a + id + b)
            selecting(a - b, a / b)
            selecting(a - b - id, a - b + id)
            selecting(a - b, b - a)
            selecting(a - b, a - id)
            selecting(a - b, id - b)
            selecting(a - b, a - b - id)
            selecting(-a, ~a)
            selecting(-a, -b)
            selecting(-(1.sqlExpression), -((-1).sqlExpression))
            selecting(!a, -a)
            selecting(a == nil, a != nil)
            selecting(a === nil, b === nil)
            selecting(cast(a, as: .integer), cast(a, as: .text))
            selecting(cast(a, as: .text), cast(b, as: .text))
            selecting(c.collating(.nocase), c.collating(.rtrim))
            selecting(c.collating(.nocase), a.collating(.nocase))
            selecting(Column("c").detached, Column("a").detached)
            selecting(cast(a, as: .text), a.collating(.binary))
            selecting(a ?? b, coalesce([a, b]))
            selecting(a ?? b, b ?? a)
            selecting(a ?? b, a ?? b ?? id)
            selecting(a ?? 1, a ?? b)
            selecting(coalesce([a, b]), coalesce([a, b, id]))
            selecting(
                [a.sqlExpression, 1.sqlExpression, b.sqlExpression].joined(operator: .concat),
                [1.sqlExpression, a.sqlExpression, b.sqlExpression].joined(operator: .concat))
            selecting(
                [a.sqlExpression, .null, b.sqlExpression].joined(operator: .concat),
                [.null, a.sqlExpression, b.sqlExpression].joined(operator: .concat))
            selecting(a == shared.0 && b == shared.1 && id == shared.0, a == shared.0 && b == shared.1 && id == shared.1)
            selecting(a == shared.0 && b == shared.0, a == shared.0 && b == 3)
            selecting(
                [max(a, b), b.sqlExpression, max(b, id)].joined(operator: .concat), [max(a, b, b), max(b, id)].joined(operator: .concat))
        }
    }

    @Test
    func `Conditions`() throws {
        let list = [a.sqlExpression, b.sqlExpression]
        let lists = (
            CommonTableExpression<Row>(named: "l", request: t.select(a)), CommonTableExpression<Row>(named: "m", request: t.select(b))
        )
        func within(_ condition: SQLExpression) -> QueryInterfaceRequest<Row> { t.all().with(lists.0).with(lists.1).filter(condition) }
        let (x, y) = (TableAlias<Row>(), TableAlias<Row>())
        let joined = t.all().aliased(x).joining(optional: t.hasMany(u, using: ForeignKey(["t"])).aliased(y)).order(x[id])
        try expectDifferent {
            selecting((1...20).contains(a), !(1...20).contains(a))
            selecting((1...20).contains(a), (1...20).contains(b))
            selecting(c.like("a"), !c.like("a"))
            selecting(c.like("a"), c.glob("a"))
            selecting(c.like("a"), b.like("a"))
            selecting(c.like("a"), c.like(b))
            selecting(c.like("a"), c.like("a", escape: "b"))
            selecting(c.like("a", escape: b), c.like("a", escape: a))
            selecting(Case(when: c.like(a), then: b).else(id), Case(when: c.like(a, escape: b), then: id).sqlExpression)
            selecting(list.contains(id), !list.contains(id))
            selecting(list.contains(id), list.contains(a))
            selecting(list.contains(id), [a, b, id].contains(id))
            selecting(list.contains(id), [a, id].contains(id))
            selecting(rowValue(a, b) < rowValue(b, id), rowValue(a, b) > rowValue(b, id))
            selecting(rowValue(a, b) < rowValue(b, id), rowValue(b, b) < rowValue(b, id))
            selecting(rowValue(a, b) < rowValue(b, id), rowValue(a, b) < rowValue(b, a))
            selecting(Case(when: a, then: b), Case(when: b, then: b))
            selecting(Case(when: a, then: b), Case(when: a, then: id))
            selecting(Case(when: a, then: b), Case(when: a, then: b).else(id))
            selecting(Case(a, when: b, then: id), Case(when: b, then: id))
            selecting(Case(a, when: b, then: id), Case(c, when: b, then: id))
            selecting(Case(when: a, then: b), Case(when: a, then: b).when(b, then: id))
            selecting(Case(when: a, then: b).else(id), Case(when: a, then: b).else(a))
            (within(lists.0.contains(id)), within(lists.1.contains(id)))
            (within(lists.0.contains(id)), within(lists.0.contains(a)))
            (within(lists.0.contains(a)), within(!lists.0.contains(a)))
            (t.filter(a == 10), t.filter(a == 10).filter(b == 1))
            (t.filter(a > 10), t.filter(b > 10))
            (t.filter(a > 10).filter(b > 10), t.filter(b > 10).filter(a > 10))
            (joined.filter(y.exists), joined.filter(!y.exists))
            (joined.filter(y.exists), joined.filter(x.exists))
            (t.filter(keys: [1, 2]), t.filter(keys: [1, 2, 3]))
            (t.filter(key: ["a": 10]), t.filter(key: ["b": 10]))
            (t.filter(key: ["a": 10]), t.filter(key: ["a": nil]))
            (t.filter(key: ["a": 10]), t.filter(key: ["a": 10, "b": 1]))
            (t.filter(keys: [["a": 10], ["b": 20]]), t.filter(keys: [["a": 10, "b": 20]]))
            (t.filter(keys: [["a": 10]]), t.filter(keys: [["a": 10], ["a": 20]]))
            (t.filter(key: 1), t.filter(key: ["a": 1]))
            (t.filterWhenConnected { _ in Self.a > 10 }, t.filterWhenConnected { _ in Self.b > 10 })
        }
    }

    @Test
    func `Functions and aggregates`() throws {
        let twice = Self.twice
        let ownAbs = DatabaseFunction("abs", argumentCount: 1, pure: true) { $0[0] }
        try expectDifferent {
            selecting(length(c), abs(c))
            selecting(max(a, b), max(b, a))
            selecting(max(a, b), max(a, b, id))
            selecting(twice(a), abs(a))
            selecting(ownAbs(a), abs(a))
            selecting(twice(a), twice(b))
            selecting(Database.jsonArray([JSONColumn("c")]), Database.jsonArray([c]))
            selecting(Database.jsonArray([JSONColumn("c")]), Database.jsonArray([JSONColumn("a")]))
            selecting(Database.jsonArray([JSONColumn("c")["a"]]), Database.jsonArray([JSONColumn("c")["b"]]))
            selecting(Database.jsonArray([Database.jsonArray([a])]), Database.jsonArray([a]))
            selecting(max(a), min(a))
            selecting(max(a), max(b))
            selecting(count(a), count(distinct: a))
            selecting(count(a), count(a, filter: b > 2))
            selecting(count(a, filter: b > 2), count(a, filter: id > 2))
            selecting(count(a), count(.allColumns))
            selecting(groupConcat(c, separator: ";"), groupConcat(a, separator: ";"))
            selecting(groupConcat(c), groupConcat(c, separator: ";"))
        }
    }

    @Test
    func `Subqueries and common table expressions`() throws {
        func query(_ column: Column) -> QueryInterfaceRequest<Row> { u.select(column).filter(Column("t") > 1) }
        func table(
            _ request: QueryInterfaceRequest<Row>, _ name: String = "e", _ columns: [String]? = nil, recursive: Bool = false
        ) -> QueryInterfaceRequest<Row> {
            let expression = CommonTableExpression<Row>(recursive: recursive, named: name, columns: columns, request: request)
            return expression.all().with(expression)
        }
        let (e, f) = (
            CommonTableExpression<Row>(named: "e", request: u.select(a)), CommonTableExpression<Row>(named: "f", request: u.select(b))
        )
        let otherE = CommonTableExpression<Row>(named: "E", request: u.select(b))
        try expectDifferent {
            selecting(query(a).sqlExpression, query(b).sqlExpression)
            selecting(query(a).contains(id), query(b).contains(id))
            selecting(query(a).contains(id), !query(a).contains(id))
            selecting(query(a).contains(id), query(a).contains(b))
            selecting(query(a).exists(), !query(a).exists())
            selecting(query(a).exists(), query(b).exists())
            selecting(query(a).sqlSubquery, query(b).sqlSubquery)
            (table(query(a)), table(query(a), "f"))
            (table(query(a)), table(query(a), "e", ["x"]))
            (table(query(a), "e", ["y"]), table(query(a), "e", ["x"]))
            (table(query(a)), table(query(b)))
            (table(u.select(a, b), "e", ["x", "y"]), table(u.select(a, b), "e", ["x"]))
            (table(query(a)), table(query(a), recursive: true))
            (e.all().with(e), e.all().with(e).with(f))
            (e.all().with(e), e.all())
            (e.all().with(e), Table<Row>("v").all())
            (e.all().with(e), otherE.all().with(e))
            (t.all().with(e), t.all().with(otherE))
            // Without the types of their nodes, both would begin with the clauses, a name, no record type, and no rows.
            selecting(Table<Row>("w").limit(0).sqlExpression, "w" + SQL(sql: "") + SQL(sql: ""))
        }
    }

    // MARK: - Associations

    @Test
    func `Joins`() throws {
        let parent = t.belongsTo(t, key: "k", using: ForeignKey(["parent"], to: ["id"]))
        let child = t.hasOne(t, key: "k", using: ForeignKey(["parent"], to: ["id"]))
        let others = [
            t.belongsTo(t, key: "k", using: ForeignKey(["a"], to: ["id"])),
            t.belongsTo(t, key: "k", using: ForeignKey(["parent"], to: ["b"])),
            t.belongsTo(u, key: "k", using: ForeignKey(["parent"], to: ["id"])),
            t.belongsTo(t, key: "k", using: ForeignKey(["parent", "a"], to: ["id", "b"])),
        ]
        let many = t.hasMany(u, key: "us")
        let all = CommonTableExpression<Row>(named: "all", request: v.all())
        let (base, cross) = (t.all().with(all), t.association(to: all))
        let on = t.association(to: v) { $0["a"] == $1["a"] }
        let (n, m) = (TableAlias<Row>(name: "n"), TableAlias<Row>(name: "m"))
        let joined = t.including(required: parent)
        let aliases = Aliases()
        func capturing(_ side: Int) -> QueryInterfaceRequest<Row> {
            // The left table of the second association is the right table of the first one.
            let second = v.association(to: u) { (side == 0 ? aliases.left : $0)["b"] == $1["a"] }
            return t.joining(
                required: t.association(to: v) {
                    aliases.left = $0
                    return $1["a"] == 1
                }.joining(required: second))
        }
        func capturingRight(_ isCaptured: Bool) -> QueryInterfaceRequest<Row> {
            let first = t.association(to: v) {
                aliases.right = $1
                return $0["b"] == 1
            }
            return t.joining(required: first).joining(
                required: t.association(to: v) { $0["b"] == (isCaptured ? aliases.right : $1)["a"] }.forKey("x"))
        }
        try expectDifferent {
            (capturing(0), capturing(1))
            (capturingRight(true), capturingRight(false))
            (u.joining(required: u.belongsTo(t, key: "k")), u.joining(required: v.belongsTo(t, key: "k")))
            (t.joining(required: t.hasMany(u, key: "k")), t.joining(required: v.hasMany(u, key: "k")))
            (joined, t.including(optional: parent))
            (joined, t.joining(required: parent))
            (joined, t.including(required: child))
            (joined, t.including(required: parent.forKey("l")))
            (joined, t.including(required: parent.filter(a > 10)))
            (joined, t.including(required: parent.filter(a > 10)).filter(a > 10))
            (joined, t.including(required: many))
            (base.joining(required: cross), base.joining(required: t.association(to: all) { $0["a"] == $1["a"] }))
            (base.joining(required: cross), base)
            (t.joining(required: on), t.joining(required: t.association(to: v) { $0["b"] == $1["a"] }))
            (t.joining(required: on), t.joining(required: t.association(to: v) { $1["a"] == $0["a"] }))
            (t.joining(required: on), t.joining(required: t.association(to: u) { $0["a"] == $1["a"] }))
            (t.all().aliased(n), t.all().aliased(m))
            (t.all().aliased(n), t.all())
            (t.joining(required: parent.aliased(n)), t.joining(required: parent.aliased(m)))
            (joined.filter(parent.columns["a"] == 10), joined.filter(parent.columns["b"] == 10))
            (
                joined.including(optional: many).filter(parent.columns["a"] == 10),
                joined.including(optional: many).filter(many.columns["a"] == 10)
            )
            (
                t.including(required: parent.including(required: parent)).filter(parent.columns["a"] == 10),
                t.including(required: parent.including(required: parent)).filter(
                    t.hasOne(t, through: parent, using: parent).columns["a"] == 10)
            )
            others.map { (joined, t.including(required: $0)) }
        }
    }

    @Test
    func `Aggregates of associations, and prefetched associations`() throws {
        let us = t.hasMany(u, key: "us", using: ForeignKey(["t"], to: ["id"]))
        let others = t.hasMany(u, key: "us", using: ForeignKey(["a"], to: ["id"]))
        let children = t.hasMany(t, key: "us", using: ForeignKey(["parent"], to: ["id"]))
        let parent = t.belongsTo(t, key: "k", using: ForeignKey(["parent"], to: ["id"]))
        let siblings = t.hasMany(t, through: parent, using: children, key: "us")
        let uncles = t.hasMany(t, through: children, using: children, key: "us")
        func annotated(_ aggregate: AssociationAggregate<Row>) -> QueryInterfaceRequest<Row> {
            t.all().annotated(with: aggregate.forKey("x"))
        }
        let prefetching = t.including(all: us)
        // An association to one row with the key of the one to many rows.
        let up = t.belongsTo(t, key: "u", using: ForeignKey(["parent"], to: ["id"]))
        let upAndDown = t.hasMany(t, through: up, using: children, key: "us")
        func prefetchingTwice(_ other: HasManyAssociation<Row, Row>) -> QueryInterfaceRequest<Row> {
            t.joining(required: parent.including(all: us)).including(all: other)
        }
        // Only one of the queries of the prefetched rows lacks the table of the column.
        func prefetchingOf(_ table: Table<Row>, _ key: Column) -> QueryInterfaceRequest<Row> {
            let us = table.hasMany(u, key: "us", using: ForeignKey(["t"], to: [key.name]))
            return table.filter(key <= 3).including(all: us.filter(Column("a", of: V.self) > 0))
        }
        let typed = Table<T>("t").hasMany(u, key: "us", using: ForeignKey(["t"], to: ["id"]))
        let x = TableAlias<T>()
        func ofOtherTable(_ aggregate: some SQLOperand) -> QueryInterfaceRequest<Row> {
            Table<T>("u").all().aliased(x).annotated(with: x[aggregate].forKey("n")).asRequest(of: Row.self)
        }
        try expectDifferent {
            (annotated(us.isEmpty), t.all().annotated(with: (!us.isEmpty).forKey("x")))
            (annotated(us.isEmpty), annotated(us.count))
            (annotated(us.count), annotated(us.max(a)))
            (annotated(us.min(a)), annotated(us.max(a)))
            (annotated(us.max(b)), annotated(us.max(a)))
            (annotated(us.count), annotated(us.filter(a > 1).count))
            (annotated(us.count), annotated(others.count))
            (annotated(us.count), annotated(children.count))
            (annotated(uncles.count), annotated(siblings.count))
            (annotated(children.count), annotated(uncles.count))
            (annotated(upAndDown.count), annotated(uncles.count))
            (ofOtherTable(typed.count), ofOtherTable(us.count))
            (t.having(us.count > 1), t.having(others.count > 1))
            (t.having(us.isEmpty), t.having(!us.isEmpty))
            (prefetching, t.all())
            (prefetching, t.including(all: us.forKey("x")))
            (prefetching, t.including(all: others))
            (prefetching, t.including(all: us.filter(a > 1)))
            (prefetching, t.including(all: us.order(a.desc)))
            (t.including(all: children), t.including(all: siblings))
            (t.including(all: uncles), t.including(all: children))
            (prefetching, prefetching.including(all: children.forKey("y")))
            (prefetching, t.including(all: us.limit(1)))
            (prefetchingTwice(others.forKey("x")), prefetchingTwice(others))
            (prefetchingOf(t, id), prefetchingOf(v, a))
            (t.select(b).including(all: us), t.select(b).including(all: siblings))
            (
                t.select(b).including(all: t.hasMany(u, key: "us", using: ForeignKey(["t"], to: ["a"]))),
                t.select(b).including(all: t.hasMany(u, key: "us", using: ForeignKey(["t"], to: ["id"])))
            )
        }
    }

    // MARK: - Record types

    private struct Seconds: TableRecord, ColumnValueEncoding {
        static let databaseTableName = "u"

        static func databaseValue(of value: any DatabaseValueConvertible & Sendable, inColumn column: String) -> DatabaseValue? {
            (value as? Date).map { $0.timeIntervalSince1970.databaseValue }
        }
    }

    private struct Milliseconds: TableRecord, ColumnValueEncoding {
        static let databaseTableName = "u"

        static func databaseValue(of value: any DatabaseValueConvertible & Sendable, inColumn column: String) -> DatabaseValue? {
            (value as? Date).map { ($0.timeIntervalSince1970 * 1_000).databaseValue }
        }
    }

    private struct T: TableRecord {}

    private struct V: TableRecord {}

    private struct Renamed: TableRecord {
        @TaskLocal static var databaseTableName = "t"
    }

    /// The tables of an association, as its closure gets them.
    private final class Aliases: @unchecked Sendable {
        // One connection uses them.
        var left = TableAlias<Row>()
        var right = TableAlias<Row>()
    }

    @Test
    func `Record types, and columns that know their tables`() throws {
        let date = Date(timeIntervalSince1970: 1)
        let (seconds, milliseconds) = (TableAlias<Seconds>(), TableAlias<Milliseconds>())
        let joined = t.joining(required: t.hasMany(u, using: ForeignKey(["t"])))
        let (ofT, ofU) = (Column("a", of: Renamed.self), Renamed.$databaseTableName.withValue("u") { Column("a", of: Renamed.self) })
        try expectDifferent {
            (joined.filter(ofT == 2), joined.filter(ofU == 2))
            (Seconds.filter(c == date).asRequest(of: Row.self), Milliseconds.filter(c == date).asRequest(of: Row.self))
            (u.filter(Column("c", of: Seconds.self) == date), u.filter(Column("c", of: Milliseconds.self) == date))
            (u.all().aliased(seconds).filter(seconds[c] == date), u.all().aliased(milliseconds).filter(milliseconds[c] == date))
            (joined.filter(Column("a", of: T.self) == 10), joined.filter(Column("b", of: T.self) == 10))
            (joined.filter(Column("a", of: T.self) == 2), joined.filter(Column("a", of: Seconds.self) == 2))
            (joined.filter(Column("a", of: T.self) == 2), joined.filter(a == 2).filter(b == 2))
        }
    }
}
