import RowDecoding

// Functions of aggregates, which return aggregates.

/// Returns the absolute value of an aggregate: `abs(Author.books.sum(\.rating))`.
public func abs<RowDecoder>(_ aggregate: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(abs(aggregate.expression))
}

/// Returns the number of characters of an aggregate's text: `length(Author.books.max(\.title))`.
public func length<RowDecoder>(_ aggregate: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(length(aggregate.expression))
}

/// Converts an aggregate to a storage class, and keeps its alias: `cast(Author.books.average(\.rating), as: .integer)`.
public func cast<RowDecoder>(
    _ aggregate: AssociationAggregate<RowDecoder>, as storageClass: Database.StorageClass
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(cast(aggregate.expression, as: storageClass), key: aggregate.key)
}

/// Converts an aggregate to the type of a column, and keeps its alias.
@_disfavoredOverload
public func cast<RowDecoder>(
    _ aggregate: AssociationAggregate<RowDecoder>, as type: Database.ColumnType
) -> AssociationAggregate<RowDecoder> {
    cast(aggregate, as: Database.StorageClass(rawValue: type.rawValue))
}

/// Returns the remainder of an aggregate divided by another expression: `Author.books.count % 2`.
public func % <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression % rhs.sqlExpression)
}
