import ValueConversion

// Values by index and by name. The fast paths are inlined: a live row without a layout reads the statement's column. What is
// left, copied rows, rows with layouts, and failures, is outlined.

extension Row {
    /// The value of a column.
    ///
    /// - Parameter index: the column's index, from 0, under ``count``.
    /// - Returns: the value. The program stops when the index is out of range, or when the column has no value of this type;
    ///   ``decode(_:atIndex:)`` throws instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
        directValue(at: index) ?? valueOrStop(at: index)
    }

    /// The value of a column.
    ///
    /// - Parameter name: the column's name, whatever the case of its ASCII letters; the leftmost column that has it is read.
    /// - Returns: the value. The program stops when the column is missing and the type is no optional, or when the column has
    ///   no value of this type; ``decode(_:forKey:)`` throws instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ name: String) -> Value {
        directValue(forColumn: name) ?? valueOrStop(forColumn: name)
    }

    /// The value of a column as an `Int64`, a `Double`, a `String` or a `Data`, or nil for NULL.
    ///
    /// - Parameter index: the column's index, from 0, under ``count``; the program stops for another one.
    public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
        (self[index] as DatabaseValue).storage.value as? any DatabaseValueConvertible
    }

    /// The value of a column as an `Int64`, a `Double`, a `String` or a `Data`, or nil for NULL and for a missing column.
    ///
    /// - Parameter name: the column's name, whatever the case of its ASCII letters; the leftmost column that has it is read.
    public subscript(_ name: String) -> (any DatabaseValueConvertible)? {
        (self[name] as DatabaseValue?)?.storage.value as? any DatabaseValueConvertible
    }

    /// The value of the first of some columns that is not NULL, or nil when they all are, or are missing.
    ///
    /// ```swift
    /// let name: String? = row.coalesce(["nickname", "name"])
    /// ```
    ///
    /// - Parameter names: the names of the columns, in the order in which they are asked.
    /// - Returns: the value. The program stops when the column has no value of this type; ``decodeIfPresent(_:coalescing:)``
    ///   throws instead.
    public func coalesce<Value: DatabaseValueConvertible>(_ names: some Sequence<String>) -> Value? {
        do {
            return try decodeIfPresent(Value.self, coalescing: names)
        } catch {
            fatalError("\(error)")
        }
    }

    @inline(never)
    @inlinable
    func valueOrStop<Value: DatabaseValueConvertible>(at index: Int) -> Value {
        do {
            return try decodeFromDatabaseValue(Value.self, atIndex: index)
        } catch {
            fatalError("\(error)")
        }
    }

    @inline(never)
    @inlinable
    func valueOrStop<Value: DatabaseValueConvertible>(forColumn name: String) -> Value {
        do {
            return try value(Value.self, forKey: name)
        } catch {
            fatalError("\(error)")
        }
    }
}
