import Foundation
import Testing
import SQLiteDriver

@testable import RecordGenerator

/// Random triples of a schema, a query and rows: no NULL meets a non-optional column, and no value has another storage class than proven.
///
/// `STRATA_QUERIES` sets the number of triples, and `STRATA_SEED` the first seed.
@Suite struct RandomQueryTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["STRATA_QUERIES"].flatMap { Int($0) } ?? 1500
    private static let seed = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 1

    /// What the triples have shown.
    private struct Counts {
        var queries = 0
        var refused = 0
        var notUnderstood = 0
        var columns = 0
        var untyped = 0
        /// Columns that are optional, and had no NULL in any database with the schema.
        var optionalWithoutNull = 0
        var optional = 0
        var rows = 0
    }

    @Test
    func `No NULL and no other type meets a column that excludes them`() throws {
        var counts = Counts()
        var seed = Self.seed
        while counts.queries < Self.count {
            var random = QueryRandom(seed: seed)
            seed += 1
            try check(&random, &counts)
        }
        let share = Double(counts.optionalWithoutNull) / Double(max(1, counts.columns))
        if Self.environment["STRATA_QUERIES"] != nil { print("\(counts), optional without NULL: \(share)") }
        // Most random queries are legal, and understood.
        #expect(counts.refused * 2 < counts.queries && counts.notUnderstood * 20 < counts.queries, "\(counts)")
    }

    private func check(_ random: inout QueryRandom, _ counts: inout Counts) throws {
        let script = random.schema()
        let queue = try SchemaScript(SourceText(script, file: "schema.sql")).makeDatabase(RecordSettings())
        try queue.writeWithoutTransaction { db in
            let model = try SchemaModel(db, source: "schema.sql", readsValues: false, script: script)
            let records = RecordGenerator(model).records
            let schema = try QuerySchema(db, model, records, RecordSettings())
            let queries = (0..<40).map { _ in random.query() }
            // The same queries with several contents of the tables.
            var shapes: [Int: (QueryTyping.Shape, Set<Int>)] = [:]
            for round in 0..<5 {
                try random.fill(db, isEmpty: round == 0)
                for (index, sql) in queries.enumerated() {
                    if round == 0 {
                        counts.queries += 1
                        guard case .statement(let description, _) = try db.compile(sql) else {
                            counts.refused += 1
                            continue
                        }
                        var parser = SQLParser(sql)
                        guard let tree = try? parser.statement() else {
                            counts.notUnderstood += 1
                            continue
                        }
                        var typing = QueryTyping(schema, parser)
                        guard let shape = try? typing.shape(of: tree) else {
                            counts.notUnderstood += 1
                            continue
                        }
                        #expect(shape.columns.count == description.columns.count, "\(sql)")
                        guard shape.columns.count == description.columns.count else { continue }
                        for (column, described) in zip(shape.columns, description.columns) {
                            guard let origin = column.value.origin else { continue }
                            let isSame = origin.declaredType == described.declaredType ?? ""
                            #expect(isSame, "\(sql): \(column)")
                        }
                        shapes[index] = (shape, [])
                    }
                    guard let (shape, _) = shapes[index] else { continue }
                    if let nulls = try run(sql, shape, db, script, &counts) { shapes[index]!.1.formUnion(nulls) }
                }
            }
            for (shape, nulls) in shapes.values {
                for (index, column) in shape.columns.enumerated() {
                    counts.columns += 1
                    if column.value.type == nil { counts.untyped += 1 }
                    if column.value.isNullable { counts.optional += 1 }
                    if column.value.isNullable, !nulls.contains(index) { counts.optionalWithoutNull += 1 }
                }
            }
        }
    }

    /// Runs a query, and returns the columns that had NULL; nil if it failed.
    private func run(
        _ sql: String, _ shape: QueryTyping.Shape, _ db: Database, _ script: String, _ counts: inout Counts
    ) throws -> Set<Int>? {
        var nulls: Set<Int> = []
        var number = 0
        do {
            let statement = try db.makeStatement(sql: sql)
            while try statement.step(), number < 200 {
                number += 1
                for (index, column) in shape.columns.enumerated() {
                    let storage = statement.storage(at: index)
                    if storage == .null {
                        nulls.insert(index)
                        if !column.value.isNullable {
                            Issue.record("column \(index) of \(sql) is NULL with\n\(script)\n\(try dump(db))")
                            return nil
                        }
                    } else if let proven = column.value.storage, proven != storage {
                        Issue.record("column \(index) of \(sql) is \(storage), and not \(proven), with\n\(script)\n\(try dump(db))")
                        return nil
                    }
                }
            }
        } catch is DatabaseError {
            // Such as an integer overflow.
            return nil
        }
        counts.rows += number
        switch shape.rowCount {
        case .one: #expect(number == 1, "\(sql) has \(number) rows")
        case .optional: #expect(number <= 1, "\(sql) has \(number) rows")
        case .many: break
        }
        return nulls
    }

    private func dump(_ db: Database) throws -> String {
        var text = ""
        for table in ["t0", "t1", "t2"] {
            let statement = try db.makeStatement(sql: "SELECT * FROM \(table)")
            while try statement.step() {
                let values = (0..<statement.columnCount).map { statement.databaseValue(at: $0).sqlLiteral }
                text += "INSERT INTO \(table) VALUES (\(values.joined(separator: ", ")));\n"
            }
        }
        return text
    }
}

