import Foundation
import QueryInterface

/// How many pairs of random requests are compared. `make soak` compares 10,000.
let pairCount: UInt64 = ProcessInfo.processInfo.environment["STRATA_REQUESTS"].flatMap { UInt64($0) } ?? 1_000

/// Makes random requests. The same seed gives the same requests.
struct RandomRequests {
    typealias Scope = RandomExpressions.Scope

    /// A request with its properties.
    struct Sample {
        var request: QueryInterfaceRequest<Row>
        /// The tables whose columns expressions can use.
        var scopes: [Scope]
        /// Whether the rows do not depend on SQLite's plan, as they do with a limit and with window functions.
        var hasFixedRows = true
        /// Whether each row is a row of the first table.
        var isPlain = true
        /// Whether the selection can be replaced.
        var canSelect = true
        /// Whether the first table has a key.
        var hasKey = true
        /// Whether the columns that prefetched associations need can be added.
        var canPrefetch = true
    }

    var random: RandomExpressions

    /// Whether the columns of associations may be selected.
    var includesAssociations = true

    /// Whether to prefetch associations.
    var prefetches = true

    init(seed: UInt64, values: UInt64 = 0, change: Int? = nil) {
        random = RandomExpressions(seed: seed, values: values, change: change)
    }

    /// A request with random clauses.
    mutating func request() -> Sample {
        var sample = source()
        if random.happens(onceIn: 2) { sample.request = filter(sample.request, random.predicate(sample.scopes, depth: 2)) }
        if sample.hasKey, random.happens(onceIn: 8) { sample.request = sample.request.filter(keys: keys(of: sample.scopes[0].table)) }
        if random.happens(onceIn: 8) { filterByTable(&sample) }
        switch random.number(0...5) {
        case 0: group(&sample)
        case 1: annotate(&sample)
        case 2: aggregateAssociations(&sample)
        case 3: select(&sample)
        default: break
        }
        if prefetches, includesAssociations, sample.canPrefetch, random.happens(onceIn: 6) {
            prefetch(&sample)
        } else if random.happens(onceIn: 6) {
            sample.request = sample.request.distinct()
            sample.isPlain = false
        }
        if random.happens(onceIn: 5) {
            sample.request = sample.request.limit(random.number(0...6), offset: random.happens(onceIn: 2) ? random.number(0...3) : nil)
            sample.hasFixedRows = false
            sample.isPlain = false
        }
        return sample
    }

    /// Filters by a predicate, or by a closure that returns it.
    private mutating func filter(_ request: QueryInterfaceRequest<Row>, _ predicate: SQLExpression) -> QueryInterfaceRequest<Row> {
        guard random.happens(onceIn: 4) else { return request.filter(predicate) }
        random.forms.insert(.closure)
        return request.filterWhenConnected { _ in predicate }
    }

    /// Keys of a table, at least one.
    private mutating func keys(of model: RandomSchema.TableModel) -> [[String: (any DatabaseValueConvertible)?]] {
        random.forms.insert(.key)
        return (0..<random.number(1...3)).map { _ in
            switch model.columns[0] {
            case "id": ["id": random.keyValue()]
            case "code": ["code": random.happens(onceIn: 5) ? nil : "a", "part": random.keyValue()]
            default: ["rowid": random.keyValue()]
            }
        }
    }

    /// Filters by a common table expression with one column.
    private mutating func filterByTable(_ sample: inout Sample) {
        random.forms.insert(.tableMembership)
        let model = random.pick(RandomSchema.tables)
        let values = model.table.select(random.column([Scope(table: model, alias: nil)]))
        let list = CommonTableExpression<Row>(
            named: random.pick(["li\"st", "values"]), columns: random.happens(onceIn: 2) ? ["v"] : nil, request: values)
        let condition = list.contains(random.leaf(sample.scopes))
        sample.request = sample.request.with(list).filter(random.happens(onceIn: 2) ? condition : !condition)
    }

