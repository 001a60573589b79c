import RowDecoding

extension SQLSpecificExpressible {
    /// Ascending order.
    ///
    /// The SQL of `Column("score").asc` is `"score" ASC`.
    public var asc: SQLOrdering { sqlExpression.ordering(.ascending) }

    /// Descending order.
    ///
    /// The SQL of `Column("score").desc` is `"score" DESC`.
    public var desc: SQLOrdering { sqlExpression.ordering(.descending) }
}
