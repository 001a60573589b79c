import ValueConversion

/// The position of a column in the rows of a query. Look it up once by name, and read the column of each row without comparing names again.
@usableFromInline
package struct ColumnPosition: Hashable, Sendable {
    // Four bytes, because caches hold many positions.
    @usableFromInline let number: Int32

    @inlinable
    init(baseIndex: Int) {
        number = Int32(truncatingIfNeeded: baseIndex)
    }

    /// The index in the statement, or among the copied values.
    @inlinable var baseIndex: Int { Int(number) }

    /// Whether the column exists.
    @inlinable package var isFound: Bool { number >= 0 }

    /// The position for a name that no column has.
    @inlinable package static var missing: Self { Self(baseIndex: -1) }

    /// The position of a column that has not been looked up yet.
    @inlinable package static var unknown: Self { Self(baseIndex: -2) }
}

extension Row {
    /// Returns the position of the leftmost column with a name, or nil when there is none. The case of ASCII letters is ignored.
    ///
    /// It serves layers that read the same columns from many rows. The position is valid for all rows that share this row's
    /// ``attachments``.
    ///
    /// - Complexity: O(n) in the number of columns.
    package func position(ofColumn name: String) -> ColumnPosition? {
        searchIndex(ofColumn: name).map { ColumnPosition(baseIndex: baseIndex(at: $0)) }
    }

    /// Returns the value of the column at a position, or nil when it can't be converted to the type.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - position: the position of a column that was found. A position from rows that do not share this row's ``attachments`` may refer
    ///     to another column, or to none.
    @inlinable
    @inline(__always)
    package func value<Value: DatabaseValueConvertible>(_ type: Value.Type = Value.self, at position: ColumnPosition) -> Value? {
        let index = position.baseIndex
        guard let statement = core.pointee.statement else { return copiedValue(at: index) }
        checkThread(statement)
        return checkedValue(at: index, of: statement)
    }

    @inline(never)
    @inlinable
    func copiedValue<Value: DatabaseValueConvertible>(at index: Int) -> Value? {
        if let values, index >= values.count { return nil }
        return Value.fromDatabaseValue(databaseValue(atBase: index))
    }
}
