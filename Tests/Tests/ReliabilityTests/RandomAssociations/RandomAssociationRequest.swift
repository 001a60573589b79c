import Strata

/// A random request with aggregates of associations, filters and joins, and SQL for it, written by hand.
///
/// The SQL has other forms than the SQL of requests: aggregates are groups that are joined, and a filter is not part of the join that
/// it restricts.
struct RandomAssociationRequest {
    /// The request, whose rows have the columns "id" and "score", one for each aggregate, and a scope for each included association.
    private(set) var request: QueryInterfaceRequest<Row>

    /// The paths of the values in a row of the request, in the order of the columns of the SQL.
    private(set) var values: [(scope: String?, column: String)] = []

    /// Whether the rows have an order.
    private(set) var isOrdered = false

    private var columns: [String] = []
    private var sources: [String] = []
    private var conditions: [String] = []
    private var usesAggregates = false
    private var repeatsRows = false
    /// The keys of the joined rows whose columns are selected. They repeat a row of the request, other joined rows don't.
    private var keys: [String] = []
    private var limit: Int?
    private let root: String

    /// The SQL.
    var sql: String {
        // A request that uses aggregates has a row once, and once for each joined row whose columns it selects.
        let isDistinct = usesAggregates && repeatsRows
        let selected = columns.enumerated().map { "\($1) AS c\($0)" } + keys
        var sql = "SELECT \(isDistinct ? "DISTINCT " : "")\(selected.joined(separator: ", ")) FROM \(root) r"
        for source in sources { sql += " \(source)" }
        if !conditions.isEmpty { sql += " WHERE \(conditions.map { "(\($0))" }.joined(separator: " AND "))" }
        if isOrdered { sql += " ORDER BY r.score DESC, r.id" }
        if let limit { sql += " LIMIT \(limit)" }
        return keys.isEmpty ? sql : "SELECT \(columns.indices.map { "c\($0)" }.joined(separator: ", ")) FROM (\(sql))"
    }

    init(_ random: inout SeededGenerator) {
        root = ["country", "team", "player"].randomElement(using: &random)!
        request = Table(root).select(Column("id"), Column("score"))
        select("r.id", "id")
        select("r.score", "score")
        // In random order: requests don't depend on it.
        var steps: [(inout Self, inout SeededGenerator) -> Void] = []
        for index in 0..<Int.random(in: 0...2, using: &random) {
            steps.append { $0.addAggregate(index, isSelected: true, &$1) }
        }
        if Int.random(in: 0..<3, using: &random) == 0 { steps.append { $0.addAggregate(8, isSelected: false, &$1) } }
        if Int.random(in: 0..<2, using: &random) == 0 { steps.append { $0.addFilter(&$1) } }
        for link in AssociationModel.toMany where link.origin == root && Int.random(in: 0..<2, using: &random) == 0 {
            steps.append { $0.addJoin(link, &$1) }
        }
        for reference in AssociationModel.toOne where reference.origin == root && Int.random(in: 0..<3, using: &random) == 0 {
            steps.append { $0.addReference(reference, &$1) }
        }
        for step in steps.shuffled(using: &random) { step(&self, &random) }
        let isUnique = !repeatsRows || usesAggregates && keys.isEmpty
        if isUnique, Int.random(in: 0..<3, using: &random) == 0 {
            isOrdered = true
            request = request.order(Column("score").desc).withStableOrder()
            if Bool.random(using: &random) {
                let count = Int.random(in: 1...5, using: &random)
                limit = count
                request = request.limit(count)
            }
        }
    }

    private mutating func select(_ sql: String, _ column: String, scope: String? = nil) {
        columns.append(sql)
        values.append((scope, column))
    }

    // MARK: - Conditions

