import Foundation
import Persistence

// Decodes properties that have no column: from scopes, from prefetched rows, and records and parts from the columns of the row itself. A
// column takes precedence over all three, and scopes and prefetched rows take precedence over the columns of the row.
//
//     struct BookInfo: Decodable, FetchableRecord {
//         var book: Book        // the columns of the row itself
//         var author: Author?   // the scope of an association
//         var chapters: [Chapter]  // prefetched rows
//         var printed: [Date]   // prefetched rows of one column
//     }

extension StateHandle<RowDecodingState.State> {
    /// Returns the row of a scope, which may be nested in another scope.
    func scope(_ key: String) -> Row? {
        withRow { $0.scopesTree[key] }
    }

    /// Returns the scope that a property is decoded from because the row lacks its column. A value is the only column of a scope.
    ///
    /// Call it only for rows with scopes.
    @inline(never)
    func scope<T: Decodable>(_ key: String, insteadOf column: String, for type: T.Type) -> Row? {
        guard let scope = withRow({ $0.hasColumn(column) ? nil : $0.scopesTree[key] }) else { return nil }
        return scope.count == 1 || !isValue(type) || pointee.strategies.recordType(type) != nil ? scope : nil
    }

    /// Returns whether a key names prefetched rows, or a scope with values.
    func hasNestedValue(_ key: String) -> Bool {
        scope(key)?.containsNonNullValue ?? (currentRow.prefetchedRows[key] != nil)
    }

    /// Decodes the row of a scope, or a prefetched row.
    @_semantics("optimize.sil.specialize.generic.never")
    func decode<T: Decodable>(_ type: T.Type, fromNested row: Row) throws -> T {
        try withStrategies { try $0.decode(type, fromNested: row) }
    }

    /// Decodes a property that has neither a column nor a scope.
    ///
    /// - Parameter isPart: whether the type is known to be a part of the record.
    /// - Returns: nil if the row has nothing to decode it from.
    /// - Throws: `DecodingError.keyNotFound` if another property was decoded from the columns of the row: two records in the same columns are
    ///   most often an association that is missing in the request.
    func decodeWithoutColumn<T: Decodable>(_ type: T.Type, key: any CodingKey, isPart: Bool = false) throws -> T? {
        let row = currentRow
        if let rows = row.prefetchedRows[key.stringValue] {
            if let arrayType = type as? any DecodableArray.Type {
                return try arrayType.decode(from: rows, strategies: pointee.strategies) as? T
            }
            return try T(from: PrefetchedRowsDecoder(rows: rows, origin: row, key: key, strategies: pointee.strategies))
        }
        let recordType = pointee.strategies.recordType(type)
        // Prevents infinite recursion: a record may contain a record of its own type.
        let part = RecordOfRow(type: ObjectIdentifier(type), row: ObjectIdentifier(row))
        guard !pointee.recordsOfRows.contains(part) else { return nil }
        if let root = pointee.rootKey, root.generation == pointee.generation, root.key != key.stringValue {
            if recordType == nil { return nil }
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription:
                        "Only one of \(root.key) and \(key.stringValue) can be in the columns of the row itself"
                        + "\(row.associationNames ?? "")\(row.hint(for: key.stringValue)) - \(row.errorDescription). "
                        + "Include the association of the other one in the request, or adapt the row."))
        }
        if recordType != nil { pointee.rootKey = (pointee.generation, key.stringValue) }
        pointee.recordsOfRows.append(part)
        defer { pointee.recordsOfRows.removeLast() }
        do {
            if let recordType { return try recordType.decode(type, from: row) }
            guard let value = try pointee.strategies.decodePart(type, of: row, isKnown: isPart) else { return nil }
            pointee.rootKey = (pointee.generation, key.stringValue)
            return value
        } catch let error as DecodingError {
            // The record's decoder knows only the path of the row.
            throw error.inserting(key, behind: codingPath)
        }
    }

    // MARK: - Rows of one column

    /// Returns a decoder of the JSON in the only column of the row.
    ///
    /// - Parameter type: the type that errors name.
    func decoderOfJSON(_ type: Any.Type) throws -> any Decoder {
        guard let column = firstColumn else { throw RowDecodingError(missingColumn: "", type: type, row: currentRow) }
        return try decoderOfJSON(type, column: column.stringValue, key: column)
    }

    /// Returns a decoder of the JSON object in the only column of the row, unless the column is one of the keys.
    func decoderOfJSONObject<Key: CodingKey>(lackingKeyOf type: Key.Type) throws -> (any Decoder)? {
        guard let column = firstColumn?.stringValue, Key(stringValue: pointee.strategies.columns.key(forColumn: column)) == nil,
            firstColumnIsJSONObject
        else { return nil }
        return try decoderOfJSON([String: Any].self)
    }
}

extension FetchableRecord {
    /// Creates a record, and returns it as `T`, which is the same type.
    static func decode<T>(_ type: T.Type, from row: Row) throws -> T {
        try Self(row: row) as! T
    }
}

extension DecodingStrategies {
    /// Decodes the row of a scope, or a prefetched row.
    func decode<T: Decodable>(_ type: T.Type, fromNested row: Row) throws -> T {
        if let recordType = recordType(type) {
            return try recordType.decode(type, from: row)
        }
        // A type that is not a record uses the strategies of the record that contains it.
        let state = PartStates.state(for: type, strategies: self, row: row).begin(row)
        let generation = state.pointee.generation
        defer {
            state.end(generation)
            extendLifetime(row)
        }
        if state.isValue(type) { return try state.decodeFirstColumn(type) }
        let mayBeJSON = row.isOneColumn
        if mayBeJSON, type is any DecodableDictionary.Type, state.firstColumnIsJSONObject, let column = state.firstColumn {
            return try state.decodeJSON(type, column: column.stringValue, key: column)
        }
        return try T(from: RecordDecoder(state: state, generation: generation, mayBeJSON: mayBeJSON))
    }
}

