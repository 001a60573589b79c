import Foundation
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
        do {
            return try decode(Value.self, atIndex: index)
        } catch {
            fatalError("\(error)")
        }
    }

    /// The value of a column.
    ///
    /// - Parameter index: the column's index, from 0, under ``count``.
    /// - Returns: the value. The program stops when the index is out of range, or when the column has no value of this type;
    ///   ``decode(_:atIndex:)`` throws instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int) -> Value {
        if index >= 0, index < core.pointee.directColumnCount, let statement = core.pointee.statement,
            let value = statement._withUnsafeGuaranteedRef({ Value.fromStatement($0, atUncheckedIndex: index) })
        {
            return value
        }
        return valueOrStop(at: index)
    }

    /// The value of a column.
    ///
    /// - Parameter name: the column's name, whatever the case of its ASCII letters; the leftmost column that has it is read.
    /// - Returns: the value. The program stops when the column is missing and the type is no optional, or when the column has
    ///   no value of this type; ``decode(_:forKey:)`` throws instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ name: String) -> Value {
        do {
            return try decode(Value.self, forKey: name)
        } catch {
            fatalError("\(error)")
        }
    }

    /// The value of a column.
    ///
    /// - Parameter name: the column's name, whatever the case of its ASCII letters; the leftmost column that has it is read.
    /// - Returns: the value. The program stops when the column is missing and the type is no optional, or when the column has
    ///   no value of this type; ``decode(_:forKey:)`` throws instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ name: String) -> Value {
        if let statement = core.pointee.statement {
            let column = baseIndex(ofColumn: name)
            if column >= 0,
                let value = statement._withUnsafeGuaranteedRef({ Value.fromStatement($0, atUncheckedIndex: column) })
            {
                return value
            }
        }
        return valueOrStop(forColumn: name)
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

    @inline(never)
    @usableFromInline
    func valueOrStop<Value: DatabaseValueConvertible>(at index: Int) -> Value {
        do {
            return try decodeFromDatabaseValue(Value.self, atIndex: index)
        } catch {
            fatalError("\(error)")
        }
    }

    @inline(never)
    @usableFromInline
    func valueOrStop<Value: DatabaseValueConvertible>(forColumn name: String) -> Value {
        do {
            return try decodeFromDatabaseValue(Value.self, forKey: name)
        } catch {
            fatalError("\(error)")
        }
    }
}

// MARK: - Throwing twins

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
        try decodeFromDatabaseValue(type, atIndex: index)
    }

    /// The value of a column.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - index: the column's index, from 0.
    /// - Throws: ``RowDecodingError`` when the index is out of range, or when the column has no value of this type.
    @inlinable
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        if index >= 0, index < core.pointee.directColumnCount, let statement = core.pointee.statement,
            let value = statement._withUnsafeGuaranteedRef({ Value.fromStatement($0, atUncheckedIndex: index) })
        {
            return value
        }
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
    public func decode<Value: DatabaseValueConvertible>(_ type: Value.Type = Value.self, forKey name: String) throws -> Value {
        try decodeFromDatabaseValue(type, forKey: name)
    }

    /// The value of a column.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - name: the column's name, whatever the case of its ASCII letters; the leftmost column that has it is read.
    /// - Throws: ``RowDecodingError`` when the column is missing and the type is no optional, or when the column has no value
    ///   of this type.
    @inlinable
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, forKey name: String
    ) throws -> Value {
        if let statement = core.pointee.statement {
            let column = baseIndex(ofColumn: name)
            if column >= 0,
                let value = statement._withUnsafeGuaranteedRef({ Value.fromStatement($0, atUncheckedIndex: column) })
            {
                return value
            }
        }
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

    @inline(never)
    @usableFromInline
    func decodeFromDatabaseValue<Value: DatabaseValueConvertible>(_ type: Value.Type, atIndex index: Int) throws -> Value {
        guard index >= 0, index < count else {
            throw RowDecodingError(missingColumn: "\(index)", type: type, row: self)
        }
        let dbValue = databaseValue(atBase: baseIndex(at: index))
        guard let value = Value.fromDatabaseValue(dbValue) else {
            throw RowDecodingError(dbValue, column: columnNames[index], index: index, type: type, row: self)
        }
        return value
    }

    @inline(never)
    @usableFromInline
    func decodeFromDatabaseValue<Value: DatabaseValueConvertible>(_ type: Value.Type, forKey name: String) throws -> Value {
        let column = baseIndex(ofColumn: name)
        guard column >= 0 else {
            if let value = Value.fromMissingColumn() { return value }
            throw RowDecodingError(missingColumn: name, type: type, row: self)
        }
        let dbValue = databaseValue(atBase: column)
        guard let value = Value.fromDatabaseValue(dbValue) else {
            throw RowDecodingError(dbValue, column: name, index: index(ofColumn: name), type: type, row: self)
        }
        return value
    }
}

