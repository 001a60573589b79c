import ValueConversion

// Values by index and by name. The fast paths are inlined: a live row without a layout reads the statement's column. Copied rows, rows with
// layouts, and errors take the slow paths, which are not inlined.

extension Row {
    /// The value of a column.
    ///
    /// - Parameter index: the column's index, from 0.
    /// - Returns: the value. The program stops when the index is out of range, or when the column's value can't be converted to this type;
    ///   ``decode(_:atIndex:)`` throws instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
        directValue(at: index) ?? valueOrStop(at: index)
    }

    /// The value of a column.
    ///
    /// - Parameter name: the column's name. The case of ASCII letters is ignored; the leftmost column that has the name is read.
    /// - Returns: the value. The program stops when the column is missing and the type is not optional, or when the column's value can't be
    ///   converted to this type; ``decode(_:forKey:)`` throws instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ name: String) -> Value {
        directValue(forColumn: name) ?? valueOrStop(forColumn: name)
    }

    /// The value of a column as an `Int64`, a `Double`, a `String` or a `Data`, or nil for NULL.
    ///
    /// - Parameter index: the column's index, from 0. The program stops when it is out of range.
    public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
        (self[index] as DatabaseValue).storage.value as? any DatabaseValueConvertible
    }

    /// The value of a column as an `Int64`, a `Double`, a `String` or a `Data`, or nil for NULL and for a missing column.
    ///
    /// - Parameter name: the column's name. The case of ASCII letters is ignored; the leftmost column that has the name is read.
    public subscript(_ name: String) -> (any DatabaseValueConvertible)? {
        (self[name] as DatabaseValue?)?.storage.value as? any DatabaseValueConvertible
    }

    /// Returns the value of the first listed column that is present and not NULL, or nil when there is none.
    ///
    /// ```swift
    /// let name: String? = row.coalesce(["nickname", "name"])
    /// ```
    ///
    /// - Parameter names: the names of the columns, in the order in which they are tried.
    /// - Returns: the value. The program stops when the column's value can't be converted to this type; ``decodeIfPresent(_:coalescing:)``
    ///   throws instead.
    public func coalesce<Value: DatabaseValueConvertible>(_ names: some Sequence<String>) -> Value? {
        stopOnError { try decodeIfPresent(Value.self, coalescing: names) }
    }

    @inline(never)
    @inlinable
    func valueOrStop<Value: DatabaseValueConvertible>(at index: Int) -> Value {
        stopOnError { try decodeFromDatabaseValue(Value.self, atIndex: index) }
    }

    @inline(never)
    @inlinable
    func valueOrStop<Value: DatabaseValueConvertible>(forColumn name: String) -> Value {
        stopOnError { try value(Value.self, forKey: name) }
    }
}
