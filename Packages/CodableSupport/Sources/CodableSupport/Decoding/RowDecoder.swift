import Foundation
import Persistence

/// Decodes a row.
@usableFromInline
struct RowDecoder: Decoder {
    @usableFromInline typealias State = RowDecodingState.State

    @usableFromInline let state: UnsafeMutablePointer<State>

    @inlinable
    init(state: UnsafeMutablePointer<State>) {
        self.state = state
    }

    @usableFromInline var codingPath: [any CodingKey] { [] }

    @usableFromInline var userInfo: [CodingUserInfoKey: Any] { state.pointee.strategies.userInfo }

    /// Holds a keyed container, as an object whose class tells the type of its keys.
    private final class Box<Key: CodingKey> {
        let container: KeyedDecodingContainer<Key>
        init(_ container: KeyedDecodingContainer<Key>) {
            self.container = container
        }
    }

    @usableFromInline
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if state.pointee.keyedContainerKey == ObjectIdentifier(type), let box = state.pointee.keyedContainer {
            return unsafeDowncast(box, to: Box<Key>.self).container
        }
        let container = KeyedDecodingContainer(RowKeyedDecodingContainer<Key>(state: state))
        if state.pointee.keyedContainerKey == nil {
            state.pointee.keyedContainerKey = ObjectIdentifier(type)
            state.pointee.keyedContainer = Box(container)
        }
        return container
    }

    @usableFromInline
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.typeMismatch(
            [Any].self,
            DecodingError.Context(codingPath: [], debugDescription: "A row can't be decoded as an array: \(state.pointee.row)"))
    }

    @usableFromInline
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        RowSingleValueDecodingContainer(decoder: self)
    }
}

/// Decodes a type that wraps another one, both from the same row.
private struct RowSingleValueDecodingContainer: SingleValueDecodingContainer {
    let decoder: RowDecoder

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let type = type as? any DatabaseValueConvertible.Type {
            func value<Value: DatabaseValueConvertible>(_ type: Value.Type) throws -> Any {
                try decoder.state.pointee.row.decode(type, atIndex: 0)
            }
            if let value = try value(type) as? T { return value }
        }
        return try T(from: decoder)
    }
}