extension Row {
    /// Whether the row has one column, and nothing else.
    fileprivate var isOneColumn: Bool { count == 1 && scopes.isEmpty && prefetchedRows.isEmpty }
}

/// Detects dictionaries, whose keys may be any columns.
private protocol DecodableDictionary {}

extension Dictionary: DecodableDictionary {}

/// A record type that is being decoded from the same row as the record that contains it.
struct RecordOfRow: Equatable {
    let type: ObjectIdentifier
    let row: ObjectIdentifier
}

/// The states for types that are not records: one for each pair of a type and the record type whose strategies it uses.
final class PartStates: AttachmentKey {
    private var states: [(type: ObjectIdentifier, record: any FetchableRecord.Type, state: RowDecodingState)] = []

    /// Returns the state for decoding a type from a row. The row's storage retains it, so it lives as long as the row.
    static func state(
        for type: Any.Type, strategies: DecodingStrategies, row: Row
    ) -> StateHandle<RowDecodingState.State> {
        if let parts = row.recentAttachment(for: PartStates.self) { return parts.state(for: type, strategies, row) }
        return row.attachments.value(for: PartStates.self) { PartStates() }.state(for: type, strategies, row)
    }

    private func state(for type: Any.Type, _ strategies: DecodingStrategies, _ row: Row) -> StateHandle<RowDecodingState.State> {
        // Few types are decoded from nested rows, so a linear search is fast.
        for known in states where known.type == ObjectIdentifier(type) && known.record == strategies.record {
            return known.state.handle
        }
        let state = RowDecodingState(row: row, strategies: strategies)
        states.append((ObjectIdentifier(type), strategies.record, state))
        return state.handle
    }
}

// MARK: - Prefetched rows

/// Detects arrays, which are decoded row by row. Other collections use an unkeyed container, which is slower: it is copied, and called
/// through an existential, for each element.
private protocol DecodableArray {
    static func decode(from rows: [Row], strategies: DecodingStrategies) throws -> Self
}

extension Array: DecodableArray where Element: Decodable {
    fileprivate static func decode(from rows: [Row], strategies: DecodingStrategies) throws -> [Element] {
        try rows.map { try strategies.decode(Element.self, fromNested: $0) }
    }
}

/// Decodes the rows of an association as an array, a set, or another collection.
struct PrefetchedRowsDecoder: Decoder, SingleValueDecodingContainer {
    let rows: [Row]
    /// The row that has the association.
    let origin: Row
    let key: any CodingKey
    let strategies: DecodingStrategies

    var codingPath: [any CodingKey] {
        // The association may be one of a scope.
        (rows.first?.path.dropLast() ?? origin.path[...]).map { NameKey(stringValue: $0) } + [key]
    }

    var userInfo: [CodingUserInfoKey: Any] { strategies.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw DecodingError.typeMismatch(
            [String: Any].self,
            DecodingError.Context(
                codingPath: codingPath, debugDescription: "The \(rows.count) prefetched rows can't be decoded as one value"))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        PrefetchedRowsContainer(decoder: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }
}

private struct PrefetchedRowsContainer: UnkeyedDecodingContainer {
    let decoder: PrefetchedRowsDecoder

    var currentIndex = 0

    init(decoder: PrefetchedRowsDecoder) {
        self.decoder = decoder
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var count: Int? { decoder.rows.count }

    var isAtEnd: Bool { currentIndex >= decoder.rows.count }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, !decoder.rows[currentIndex].containsNonNullValue else { return false }
        currentIndex += 1
        return true
    }

    @_semantics("optimize.sil.specialize.generic.never")
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try decoder.strategies.decode(type, fromNested: try nextRow(type))
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        let row = try nextRow((any Decoder).self)
        currentIndex += 1
        return NestedRowDecoder(row: row, strategies: decoder.strategies)
    }

    private func nextRow(_ type: Any.Type) throws -> Row {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(
                    codingPath: codingPath, debugDescription: "There are no more than \(decoder.rows.count) prefetched rows"))
        }
        return decoder.rows[currentIndex]
    }
}

// MARK: - Decoders that a program can keep

/// Decodes a nested row for a program that requests a decoder and may keep it. It retains the row and the state; other decoders rely
/// on their caller to retain them.
struct NestedRowDecoder: Decoder, SingleValueDecodingContainer {
    fileprivate let row: Row
    fileprivate let state: RowDecodingState

    /// The generation of the only record that the state decodes.
    fileprivate let owner: CellOwner

    init(row: Row, strategies: DecodingStrategies) {
        self.row = row
        state = RowDecodingState(row: row, strategies: strategies)
        owner = CellOwner(state.handle.begin(row).pointee.generation)
    }

    private var rowDecoder: RecordDecoder {
        RecordDecoder(state: state.handle, generation: owner.cell.generation, mayBeJSON: row.isOneColumn)
    }

    var codingPath: [any CodingKey] { state.handle.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { state.handle.pointee.strategies.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if row.isOneColumn, let decoder = try state.handle.decoderOfJSONObject(lackingKeyOf: type) {
            return try decoder.container(keyedBy: type)
        }
        return KeyedDecodingContainer(
            RowKeyedDecodingContainer<Key, NestedRowDecoder>(uncheckedState: state.handle, cell: owner.cell, columns: nil, owner: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try rowDecoder.unkeyedContainer()
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { !row.containsNonNullValue }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try rowDecoder.singleValueContainer().decode(type)
    }
}