/// Makes random schemas, rows and queries.
struct QueryRandom {
    private var state: UInt64
    private var tables: [[Column]] = []

    struct Column {
        var name: String
        var type: String
        var isNotNull: Bool
        var isKey: Bool
    }

    /// A table of a FROM clause: its name there, and the names of its columns.
    private typealias Source = (name: String, columns: [String])

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    // MARK: - Schemas and rows

    mutating func schema() -> String {
        tables = []
        var sql = ""
        for number in 0..<3 {
            let isStrict = chance(50)
            let hasKey = chance(70)
            var columns: [Column] = hasKey ? [Column(name: "id", type: "INTEGER", isNotNull: false, isKey: true)] : []
            for index in 0..<(2 + below(3)) {
                let types =
                    isStrict ? ["INTEGER", "TEXT", "REAL", "BLOB", "ANY"] : ["INTEGER", "TEXT", "REAL", "BLOB", "NUMERIC", "BOOLEAN", ""]
                columns.append(Column(name: ["a", "b", "c", "d"][index], type: pick(types), isNotNull: chance(50), isKey: false))
            }
            tables.append(columns)
            let unique = chance(30) ? ", UNIQUE (a\(chance(50) ? ", b" : ""))" : ""
            let definitions = columns.map { "\($0.name) \($0.type)\($0.isKey ? " PRIMARY KEY" : $0.isNotNull ? " NOT NULL" : "")" }
            sql += "CREATE TABLE t\(number) (\(definitions.joined(separator: ", "))\(unique))\(isStrict ? " STRICT" : "");\n"
        }
        sql += "CREATE VIEW v AS \(query(depth: 1));\n"
        // A view that does not compile would make the schema unusable.
        if (try? DatabaseQueue().write({ try $0.execute(sql: sql + "SELECT * FROM v LIMIT 0") })) == nil {
            sql = String(sql[..<sql.range(of: "CREATE VIEW")!.lowerBound]) + "CREATE VIEW v AS SELECT * FROM t0;\n"
        }
        return sql
    }

    mutating func fill(_ db: Database, isEmpty: Bool) throws {
        for (number, columns) in tables.enumerated() {
            try db.execute(sql: "DELETE FROM t\(number)")
            if isEmpty || chance(10) { continue }
            for _ in 0..<below(6) {
                let values = columns.map { column in
                    let literals = [
                        "1", "2", "0", "-3", "1.5", "9e999", "-9e999", "9223372036854775807", "''", "'abc'", "'12'", "x''", "x'6162'",
                        "0.0",
                    ]
                    return column.isKey ? "NULL" : !column.isNotNull && chance(30) ? "NULL" : pick(literals)
                }
                try? db.execute(sql: "INSERT OR IGNORE INTO t\(number) VALUES (\(values.joined(separator: ", ")))")
            }
        }
    }

