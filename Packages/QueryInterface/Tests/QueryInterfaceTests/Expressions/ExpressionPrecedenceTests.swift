import QueryInterface
import Testing

/// An expression, and its SQL with parentheses around every operation.
private typealias Pair = (expression: SQLExpression, sql: String)

/// Random expressions, each with unambiguous SQL.
private struct ExpressionGenerator {
    var random: SeededGenerator

    mutating func pair(depth: Int) -> Pair {
        if depth == 0 || Int.random(in: 0..<8, using: &random) == 0 { return leaf() }
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<6: return binary(depth: depth - 1)
        case 6, 7: return prefix(depth: depth - 1)
        case 8: return list(depth: depth - 1)
        default: return other(depth: depth - 1)
        }
    }

    private mutating func leaf() -> Pair {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return (Column("id").sqlExpression, "id")
        case 1: return (Column("score").sqlExpression, "score")
        case 2: return (Column("best").sqlExpression, "best")
        case 3: return (Column("name").sqlExpression, "name")
        case 4: return (SQLExpression.null, "NULL")
        case 5: return ("1".sqlExpression, "'1'")
        case 6: return (SQL("id - 2").sqlExpression, "(id - 2)")
        default:
            let number = Int.random(in: -3...3, using: &random)
            return (number.sqlExpression, "(\(number))")
        }
    }

    private mutating func binary(depth: Int) -> Pair {
        let (a, left) = pair(depth: depth)
        let (b, right) = pair(depth: depth)
        let operators: [(String, (SQLExpression, SQLExpression) -> SQLExpression)] = [
            ("+", { $0 + $1 }), ("-", { $0 - $1 }), ("*", { $0 * $1 }), ("/", { $0 / $1 }), ("%", { $0 % $1 }),
            ("&", { $0 & $1 }), ("|", { $0 | $1 }), ("<<", { $0 << $1 }), (">>", { $0 >> $1 }), ("=", { $0 == $1 }),
            ("<>", { $0 != $1 }), ("IS", { $0 === $1 }), ("IS NOT", { $0 !== $1 }), ("<", { $0 < $1 }), ("<=", { $0 <= $1 }),
            (">", { $0 > $1 }), (">=", { $0 >= $1 }), ("AND", { $0 && $1 }), ("OR", { $0 || $1 }),
            ("||", { [$0, $1].joined(operator: .concat) }), ("LIKE", { $0.like($1) }), ("GLOB", { $0.glob($1) }),
        ]
        let (sql, make) = operators.randomElement(using: &random)!
        // A comparison with the value NULL becomes IS NULL.
        let name = a.value?.isNull == true || b.value?.isNull == true ? ["=": "IS", "<>": "IS NOT"][sql] ?? sql : sql
        return (make(a, b), "(\(left) \(name) \(right))")
    }

    private mutating func prefix(depth: Int) -> Pair {
        let (a, operand) = pair(depth: depth)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return (-a, "(-\(operand))")
        case 1: return (~a, "(~\(operand))")
        case 2: return (a.collating(.nocase), "(\(operand) COLLATE NOCASE)")
        default: return (!a, "(NOT \(operand))")
        }
    }

    private mutating func list(depth: Int) -> Pair {
        let operators: [(String, SQLExpression.AssociativeBinaryOperator)] = [
            ("+", .add), ("*", .multiply), ("AND", .and), ("OR", .or), ("||", .concat), ("&", .bitwiseAnd), ("|", .bitwiseOr),
        ]
        let (sql, operation) = operators.randomElement(using: &random)!
        let pairs = (0...2).map { _ in pair(depth: depth) }
        return (
            pairs.map(\.expression).joined(operator: operation),
            "((\(pairs[0].sql) \(sql) \(pairs[1].sql)) \(sql) \(pairs[2].sql))"
        )
    }

    private mutating func other(depth: Int) -> Pair {
        let (a, x) = pair(depth: depth)
        let (b, y) = pair(depth: depth)
        let (c, z) = pair(depth: depth)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return ((-1...2).contains(a), "(\(x) BETWEEN -1 AND 2)")
        case 1: return (!(-1..<2).contains(a), "(NOT ((\(x) >= -1) AND (\(x) < 2)))")
        case 2: return ([b, c].contains(a), "(\(x) IN (\(y), \(z)))")
        case 3: return (![-1, 0, nil].contains(a), "(\(x) NOT IN (-1, 0, NULL))")
        case 4: return (Case(when: a, then: b).else(c), "(CASE WHEN \(x) THEN \(y) ELSE \(z) END)")
        case 5: return (Case(a, when: b, then: c).sqlExpression, "(CASE \(x) WHEN \(y) THEN \(z) END)")
        case 6: return (coalesce([a, b, c]), "coalesce(\(x), \(y), \(z))")
        default: return (a.like(b, escape: "x"), "(\(x) LIKE \(y) ESCAPE 'x')")
        }
    }
}

@Suite struct ExpressionPrecedenceTests {
    @Test
    func `Random expressions have the same values as SQL with all parentheses`() throws {
        try withDatabase(Player.createTable) { db throws in
            var generator = ExpressionGenerator(random: SeededGenerator(seed: 20_240_229))
            var lengths = Set<Int>()
            for _ in 0..<700 {
                let pair = generator.pair(depth: 4)
                let expected: Result<[DatabaseValue], any Error> = Result {
                    try DatabaseValue.fetchAll(db, sql: "SELECT \(pair.sql) FROM player ORDER BY id")
                }
                for mode in 0..<3 {
                    let found = Result {
                        try evaluate(pair.expression, db) {
                            $0.writesLiterals = mode == 1
                            $0.packsLists = mode == 2
                        }
                    }
                    switch (expected, found) {
                    case (.success(let values), .success(let result)):
                        #expect(result.values == values, "\(result.sql) and \(pair.sql)")
                        lengths.insert(result.sql.count)
                    case (.failure(let error as DatabaseError), .failure(let other as DatabaseError)):
                        #expect(error.resultCode == other.resultCode && error.message == other.message)
                    default: Issue.record("\(pair.sql): \(expected), but \(found)")
                    }
                }
            }
            // Make sure that the random expressions differ and are not all small.
            #expect(lengths.count > 150)
        }
    }

    @Test
    func `Each predicate is true, false or NULL in each row`() throws {
        try withDatabase(Player.createTable) { db throws in
            var generator = ExpressionGenerator(random: SeededGenerator(seed: 42))
            for _ in 0..<300 {
                let predicate = generator.pair(depth: 3).expression
                guard let count = try? Player.filter(predicate).fetchCount(db) else { continue }
                let others = try Player.filter(!predicate).fetchCount(db) + Player.filter(predicate == nil).fetchCount(db)
                let sql = try Player.filter(predicate).sql(db)
                #expect(count + others == 4, "\(sql)")
            }
        }
    }
}
