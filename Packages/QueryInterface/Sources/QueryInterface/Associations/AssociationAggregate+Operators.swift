import RowDecoding

// Aggregates of associations can be compared, combined and computed with like other expressions. What comes of it is an aggregate
// again, so that it stays one of the table that has the association.

// MARK: - Comparison

/// Equality of two aggregates.
public func == <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression == rhs.expression)
}

/// Equality of an aggregate and another expression: `Author.books.count == 2`.
public func == <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: (any SQLExpressible)?
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression == (rhs?.sqlExpression ?? SQLExpression.null))
}

/// Equality of another expression and an aggregate.
public func == <RowDecoder>(
    lhs: (any SQLExpressible)?, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs?.sqlExpression ?? SQLExpression.null) == rhs.expression)
}

/// Inequality of two aggregates.
public func != <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression != rhs.expression)
}

/// Inequality of an aggregate and another expression: `Author.books.count != 2`.
public func != <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: (any SQLExpressible)?
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression != (rhs?.sqlExpression ?? SQLExpression.null))
}

/// Inequality of another expression and an aggregate.
public func != <RowDecoder>(
    lhs: (any SQLExpressible)?, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs?.sqlExpression ?? SQLExpression.null) != rhs.expression)
}

/// Identity, which NULL has with NULL, of two aggregates.
public func === <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression === rhs.expression)
}

/// Identity, which NULL has with NULL, of an aggregate and another expression: `Author.books.max(Column("year")) === 2000`.
public func === <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: (any SQLExpressible)?
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression === (rhs?.sqlExpression ?? SQLExpression.null))
}

/// Identity, which NULL has with NULL, of another expression and an aggregate.
public func === <RowDecoder>(
    lhs: (any SQLExpressible)?, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs?.sqlExpression ?? SQLExpression.null) === rhs.expression)
}

/// The opposite of identity of two aggregates.
public func !== <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression !== rhs.expression)
}

/// The opposite of identity of an aggregate and another expression: `Author.books.max(Column("year")) !== 2000`.
public func !== <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: (any SQLExpressible)?
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression !== (rhs?.sqlExpression ?? SQLExpression.null))
}

/// The opposite of identity of another expression and an aggregate.
public func !== <RowDecoder>(
    lhs: (any SQLExpressible)?, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs?.sqlExpression ?? SQLExpression.null) !== rhs.expression)
}

/// Less than, of two aggregates.
public func < <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression < rhs.expression)
}

/// Less than, of an aggregate and another expression: `Author.books.count < 2`.
public func < <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: some SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression < (rhs.sqlExpression))
}

/// Less than, of another expression and an aggregate.
public func < <RowDecoder>(
    lhs: some SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs.sqlExpression) < rhs.expression)
}

/// Less than or equal, of two aggregates.
public func <= <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression <= rhs.expression)
}

/// Less than or equal, of an aggregate and another expression: `Author.books.count <= 2`.
public func <= <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: some SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression <= (rhs.sqlExpression))
}

/// Less than or equal, of another expression and an aggregate.
public func <= <RowDecoder>(
    lhs: some SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs.sqlExpression) <= rhs.expression)
}

/// Greater than, of two aggregates.
public func > <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression > rhs.expression)
}

/// Greater than, of an aggregate and another expression: `Author.books.count > 2`.
public func > <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: some SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression > (rhs.sqlExpression))
}

/// Greater than, of another expression and an aggregate.
public func > <RowDecoder>(
    lhs: some SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs.sqlExpression) > rhs.expression)
}

/// Greater than or equal, of two aggregates.
public func >= <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression >= rhs.expression)
}

/// Greater than or equal, of an aggregate and another expression: `Author.books.count >= 2`.
public func >= <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: some SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression >= (rhs.sqlExpression))
}

/// Greater than or equal, of another expression and an aggregate.
public func >= <RowDecoder>(
    lhs: some SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs.sqlExpression) >= rhs.expression)
}

// MARK: - Arithmetic

/// The sum of two aggregates.
public func + <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression + rhs.expression)
}

/// The sum of an aggregate and another expression: `Author.books.count + 2`.
public func + <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: some SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression + (rhs.sqlExpression))
}

/// The sum of another expression and an aggregate.
public func + <RowDecoder>(
    lhs: some SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs.sqlExpression) + rhs.expression)
}

/// The difference of two aggregates.
public func - <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression - rhs.expression)
}

/// The difference of an aggregate and another expression: `Author.books.count - 2`.
public func - <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: some SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression - (rhs.sqlExpression))
}

/// The difference of another expression and an aggregate.
public func - <RowDecoder>(
    lhs: some SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs.sqlExpression) - rhs.expression)
}

/// The product of two aggregates.
public func * <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression * rhs.expression)
}

/// The product of an aggregate and another expression: `Author.books.count * 2`.
public func * <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: some SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression * (rhs.sqlExpression))
}

/// The product of another expression and an aggregate.
public func * <RowDecoder>(
    lhs: some SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs.sqlExpression) * rhs.expression)
}

/// The quotient of two aggregates.
public func / <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression / rhs.expression)
}

/// The quotient of an aggregate and another expression: `Author.books.count / 2`.
public func / <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: some SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression / (rhs.sqlExpression))
}

/// The quotient of another expression and an aggregate.
public func / <RowDecoder>(
    lhs: some SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs.sqlExpression) / rhs.expression)
}

/// The opposite number.
public prefix func - <RowDecoder>(operand: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(-operand.expression)
}

/// An aggregate, or another value where it is NULL: `Author.books.max(Column("year")) ?? 0`.
public func ?? <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: some SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression ?? rhs.sqlExpression, key: lhs.key)
}

// MARK: - Logic

/// Conjunction of two aggregates.
public func && <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression && rhs.expression)
}

/// Conjunction of an aggregate and another expression: `Author.books.isEmpty && Column("country") == "FR"`.
public func && <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: some SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression && (rhs.sqlExpression))
}

/// Conjunction of another expression and an aggregate.
public func && <RowDecoder>(
    lhs: some SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs.sqlExpression) && rhs.expression)
}

/// Disjunction of two aggregates.
public func || <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression || rhs.expression)
}

/// Disjunction of an aggregate and another expression: `Author.books.isEmpty || Column("country") == "FR"`.
public func || <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: some SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression || (rhs.sqlExpression))
}

/// Disjunction of another expression and an aggregate.
public func || <RowDecoder>(
    lhs: some SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs.sqlExpression) || rhs.expression)
}

/// Negation: `!Author.books.isEmpty`.
public prefix func ! <RowDecoder>(operand: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(!operand.expression)
}
