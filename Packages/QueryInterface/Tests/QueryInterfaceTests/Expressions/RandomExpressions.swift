import Foundation
import QueryInterface

/// Makes random expressions. The same seed gives the same expressions.
struct RandomExpressions {
    /// A table whose columns expressions can use, with an alias if the request has several tables.
    struct Scope {
        let table: RandomSchema.TableModel
        let alias: TableAlias<Void>?

        func column(_ name: String) -> SQLExpression { alias?[name] ?? Column(name).sqlExpression }
    }

    /// Forms of requests that are easily forgotten.
    enum Form: CaseIterable {
        case key, rowComparison, tableMembership, namedWindow, prefetch, closure
    }

    /// The forms that have been made.
    var forms: Set<Form> = []

    private var generator: SeededGenerator

    /// Chooses the values that are not NULL.
    private var valueGenerator: SeededGenerator

    /// The number of decisions before the changed decision, if any.
    private var decisionsLeft: Int?

    /// - Parameters:
    ///   - seed: the seed of all decisions.
    ///   - values: the seed of the values. Expressions with the same `seed` are equal but for their values.
    ///   - change: the number of decisions before one that is made differently than without it.
    init(seed: UInt64, values: UInt64 = 0, change: Int? = nil) {
        generator = SeededGenerator(seed: seed)
        valueGenerator = SeededGenerator(seed: seed &+ values &* 7_919)
        decisionsLeft = change
    }

