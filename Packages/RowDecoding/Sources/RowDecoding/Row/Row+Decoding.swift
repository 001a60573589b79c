import ValueConversion

// The throwing twins of the subscripts. As there, the fast paths are inlined.

extension Row {
    /// The value of a column.
    ///
    /// ```swift
    /// let score = try row.decode(Int.self, atIndex: 1)
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - index: the column's index, from 0.
    /// - Throws: ``RowDecodingError`` when the index is out of range, or when the column has no value of this type.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(_ type: Value.Type = Value.self, atIndex index: Int) throws -> Value {
        if let value: Value = directValue(at: index) { return value }
        return try decodeFromDatabaseValue(type, atIndex: index)
    }

    /// The value of a column.
    ///
    /// ```swift
    /// let score = try row.decode(Int.self, forKey: "score")
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - name: the column's name, whatever the case of its ASCII letters; the leftmost column that has it is read.
    /// - Throws: ``RowDecodingError`` when the column is missing and the type is no optional, or when the column has no value
    ///   of this type.
    @inlinable
    @inline(__always)
    public func decode<Value: DatabaseValueConvertible>(_ type: Value.Type = Value.self, forKey name: String) throws -> Value {
        if let value: Value = directValue(forColumn: name) { return value }
        return try decodeFromDatabaseValue(type, forKey: name)
    }

    /// The value of a column, or nil when the column is missing or NULL.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - name: the column's name, whatever the case of its ASCII letters; the leftmost column that has it is read.
    /// - Throws: ``RowDecodingError`` when the column has a value, and none of this type.
    @inlinable
    public func decodeIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forKey name: String
    ) throws -> Value? {
        try decode(Value?.self, forKey: name)
    }

    /// The value of a column, or nil when it is NULL.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - index: the column's index, from 0.
    /// - Throws: ``RowDecodingError`` when the index is out of range, or when the column has a value, and none of this type.
    @inlinable
    public func decodeIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value? {
        try decode(Value?.self, atIndex: index)
    }

    /// The value of the first of some columns that is not NULL, or nil when they all are, or are missing: ``coalesce(_:)``.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - names: the names of the columns, in the order in which they are asked.
    /// - Throws: ``RowDecodingError`` when a column that is not NULL has no value of this type.
    public func decodeIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, coalescing names: some Sequence<String>
    ) throws -> Value? {
        for name in names {
            guard let index = index(ofColumn: name), !hasNull(atIndex: index) else { continue }
            return try decode(Value.self, atIndex: index)
        }
        return nil
    }

    // MARK: - The fast path

    /// The value of a column, if this row reads straight from a statement, the index is one of its columns, and the column has a
    /// value of the type.
    @inlinable
    @inline(__always)
    func directValue<Value: DatabaseValueConvertible>(at index: Int) -> Value? {
        guard index >= 0, index < core.pointee.directColumnCount, let statement = core.pointee.statement else { return nil }
        checkThread(statement)
        return statement._withUnsafeGuaranteedRef { Value._fromColumn(of: $0, atUncheckedIndex: index) }
    }

    /// The value of a column, if this row reads straight from a statement, and has a column of the name with a value of the type.
    @inlinable
    @inline(__always)
    func directValue<Value: DatabaseValueConvertible>(forColumn name: String) -> Value? {
        guard let statement = core.pointee.statement else { return nil }
        checkThread(statement)
        let column = base(ofColumn: name)
        guard column.isFound else { return nil }
        return statement._withUnsafeGuaranteedRef { Value._fromColumn(of: $0, atUncheckedIndex: column.baseIndex) }
    }

    // MARK: - All rows, and failures

    // Inlinable for the sake of copied rows, whose values are all read here: the conversion is specialised for the type.

    @inline(never)
    @inlinable
    func decodeFromDatabaseValue<Value: DatabaseValueConvertible>(_ type: Value.Type, atIndex index: Int) throws -> Value {
        if let dbValue = databaseValue(atIndex: index), let value = Value.fromDatabaseValue(dbValue) { return value }
        throw decodingError(type, atIndex: index)
    }

    /// The error of an index that is out of range, or of a column that has no value of a type.
    @inline(never)
    @usableFromInline
    func decodingError(_ type: Any.Type, atIndex index: Int) -> RowDecodingError {
        guard let dbValue = databaseValue(atIndex: index) else {
            return RowDecodingError(indexOutOfRange: index, type: type, row: self)
        }
        return RowDecodingError(dbValue, column: columnNames[index], index: index, type: type, row: self)
    }

    @inline(never)
    @inlinable
    func decodeFromDatabaseValue<Value: DatabaseValueConvertible>(_ type: Value.Type, forKey name: String) throws -> Value {
        try value(type, forKey: name)
    }

    /// The value of a column of any row. It is inlined into functions that are outlined themselves.
    @inlinable
    @inline(__always)
    func value<Value: DatabaseValueConvertible>(_ type: Value.Type, forKey name: String) throws -> Value {
        let column = base(ofColumn: name)
        if column.isFound, let value = Value.fromDatabaseValue(databaseValue(atBase: column.baseIndex)) { return value }
        return try valueOfMissingColumn(type, named: name, column: column)
    }

    /// What stands for a column that is missing, or the error of one that has no value of a type.
    @inline(never)
    @usableFromInline
    func valueOfMissingColumn<Value: DatabaseValueConvertible>(
        _ type: Value.Type, named name: String, column: ColumnPosition
    ) throws -> Value {
        guard column.isFound else {
            if let value = Value.fromMissingColumn() { return value }
            throw RowDecodingError(missingColumn: name, type: type, row: self)
        }
        throw RowDecodingError(
            databaseValue(atBase: column.baseIndex), column: name, index: index(ofColumn: name), type: type, row: self)
    }
}
