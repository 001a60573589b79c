import RowDecoding

/// The assignment of a value to a column, for UPDATE statements.
///
/// ```swift
/// // UPDATE "player" SET "score" = 0, "bonus" = "bonus" + 10
/// try Player.updateAll(db, [Column("score").set(to: 0), Column("bonus") += 10])
/// ```
public struct ColumnAssignment: Sendable {
    /// The name of the column.
    package let columnName: String

    /// The assigned value, or nil for ``NamedColumn/noOverwrite``, with which an upsert does not change the column.
    package let value: SQLExpression?

    /// Writes the assignment for a SET clause: `"score" = 0`.
    ///
    /// - Throws: the error of a value that can't be stored.
    package func render(to renderer: inout SQLRenderer) throws {
        // SQLite does not accept a qualified column on the left.
        renderer.append(identifier: columnName)
        renderer.append(" = ")
        guard let value else { return renderer.append(column: columnName) }
        try renderer.append(renderer.expression(value, assignedTo: columnName))
    }

    /// Writes the condition that the assignment changes the column, for the WHERE clause of an upsert. Strings that differ only for BINARY
    /// are changes, too.
    package func renderChange(to renderer: inout SQLRenderer) throws {
        renderer.append(identifier: columnName)
        renderer.append(" COLLATE BINARY IS NOT (")
        if let value {
            try renderer.append(renderer.expression(value, assignedTo: columnName))
        } else {
            renderer.append(identifier: columnName)
        }
        renderer.append(")")
    }
}

extension ColumnExpression {
    /// Returns an assignment of a value: `"score" = 1000`, or `"score" = NULL` for nil.
    public func set(to value: (any SQLExpressible)?) -> ColumnAssignment {
        ColumnAssignment(columnName: name, value: value?.sqlExpression ?? .null)
    }
}

extension NamedColumn {
    /// An assignment for upserts that keeps the value of the existing row.
    ///
    /// ```swift
    /// let player = try player.upsertAndFetch(
    ///     db, onConflict: ["name"],
    ///     doUpdate: { excluded in [Column("score").noOverwrite] })
    /// ```
    public var noOverwrite: ColumnAssignment { ColumnAssignment(columnName: name, value: nil) }
}

// MARK: - Operators

private func assign(_ column: some NamedColumn, _ operation: SQLOperator, _ value: any SQLExpressible) -> ColumnAssignment {
    ColumnAssignment(columnName: column.name, value: .binary(column, operation, value))
}

/// Returns an assignment that adds a value: `"score" = "score" + 10`.
public func += (column: some NamedColumn, value: any SQLExpressible) -> ColumnAssignment {
    assign(column, .add, value)
}

/// Returns an assignment that subtracts a value: `"score" = "score" - 10`.
public func -= (column: some NamedColumn, value: any SQLExpressible) -> ColumnAssignment {
    assign(column, .subtract, value)
}

/// Returns an assignment that multiplies by a value: `"score" = "score" * 2`.
public func *= (column: some NamedColumn, value: any SQLExpressible) -> ColumnAssignment {
    assign(column, .multiply, value)
}

/// Returns an assignment that divides by a value: `"score" = "score" / 2`. Dividing integers gives an integer.
public func /= (column: some NamedColumn, value: any SQLExpressible) -> ColumnAssignment {
    assign(column, .divide, value)
}

/// Returns an assignment that applies a bitwise AND: `"flags" = "flags" & 3`.
public func &= (column: some NamedColumn, value: any SQLExpressible) -> ColumnAssignment {
    assign(column, .bitAnd, value)
}

/// Returns an assignment that applies a bitwise OR: `"flags" = "flags" | 3`.
public func |= (column: some NamedColumn, value: any SQLExpressible) -> ColumnAssignment {
    assign(column, .bitOr, value)
}

/// Returns an assignment that shifts to the left: `"flags" = "flags" << 3`.
public func <<= (column: some NamedColumn, value: any SQLExpressible) -> ColumnAssignment {
    assign(column, .shiftLeft, value)
}

/// Returns an assignment that shifts to the right: `"flags" = "flags" >> 3`.
public func >>= (column: some NamedColumn, value: any SQLExpressible) -> ColumnAssignment {
    assign(column, .shiftRight, value)
}
