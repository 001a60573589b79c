import Foundation
import Persistence

// The standard library calls one method for each property. Those of the basic types come first: they read the column at once.

/// The columns of a row, by coding keys.
struct RowKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let state: UnsafeMutablePointer<RowDecodingState.State>

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        let row = row
        let columns = row.columnNames.map { state.pointee.strategies.columns.key(forColumn: $0) }
        var found: Set<String> = []
        // Each key once: several columns may share a name, and a scope may have that of a column.
        return (columns + row.scopes.names + row.scopesTree.names.sorted() + row.prefetchedRows.keys.sorted())
            .filter { found.insert($0).inserted }
            .compactMap { Key(stringValue: $0) }
    }

    private var row: Row { state.pointee.row.takeUnretainedValue() }

    @inline(__always)
    private func column(_ key: Key) -> String {
        state.pointee.usesDefaultKeys ? key.stringValue : state.pointee.convertedColumn(for: key.stringValue)
    }

    /// Reads a column without retaining the row.
    @inline(__always)
    private func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ key: Key) throws -> Value {
        try value(of: column(key))
    }

    @inline(__always)
    private func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(of column: String) throws -> Value {
        try state.pointee.row._withUnsafeGuaranteedRef { try $0.decode(Value.self, forKey: column) }
    }

    @inline(__always)
    private func readsPlainDate(_ column: String) -> Bool {
        if case .deferredToDate = state.pointee.strategies.record.databaseDateDecodingStrategy(for: column) { true } else { false }
    }

    func contains(_ key: Key) -> Bool {
        row.hasColumn(column(key)) || state.scope(key.stringValue) != nil || row.prefetchedRows[key.stringValue] != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        guard let index = row.index(ofColumn: column(key)) else { return !state.hasNestedValue(key.stringValue) }
        return row.hasNull(atIndex: index)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    /// A superclass reads the same row.
    func superDecoder() throws -> any Decoder { RowDecoder(state: state) }

    /// What decodes a scope, or a column.
    func superDecoder(forKey key: Key) throws -> any Decoder {
        let column = column(key)
        if !row.hasColumn(column), let scope = state.scope(key.stringValue) {
            return NestedRowDecoder(row: scope, strategies: state.pointee.strategies)
        }
        return ColumnDecoder(state: state, column: column, key: key, decodesJSON: true)
    }

    // MARK: - Types that are no database values

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        // Most of what comes here, with the least of calls.
        let column = column(key)
        if type == Date.self, readsPlainDate(column) {
            let date: Date = try value(of: column)
            return unsafeBitCast(date, to: T.self)
        }
        if type == UUID.self {
            let uuid: UUID = try value(of: column)
            return unsafeBitCast(uuid, to: T.self)
        }
        return try state.decode(type, column: column, key: key)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        let column = column(key)
        if type == Date.self, readsPlainDate(column) {
            let date: Date? = try value(of: column)
            return date.map { unsafeBitCast($0, to: T.self) }
        }
        if type == UUID.self {
            let uuid: UUID? = try value(of: column)
            return uuid.map { unsafeBitCast($0, to: T.self) }
        }
        return try state.decodeIfPresent(type, column: column, key: key)
    }

    // MARK: - Basic types

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try value(key)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try value(key)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try value(key)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try value(key)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try value(key)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try value(key)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try value(key)
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try value(key)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try value(key)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try value(key)
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try value(key)
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try value(key)
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try value(key)
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try value(key)
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try value(key)
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try value(key)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try value(key)
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try value(key)
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try value(key)
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try value(key)
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try value(key)
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try value(key)
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try value(key)
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try value(key)
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try value(key)
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try value(key)
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try value(key)
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try value(key)
    }

}
