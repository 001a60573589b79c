import Foundation
import Persistence

// A record can encode a column piece by piece, in nested containers. A container does not report that it has received its last piece, so
// the pieces are collected, and written to the column when the record has encoded the rest.

/// A value that is being encoded piece by piece.
final class EncodedPiece {
    enum Content {
        case null
        case value(any Encodable)
        case keyed([(key: String, piece: EncodedPiece)])
        case unkeyed([EncodedPiece])
    }

    /// The state that all pieces of a column share.
    final class Column {
        /// Whether the record is still being encoded.
        fileprivate(set) var isOpen = true
    }

    /// The content so far; nil if nothing was encoded.
    var content: Content? {
        willSet { checkIsOpen() }
    }

    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]
    fileprivate let column: Column

    init(codingPath: [any CodingKey], userInfo: [CodingUserInfoKey: Any], column: Column = Column()) {
        self.codingPath = codingPath
        self.userInfo = userInfo
        self.column = column
    }

    /// Stops the program if it uses a kept encoder to change a column that is already written.
    fileprivate func checkIsOpen() {
        if !column.isOpen { RecordEncodingState.State.stopForStaleCoder() }
    }

    fileprivate func child(_ key: (any CodingKey)?) -> EncodedPiece {
        EncodedPiece(codingPath: codingPath + (key.map { [$0] } ?? []), userInfo: userInfo, column: column)
    }

    /// Replaces the content with empty keyed content, unless it is keyed already.
    fileprivate func beKeyed() {
        checkIsOpen()
        if case .keyed = content { return }
        content = .keyed([])
    }

    fileprivate func beUnkeyed() {
        checkIsOpen()
        if case .unkeyed = content { return }
        content = .unkeyed([])
    }

    fileprivate func add(_ key: any CodingKey, _ content: Content?) -> EncodedPiece {
        let piece = child(key)
        piece.content = content
        if case .keyed(var pieces) = self.content {
            // A keyed container that is requested twice is the same one, and the last value of a key wins.
            if let index = pieces.firstIndex(where: { $0.key == key.stringValue }) {
                if content == nil { return pieces[index].piece }
                pieces[index].piece = piece
            } else {
                pieces.append((key.stringValue, piece))
            }
            self.content = .keyed(pieces)
        }
        return piece
    }

    fileprivate func append(_ content: Content?) -> EncodedPiece {
        let piece = child(nil)
        piece.content = content
        if case .unkeyed(let pieces) = self.content {
            self.content = .unkeyed(pieces + [piece])
        }
        return piece
    }
}

extension EncodedPiece: Encodable {
    func encode(to encoder: any Encoder) throws {
        switch content {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .value(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .keyed(let pieces):
            var container = encoder.container(keyedBy: NameKey.self)
            for (key, piece) in pieces { try container.encode(piece, forKey: NameKey(stringValue: key)) }
        case .unkeyed(let pieces):
            var container = encoder.unkeyedContainer()
            for piece in pieces { try container.encode(piece) }
        case nil:
            // A keyed container without keys; JSON encoders do the same for a type that encodes nothing.
            _ = encoder.container(keyedBy: NameKey.self)
        }
    }
}

/// Collects the pieces of a value.
struct PieceEncoder: Encoder, SingleValueEncodingContainer {
    let piece: EncodedPiece

    var codingPath: [any CodingKey] { piece.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { piece.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        piece.beKeyed()
        return KeyedEncodingContainer(PieceKeyedContainer<Key>(piece: piece))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        piece.beUnkeyed()
        return PieceUnkeyedContainer(piece: piece)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { piece.content = .null }

    func encode<T: Encodable>(_ value: T) throws { piece.content = .value(value) }
}

private struct PieceKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let piece: EncodedPiece

    private enum SuperKey: CodingKey { case `super` }

    var codingPath: [any CodingKey] { piece.codingPath }

    func encodeNil(forKey key: Key) throws { _ = piece.add(key, .null) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { _ = piece.add(key, .value(value)) }

    func superEncoder() -> any Encoder { PieceEncoder(piece: piece.add(SuperKey.super, nil)) }

    func superEncoder(forKey key: Key) -> any Encoder { PieceEncoder(piece: piece.add(key, nil)) }
}

private struct PieceUnkeyedContainer: UnkeyedEncodingContainer {
    let piece: EncodedPiece

    var codingPath: [any CodingKey] { piece.codingPath }

    var count: Int {
        if case .unkeyed(let pieces) = piece.content { pieces.count } else { 0 }
    }

    func encodeNil() throws { _ = piece.append(.null) }

    func encode<T: Encodable>(_ value: T) throws { _ = piece.append(.value(value)) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        superEncoder().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { PieceEncoder(piece: piece.append(nil)) }
}

// MARK: - In the record

extension RecordEncodingState.State {
    /// A column that a record encodes piece by piece.
    struct Column {
        let name: String
        let key: any CodingKey
        let piece: EncodedPiece
    }

    /// Returns the encoder of a column's pieces.
    mutating func pieceEncoder(column: String, key: any CodingKey) -> PieceEncoder {
        // A key that is requested again keeps its pieces.
        if let known = columnsOfPieces.last(where: { $0.key.stringValue == key.stringValue }) {
            return PieceEncoder(piece: known.piece)
        }
        let piece = EncodedPiece(codingPath: [key], userInfo: strategies.userInfo)
        columnsOfPieces.append(Column(name: column, key: key, piece: piece))
        hasPieces = true
        return PieceEncoder(piece: piece)
    }

    /// Removes and returns the columns that the record has encoded piece by piece. Changing one later stops the program.
    fileprivate mutating func takeColumnsOfPieces() -> [Column] {
        hasPieces = false
        for column in columnsOfPieces { column.piece.column.isOpen = false }
        defer { columnsOfPieces = [] }
        return columnsOfPieces
    }
}

extension StateHandle<RecordEncodingState.State> {
    /// Writes the columns that the record has encoded piece by piece.
    @inline(never)
    @usableFromInline
    func encodePieces() throws {
        for column in pointee.takeColumnsOfPieces() {
            switch column.piece.content {
            case .null: set(DatabaseValue?.none, forColumn: column.name)
            case .value(let value): try encode(value, column)
            case .keyed, .unkeyed, nil: try encodeJSON(column.piece, column: column.name, key: column.key)
            }
        }
    }

    private func encode<T: Encodable>(_ value: T, _ column: RecordEncodingState.State.Column) throws {
        try encode(value, column: column.name, key: column.key)
    }

    /// Discards the pieces of a record whose encoding has failed.
    @inline(never)
    @usableFromInline
    func forgetPieces() {
        _ = pointee.takeColumnsOfPieces()
    }
}