    /// A random condition on the columns of a table, and its SQL, in which `{}` stands for the name of the table.
    private static func condition(_ random: inout SeededGenerator) -> (expression: SQLExpression, sql: String) {
        let (name, score) = (Column("name"), Column("score"))
        let number = Int.random(in: -3...6, using: &random)
        let text = AssociationModel.names.randomElement(using: &random)!
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return (score > number, "{}.score > \(number)")
        case 1: return (score == nil || score <= number, "{}.score IS NULL OR {}.score <= \(number)")
        case 2: return (name != text, "{}.name <> '\(text)'")
        case 3: return ((name == text).collating(.nocase), "lower({}.name) = lower('\(text)')")
        case 4: return (["ann", "Cy", text].contains(name), "{}.name = 'ann' OR {}.name = 'Cy' OR {}.name = '\(text)'")
        case 5: return ((number...4 + abs(number)).contains(score), "{}.score >= \(number) AND {}.score <= \(4 + abs(number))")
        case 6: return (!["bob"].contains(name).collating(.nocase), "lower({}.name) <> 'bob'")
        case 7: return (!(score < number && name > text), "NOT ({}.score < \(number) AND {}.name > '\(text)')")
        default: return (Column("id") % 3 != 0, "{}.id % 3 <> 0")
        }
    }

    private static func named(_ sql: String, _ name: String) -> String { sql.replacing("{}", with: name) }

    private mutating func addFilter(_ random: inout SeededGenerator) {
        let (expression, sql) = Self.condition(&random)
        request = request.filter(expression)
        conditions.append(Self.named(sql, "r"))
    }

    // MARK: - Aggregates

    /// Adds an aggregate of an association to the selection or to the conditions.
    private mutating func addAggregate(_ index: Int, isSelected: Bool, _ random: inout SeededGenerator) {
        let link = AssociationModel.toMany.filter { $0.origin == root }.randomElement(using: &random)!
        addAggregate(of: link.association, link, "g\(index)", isSelected: isSelected, &random)
    }

    private mutating func addAggregate<A: AssociationToMany<Row, Row>>(
        of association: A, _ link: AssociationModel.Link, _ name: String, isSelected: Bool, _ random: inout SeededGenerator
    ) {
        var association = association
        // SQL of the group of rows for each row of the request, whose key is k and whose value is v.
        var source = ""
        var keys = ""
        for (position, join) in link.joins.enumerated() {
            let condition = join.condition.replacing("{a}", with: "a").replacing("{t}", with: "t")
            if position == 0 {
                source = "\(join.table) \(join.alias == "{a}" ? "a" : "t")"
                keys = String(condition.prefix { $0 != " " })
            } else {
                source += " JOIN \(join.table) a ON \(condition)"
            }
        }
        var filters: [String] = []
        for _ in 0..<Int.random(in: 0...1, using: &random) {
            let (expression, sql) = Self.condition(&random)
            association = association.filter(expression)
            filters.append(Self.named(sql, "a"))
        }
        if let nested = AssociationModel.toMany.first(where: { $0.origin == link.destination && $0.joins.count == 1 }),
            Int.random(in: 0..<4, using: &random) == 0, let next = nested.association as? HasManyAssociation<Row, Row>
        {
            let (expression, sql) = Self.condition(&random)
            association = association.joining(required: next.filter(expression))
            let on = nested.joins[0].condition.replacing("{a}", with: "n").replacing("{o}", with: "a")
            source += " JOIN \(nested.destination) n ON \(on)"
            filters.append(Self.named(sql, "n"))
        }
        let score = Column("score")
        let aggregate: AssociationAggregate<Row>
        let (value, result): (String, String)
        switch Int.random(in: 0..<7, using: &random) {
        case 0: (aggregate, value, result) = (association.isEmpty, "1", "v IS NULL")
        case 1: (aggregate, value, result) = (association.min(score), "min(a.score)", "v")
        case 2: (aggregate, value, result) = (association.max(score), "max(a.score)", "v")
        case 3: (aggregate, value, result) = (association.sum(score), "sum(a.score)", "v")
        case 4: (aggregate, value, result) = (association.average(score), "avg(a.score)", "v")
        case 5: (aggregate, value, result) = (association.total(score), "total(a.score)", "ifnull(v, 0.0)")
        default: (aggregate, value, result) = (association.count, "count(DISTINCT a.id)", "ifnull(v, 0)")
        }
        usesAggregates = true
        let condition = filters.isEmpty ? "" : " WHERE " + filters.map { "(\($0))" }.joined(separator: " AND ")
        sources.append("LEFT JOIN (SELECT \(keys) AS k, \(value) AS v FROM \(source)\(condition) GROUP BY 1) \(name) ON \(name).k = r.id")
        let sql = result.replacing("v ", with: "\(name).v ").replacing("(v,", with: "(\(name).v,")
        let selected = result == "v" ? "\(name).v" : sql
        if isSelected {
            request = request.annotated(with: aggregate.forKey(name))
            select(selected, name)
        } else {
            let number = Int.random(in: -1...3, using: &random)
            request = Bool.random(using: &random) ? request.having(aggregate >= number) : request.filter(aggregate >= number)
            conditions.append("(\(selected)) >= \(number)")
        }
    }

    // MARK: - Joins

    private mutating func addJoin(_ link: AssociationModel.Link, _ random: inout SeededGenerator) {
        addJoin(of: link.association, link, &random)
    }

    private mutating func addJoin<A: AssociationToMany<Row, Row>>(
        of association: A, _ link: AssociationModel.Link, _ random: inout SeededGenerator
    ) {
        let name = "j\(sources.count)"
        var association = association.forKey("\(link.destination)JoinedTo\(link.origin)s").select(Column("id"), Column("name"))
        let (isRequired, isIncluded) = (Bool.random(using: &random), Int.random(in: 0..<3, using: &random) == 0)
        var filters: [String] = []
        let condition = Int.random(in: 0..<2, using: &random) == 0 ? Self.condition(&random) : nil
        let second = Int.random(in: 0..<5, using: &random) == 0 ? Self.condition(&random) : nil
        if let condition {
            association = association.filter(condition.expression)
            filters.append(Self.named(condition.sql, name))
        }
        var lastTable = link.destination
        if let next = AssociationModel.toOne.first(where: { $0.origin == link.destination }) {
            // A condition on the row that a joined row refers to, or its columns, for any of the joined rows.
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let (expression, sql) = Self.condition(&random)
                association = association.joining(optional: next.association).filter(next.association.columns[expression])
                lastTable = next.table(where: Self.named(sql, "n"))
            case 1 where !isIncluded:
                association = association.including(optional: next.association.select(Column("id")))
            default: break
            }
        }
        if let second { filters.append(Self.named(second.sql, name)) }
        // The same association again adds to the join.
        let again = second.map { association.filter($0.expression) }
        switch (isRequired, isIncluded) {
        case (true, true): request = request.including(required: association)
        case (true, false): request = request.joining(required: association)
        case (false, true): request = request.including(optional: association)
        case (false, false): request = request.joining(optional: association)
        }
        if let again { request = isRequired ? request.joining(required: again) : request.joining(optional: again) }
        for join in link.joins {
            let isLast = join.alias == "{a}"
            let on = join.condition.replacing("{o}", with: "r").replacing("{a}", with: name).replacing("{t}", with: "t\(name)")
            let all = ([on] + (isLast ? filters : [])).map { "(\($0))" }.joined(separator: " AND ")
            sources.append("\(isRequired ? "" : "LEFT ")JOIN \(isLast ? lastTable : join.table) \(isLast ? name : "t\(name)") ON \(all)")
        }
        repeatsRows = true
        guard isIncluded else { return }
        keys += link.joins.map { "\($0.alias == "{a}" ? name : "t\(name)").id" }
        let scope = "\(link.destination)JoinedTo\(link.origin)"
        select("\(name).id", "id", scope: scope)
        select("\(name).name", "name", scope: scope)
    }

    private mutating func addReference(_ reference: AssociationModel.Reference, _ random: inout SeededGenerator) {
        let name = "p\(sources.count)"
        let (isRequired, isIncluded) = (Bool.random(using: &random), Bool.random(using: &random))
        let (expression, sql) = Self.condition(&random)
        var association = reference.association.filter(expression).select(Column("id"), Column("name"))
        var source = "\(reference.destination) \(name)"
        if let next = AssociationModel.toOne.first(where: { $0.origin == reference.destination }), Int.random(in: 0..<3, using: &random) > 0
        {
            let (nextExpression, nextSQL) = Self.condition(&random)
            if Bool.random(using: &random) {
                association = association.joining(required: next.association.filter(nextExpression))
                source = """
                    (\(source) JOIN \(next.destination) n\(name) ON n\(name).id = \(name).\(next.column) \
                    AND (\(Self.named(nextSQL, "n\(name)"))))
                    """
            } else {
                association = association.joining(optional: next.association).filter(next.association.columns[nextExpression])
                source = "\(next.table(where: Self.named(nextSQL, "n"))) \(name)"
            }
        }
        switch (isRequired, isIncluded) {
        case (true, true): request = request.including(required: association)
        case (true, false): request = request.joining(required: association)
        case (false, true): request = request.including(optional: association)
        case (false, false): request = request.joining(optional: association)
        }
        sources.append("\(isRequired ? "" : "LEFT ")JOIN \(source) ON \(name).id = r.\(reference.column) AND (\(Self.named(sql, name)))")
        guard isIncluded else { return }
        let scope = "\(reference.destination)Of\(reference.origin)"
        select("\(name).id", "id", scope: scope)
        select("\(name).name", "name", scope: scope)
    }
}
