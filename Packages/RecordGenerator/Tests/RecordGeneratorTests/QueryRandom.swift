import SQLiteDriver

/// Makes random schemas, rows and queries.
struct QueryRandom {
    private var state: UInt64
    private var tables: [[Column]] = []
    private var strict: Set<Int> = []
    /// Whether the schema is complete, with its view.
    private var hasView = false

    struct Column {
        var name: String
        var type: String
        var isNotNull: Bool
        var isKey = false
        /// The expression of a generated column.
        var expression: String?

        var definition: String {
            let check = name == "e" ? " CHECK (e IN ('x', 'y'))" : ""
            let end = isKey ? " PRIMARY KEY" : (isNotNull ? " NOT NULL" : "") + check
            return "\(name) \(type)\(end)" + (expression.map { " AS (\($0))" } ?? "")
        }
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
        (tables, strict, hasView) = ([], [], false)
        var sql = ""
        for number in 0..<3 {
            let isStrict = chance(50)
            if isStrict { strict.insert(number) }
            let hasKey = chance(70)
            var columns: [Column] = hasKey ? [Column(name: "id", type: "INTEGER", isNotNull: false, isKey: true)] : []
            let types =
                isStrict
                ? ["INTEGER", "TEXT", "REAL", "BLOB", "ANY"] : ["INTEGER", "TEXT", "REAL", "BLOB", "NUMERIC", "BOOLEAN", "", "DATETIME"]
            for index in 0..<(2 + below(3)) {
                columns.append(Column(name: ["a", "b", "c", "d"][index], type: pick(types), isNotNull: chance(50)))
            }
            if chance(30) { columns.append(Column(name: "e", type: "TEXT", isNotNull: chance(50))) }
            if chance(30) {
                let expression = pick([
                    "a", "a || 'x'", "a + 1", "-b", "coalesce(a, b)", "coalesce(a, 'none')", "x'61'", "length(b)", "1.5", "a = b",
                    "CASE WHEN a THEN a ELSE b END", "substr(b, 1, 1)", "typeof(a)",
                ])
                columns.append(Column(name: "g", type: pick(types), isNotNull: false, expression: expression))
            }
            tables.append(columns)
            let unique = chance(30) ? ", UNIQUE (a\(chance(50) ? ", b" : ""))" : ""
            sql += "CREATE TABLE t\(number) (\(columns.map(\.definition).joined(separator: ", "))\(unique))\(isStrict ? " STRICT" : "");\n"
        }
        let view = "CREATE VIEW v (p, q) AS \(compound(depth: 1, outer: [], common: [], columns: 2).sql);\n"
        hasView = true
        // A view that does not compile would make the schema unusable.
        let isLegal = (try? DatabaseQueue().write({ try $0.execute(sql: sql + view + "SELECT * FROM v LIMIT 0") })) != nil
        return sql + (isLegal ? view : "CREATE VIEW v (p, q) AS SELECT a, b FROM t0 UNION ALL SELECT b, a FROM t1;\n")
    }

    /// Replaces the rows of all tables.
    ///
    /// - Parameter isTyped: whether the values have the types of their columns, as the documentation assumes.
    mutating func fill(_ db: Database, isEmpty: Bool, isTyped: Bool) throws {
        for (number, columns) in tables.enumerated() {
            let stored = columns.filter { $0.expression == nil }
            try db.execute(sql: "DELETE FROM t\(number)")
            if isEmpty || chance(10) { continue }
            for _ in 0..<below(6) {
                let values = stored.map { column in
                    column.isKey || !column.isNotNull && chance(30) ? "NULL" : pick(Self.literals(column, isTyped: isTyped))
                }
                let names = stored.map(\.name).joined(separator: ", ")
                try? db.execute(sql: "INSERT OR IGNORE INTO t\(number) (\(names)) VALUES (\(values.joined(separator: ", ")))")
            }
            // Only in STRICT tables, the expression must prove the type.
            guard isTyped, !strict.contains(number) else { continue }
            for column in columns where column.expression != nil {
                try db.execute(sql: "DELETE FROM t\(number) WHERE NOT (\(Self.hasType(column)) OR \(column.name) IS NULL)")
            }
        }
    }

    /// The condition that a generated column has a value of its declared type, which no table checks.
    private static func hasType(_ column: Column) -> String {
        let name = column.name
        return switch column.type {
        case "INTEGER": "typeof(\(name)) = 'integer'"
        case "TEXT": "typeof(\(name)) = 'text'"
        case "REAL": "typeof(\(name)) = 'real'"
        case "BLOB": "typeof(\(name)) = 'blob'"
        case "NUMERIC", "BOOLEAN": "typeof(\(name)) IN ('integer', 'real')"
        case "DATETIME": "typeof(\(name)) = 'text' AND \(name) LIKE '2024-%'"
        default: "1"
        }
    }

