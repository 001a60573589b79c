import Foundation
import Persistence

/// Decodes a row.
@usableFromInline
struct RecordDecoder: Decoder {
    @usableFromInline typealias State = RowDecodingState.State

    @usableFromInline let uncheckedState: StateHandle<State>

    /// The generation of the decoder's record.
    @usableFromInline let generation: Int

    /// Whether the row is a nested row of one column: the JSON of the column has the elements of an array, and the keys that the row lacks.
    @usableFromInline let mayBeJSON: Bool

    @inlinable
    init(state: StateHandle<State>, generation: Int, mayBeJSON: Bool = false) {
        uncheckedState = state
        self.generation = generation
        self.mayBeJSON = mayBeJSON
    }

    /// The state. Stops the program if the decoder's record has ended.
    @inline(__always)
    var state: StateHandle<State> { uncheckedState.checked(generation) }

    @usableFromInline var codingPath: [any CodingKey] { state.codingPath }

    @usableFromInline var userInfo: [CodingUserInfoKey: Any] { state.pointee.strategies.userInfo }

    @usableFromInline
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if mayBeJSON, let decoder = try state.decoderOfJSONObject(lackingKeyOf: type) { return try decoder.container(keyedBy: type) }
        if let kept = state.pointee.keyedContainers.reference(keys: type) {
            if !kept.serves(generation) { replaceContainer(keyedBy: type, in: kept) }
            return kept.container(as: KeyedDecodingContainer<Key>.self)
        }
        return makeContainer(keyedBy: type)
    }

    @inline(never)
    private func makeContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        let columns = KeyTable<DecodedColumn>(type)
        let cell = GenerationCell(generation)
        let isKept = state.pointee.keyedContainers.add(
            makeContainer(Key.self, cell, columns), cell: cell, keys: type, memory: columns)
        if isKept, let kept = state.pointee.keyedContainers.reference(keys: type) {
            return kept.container(as: KeyedDecodingContainer<Key>.self)
        }
        cell.free()
        return makeNewContainer(keyedBy: type)
    }

    /// Returns a container that is not kept, and that owns its cell.
    func makeNewContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        let owner = CellOwner(generation)
        return KeyedDecodingContainer(
            RowKeyedDecodingContainer<Key, CellOwner>(uncheckedState: state, cell: owner.cell, columns: nil, owner: owner))
    }

    private func makeContainer<Key: CodingKey>(
        _ type: Key.Type, _ cell: GenerationCell, _ columns: KeyTable<DecodedColumn>?
    ) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(
            RowKeyedDecodingContainer<Key, Void>(uncheckedState: state, cell: cell, columns: columns?.entries, owner: ()))
    }

    /// Replaces a container that the program has kept from another record.
    @inline(never)
    private func replaceContainer<Key: CodingKey>(keyedBy type: Key.Type, in kept: KeptContainers.Reference) {
        let cell = GenerationCell(generation)
        state.pointee.keyedContainers.replace(kept, by: makeContainer(type, cell, kept.memory as? KeyTable<DecodedColumn>), cell: cell)
    }

    @usableFromInline
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        if mayBeJSON { return try state.decoderOfJSON([Any].self).unkeyedContainer() }
        throw DecodingError.typeMismatch(
            [Any].self,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "A row can't be decoded as an array - \(state.currentRow.errorDescription)"))
    }

    @usableFromInline
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        RowSingleValueDecodingContainer(decoder: self)
    }
}

/// Decodes a type that wraps another type, both from the same row.
private struct RowSingleValueDecodingContainer: SingleValueDecodingContainer {
    let decoder: RecordDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    private var row: Row { decoder.state.currentRow }

    /// Returns whether the row is the missing row of an outer join.
    func decodeNil() -> Bool { !row.containsNonNullValue }

    // The standard library calls this with each of its basic types. Copies of all that is below, one for each, would be a fifth of this module.
    @_semantics("optimize.sil.specialize.generic.never")
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let state = decoder.state
        // A type that wraps one value decodes the first column with its strategy.
        if state.isValue(type) { return try state.decodeFirstColumn(type) }
        // A record that wraps another record decodes the columns with the strategies of the wrapped record.
        let strategies = state.pointee.strategies
        if type != strategies.record, let recordType = strategies.recordType(type) {
            return try recordType.decode(type, from: row)
        }
        return try T(from: decoder)
    }
}