    /// Prefetches an association, and perhaps another one for its rows.
    private mutating func prefetch(_ sample: inout Sample) {
        random.forms.insert(.prefetch)
        let way = random.pick(sample.scopes[0].table.toMany)
        let scope = Scope(table: RandomSchema.tables[way.destination], alias: nil)
        let next = random.happens(onceIn: 3) ? random.pick(scope.table.toMany).association.path : nil
        let predicate = random.happens(onceIn: 2) ? random.predicate([scope], depth: 1) : nil
        let column = random.happens(onceIn: 2) ? random.column([scope]) : nil
        func path<A: AssociationToMany>(_ association: A) -> AssociationPath where A.OriginRowDecoder == Row, A.RowDecoder == Row {
            var association = association
            if let predicate { association = association.filter(predicate) }
            if let column { association = association.order(column) }
            if let next { association = association.joining(next, as: .prefetched) }
            return association.path
        }
        sample.request = sample.request.joining(path(way.association), as: .prefetched)
        // The rows have the columns of the keys, too.
        sample.hasFixedRows = false
    }

    /// All rows of a table, of joined tables, or of a common table expression.
    mutating func source() -> Sample {
        let model = random.pick(RandomSchema.tables)
        switch random.number(0...6) {
        case 0, 1:
            return Sample(request: model.table.all(), scopes: [Scope(table: model, alias: nil)])
        case 2:
            let alias = alias()
            return Sample(request: model.table.all().aliased(alias), scopes: [Scope(table: model, alias: alias)])
        case 3:
            return commonTable(model)
        default:
            let alias = alias()
            var sample = Sample(request: model.table.all().aliased(alias), scopes: [Scope(table: model, alias: alias)], isPlain: false)
            for _ in 0..<random.number(1...3) {
                let (path, kind) = joined(model, depth: 2, scopes: &sample.scopes)
                sample.request = sample.request.joining(path, as: kind)
            }
            return sample
        }
    }

    private mutating func alias() -> TableAlias<Void> {
        guard random.happens(onceIn: 3) else { return TableAlias() }
        return TableAlias(name: random.pick(["a", "select", "x\"y", "😀", "my table"]) + "\(random.number(1...99999))")
    }

    private mutating func commonTable(_ model: RandomSchema.TableModel) -> Sample {
        let name = random.pick(["c", "order by", "se\"lect", "😀😀"])
        let expression = CommonTableExpression<Row>(
            named: name, request: model.table.filter(random.predicate([Scope(table: model, alias: nil)], depth: 1)))
        let alias = alias()
        if random.happens(onceIn: 2) {
            return Sample(
                request: expression.all().aliased(alias).with(expression), scopes: [Scope(table: model, alias: alias)], isPlain: false,
                hasKey: false, canPrefetch: false)
        }
        let (other, shared) = (random.pick(RandomSchema.tables), model.columns[0])
        let column = random.pick(other.columns)
        let association = other.table.association(to: expression, on: { $0[column] == $1[shared] })
        let root = TableAlias<Void>()
        return Sample(
            request: other.table.all().aliased(root).with(expression)
                .joining(association.aliased(alias).path, as: includesAssociations ? .includedOptional : .optional),
            scopes: [Scope(table: other, alias: root), Scope(table: model, alias: alias)], isPlain: false)
    }

    /// An association of a table, with conditions and nested associations.
    private mutating func joined(
        _ model: RandomSchema.TableModel, depth: Int, scopes: inout [Scope]
    ) -> (AssociationPath, AssociationJoinKind) {
        let alias = alias()
        let kinds: [AssociationJoinKind] = [.required, .optional, .includedRequired, .includedOptional]
        let kind = random.pick(includesAssociations ? kinds : [.required, .optional])
        if random.happens(onceIn: 2) {
            let way = random.pick(model.toOne)
            return (path(way.association, to: way.destination, alias: alias, depth: depth, scopes: &scopes), kind)
        }
        let way = random.pick(model.toMany)
        return (path(way.association, to: way.destination, alias: alias, depth: depth, scopes: &scopes), kind)
    }

    private mutating func path<A: Association>(
        _ association: A, to destination: Int, alias: TableAlias<Void>, depth: Int, scopes: inout [Scope]
    ) -> AssociationPath where A.OriginRowDecoder == Row, A.RowDecoder == Row {
        let model = RandomSchema.tables[destination]
        let scope = Scope(table: model, alias: alias)
        scopes.append(scope)
        var association = association.aliased(alias)
        if random.happens(onceIn: 3) {
            // Without an alias, as for an association that is defined before it is used.
            association = association.filter(random.predicate([Scope(table: model, alias: nil)], depth: 1))
        }
        if random.happens(onceIn: 3) { association = association.order(random.ordering([scope], depth: 1)) }
        if random.happens(onceIn: 6) { association = association.reversed() }
        if random.happens(onceIn: 6) { association = association.select(random.column([Scope(table: model, alias: nil)])) }
        if depth > 1, random.happens(onceIn: 3) {
            let nested = scopes.count
            let (path, kind) = joined(model, depth: depth - 1, scopes: &scopes)
            association = association.joining(path, as: kind)
            // A condition on the table that it joins, which may be optional.
            if random.happens(onceIn: 2) {
                association = association.filter(random.predicate([Scope(table: model, alias: nil), scopes[nested]], depth: 1))
            }
        }
        return association.path
    }

