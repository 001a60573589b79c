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
        case order(Deferred<[SQLOrdering]>)
        case reverse
        case unorder
        case stabilizeOrder
        case removeDuplicates
        case limit(Relation.Limit)
        case window(String, WindowDefinition)
        case alias(TableAliasBase)
        case define(CommonTable)
        case join(AssociationPath, AssociationJoinKind)
    }

    let kind: Kind
}