// MARK: - Data without copies

extension Row {
    /// Gives access to the bytes of a column without copying them.
    ///
    /// - Parameters:
    ///   - name: the column's name, whatever the case of its ASCII letters; the leftmost column that has it is read.
    ///   - body: receives the bytes of a BLOB or a TEXT, or nil for NULL. They must not be kept after it returns.
    /// - Throws: the closure's error, or ``RowDecodingError`` for a missing column, or one with a number.
    public func withUnsafeData<Result>(named name: String, _ body: (Data?) throws -> Result) throws -> Result {
        let column = baseIndex(ofColumn: name)
        guard column >= 0 else {
            throw RowDecodingError(missingColumn: name, type: Data.self, row: self)
        }
        return try withUnsafeData(atBase: column, name: name, body)
    }

    /// Gives access to the bytes of a column without copying them: ``withUnsafeData(named:_:)``.
    public func withUnsafeData<Result>(name: String, _ body: (Data?) throws -> Result) throws -> Result {
        try withUnsafeData(named: name, body)
    }

    /// Gives access to the bytes of a column without copying them.
    ///
    /// - Parameters:
    ///   - index: the column's index, from 0.
    ///   - body: receives the bytes of a BLOB or a TEXT, or nil for NULL. They must not be kept after it returns.
    /// - Throws: the closure's error, or ``RowDecodingError`` for an index out of range, or a column with a number.
    public func withUnsafeData<Result>(at index: Int, _ body: (Data?) throws -> Result) throws -> Result {
        guard index >= 0, index < count else {
            throw RowDecodingError(missingColumn: "\(index)", type: Data.self, row: self)
        }
        return try withUnsafeData(atBase: baseIndex(at: index), name: columnNames[index], body)
    }

    /// Gives access to the bytes of a column without copying them: ``withUnsafeData(at:_:)``.
    public func withUnsafeData<Result>(atIndex index: Int, _ body: (Data?) throws -> Result) throws -> Result {
        try withUnsafeData(at: index, body)
    }

    private func withUnsafeData<Result>(
        atBase index: Int, name: String, _ body: (Data?) throws -> Result
    ) throws -> Result {
        if let values {
            guard values[index].isNull || values[index].data != nil else {
                throw RowDecodingError(values[index], column: name, index: nil, type: Data.self, row: self)
            }
            return try body(values[index].data)
        }
        let statement = liveStatement
        switch statement.storage(at: index) {
        case .null:
            return try body(nil)
        case .integer, .real:
            throw RowDecodingError(statement.databaseValue(at: index), column: name, index: nil, type: Data.self, row: self)
        case .text, .blob:
            return try statement.withUnsafeBytes(at: index) { bytes in
                guard let bytes, let start = bytes.baseAddress, !bytes.isEmpty else { return try body(Data()) }
                return try body(
                    Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count, deallocator: .none))
            }
        }
    }
}
