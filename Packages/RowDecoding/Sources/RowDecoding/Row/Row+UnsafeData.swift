import Foundation
import ValueConversion

// Data without copies. It is valid only while the closure runs, since it is in the memory of SQLite.

extension Row {
    /// Gives access to the bytes of a column without copying them.
    ///
    /// - Parameters:
    ///   - name: the column's name, whatever the case of its ASCII letters; the leftmost column that has it is read.
    ///   - body: receives the bytes of a BLOB or a TEXT, or nil for NULL. They must not be kept after it returns.
    /// - Throws: the closure's error, or ``RowDecodingError`` for a missing column, or one with a number.
    public func withUnsafeData<Result>(named name: String, _ body: (Data?) throws -> Result) throws -> Result {
        let column = base(ofColumn: name)
        guard column.isFound else {
            throw RowDecodingError(missingColumn: name, type: Data.self, row: self)
        }
        return try withUnsafeData(atBase: column.baseIndex, name: name, index: nil, body)
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
            throw RowDecodingError(indexOutOfRange: index, type: Data.self, row: self)
        }
        return try withUnsafeData(atBase: baseIndex(at: index), name: columnNames[index], index: index, body)
    }

    /// Gives access to the bytes of a column without copying them: ``withUnsafeData(at:_:)``.
    public func withUnsafeData<Result>(atIndex index: Int, _ body: (Data?) throws -> Result) throws -> Result {
        try withUnsafeData(at: index, body)
    }

    private func withUnsafeData<Result>(
        atBase baseIndex: Int, name: String, index: Int?, _ body: (Data?) throws -> Result
    ) throws -> Result {
        if let values {
            let value = values[baseIndex]
            guard value.isNull || value.data != nil else {
                throw RowDecodingError(value, column: name, index: index, type: Data.self, row: self)
            }
            return try body(value.data)
        }
        let statement = liveStatement
        switch statement.storage(at: baseIndex) {
        case .null:
            return try body(nil)
        case .integer, .real:
            throw RowDecodingError(
                statement.databaseValue(at: baseIndex), column: name, index: index, type: Data.self, row: self)
        case .text, .blob:
            return try statement.withUnsafeBytes(at: baseIndex) { bytes in
                guard let bytes, let start = bytes.baseAddress, !bytes.isEmpty else { return try body(Data()) }
                return try body(
                    Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count, deallocator: .none))
            }
        }
    }
}