    // MARK: - Clauses

    private mutating func group(_ sample: inout Sample) {
        let keys = (0..<random.number(1...2)).map { _ in random.column(sample.scopes) }
        let aggregates = [random.aggregate(sample.scopes, depth: 1), random.aggregate(sample.scopes, depth: 1)]
        sample.request = sample.request.select(keys + aggregates)
        // Grouped by nothing, all rows are one group.
        let isOneGroup = random.happens(onceIn: 5)
        sample.request = isOneGroup ? sample.request.select(aggregates) : sample.request.group(keys)
        // SQLite accepts HAVING without GROUP BY from 3.39 on.
        if random.happens(onceIn: 2), !isOneGroup || SQLiteLibrary.current.versionNumber >= 3_039_000 {
            sample.request = sample.request.having(random.aggregate(sample.scopes, depth: 1) > random.literal())
        }
        if random.happens(onceIn: 3) { sample.request = sample.request.order(aggregates[0].desc) }
        // Columns of the joined tables have the values of any row of the group.
        sample.hasFixedRows = sample.scopes.count == 1
        sample.isPlain = false
        sample.canSelect = false
        sample.canPrefetch = false
    }

    private mutating func annotate(_ sample: inout Sample) {
        let additions = [
            random.expression(sample.scopes, depth: 2).forKey("to\"tal"), random.window(sample.scopes, depth: 1).forKey("window"),
        ]
        sample.request = random.definingWindow(sample.request, sample.scopes)
        if random.happens(onceIn: 4) {
            random.forms.insert(.closure)
            sample.request = sample.request.annotatedWhenConnected { _ in additions }
        } else {
            sample.request = sample.request.annotated(with: additions)
        }
        if random.happens(onceIn: 2) {
            sample.request = sample.request.order(Column("to\"tal").desc, random.ordering(sample.scopes, depth: 1))
        }
        sample.hasFixedRows = false
        sample.canSelect = false
    }

    private mutating func select(_ sample: inout Sample) {
        let selection = (0..<random.number(1...3)).map { _ in random.expression(sample.scopes, depth: 2) }
        if random.happens(onceIn: 4) {
            random.forms.insert(.closure)
            sample.request = sample.request.selectWhenConnected { _ in selection }
        } else {
            sample.request = sample.request.select(selection)
        }
        if random.happens(onceIn: 2) {
            sample.request = sample.request.order(random.ordering(sample.scopes, depth: 1), random.ordering(sample.scopes, depth: 1))
            if random.happens(onceIn: 2) { sample.request = sample.request.reversed().withStableOrder() }
        }
    }

    private mutating func aggregateAssociations(_ sample: inout Sample) {
        let way = random.pick(sample.scopes[0].table.toMany)
        let scope = Scope(table: RandomSchema.tables[way.destination], alias: nil)
        let filter = random.happens(onceIn: 3) ? random.predicate([scope], depth: 1) : nil
        func aggregate<A: AssociationToMany>(_ association: A) -> any SQLSpecificExpressible where A.OriginRowDecoder == Row {
            let association = filter.map { association.filter($0) } ?? association
            switch random.number(0...5) {
            case 0: return association.isEmpty
            case 1: return association.max(random.expression([scope], depth: 1))
            case 2: return association.sum(Column(random.pick(scope.table.addable)))
            case 3: return association.average(Column(random.pick(scope.table.addable))) ?? 0
            case 4: return association.count + 1
            default: return association.count
            }
        }
        let (first, second) = (aggregate(way.association), aggregate(way.association))
        sample.request = sample.request.annotated(with: first.forKey("aggregate"))
        switch random.number(0...3) {
        case 0: sample.request = sample.request.having(second >= 1)
        case 1: sample.request = sample.request.having(!(second == nil) && first != 3)
        case 2: sample.request = sample.request.order(second.desc)
        default: break
        }
    }
}
