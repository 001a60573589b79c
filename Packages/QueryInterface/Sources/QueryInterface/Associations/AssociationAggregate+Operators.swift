import RowDecoding

// Aggregates of associations have the operators of expressions. The result is an aggregate again, so that the type system still
// knows the table that has the association.
//
// They are disfavored, so that the compiler tries them last, and in vain in conditions without aggregates: there, they would double the
// alternatives for each operator above a mistake. `==` and `!=` compete with Swift's own comparison with nil, which would win.

// MARK: - Comparison

/// Compares two aggregates by `=`.
@_disfavoredOverload
public func == <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression == rhs.expression)
}

/// Compares an aggregate with another expression by `=`: `Author.books.count == 2`.
public func == <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: (any SQLExpressible)?
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression == (rhs?.sqlExpression ?? SQLExpression.null))
}

/// Compares another expression with an aggregate by `=`.
public func == <RowDecoder>(
    lhs: (any SQLExpressible)?, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs?.sqlExpression ?? SQLExpression.null) == rhs.expression)
}

/// Compares two aggregates by `<>`.
@_disfavoredOverload
public func != <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression != rhs.expression)
}

/// Compares an aggregate with another expression by `<>`: `Author.books.count != 2`.
public func != <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: (any SQLExpressible)?
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression != (rhs?.sqlExpression ?? SQLExpression.null))
}

/// Compares another expression with an aggregate by `<>`.
public func != <RowDecoder>(
    lhs: (any SQLExpressible)?, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs?.sqlExpression ?? SQLExpression.null) != rhs.expression)
}

/// Compares two aggregates by `IS`, which treats NULLs as equal.
@_disfavoredOverload
public func === <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression === rhs.expression)
}

/// Compares an aggregate with another expression by `IS`, which treats NULLs as equal: `Author.books.max(Column("year")) === 2000`.
@_disfavoredOverload
public func === <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: (any SQLExpressible)?
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression === (rhs?.sqlExpression ?? SQLExpression.null))
}

/// Compares another expression with an aggregate by `IS`, which treats NULLs as equal.
@_disfavoredOverload
public func === <RowDecoder>(
    lhs: (any SQLExpressible)?, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs?.sqlExpression ?? SQLExpression.null) === rhs.expression)
}

/// Compares two aggregates by `IS NOT`, which treats NULLs as equal.
@_disfavoredOverload
public func !== <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression !== rhs.expression)
}

/// Compares an aggregate with another expression by `IS NOT`, which treats NULLs as equal: `Author.books.max(Column("year")) !== 2000`.
@_disfavoredOverload
public func !== <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: (any SQLExpressible)?
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression !== (rhs?.sqlExpression ?? SQLExpression.null))
}

/// Compares another expression with an aggregate by `IS NOT`, which treats NULLs as equal.
@_disfavoredOverload
public func !== <RowDecoder>(
    lhs: (any SQLExpressible)?, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs?.sqlExpression ?? SQLExpression.null) !== rhs.expression)
}

/// Compares two aggregates by `<`.
@_disfavoredOverload
public func < <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression < rhs.expression)
}

/// Compares an aggregate with another expression by `<`: `Author.books.count < 2`.
@_disfavoredOverload
public func < <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression < rhs)
}

/// Compares another expression with an aggregate by `<`.
@_disfavoredOverload
public func < <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs < rhs.expression)
}

/// Compares two aggregates by `<=`.
@_disfavoredOverload
public func <= <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression <= rhs.expression)
}

/// Compares an aggregate with another expression by `<=`: `Author.books.count <= 2`.
@_disfavoredOverload
public func <= <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression <= rhs)
}

/// Compares another expression with an aggregate by `<=`.
@_disfavoredOverload
public func <= <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs <= rhs.expression)
}

/// Compares two aggregates by `>`.
@_disfavoredOverload
public func > <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression > rhs.expression)
}

/// Compares an aggregate with another expression by `>`: `Author.books.count > 2`.
@_disfavoredOverload
public func > <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression > rhs)
}

/// Compares another expression with an aggregate by `>`.
@_disfavoredOverload
public func > <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs > rhs.expression)
}

/// Compares two aggregates by `>=`.
@_disfavoredOverload
public func >= <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression >= rhs.expression)
}

/// Compares an aggregate with another expression by `>=`: `Author.books.count >= 2`.
@_disfavoredOverload
public func >= <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression >= rhs)
}

/// Compares another expression with an aggregate by `>=`.
@_disfavoredOverload
public func >= <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs >= rhs.expression)
}

// MARK: - Arithmetic

/// Returns the sum of two aggregates.
@_disfavoredOverload
public func + <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression + rhs.expression)
}

/// Returns the sum of an aggregate and another expression: `Author.books.count + 2`.
@_disfavoredOverload
public func + <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression + rhs)
}

/// Returns the sum of another expression and an aggregate.
@_disfavoredOverload
public func + <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs + rhs.expression)
}

/// Returns the difference of two aggregates.
@_disfavoredOverload
public func - <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression - rhs.expression)
}

/// Returns the difference of an aggregate and another expression: `Author.books.count - 2`.
@_disfavoredOverload
public func - <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression - rhs.sqlExpression)
}

/// Returns the difference of another expression and an aggregate.
@_disfavoredOverload
public func - <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.sqlExpression - rhs.expression)
}

/// Returns the product of two aggregates.
@_disfavoredOverload
public func * <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression * rhs.expression)
}

/// Returns the product of an aggregate and another expression: `Author.books.count * 2`.
@_disfavoredOverload
public func * <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression * rhs.sqlExpression)
}

/// Returns the product of another expression and an aggregate.
@_disfavoredOverload
public func * <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.sqlExpression * rhs.expression)
}

/// Returns the quotient of two aggregates.
@_disfavoredOverload
public func / <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression / rhs.expression)
}

/// Returns the quotient of an aggregate and another expression: `Author.books.count / 2`.
@_disfavoredOverload
public func / <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression / rhs.sqlExpression)
}

/// Returns the quotient of another expression and an aggregate.
@_disfavoredOverload
public func / <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.sqlExpression / rhs.expression)
}

/// Returns the negated value of an aggregate.
public prefix func - <RowDecoder>(operand: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(-operand.expression)
}

/// Returns an aggregate, or a default value where it is NULL: `Author.books.max(Column("year")) ?? 0`.
@_disfavoredOverload
public func ?? <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression ?? rhs.sqlExpression, key: lhs.key)
}

// MARK: - Logic

/// Combines two aggregates by `AND`.
@_disfavoredOverload
public func && <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression && rhs.expression)
}

/// Combines an aggregate and another expression by `AND`: `Author.books.isEmpty && Column("country") == "FR"`.
@_disfavoredOverload
public func && <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression && rhs.sqlExpression)
}

/// Combines another expression and an aggregate by `AND`.
@_disfavoredOverload
public func && <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.sqlExpression && rhs.expression)
}

/// Combines two aggregates by `OR`.
@_disfavoredOverload
public func || <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression || rhs.expression)
}

/// Combines an aggregate and another expression by `OR`: `Author.books.isEmpty || Column("country") == "FR"`.
@_disfavoredOverload
public func || <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression || rhs.sqlExpression)
}

/// Combines another expression and an aggregate by `OR`.
@_disfavoredOverload
public func || <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.sqlExpression || rhs.expression)
}

/// Negates an aggregate: `!Author.books.isEmpty`.
public prefix func ! <RowDecoder>(operand: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(!operand.expression)
}
