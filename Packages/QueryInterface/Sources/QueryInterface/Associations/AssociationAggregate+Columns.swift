import RowDecoding

// Aggregates of expressions on the columns of the associated record type, which closures get as `$0`.

extension AssociationToMany where RowDecoder: TableRecord {
    /// Returns the average of an expression over the associated rows: `average(\.price)` or `average { $0.price * 2 }`.
    ///
    /// The value is NULL if there are no rows. The default alias for a column "price" is "averageBookPrice".
    public func average(
        _ expression: (RowDecoder.DatabaseComponents) throws -> any SQLOperand
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try average(expression(RowDecoder.databaseComponents))
    }

    /// Returns the greatest value of an expression in the associated rows: `max(\.price)` or `max { $0.price * 2 }`.
    ///
    /// The value is NULL if there are no rows. The default alias for a column "price" is "maxBookPrice".
    public func max(
        _ expression: (RowDecoder.DatabaseComponents) throws -> any SQLOperand
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try max(expression(RowDecoder.databaseComponents))
    }

    /// Returns the least value of an expression in the associated rows: `min(\.price)` or `min { $0.price * 2 }`.
    ///
    /// The value is NULL if there are no rows. The default alias for a column "price" is "minBookPrice".
    public func min(
        _ expression: (RowDecoder.DatabaseComponents) throws -> any SQLOperand
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try min(expression(RowDecoder.databaseComponents))
    }

    /// Returns the sum of an expression over the associated rows: `sum(\.price)` or `sum { $0.price * $0.quantity }`.
    ///
    /// The value is NULL if there are no rows. The default alias for a column "price" is "bookPriceSum".
    public func sum(
        _ expression: (RowDecoder.DatabaseComponents) throws -> any SQLOperand
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try sum(expression(RowDecoder.databaseComponents))
    }

    /// Returns the sum of an expression over the associated rows as a REAL: `total(\.price)` or `total { $0.price * $0.quantity }`.
    ///
    /// The value is 0.0 if there are no rows. The default alias for a column "price" is "bookPriceSum".
    public func total(
        _ expression: (RowDecoder.DatabaseComponents) throws -> any SQLOperand
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try total(expression(RowDecoder.databaseComponents))
    }
}