    // MARK: - Queries

    mutating func query() -> String { query(depth: 0) }

    private mutating func query(depth: Int) -> String {
        var common: [Source] = []
        var prefix = ""
        if depth == 0, chance(20) {
            if chance(40) {
                prefix =
                    "WITH RECURSIVE r (x, y) AS (SELECT \(pick(["1", "0", "NULL", "'a'"])), \(pick(["1", "2.5", "NULL"])) UNION ALL SELECT "
                    + "\(pick(["x + 1", "nullif(x, 3)", "x"])), \(pick(["y", "y * y", "x", "y / x"])) FROM r WHERE x < 5 LIMIT 6) "
                common.append(("r", ["x", "y"]))
            } else {
                prefix = "WITH c (x, y) AS (\(select(depth: 2, outer: [], common: [], columns: 2).sql)) "
                common.append(("c", ["x", "y"]))
            }
        }
        let count = 1 + below(3)
        var sql = select(depth: depth, outer: [], common: common, columns: chance(20) ? nil : count).sql
        if !sql.contains("*"), chance(20) {
            let other = select(depth: depth + 1, outer: [], common: common, columns: count).sql
            if !other.contains("*") { sql += " \(pick(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])) \(other)" }
        } else if chance(15) {
            sql += " LIMIT \(pick(["1", "2", "0", "1 OFFSET 1"]))"
        }
        return prefix + sql
    }

    /// A SELECT, and the names of its columns.
    private mutating func select(
        depth: Int, outer: [Source], common: [Source], columns count: Int?
    ) -> (sql: String, columns: [String]) {
        var sources: [Source] = []
        let from = chance(92) ? " FROM " + self.from(depth: depth, &sources, common) : ""
        let isGrouped = chance(25) && !sources.isEmpty
        let isAggregate = isGrouped || chance(12)
        let all = sources + outer
        var results: [String] = []
        if let count {
            for index in 0..<count { results.append("\(expression(depth: depth + 1, all, isAggregate: isAggregate, common)) AS k\(index)") }
        } else {
            results = [sources.isEmpty ? "1" : chance(50) ? "*" : "\(pick(sources).name).*"]
        }
        var sql = "SELECT \(chance(8) ? "DISTINCT " : "")\(results.joined(separator: ", "))\(from)"
        if chance(45) { sql += " WHERE \(condition(depth: depth + 1, all, common))" }
        if isGrouped {
            sql += " GROUP BY \(expression(depth: depth + 3, sources, isAggregate: false, common))"
            if chance(20) { sql += " HAVING count(*) > \(below(2))" }
        }
        return (sql, (0..<(count ?? 0)).map { "k\($0)" })
    }

    private mutating func from(depth: Int, _ sources: inout [Source], _ common: [Source]) -> String {
        var sql = ""
        for index in 0..<(1 + below(depth == 0 ? 3 : 2)) {
            let name = "s\(depth)\(sources.count)"
            if index > 0 {
                sql += " \(pick(["JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", ","])) "
            }
            let joins = sql.hasSuffix("JOIN ") && !sql.hasSuffix("CROSS JOIN ")
            let before = sources
            if depth < 2, chance(15) {
                let (query, columns) = select(depth: depth + 1, outer: [], common: common, columns: 2)
                sql += "(\(query)) AS \(name)"
                sources.append((name, columns))
            } else if !common.isEmpty, chance(50) {
                let table = pick(common)
                sql += "\(table.name) AS \(name)"
                sources.append((name, table.columns))
            } else if depth < 2, index > 0, chance(15) {
                let (one, other) = (below(3), below(3))
                let second = "\(name)x"
                sql += "(t\(one) AS \(name) \(pick(["JOIN", "LEFT JOIN"])) t\(other) AS \(second) ON \(name).a = \(second).a)"
                sources.append((name, tables[one].map(\.name)))
                sources.append((second, tables[other].map(\.name)))
            } else {
                let number = below(3)
                sql += "t\(number) AS \(name)"
                sources.append((name, tables[number].map(\.name)))
            }
            guard joins, !before.isEmpty else { continue }
            let names = Set(before.flatMap(\.columns)).intersection(sources[before.count].columns)
            let unambiguous = names.filter { name in before.filter { $0.columns.contains(name) }.count == 1 }.sorted()
            if chance(25), let shared = unambiguous.first, sources.count == before.count + 1 {
                sql += " USING (\(shared))"
            } else if chance(85) {
                sql += " ON \(condition(depth: depth + 2, sources, common))"
            }
        }
        return sql
    }

