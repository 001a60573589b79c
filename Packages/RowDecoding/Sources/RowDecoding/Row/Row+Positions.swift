import ValueConversion

/// Where the rows of a query have a column: it is found once by its name, and read from each of the rows without looking at names.
public struct ColumnPosition: Hashable, Sendable {
    // Four bytes: whoever remembers positions has many of them.
    @usableFromInline let number: Int32

    @inlinable
    init(baseIndex: Int) {
        number = Int32(truncatingIfNeeded: baseIndex)
    }

    /// The index in the statement, or among the copied values.
    @inlinable var baseIndex: Int { Int(number) }

    /// Whether there is such a column.
    @inlinable public var isFound: Bool { number >= 0 }

    /// No column has the name.
    @inlinable public static var missing: Self { Self(baseIndex: -1) }

    /// The column was not looked for.
    @inlinable public static var unknown: Self { Self(baseIndex: -2) }
}

extension Row {
    /// Where the rows of this query have the leftmost column of a name, whatever the case of its ASCII letters, or nil when there
    /// is none.
    ///
    /// It serves layers that read the same columns from many rows: those that share one ``storage``.
    ///
    /// ```swift
    /// let rows = try Row.fetchCursor(db, sql: "SELECT name, score FROM player")
    /// var score: ColumnPosition?
    /// while let row = try rows.next() {
    ///     score = score ?? row.position(ofColumn: "score")
    ///     total += score.flatMap { row.value(Int.self, at: $0) } ?? 0
    /// }
    /// ```
    ///
    /// - Complexity: O(n) in the number of columns.
    public func position(ofColumn name: String) -> ColumnPosition? {
        searchIndex(ofColumn: name).map { ColumnPosition(baseIndex: baseIndex(at: $0)) }
    }

    /// The value of a column that was found before.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - position: where the column is, which must be found. A position of rows that do not share this row's ``storage`` leads to some
    ///     other column, or to none.
    /// - Returns: nil when the column has no value of this type.
    @inlinable
    @inline(__always)
    public func value<Value: DatabaseValueConvertible>(_ type: Value.Type = Value.self, at position: ColumnPosition) -> Value? {
        let index = position.baseIndex
        guard let statement = core.pointee.statement else { return copiedValue(at: index) }
        checkThread(statement)
        return statement._withUnsafeGuaranteedRef { Value._fromColumn(of: $0, atUncheckedIndex: index) }
    }

    @inline(never)
    @inlinable
    func copiedValue<Value: DatabaseValueConvertible>(at index: Int) -> Value? {
        if let values, index >= values.count { return nil }
        return Value.fromDatabaseValue(databaseValue(atBase: index))
    }
}
