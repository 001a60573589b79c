import Foundation
import ValueConversion

// Access to data without copies. The data is valid only while the closure runs, because SQLite owns the memory.

extension Row {
    /// Gives access to the bytes of a column without copying them.
    ///
    /// - Parameters:
    ///   - name: the column's name. The case of ASCII letters is ignored; the leftmost column that has the name is read.
    ///   - body: receives the bytes of a BLOB or a TEXT, or nil for NULL and for a missing column. They must not be kept after it returns. A
    ///     TEXT that is not valid UTF-8 is repaired, as for `String`.
    /// - Throws: the closure's error, or ``RowDecodingError`` when the column holds a number.
    public func withUnsafeData<Result>(named name: String, _ body: (Data?) throws -> Result) throws -> Result {
        let column = base(ofColumn: name)
        guard column.isFound else { return try body(nil) }
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
    /// - Throws: the closure's error, or ``RowDecodingError`` when the index is out of range, or the column holds a number.
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
        case let storage:
            return try statement.withUnsafeBytes(at: baseIndex) { bytes in
                guard let bytes, let start = bytes.baseAddress, !bytes.isEmpty else { return try body(Data()) }
                // A copied row has the repaired string: both return the same bytes.
                if storage == .text, let repaired = bytes.repairedUTF8 { return try body(Data(repaired.utf8)) }
                return try body(
                    Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count, deallocator: .none))
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The text with U+FFFD in place of invalid UTF-8; nil if all bytes are valid.
    fileprivate var repairedUTF8: String? {
        // Most strings are ASCII: check eight bytes at a time.
        var offset = 0
        while offset + 8 <= count, loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 { offset += 8 }
        guard self[offset...].contains(where: { $0 >= 0x80 }) else { return nil }
        var text = String(decoding: self, as: UTF8.self)
        return text.withUTF8 { $0.elementsEqual(self) } ? nil : text
    }
}
