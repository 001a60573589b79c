import ValueConversion

// Methods that throw where the subscripts stop the program. As in the subscripts, the fast paths are inlined.

extension Row {
    /// Returns the value of a column.
    ///
    /// ```swift
    /// let score = try row.decode(Int.self, atIndex: 1)
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - index: the column's index, from 0.
    /// - Throws: ``RowDecodingError`` when the index is out of range, or when the column's value can't be converted to this type.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(_ type: Value.Type = Value.self, atIndex index: Int) throws -> Value {
        if let value: Value = directValue(at: index) { return value }
        return try decodeFromDatabaseValue(type, atIndex: index)
    }

    /// Returns the value of a column.
    ///
    /// ```swift
    /// let score = try row.decode(Int.self, forKey: "score")
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - name: the column's name. The case of ASCII letters is ignored; the leftmost column that has the name is read.
    /// - Throws: ``RowDecodingError`` when the column is missing and the type is not optional, or when the column's value can't be
    ///   converted to this type.
    @inlinable
    @inline(__always)
    public func decode<Value: DatabaseValueConvertible>(_ type: Value.Type = Value.self, forKey name: String) throws -> Value {
        if let value: Value = directValue(forColumn: name) { return value }
        return try decodeFromDatabaseValue(type, forKey: name)
    }

    /// Returns the value of a column. Same as ``decode(_:forKey:)``, which also reads records from scopes and prefetched rows.
    ///
    /// ```swift
    /// let score = try row.decode(Int.self, forColumn: "score")
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - name: the column's name. The case of ASCII letters is ignored; the leftmost column that has the name is read.
    /// - Throws: ``RowDecodingError`` when the column is missing and the type is not optional, or when the column's value can't be
    ///   converted to this type.
    @inlinable
    @inline(__always)
    public func decode<Value: DatabaseValueConvertible>(_ type: Value.Type = Value.self, forColumn name: String) throws -> Value {
        try decode(type, forKey: name)
    }

    /// Returns the value of a column, or nil when the column is missing or NULL. Same as ``decodeIfPresent(_:forKey:)``.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - name: the column's name. The case of ASCII letters is ignored; the leftmost column that has the name is read.
    /// - Throws: ``RowDecodingError`` when the column has a value that can't be converted to this type.
    @inlinable
    public func decodeIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn name: String
    ) throws -> Value? {
        try decodeIfPresent(type, forKey: name)
    }

    /// Returns the value of a column, or nil when the column is missing or NULL.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - name: the column's name. The case of ASCII letters is ignored; the leftmost column that has the name is read.
    /// - Throws: ``RowDecodingError`` when the column has a value that can't be converted to this type.
    @inlinable
    public func decodeIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forKey name: String
    ) throws -> Value? {
        try decode(Value?.self, forKey: name)
    }

    /// Returns the value of a column, or nil when it is NULL.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - index: the column's index, from 0.
    /// - Throws: ``RowDecodingError`` when the index is out of range, or when the column has a value that can't be converted to this type.
    @inlinable
    public func decodeIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value? {
        try decode(Value?.self, atIndex: index)
    }

    /// Returns the value of the first listed column that is present and not NULL, or nil when no column is. It throws where
    /// ``coalesce(_:)`` stops the program.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - names: the names of the columns, in the order in which they are tried.
    /// - Throws: ``RowDecodingError`` when that column's value can't be converted to this type.
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

    /// Returns the value of a column, or nil unless this row reads directly from a statement, the index is in range, and the value converts
    /// to the type.
    @inlinable
    @inline(__always)
    func directValue<Value: DatabaseValueConvertible>(at index: Int) -> Value? {
        guard index >= 0, index < core.pointee.directColumnCount, let statement = core.pointee.statement else { return nil }
        checkThread(statement)
        return checkedValue(at: index, of: statement)
    }

    /// Returns the value of a column, or nil unless this row reads directly from a statement, the column exists, and its value converts to
    /// the type.
    @inlinable
    @inline(__always)
    func directValue<Value: DatabaseValueConvertible>(forColumn name: String) -> Value? {
        guard let statement = core.pointee.statement else { return nil }
        checkThread(statement)
        let column = base(ofColumn: name)
        guard column.isFound else { return nil }
        return checkedValue(at: column.baseIndex, of: statement)
    }

    // MARK: - All rows, and failures

    // All values of copied rows are read here. The function is inlinable so that the compiler specialises the conversion for the type.

    @inline(never)
    @inlinable
    func decodeFromDatabaseValue<Value: DatabaseValueConvertible>(_ type: Value.Type, atIndex index: Int) throws -> Value {
        if let dbValue = databaseValue(atIndex: index) {
            if let value = Value.fromDatabaseValue(dbValue) ?? Value.fromOtherStorageClass(dbValue) { return value }
        }
        throw decodingError(type, atIndex: index)
    }

    /// Returns the error for an index that is out of range, or for a value that can't be converted to the type.
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

    /// Returns the value of a column of any row. It is inlined into its callers, which are not inlined themselves.
    @inlinable
    @inline(__always)
    func value<Value: DatabaseValueConvertible>(_ type: Value.Type, forKey name: String) throws -> Value {
        let column = base(ofColumn: name)
        if column.isFound, let value = Value.fromDatabaseValue(databaseValue(atBase: column.baseIndex)) { return value }
        return try valueOfMissingColumn(type, named: name, column: column)
    }

    /// Returns the type's value for a missing column, such as nil, or for a value of another storage class. Throws when there is none.
    @inline(never)
    @usableFromInline
    func valueOfMissingColumn<Value: DatabaseValueConvertible>(
        _ type: Value.Type, named name: String, column: ColumnPosition
    ) throws -> Value {
        guard column.isFound else {
            if let value = Value.fromMissingColumn() { return value }
            throw RowDecodingError(missingColumn: name, type: type, row: self)
        }
        let dbValue = databaseValue(atBase: column.baseIndex)
        if let value = Value.fromOtherStorageClass(dbValue) { return value }
        throw RowDecodingError(dbValue, column: name, index: index(ofColumn: name), type: type, row: self)
    }
}
