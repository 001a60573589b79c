import RowDecoding

/// One change of a request: a clause, or a joined table.
///
/// The methods of requests and associations create changes, and ``RequestSource/applying(_:)`` applies them.
public struct RequestChange: Sendable {
    enum Kind {
        case select(Deferred<[SQLSelection]>)
        case annotate(Deferred<[SQLSelection]>)
        case filter(Deferred<SQLExpression>)
        case group(Deferred<[SQLExpression]>)
        case having(Deferred<SQLExpression>)
        case aggregate
        case order(Deferred<[SQLOrdering]>)
        case reverse
        case unorder
        case stabilizeOrder
        case removeDuplicates
        case alias(TableAliasBase)
        case define(CommonTable)
        case join(AssociationPath, AssociationJoinKind)
    }

    let kind: Kind

    init(_ kind: Kind) {
        self.kind = kind
    }
}

extension Relation {
    func applying(_ change: RequestChange) -> Relation {
        switch change.kind {
        case .select(let selection): selecting(selection)
        case .annotate(let selection): annotated(with: selection)
        case .filter(let predicate): filtered(by: predicate)
        case .group(let expressions): grouped(by: expressions)
        case .having(let predicate): having(predicate)
        case .aggregate: aggregating()
        case .order(let terms): ordered(by: terms)
        case .reverse: reversed()
        case .unorder: unordered()
        case .stabilizeOrder: stablyOrdered()
        case .removeDuplicates: distinct()
        case .alias(let alias): aliased(alias)
        case .define(let table): with(table)
        case .join(let path, let kind): joining(path, as: kind)
        }
    }
}