    private mutating func column(_ sources: [Source]) -> String {
        guard !sources.isEmpty, !sources.allSatisfy(\.columns.isEmpty) else { return pick(["1", "'a'", "NULL"]) }
        let source = pick(sources.filter { !$0.columns.isEmpty })
        return chance(85) ? "\(source.name).\(pick(source.columns))" : pick(source.columns)
    }

    private mutating func condition(depth: Int, _ sources: [Source], _ common: [Source]) -> String {
        switch below(12) {
        case 0: "\(column(sources)) IS NOT NULL"
        case 1: "\(column(sources)) = \(column(sources))"
        case 2: "\(column(sources)) > \(pick(["0", "1", "'a'"]))"
        case 3: "\(column(sources)) = \(pick(["1", "2", "'abc'"]))"
        case 4: "\(condition(depth: depth + 1, sources, common)) AND \(condition(depth: depth + 1, sources, common))"
        case 5 where depth < 5: "(\(condition(depth: depth + 1, sources, common)) OR \(condition(depth: depth + 1, sources, common)))"
        case 6 where depth < 5: "NOT \(condition(depth: depth + 1, sources, common))"
        case 7: "\(column(sources)) BETWEEN \(pick(["0", "1"])) AND \(column(sources))"
        case 8: "\(column(sources)) IN (1, 2, \(column(sources)))"
        case 9: "\(column(sources)) NOT IN (1, 2)"
        case 10: column(sources)
        default: "\(expression(depth: depth + 1, sources, isAggregate: false, common)) IS \(pick(["NULL", "1", "NOT 1", "NOT NULL"]))"
        }
    }