    private static func literals(_ column: Column, isTyped: Bool) -> [String] {
        if column.name == "e" { return ["'x'", "'y'"] }
        guard isTyped else {
            return ["1", "2", "0", "-3", "1.5", "9e999", "-9e999", "9223372036854775807", "''", "'abc'", "'12'", "x''", "x'6162'", "0.0"]
        }
        return switch column.type {
        case "INTEGER": ["1", "2", "0", "-3", "9223372036854775807"]
        case "TEXT": ["''", "'abc'", "'12'"]
        case "REAL": ["1.5", "0.0", "9e999", "-9e999"]
        case "BLOB": ["x''", "x'6162'"]
        case "NUMERIC": ["1", "1.5"]
        case "BOOLEAN": ["0", "1"]
        case "DATETIME": ["'2024-01-01 10:00:00.000'", "'2024-02-29'"]
        default: ["1", "1.5", "'abc'", "x'6162'"]
        }
    }

    // MARK: - Queries

    mutating func query() -> String { query(depth: 0) }

    private mutating func query(depth: Int) -> String {
        var common: [Source] = []
        let prefix = chance(35) ? commonTables(&common) : ""
        if common.isEmpty, chance(25) {
            let (sql, columns) = compound(depth: depth, outer: [], common: [], columns: 1 + below(3))
            return sql + (chance(30) ? " ORDER BY \(pick(columns))" : "")
        }
        // A common table that is a whole table, which another one may hide.
        if let table = common.first(where: { $0.name == "w" }), chance(50) { return prefix + "SELECT * FROM \(table.name)" }
        var sql = select(depth: depth, outer: [], common: common, columns: chance(20) ? nil : 1 + below(3)).sql
        if chance(15) { sql += " LIMIT \(pick(["1", "2", "0", "1 OFFSET 1"]))" }
        return prefix + sql
    }

    /// A WITH clause, whose tables may use those after them, and may have the names of tables of the schema.
    private mutating func commonTables(_ common: inout [Source]) -> String {
        switch below(4) {
        case 0:
            common.append(("r", ["x", "y"]))
            return
                "WITH RECURSIVE r (x, y) AS (SELECT \(pick(["1", "0", "NULL", "'a'"])), \(pick(["1", "2.5", "NULL"])) UNION ALL SELECT "
                + "\(pick(["x + 1", "nullif(x, 3)", "x", "coalesce(x, 'none')"])), \(pick(["y", "y * y", "x", "y / x"])) "
                + "FROM r WHERE x < 5 LIMIT 6) "
        case 1:
            let later: Source = ("d", ["x", "y"])
            let first = compound(depth: 2, outer: [], common: [later], columns: 2).sql
            let second = compound(depth: 2, outer: [], common: [], columns: 2).sql
            common += [("c", ["x", "y"]), later]
            return "WITH c (x, y) AS (\(first)), d (x, y) AS (\(second)), unused AS (SELECT missing + 1 AS missing) "
        case 2:
            let number = below(3)
            let names = tables[number].map(\.name)
            let rows = "SELECT \(names.map { _ in pick(Self.constants) }.joined(separator: ", "))"
            common.append(("w", names))
            return "WITH w AS (SELECT * FROM t\(number)), t\(number) (\(names.joined(separator: ", "))) AS (\(rows) UNION ALL \(rows)) "
        default:
            common.append(("c", ["x", "y"]))
            return "WITH c (x, y) AS (\(compound(depth: 2, outer: [], common: [], columns: 2).sql)) "
        }
    }

    /// A SELECT, or several that operators connect, and the names of its columns.
    private mutating func compound(
        depth: Int, outer: [Source], common: [Source], columns count: Int
    ) -> (sql: String, columns: [String]) {
        var (sql, columns) = select(depth: depth, outer: outer, common: common, columns: count)
        while chance(35) {
            sql += " \(pick(["UNION", "UNION ALL", "UNION ALL", "EXCEPT", "INTERSECT"])) "
            if chance(30) {
                let rows = (0...below(2)).map { _ in "(\((0..<count).map { _ in pick(Self.constants) }.joined(separator: ", ")))" }
                sql += "VALUES \(rows.joined(separator: ", "))"
            } else {
                sql += select(depth: depth + 1, outer: outer, common: common, columns: count).sql
            }
        }
        return (sql, columns)
    }

