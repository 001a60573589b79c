import Foundation
import Persistence

// The standard library calls one method for each property. The methods of the basic types read the column directly.

/// The column of a key, which is found in the first row.
struct DecodedColumn: KeyEntry {
    /// The position of the column in the rows.
    var position = ColumnPosition.unknown

    /// Whether dates are read from the column without a strategy; false until this is first checked.
    var hasPlainDates = false
}

/// The columns of a row, by coding keys.
///
/// `Owner` retains the cell of the generation if nothing else does, and a ``NestedRowDecoder`` also the row and the state. It is `Void` if the
/// container must not hold references.
struct RowKeyedDecodingContainer<Key: CodingKey, Owner>: KeyedDecodingContainerProtocol {
    let uncheckedState: StateHandle<RowDecodingState.State>

    /// The generation of the container's record.
    let cell: GenerationCell

    /// The columns found so far; nil if the columns of the keys are always looked up by name.
    let columns: KeyEntries<DecodedColumn>?

    let owner: Owner

    /// The state. Stops the program if the container's record has ended. Each method gets it once, first.
    @inline(__always)
    private var state: StateHandle<RowDecodingState.State> { uncheckedState.checked(cell.generation) }

    var codingPath: [any CodingKey] { state.codingPath }

    var allKeys: [Key] {
        let state = state
        let row = state.currentRow
        let columns = row.columnNames.map { state.pointee.strategies.columns.key(forColumn: $0) }
        var found: Set<String> = []
        // Removes duplicates: several columns may share a name, and a scope may have the name of a column.
        return (columns + row.scopes.names + row.scopesTree.names.sorted() + row.prefetchedRows.keys.sorted())
            .filter { found.insert($0).inserted }
            .compactMap { Key(stringValue: $0) }
    }

    @inline(__always)
    private func column(_ key: Key) -> String {
        uncheckedState.pointee.usesDefaultKeys ? key.stringValue : uncheckedState.pointee.convertedColumn(for: key.stringValue)
    }

    /// Reads a column.
    @inline(__always)
    private func value<Value: DatabaseValueConvertible & StatementColumnConvertible & Decodable>(_ key: Key) throws -> Value {
        try value(key, state)
    }

    /// Reads a column without retaining the row.
    @inline(__always)
    private func value<Value: DatabaseValueConvertible & StatementColumnConvertible & Decodable>(
        _ key: Key, _ state: StateHandle<RowDecodingState.State>
    ) throws -> Value {
        if let position = columns?[key]?.pointee.position, position.isFound {
            let value: Value? = state.withRow { $0.value(at: position) }
            if let value { return value }
        }
        return try valueByName(key)
    }

    /// Reads a column whose position is not known yet, or that is missing, or whose value has another type.
    @inline(never)
    private func valueByName<Value: DatabaseValueConvertible & StatementColumnConvertible & Decodable>(_ key: Key) throws -> Value {
        let name = column(key)
        let state = uncheckedState
        if state.pointee.hasScopes, let scope = state.scope(key.stringValue, insteadOf: name, for: Value.self) {
            return try state.decode(Value.self, fromNested: scope)
        }
        return try uncheckedState.withRow { row in
            if let column = columns?[key], column.pointee.position == .unknown {
                // A lookup of the value by name would cache the position in the row as well.
                let position = row.position(ofColumn: name) ?? .missing
                column.pointee.position = position
                if position.isFound, let value = row.value(Value.self, at: position) { return value }
            }
            return try row.decode(Value.self, forKey: name)
        }
    }

    /// Whether dates are read from a column without a strategy.
    @inline(__always)
    private func hasPlainDates(_ key: Key) -> Bool {
        columns?[key]?.pointee.hasPlainDates ?? false || strategyIsPlain(key)
    }

    @inline(never)
    private func strategyIsPlain(_ key: Key) -> Bool {
        let strategies = uncheckedState.pointee.strategies
        guard case .deferredToDate = strategies.record.databaseDateDecodingStrategy(for: column(key)) else { return false }
        columns?[key]?.pointee.hasPlainDates = true
        return true
    }

    func contains(_ key: Key) -> Bool {
        let state = state
        let row = state.currentRow
        return row.hasColumn(column(key)) || state.scope(key.stringValue) != nil || row.prefetchedRows[key.stringValue] != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        let state = state
        let row = state.currentRow
        guard let index = row.index(ofColumn: column(key)) else { return !state.hasNestedValue(key.stringValue) }
        return row.hasNull(atIndex: index)
    }

    /// Returns a decoder for the superclass, which reads the same row.
    func superDecoder() throws -> any Decoder { owner as? any Decoder ?? RecordDecoder(state: state, generation: cell.generation) }

    /// Returns a decoder of a scope or a column.
    func superDecoder(forKey key: Key) throws -> any Decoder {
        let state = state
        let column = column(key)
        let row = state.currentRow
        if !row.hasColumn(column) {
            let strategies = state.pointee.strategies
            if let scope = state.scope(key.stringValue) { return NestedRowDecoder(row: scope, strategies: strategies) }
            if let rows = row.prefetchedRows[key.stringValue] {
                return PrefetchedRowsDecoder(rows: rows, origin: row, key: key, strategies: strategies)
            }
        }
        return changed(ColumnDecoder(state: state, column: column, key: key, decodesJSON: true)) { $0.owner = owner as? NestedRowDecoder }
    }

    // MARK: - Other types

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let state = state
        // Handles the most frequent types with the fewest calls.
        if type == Date.self, hasPlainDates(key) {
            let date: Date = try value(key, state)
            return _identityCast(date, to: T.self)
        }
        if type == UUID.self {
            let uuid: UUID = try value(key, state)
            return _identityCast(uuid, to: T.self)
        }
        return try state.decode(type, column: column(key), key: key)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        let state = state
        if type == Date.self, hasPlainDates(key) {
            let date: Date? = try value(key, state)
            return date.map { _identityCast($0, to: T.self) }
        }
        if type == UUID.self {
            let uuid: UUID? = try value(key, state)
            return uuid.map { _identityCast($0, to: T.self) }
        }
        return try state.decodeIfPresent(type, column: column(key), key: key)
    }

    // MARK: - Basic types

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key) }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try value(key) }

    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try value(key) }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try value(key) }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try value(key) }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try value(key) }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try value(key) }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try value(key) }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try value(key) }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try value(key) }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try value(key) }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try value(key) }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try value(key) }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try value(key) }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try value(key) }
}
