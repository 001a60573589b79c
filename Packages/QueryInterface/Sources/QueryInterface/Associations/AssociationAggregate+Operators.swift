import RowDecoding

// Aggregates of associations have the operators of expressions. The result is an aggregate again, so that the type system still
// knows the table that has the association.

// MARK: - Comparison

/// Compares two aggregates by `=`.
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
public func === <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression === rhs.expression)
}

/// Compares an aggregate with another expression by `IS`, which treats NULLs as equal: `Author.books.max(Column("year")) === 2000`.
public func === <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: (any SQLExpressible)?
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression === (rhs?.sqlExpression ?? SQLExpression.null))
}

/// Compares another expression with an aggregate by `IS`, which treats NULLs as equal.
public func === <RowDecoder>(
    lhs: (any SQLExpressible)?, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs?.sqlExpression ?? SQLExpression.null) === rhs.expression)
}

/// Compares two aggregates by `IS NOT`, which treats NULLs as equal.
public func !== <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression !== rhs.expression)
}

/// Compares an aggregate with another expression by `IS NOT`, which treats NULLs as equal: `Author.books.max(Column("year")) !== 2000`.
public func !== <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: (any SQLExpressible)?
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression !== (rhs?.sqlExpression ?? SQLExpression.null))
}

/// Compares another expression with an aggregate by `IS NOT`, which treats NULLs as equal.
public func !== <RowDecoder>(
    lhs: (any SQLExpressible)?, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate((lhs?.sqlExpression ?? SQLExpression.null) !== rhs.expression)
}

/// Compares two aggregates by `<`.
public func < <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression < rhs.expression)
}

/// Compares an aggregate with another expression by `<`: `Author.books.count < 2`.
public func < <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression < rhs)
}

/// Compares another expression with an aggregate by `<`.
public func < <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs < rhs.expression)
}

/// Compares two aggregates by `<=`.
public func <= <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression <= rhs.expression)
}

/// Compares an aggregate with another expression by `<=`: `Author.books.count <= 2`.
public func <= <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression <= rhs)
}

/// Compares another expression with an aggregate by `<=`.
public func <= <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs <= rhs.expression)
}

/// Compares two aggregates by `>`.
public func > <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression > rhs.expression)
}

/// Compares an aggregate with another expression by `>`: `Author.books.count > 2`.
public func > <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression > rhs)
}

/// Compares another expression with an aggregate by `>`.
public func > <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs > rhs.expression)
}

/// Compares two aggregates by `>=`.
public func >= <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression >= rhs.expression)
}

/// Compares an aggregate with another expression by `>=`: `Author.books.count >= 2`.
public func >= <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression >= rhs)
}

/// Compares another expression with an aggregate by `>=`.
public func >= <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs >= rhs.expression)
}

// MARK: - Arithmetic

/// Returns the sum of two aggregates.
public func + <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression + rhs.expression)
}

/// Returns the sum of an aggregate and another expression: `Author.books.count + 2`.
public func + <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression + rhs)
}

/// Returns the sum of another expression and an aggregate.
public func + <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs + rhs.expression)
}

/// Returns the difference of two aggregates.
public func - <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression - rhs.expression)
}

/// Returns the difference of an aggregate and another expression: `Author.books.count - 2`.
public func - <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression - rhs)
}

/// Returns the difference of another expression and an aggregate.
public func - <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs - rhs.expression)
}

/// Returns the product of two aggregates.
public func * <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression * rhs.expression)
}

/// Returns the product of an aggregate and another expression: `Author.books.count * 2`.
public func * <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression * rhs)
}

/// Returns the product of another expression and an aggregate.
public func * <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs * rhs.expression)
}

/// Returns the quotient of two aggregates.
public func / <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression / rhs.expression)
}

/// Returns the quotient of an aggregate and another expression: `Author.books.count / 2`.
public func / <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression / rhs)
}

/// Returns the quotient of another expression and an aggregate.
public func / <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs / rhs.expression)
}

/// Returns the negated value of an aggregate.
public prefix func - <RowDecoder>(operand: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(-operand.expression)
}

/// Returns an aggregate, or a default value where it is NULL: `Author.books.max(Column("year")) ?? 0`.
public func ?? <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression ?? rhs.sqlExpression, key: lhs.key)
}

// MARK: - Logic

/// Combines two aggregates by `AND`.
public func && <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression && rhs.expression)
}

/// Combines an aggregate and another expression by `AND`: `Author.books.isEmpty && Column("country") == "FR"`.
public func && <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression && rhs)
}

/// Combines another expression and an aggregate by `AND`.
public func && <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs && rhs.expression)
}

/// Combines two aggregates by `OR`.
public func || <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression || rhs.expression)
}

/// Combines an aggregate and another expression by `OR`: `Author.books.isEmpty || Column("country") == "FR"`.
public func || <RowDecoder>(
    lhs: AssociationAggregate<RowDecoder>, rhs: any SQLExpressible
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs.expression || rhs)
}

/// Combines another expression and an aggregate by `OR`.
public func || <RowDecoder>(
    lhs: any SQLExpressible, rhs: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(lhs || rhs.expression)
}

/// Negates an aggregate: `!Author.books.isEmpty`.
public prefix func ! <RowDecoder>(operand: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    AssociationAggregate(!operand.expression)
}
