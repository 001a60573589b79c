import Foundation
import Persistence

/// Encodes a record.
@usableFromInline
struct RecordEncoder: Encoder {
    @usableFromInline let uncheckedState: StateHandle<RecordEncodingState.State>

    /// The generation of the encoder's record.
    @usableFromInline let generation: Int

    @inlinable
    init(state: StateHandle<RecordEncodingState.State>, generation: Int) {
        uncheckedState = state
        self.generation = generation
    }

    /// The state. Stops the program if the encoder's record has ended.
    @inline(__always)
    var state: StateHandle<RecordEncodingState.State> { uncheckedState.checked(generation) }

    @usableFromInline var codingPath: [any CodingKey] { [] }

    @usableFromInline var userInfo: [CodingUserInfoKey: Any] { state.pointee.strategies.userInfo }

    @usableFromInline
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if let kept = state.pointee.keyedContainers.reference(keys: type) {
            if !kept.serves(generation) { replaceContainer(keyedBy: type, in: kept) }
            return kept.container(as: KeyedEncodingContainer<Key>.self)
        }
        return makeContainer(keyedBy: type)
    }

    @inline(never)
    private func makeContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let columns = KeyTable<EncodedColumn>(type)
        let cell = GenerationCell(generation)
        let isKept = state.pointee.keyedContainers.add(
            makeContainer(Key.self, cell, columns), cell: cell, keys: type, memory: columns)
        if isKept, let kept = state.pointee.keyedContainers.reference(keys: type) {
            return kept.container(as: KeyedEncodingContainer<Key>.self)
        }
        cell.free()
        return makeNewContainer(keyedBy: type)
    }

    /// Returns a container that is not kept, and that owns its cell.
    func makeNewContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let owner = CellOwner(generation)
        return KeyedEncodingContainer(
            RecordKeyedEncodingContainer<Key, CellOwner>(uncheckedState: state, cell: owner.cell, columns: nil, owner: owner))
    }

    private func makeContainer<Key: CodingKey>(
        _ type: Key.Type, _ cell: GenerationCell, _ columns: KeyTable<EncodedColumn>?
    ) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(
            RecordKeyedEncodingContainer<Key, Void>(uncheckedState: state, cell: cell, columns: columns?.entries, owner: ()))
    }

    /// Replaces a container that the program has kept from another record.
    @inline(never)
    private func replaceContainer<Key: CodingKey>(keyedBy type: Key.Type, in kept: KeptContainers.Reference) {
        let cell = GenerationCell(generation)
        state.pointee.keyedContainers.replace(kept, by: makeContainer(type, cell, kept.memory as? KeyTable<EncodedColumn>), cell: cell)
    }

    @usableFromInline
    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        FailingEncoder(reason: "A record can't be encoded as an array.")
    }

    @usableFromInline
    func singleValueContainer() -> any SingleValueEncodingContainer {
        RecordSingleValueEncodingContainer(encoder: self)
    }
}

/// Encodes a type that wraps another type, both as the columns of the same record.
private struct RecordSingleValueEncodingContainer: SingleValueEncodingContainer {
    let encoder: RecordEncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws {
        _ = encoder.state
        throw EncodingError.invalidValue(
            Any?.none as Any, EncodingError.Context(codingPath: [], debugDescription: "A record can't be encoded as NULL."))
    }

    func encode<T: Encodable>(_ value: T) throws {
        let state = encoder.state
        guard !(value is any DatabaseValueConvertible) else {
            throw EncodingError.invalid(
                value, EncodingError.Context(codingPath: [], debugDescription: "A record can't be encoded as one value."))
        }
        // A record has its own strategies.
        if let record = value as? any EncodableRecord, T.self != state.pointee.strategies.record {
            try state.encode(record)
        } else {
            try value.encode(to: encoder)
        }
    }
}
