import RowDecoding

/// A column, and what an update stores in it.
///
/// ```swift
/// // UPDATE "player" SET "score" = 0, "bonus" = "bonus" + 10
/// try Player.updateAll(db, [Column("score").set(to: 0), Column("bonus") += 10])
/// ```
public struct ColumnAssignment: Sendable {
    /// The name of the column.
    public let columnName: String

    /// What is stored, or nil when an upsert leaves the column as it is: ``ColumnExpression/noOverwrite``.
    public let value: SQLExpression?

    /// Writes the assignment as it stands after SET: `"score" = 0`.
    ///
    /// - Throws: the error of a value that can't be stored.
    public func render(to renderer: inout SQLRenderer) throws {
        // SQLite allows no table before a column that is assigned.
        renderer.append(identifier: columnName)
        renderer.append(" = ")
        guard let value else { return try renderer.append(Column(columnName).sqlExpression) }
        try renderer.append(renderer.expression(value, assignedTo: columnName))
    }
}

extension ColumnExpression {
    /// The assignment of a value: `"score" = 1000`, or `"score" = NULL` for nil.
    public func set(to value: (any SQLExpressible)?) -> ColumnAssignment {
        ColumnAssignment(columnName: name, value: value?.sqlExpression ?? .null)
    }

    /// In the update of an upsert: the column keeps what the row has.
    ///
    /// ```swift
    /// let player = try player.upsertAndFetch(db, onConflict: ["name"], doUpdate: { excluded in
    ///     [Column("score").noOverwrite]
    /// })
    /// ```
    public var noOverwrite: ColumnAssignment { ColumnAssignment(columnName: name, value: nil) }
}

// MARK: - Operators

private func assign(
    _ column: some ColumnExpression, _ operation: String, _ value: any SQLExpressible, _ precedence: SQLPrecedence
) -> ColumnAssignment {
    let node = BinaryNode(
        left: column.sqlExpression, operation: operation, right: value.sqlExpression, precedence: precedence)
    return ColumnAssignment(columnName: column.name, value: SQLExpression(node))
}

/// An addition: `"score" = "score" + 10`.
public func += (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
    assign(column, " + ", value, .addition)
}

/// A subtraction: `"score" = "score" - 10`.
public func -= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
    assign(column, " - ", value, .addition)
}

/// A multiplication: `"score" = "score" * 2`.
public func *= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
    assign(column, " * ", value, .multiplication)
}

/// A division: `"score" = "score" / 2`, which of two integers is an integer.
public func /= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
    assign(column, " / ", value, .multiplication)
}

/// A bitwise and: `"flags" = "flags" & 3`.
public func &= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
    assign(column, " & ", value, .bitwise)
}

/// A bitwise or: `"flags" = "flags" | 3`.
public func |= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
    assign(column, " | ", value, .bitwise)
}

/// A shift to the left: `"flags" = "flags" << 3`.
public func <<= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
    assign(column, " << ", value, .bitwise)
}

/// A shift to the right: `"flags" = "flags" >> 3`.
public func >>= (column: some ColumnExpression, value: some SQLExpressible) -> ColumnAssignment {
    assign(column, " >> ", value, .bitwise)
}