    private static let constants = [
        "1", "0", "-1", "2.5", "'abc'", "'x'", "'none'", "'2024-02-29'", "''", "NULL", "9e999", "x'61'", "TRUE",
    ]

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
            if chance(2) { results[0] = "\(column(all)) AS rowid" }
        } else {
            results = [sources.isEmpty ? "1" : chance(50) ? "*" : "\(pick(sources).name).*"]
        }
        var sql = "SELECT \(chance(8) ? "DISTINCT " : "")\(results.joined(separator: ", "))\(from)"
        if chance(45) { sql += " WHERE \(condition(depth: depth + 1, all, common))" }
        if isGrouped {
            sql += " GROUP BY \(expression(depth: depth + 3, sources, isAggregate: false, common))"
            if chance(20) { sql += " HAVING count(*) > \(below(2))" }
        }
        return (sql, results[0].hasSuffix(" AS rowid") ? [pick(["1"])] : (0..<(count ?? 0)).map { "k\($0)" })
    }

    private mutating func from(depth: Int, _ sources: inout [Source], _ common: [Source]) -> String {
        var sql = ""
        // How many tables show a column of their own with a name.
        var shown: [String: Int] = [:]
        for index in 0..<(1 + below(depth == 0 ? 3 : 2)) {
            var name = "s\(depth)\(sources.count)"
            let keyword = pick(["left", "full", "end", "window", "filter", "over", "like", "match", "outer", "natural"])
            if chance(5), !sources.contains(where: { $0.name == keyword }) { name = keyword }
            if index > 0 {
                sql += " \(pick(["JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "FULL JOIN", "CROSS JOIN", ","])) "
            }
            let joins = sql.hasSuffix("JOIN ") && !sql.hasSuffix("CROSS JOIN ")
            let before = sources
            if depth < 2, chance(15) {
                let (query, columns) = compound(depth: depth + 1, outer: [], common: common, columns: 2)
                let prefix = chance(20) ? "WITH t0 (a, b) AS (SELECT 1, 'a'), n AS (SELECT a FROM t0) " : ""
                sql += "(\(prefix)\(query)) AS \(name)"
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
            } else if hasView, chance(10) {
                sql += "v AS \(name)"
                sources.append((name, ["p", "q"]))
            } else {
                let number = below(3)
                sql += "t\(number) AS \(name)"
                sources.append((name, tables[number].map(\.name)))
            }
            var merged: String?
            if joins, !before.isEmpty {
                let unambiguous = sources[before.count].columns.filter { shown[$0] == 1 }
                if chance(35), !unambiguous.isEmpty, sources.count == before.count + 1 {
                    merged = pick(unambiguous)
                    sql += " USING (\(merged!))"
                } else if chance(85) {
                    sql += " ON \(condition(depth: depth + 2, sources, common))"
                }
            }
            for column in sources[before.count...].flatMap(\.columns) where column != merged { shown[column, default: 0] += 1 }
        }
        return sql
    }

    private mutating func column(_ sources: [Source]) -> String {
        guard !sources.isEmpty, !sources.allSatisfy(\.columns.isEmpty) else { return pick(["1", "'a'", "NULL"]) }
        let source = pick(sources.filter { !$0.columns.isEmpty })
        if chance(2) { return "\(source.name).rowid" }
        return chance(80) ? "\(source.name).\(pick(source.columns))" : pick(source.columns)
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
            return chance(80) ? column(sources) : pick(Self.constants)
        }
        if chance(1), depth < 3 {
            let operand = column(sources)
            return "(" + Array(repeating: operand, count: 350).joined(separator: " \(pick(["+", "||", "AND", "="])) ") + ")"
        }
        switch below(30) {
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
            return "(\(compound(depth: depth + 2, outer: chance(50) ? sources : [], common: common, columns: 1).sql))"
        case 19 where depth < 4:
            return "\(chance(50) ? "NOT " : "")EXISTS (\(select(depth: depth + 2, outer: sources, common: common, columns: 1).sql))"
        case 20 where depth < 4:
            return "(\(column(sources)) IN (\(compound(depth: depth + 2, outer: [], common: common, columns: 1).sql)))"
        case 21 where !isAggregate && depth < 3:
            let argument = column(sources)
            let over = pick([
                "()", "(ORDER BY \(argument))", "(PARTITION BY \(argument))", "(ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)",
                "(ORDER BY \(argument) ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING EXCLUDE CURRENT ROW)",
            ])
            return pick([
                "row_number() OVER \(over)", "sum(\(argument)) OVER \(over)", "max(\(argument)) OVER \(over)",
                "lag(\(argument)) OVER \(over)", "lag(\(argument), 1, 0) OVER \(over)", "first_value(\(argument)) OVER \(over)",
                "lag(\(argument), 1, \(pick(Self.constants))) OVER \(over)", "group_concat(\(argument)) OVER \(over)",
                "group_concat(\(argument), '') OVER \(over)", "nth_value(\(argument), 2) OVER \(over)", "count(*) OVER \(over)",
                "avg(\(argument)) OVER \(over)",
            ])
        case 22: return "(\(sub(&self)) \(pick(["&", "|", "<<", ">>"])) \(sub(&self)))"
        case 23: return "printf('%s', \(sub(&self)))"
        case 24: return "replace(\(sub(&self)), \(pick(["''", "'a'"])), 'b')"
        case 25: return "coalesce(\(column(sources)), \(pick(Self.constants)))"
        case 26:
            return "CASE \(column(sources)) WHEN 1 THEN \(column(sources)) WHEN 2 THEN \(column(sources)) ELSE \(pick(Self.constants)) END"
        case 27: return "substr(\(column(sources)), 1, 1)"
        case 28 where depth < 4:
            let table = tables.indices.first { tables[$0].count == 2 }
            let rows = select(depth: depth + 2, outer: chance(50) ? sources : [], common: common, columns: 2).sql
            let sign = pick(["IN", "NOT IN", "=", "<", "IS", "IS NOT"])
            let right = sign.hasSuffix("IN") && chance(30) ? table.map { "t\($0)" } : nil
            return "((\(column(sources)), \(column(sources))) \(sign) \(right ?? "(\(rows))"))"
        default: return column(sources)
        }
    }
}
