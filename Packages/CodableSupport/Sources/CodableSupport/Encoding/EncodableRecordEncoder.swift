import Persistence

/// Encodes `Encodable` records as the columns of a row.
///
/// The default `encode(to:)` of `Encodable` records does the same. Use the encoder in a record that implements this method in order
/// to write further columns:
///
/// ```swift
/// struct Player: Encodable, PersistableRecord {
///     var id: Int64
///     var name: String
///
///     func encode(to container: inout PersistenceContainer) throws {
///         try EncodableRecordEncoder().encode(self, to: &container)
///         container["sortName"] = name.lowercased()
///     }
/// }
/// ```
public final class EncodableRecordEncoder: Sendable {
    /// Makes an encoder.
    @inlinable
    public init() {}

    /// Sets the columns that a record writes.
    ///
    /// - Parameters:
    ///   - record: the record. The encoder uses the strategies of its dynamic type, which may be a subclass.
    ///   - container: receives the columns.
    /// - Throws: `EncodingError`, for example if two coding keys are one column, or the error of a value that can't be stored.
    /// - Complexity: O(n) in the number of properties. The state for encoding a type is created once per connection.
    @inlinable
    @inline(__always)
    public func encode<Record: EncodableRecord & Encodable>(_ record: Record, to container: inout PersistenceContainer) throws {
        try Self.encode(record, to: &container)
    }

    @inlinable
    @inline(__always)
    static func encode<Record: EncodableRecord & Encodable>(_ record: Record, to container: inout PersistenceContainer) throws {
        // The compiler knows the answer for structs, enums and final classes.
        if Record.self is AnyObject.Type, type(of: record) != Record.self { return try encodeSubclass(record, to: &container) }
        try RecordEncodingState.withState(for: Record.self, in: &container) { state in
            do {
                try record.encode(to: RecordEncoder(state: state, generation: state.pointee.generation))
                if state.pointee.hasPieces { try state.encodePieces() }
                if state.hasRepetitions { try state.checkRepetitions(record) }
            } catch {
                if state.pointee.hasPieces { state.forgetPieces() }
                throw error
            }
        }
    }

    /// Encodes an object of a subclass of the declared type with the strategies of the subclass.
    @inline(never)
    @usableFromInline
    static func encodeSubclass<Record: EncodableRecord & Encodable>(
        _ record: Record, to container: inout PersistenceContainer
    ) throws {
        func encode<Subclass: EncodableRecord & Encodable>(_ type: Subclass.Type, to container: inout PersistenceContainer) throws {
            try Self.encode(record as! Subclass, to: &container)
        }
        let subclass = untraced(type(of: record) as any (EncodableRecord & Encodable).Type)
        try encode(subclass, to: &container)
    }
}
