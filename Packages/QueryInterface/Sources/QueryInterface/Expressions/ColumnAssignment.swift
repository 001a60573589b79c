import RowDecoding

/// The assignment of a value to a column, for UPDATE statements.
///
/// ```swift
/// // UPDATE "player" SET "score" = 0, "bonus" = "bonus" + 10
/// try Player.updateAll(db, [Column("score").set(to: 0), Column("bonus") += 10])
/// ```
///
/// The column must not be one that knows that it belongs to a table other than the changed one: the statement then throws an error.
public struct ColumnAssignment: Sendable {
    /// The name of the column.
    package let columnName: String

    /// The column, which may know its table.
    private let column: SQLExpression

    /// The assigned value, or nil for ``NamedColumn/noOverwrite``, with which an upsert does not change the column.
    package let value: SQLExpression?

    init(_ column: some NamedColumn, _ value: SQLExpression?) {
        (columnName, self.column, self.value) = (column.name, column.sqlExpression, value)
    }

    /// Checks that the column does not belong to another table than the one that the statement changes.
    ///
    /// - Throws: ``DatabaseError`` if the column knows that it belongs to another table: a column of the same name would silently take its
    ///   place.
    package func checkColumn(in renderer: SQLRenderer) throws {
        guard let table = renderer.scope.table, let other = column.knownTableName else { return }
        let db = renderer.database
        let type = table.recordType as? any TableRecord.Type
        if try table.isTable(other, db) || type.map({ try TableReference.areEqual($0.databaseTableName, other, in: db) }) == true { return }
        throw DatabaseError.misuse(
            "the column \(columnName) of \(other) can't be assigned in a change of \(table.databaseTableName)", sql: renderer.sql,
            advice: "Assign to a column of \(table.databaseTableName), such as Column(\"\(columnName)\").")
    }

    /// Writes the assignment for a SET clause: `"score" = 0`.
    ///
    /// - Throws: ``DatabaseError`` if the column belongs to another table, or the error of a value that can't be stored.
    package func render(to renderer: inout SQLRenderer) throws {
        try checkColumn(in: renderer)
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
        ColumnAssignment(self, value?.sqlExpression ?? .null)
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
    public var noOverwrite: ColumnAssignment { ColumnAssignment(self, nil) }
}

// MARK: - Operators

private func assign(_ column: some NamedColumn, _ operation: SQLOperator, _ value: any SQLExpressible) -> ColumnAssignment {
    ColumnAssignment(column, .binary(column, operation, value))
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
