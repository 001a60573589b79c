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

    @usableFromInline
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if state.pointee.keyedContainerKey == ObjectIdentifier(type), let container = state.pointee.keyedContainer {
            return unsafeBitCast(container, to: KeyedDecodingContainer<Key>.self)
        }
        let container = KeyedDecodingContainer(RowKeyedDecodingContainer<Key>(state: state))
        // The standard library's container is a struct of one reference to an object. Kept as that object, it can be had back
        // without asking the runtime for the metadata of a generic type at each row.
        if state.pointee.keyedContainerKey == nil, MemoryLayout.size(ofValue: container) == MemoryLayout<AnyObject>.size {
            state.pointee.keyedContainerKey = ObjectIdentifier(type)
            state.pointee.keyedContainer = unsafeBitCast(container, to: AnyObject.self)
        }
        return container
    }

    @usableFromInline
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.typeMismatch(
            [Any].self,
            DecodingError.Context(
                codingPath: [], debugDescription: "A row can't be decoded as an array: \(state.pointee.row.takeUnretainedValue())"))
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
                try decoder.state.pointee.row.takeUnretainedValue().decode(type, atIndex: 0)
            }
            if let value = try value(type) as? T { return value }
        }
        return try T(from: decoder)
    }
}