    // MARK: - Random decisions

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        let number = Int.random(in: range, using: &generator)
        guard let count = decisionsLeft else { return number }
        decisionsLeft = count == 0 ? nil : count - 1
        return count > 0 ? number : number == range.upperBound ? range.lowerBound : number + 1
    }

    /// Returns true in one of several cases.
    mutating func happens(onceIn count: Int) -> Bool { number(1...count) == 1 }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    // MARK: - Values

    private static let integers: [Int64] = [0, 1, 2, 3, -1, -5, 10, .max, .min]
    private static let reals: [Double] = [0.5, -0.5, 1.25, 2, 1e300, -1e-9, .infinity, -.infinity]
    private static let texts = ["", "a", "A", "ab", "b%_", "it's \"it\"", "1", "10", "-1", "1.5", "0x10", "é", "😀", "a\0b"]
    private static let blobs = [Data(), Data([0]), Data([0x61]), Data([0xFF])]

    private static let values =
        [true.databaseValue, false.databaseValue] + integers.map(\.databaseValue) + reals.map(\.databaseValue)
        + texts.map(\.databaseValue) + blobs.map(\.databaseValue)

    mutating func literal() -> SQLExpression {
        if happens(onceIn: 30) { return .null }
        return Self.values.randomElement(using: &valueGenerator)?.sqlExpression ?? .null
    }

    /// A value of a key. It is chosen like other values.
    mutating func keyValue() -> Int { Int.random(in: 0...10, using: &valueGenerator) }

    mutating func column(_ scopes: [Scope]) -> SQLExpression {
        let scope = pick(scopes)
        return scope.column(pick(scope.table.columns))
    }

    /// A column, or sometimes a value.
    mutating func leaf(_ scopes: [Scope]) -> SQLExpression {
        happens(onceIn: 3) ? literal() : column(scopes)
    }

    // MARK: - Expressions

    /// An expression without aggregates.
    mutating func expression(_ scopes: [Scope], depth: Int) -> SQLExpression {
        guard depth > 0 else { return leaf(scopes) }
        switch number(0...11) {
        case 0...3: return predicate(scopes, depth: depth)
        case 4...6: return arithmetic(scopes, depth: depth)
        case 7...9: return function(scopes, depth: depth)
        case 10: return conditional(scopes, depth: depth)
        default: return subquery(scopes, depth: depth)
        }
    }

    private mutating func arithmetic(_ scopes: [Scope], depth: Int) -> SQLExpression {
        let (a, b) = (expression(scopes, depth: depth - 1), expression(scopes, depth: depth - 1))
        switch number(0...13) {
        case 0: return a + b
        case 1: return a - b
        case 2: return a * b
        case 3: return a / b
        case 4: return a % b
        case 5: return a & b
        case 6: return a | b
        case 7: return a << b
        case 8: return a >> b
        case 9: return ~a
        case 10: return -a
        case 11: return -(-a)
        case 12:
            return [a, b, expression(scopes, depth: depth - 1)]
                .joined(operator: pick([.add, .multiply, .concat, .bitwiseAnd, .bitwiseOr]))
        default: return [a, b].joined(operator: .concat)
        }
    }

    private mutating func function(_ scopes: [Scope], depth: Int) -> SQLExpression {
        let (a, b) = (expression(scopes, depth: depth - 1), expression(scopes, depth: depth - 1))
        switch number(0...19) {
        // The absolute value of the least integer would overflow.
        case 0: return abs(scopes[0].column(scopes[0].table.addable[0]))
        case 1: return length(a)
        case 2: return a ?? b
        case 3: return cast(a, as: pick([.integer, .real, .text, .blob]))
        case 4: return max(a, b)
        case 5: return min(a, b, literal())
        case 6: return coalesce([a, b, leaf(scopes)])
        case 7: return a.nullIf(b)
        case 8: return a.storageClass
        case 9: return a.asciiLowercased
        case 10: return a.asciiUppercased
        case 11: return a.trimmed
        case 12: return a.trimming("a ")
        case 13: return a.replacing("a", with: b)
        case 14: return a.substring(from: number(-3...3), length: number(-2...3))
        case 15: return a.position(of: b)
        case 16: return a.rounded(toDigits: number(0...3))
        case 17: return cast(a, as: .text).uppercased
        case 18:
            guard let json = scopes.first(where: { $0.table.jsonColumn != nil }), let name = json.table.jsonColumn else {
                return dateTime(a)
            }
            let column = AnySQLJSONExpressible(JSONColumn(name))
            let value = [column["a"], column[0], column.jsonExtract(atPath: "$.a"), Database.jsonType(column)]
            return json.alias.map { $0[pick(value)] } ?? pick(value)
        default: return pick([date(a, .day(number(-2...2))), dateTime(a, .startOfMonth), julianDay(a), strftime("%Y", a)])
        }
    }

    private mutating func conditional(_ scopes: [Scope], depth: Int) -> SQLExpression {
        let (a, b, c) = (leaf(scopes), expression(scopes, depth: depth - 1), literal())
        if happens(onceIn: 2) {
            let branches = Case(a, when: b, then: c).when(literal(), then: 1)
            return happens(onceIn: 2) ? branches.else(leaf(scopes)) : branches.sqlExpression
        }
        let branches = Case(when: predicate(scopes, depth: depth - 1), then: c)
        return happens(onceIn: 2) ? branches.else(a) : branches.sqlExpression
    }

    // MARK: - Predicates

    /// An expression that is usually true, false or NULL.
    mutating func predicate(_ scopes: [Scope], depth: Int) -> SQLExpression {
        guard depth > 0 else { return leaf(scopes) == leaf(scopes) }
        let (a, b) = (expression(scopes, depth: depth - 1), expression(scopes, depth: depth - 1))
        switch number(0...20) {
        case 0: return a == b
        case 1: return a != b
        case 2: return a < b
        case 3: return a >= b
        case 4: return pick([a <= b, a > b, a === b, a !== b])
        case 5: return pick([a == nil, a != nil, a === nil, a !== nil])
        case 6, 7: return predicate(scopes, depth: depth - 1) && predicate(scopes, depth: depth - 1)
        case 8, 9: return predicate(scopes, depth: depth - 1) || predicate(scopes, depth: depth - 1)
        case 10: return !predicate(scopes, depth: depth - 1)
        case 11: return membership(a)
        case 12: return pick([(-1...2).contains(a), (0..<3).contains(a), (1...).contains(a), (..<2).contains(a), ("a"..."b").contains(a)])
        case 13:
            return happens(onceIn: 2)
                ? a.like(pick(["a%", "%b", "_", "%", ""]))
                : a.like(pick(["b\\%%", "%\\_", "b%%_"]), escape: "\\")
        case 14: return a.glob(pick(["a*", "?", "[ab]*", "*"]))
        case 15: return pick([a.collating(.nocase) == b, a < b.collating(.rtrim), ["a", "b"].contains(a.collating(.nocase))])
        case 16, 17: return existence(scopes, depth: depth - 1)
        case 18:
            return [predicate(scopes, depth: depth - 1), predicate(scopes, depth: depth - 1), a].joined(operator: pick([.and, .or]))
        case 19:
            forms.insert(.rowComparison)
            let (left, right) = (rowValue(a, column(scopes)), rowValue(b, leaf(scopes)))
            return pick([left == right, left != right, left < right, left <= right, left > right, left >= right])
        default: return a
        }
    }

    private mutating func membership(_ operand: SQLExpression) -> SQLExpression {
        switch number(0...5) {
        case 0: return [Int]().contains(operand)
        // Also long lists, which SQLite does not rewrite into comparisons.
        case 1: return (0..<number(2...300)).map { $0 % 7 == 0 ? "\($0)".sqlExpression : $0.sqlExpression }.contains(operand)
        default: return (0..<number(1...5)).map { _ in literal() }.contains(operand)
        }
    }

    // MARK: - Subqueries

    /// A request for one table, whose conditions can use the columns of the outer query.
    private mutating func query(_ outer: [Scope], depth: Int) -> (request: QueryInterfaceRequest<Row>, scope: Scope) {
        let model = pick(RandomSchema.tables)
        let alias = TableAlias<Void>(name: happens(onceIn: 4) ? "inner \(number(1...9999))" : nil)
        let scope = Scope(table: model, alias: alias)
        // Without an alias, the columns of the outer table could not be distinguished from the columns of this table.
        let scopes = [scope] + outer.filter { $0.alias != nil }
        var request = model.table.all().aliased(alias).filter(predicate(scopes, depth: depth - 1))
        if happens(onceIn: 3) { request = request.order(column([scope]).desc).withStableOrder() }
        return (request, scope)
    }

    private mutating func subquery(_ scopes: [Scope], depth: Int) -> SQLExpression {
        let (request, scope) = query(scopes, depth: depth)
        // A single row, independent of the order.
        return request.select(min(column([scope]))).sqlExpression
    }

    private mutating func existence(_ scopes: [Scope], depth: Int) -> SQLExpression {
        let (request, scope) = query(scopes, depth: depth)
        switch number(0...4) {
        case 0: return request.exists()
        case 1: return request.limit(number(0...3), offset: happens(onceIn: 2) ? 1 : nil).exists()
        case 2: return request.select(column([scope])).distinct().contains(leaf(scopes))
        default: return request.select(column([scope])).contains(leaf(scopes))
        }
    }

    // MARK: - Aggregates

    /// An aggregate that does not depend on the order of the rows.
    mutating func aggregate(_ scopes: [Scope], depth: Int) -> SQLExpression {
        let scope = pick(scopes)
        let addable = scope.column(pick(scope.table.addable))
        let value = expression(scopes, depth: depth)
        let filter = happens(onceIn: 4) ? predicate(scopes, depth: 1) : nil
        switch number(0...9) {
        case 0: return count(.allColumns, filter: filter)
        case 1: return count(value, filter: filter)
        case 2: return count(distinct: value, filter: filter)
        case 3: return sum(addable, filter: filter)
        case 4: return total(addable, filter: filter)
        case 5: return average(addable, filter: filter)
        case 6: return max(value, filter: filter)
        case 7: return length(groupConcat(addable, separator: ";", filter: filter))
        case 8: return min(value, filter: filter) + 1
        default: return count(value, filter: filter) * 2 - count(.allColumns)
        }
    }

    mutating func window(_ scopes: [Scope], depth: Int) -> SQLExpression {
        let (a, b) = (expression(scopes, depth: depth), column(scopes))
        let frame: WindowFrame? = pick([
            nil, .rows(from: .preceding(1), to: .currentRow), .groups(from: .unboundedPreceding, to: .following(1), excluding: .ties),
            .range(from: .unboundedPreceding, to: .unboundedFollowing),
        ])
        switch number(0...6) {
        case 0: return rowNumber().over(partitionBy: a, orderBy: b)
        case 1: return rank().over(orderBy: a.desc, b)
        case 2: return lag(a, by: number(0...2), default: "none").over(orderBy: b.ascNullsLast)
        case 3: return count(a).over(partitionBy: b, orderBy: a, frame: frame)
        case 4: return max(a, filter: predicate(scopes, depth: 1)).over(orderBy: b, frame: frame)
        case 5: return count(a).over(windowNamed: Self.windowName)
        default: return ntile(number(1...4)).over(orderBy: a, b.descNullsFirst)
        }
    }

    private static let windowName = "the window"

    /// Defines a window that ``window(_:depth:)`` uses.
    mutating func definingWindow(_ request: QueryInterfaceRequest<Row>, _ scopes: [Scope]) -> QueryInterfaceRequest<Row> {
        forms.insert(.namedWindow)
        let (a, b) = (column(scopes), expression(scopes, depth: 1))
        let definition = pick([
            WindowDefinition(partitionBy: a, orderBy: b), WindowDefinition(orderBy: a.desc, b.asc, frame: .rows(from: .preceding(2))),
            WindowDefinition(partitionBy: a, b),
        ])
        return request.window(Self.windowName, definition)
    }

    mutating func ordering(_ scopes: [Scope], depth: Int) -> any SQLOrderingTerm {
        let expression = expression(scopes, depth: depth)
        return pick([expression, expression.asc, expression.desc, expression.ascNullsLast, expression.descNullsFirst])
    }
}