    private mutating func expression(depth: Int, _ sources: [Source], isAggregate: Bool, _ common: [Source]) -> String {
        func sub(_ random: inout QueryRandom) -> String {
            random.expression(depth: depth + 1, sources, isAggregate: isAggregate, common)
        }
        if isAggregate, depth < 4, chance(55) {
            let argument = expression(depth: depth + 3, sources, isAggregate: false, common)
            let filter = chance(10) ? " FILTER (WHERE \(condition(depth: 5, sources, common)))" : ""
            let call = pick([
                "count(*)", "count(\(argument))", "sum(\(argument))", "avg(\(argument))", "total(\(argument))", "min(\(argument))",
                "max(\(argument))", "group_concat(\(argument))", "json_group_array(1)",
            ])
            return call + filter
        }
        if depth > 4 || chance(35) {
            return chance(80) ? column(sources) : pick(["1", "0", "2.5", "'abc'", "NULL", "9e999", "x''", "TRUE"])
        }
        switch below(27) {
        case 0: return "(\(sub(&self)) \(pick(["+", "-", "*"])) \(sub(&self)))"
        case 1: return "(\(sub(&self)) \(pick(["/", "%"])) \(pick(["2", "0", "0.5", column(sources)])))"
        case 2: return "(\(sub(&self)) || \(sub(&self)))"
        case 3: return "(\(sub(&self)) \(pick(["=", "<", "<>", ">=", "IS", "IS NOT"])) \(sub(&self)))"
        case 4: return "(\(sub(&self)) \(pick(["AND", "OR"])) \(sub(&self)))"
        case 5: return "(\(sub(&self)) \(pick(["IS NULL", "IS NOT NULL", "ISNULL", "NOTNULL"])))"
        case 6: return "coalesce(\(sub(&self)), \(sub(&self)))"
        case 7: return "CASE WHEN \(sub(&self)) THEN \(sub(&self))\(chance(70) ? " ELSE \(sub(&self))" : "") END"
        case 8: return "CASE \(sub(&self)) WHEN \(sub(&self)) THEN \(sub(&self))\(chance(70) ? " ELSE \(sub(&self))" : "") END"
        case 9: return "CAST(\(sub(&self)) AS \(pick(["INTEGER", "TEXT", "REAL", "BLOB", "NUMERIC", "BOOLEAN"])))"
        case 10:
            return
                "\(pick(["lower", "upper", "length", "trim", "typeof", "hex", "quote", "abs", "round", "sign", "unicode"]))(\(sub(&self)))"
        case 11: return "substr(\(sub(&self)), \(sub(&self)))"
        case 12: return "\(pick(["nullif", "min", "max", "ifnull", "instr"]))(\(sub(&self)), \(sub(&self)))"
        case 13: return "iif(\(sub(&self)), \(sub(&self)), \(sub(&self)))"
        case 14: return "(\(pick(["-", "+", "~", "NOT "]))\(sub(&self)))"
        case 15: return "(\(sub(&self)) IN (\(sub(&self)), 1))"
        case 16: return "(\(sub(&self)) BETWEEN \(sub(&self)) AND \(sub(&self)))"
        case 17: return "(\(sub(&self)) \(pick(["LIKE", "GLOB"])) \(pick(["'a%'", sub(&self)])))"
        case 18 where depth < 4:
            return "(\(select(depth: depth + 2, outer: chance(50) ? sources : [], common: common, columns: 1).sql))"
        case 19 where depth < 4:
            return "\(chance(50) ? "NOT " : "")EXISTS (\(select(depth: depth + 2, outer: sources, common: common, columns: 1).sql))"
        case 20 where depth < 4:
            return "(\(column(sources)) IN (\(select(depth: depth + 2, outer: [], common: common, columns: 1).sql)))"
        case 21 where !isAggregate && depth < 3:
            let argument = column(sources)
            let over = pick([
                "()", "(ORDER BY \(argument))", "(PARTITION BY \(argument))", "(ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)",
                "(ORDER BY \(argument) ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING EXCLUDE CURRENT ROW)",
            ])
            return pick([
                "row_number() OVER \(over)", "sum(\(argument)) OVER \(over)", "max(\(argument)) OVER \(over)",
                "lag(\(argument)) OVER \(over)", "lag(\(argument), 1, 0) OVER \(over)", "first_value(\(argument)) OVER \(over)",
                "nth_value(\(argument), 2) OVER \(over)", "count(*) OVER \(over)", "avg(\(argument)) OVER \(over)",
            ])
        case 22: return "(\(sub(&self)) \(pick(["&", "|", "<<", ">>"])) \(sub(&self)))"
        case 23: return "printf('%s', \(sub(&self)))"
        case 24: return "replace(\(sub(&self)), \(pick(["''", "'a'"])), 'b')"
        case 25 where depth < 4:
            let table = tables.indices.first { tables[$0].count == 2 }
            let rows = select(depth: depth + 2, outer: chance(50) ? sources : [], common: common, columns: 2).sql
            let sign = pick(["IN", "NOT IN", "=", "<", "IS", "IS NOT"])
            let right = sign.hasSuffix("IN") && chance(30) ? table.map { "t\($0)" } : nil
            return "((\(column(sources)), \(column(sources))) \(sign) \(right ?? "(\(rows))"))"
        default: return column(sources)
        }
    }
}
