import Persistence

/// Decodes records from rows by their `Decodable` conformance.
///
/// Records that are `Decodable` need no decoder: `init(row:)` does the same. It serves records that have an initializer of their
/// own, which does something more:
///
/// ```swift
/// struct Player: Decodable, FetchableRecord {
///     var id: Int64
///     var name: String
///
///     init(row: Row) throws {
///         self = try FetchableRecordDecoder().decode(Player.self, from: row)
///         name = name.capitalized
///     }
/// }
/// ```
public final class FetchableRecordDecoder: Sendable {
    /// Makes a decoder.
    @inlinable
    public init() {}

    /// Decodes a record.
    ///
    /// - Parameters:
    ///   - type: the type of the record, whose strategies are used.
    ///   - row: a row.
    /// - Throws: `RowDecodingError` or `DecodingError` when a column is missing or has no value of the property's type, or the error
    ///   of an initializer.
    /// - Complexity: O(n) in the number of properties. What decoding a type takes is made once for the rows of a fetch.
    @inlinable
    @inline(__always)
    public func decode<Record: FetchableRecord & Decodable>(_ type: Record.Type, from row: Row) throws -> Record {
        try Self.decode(type, from: row)
    }

    @inlinable
    @inline(__always)
    static func decode<Record: FetchableRecord & Decodable>(_ type: Record.Type, from row: Row) throws -> Record {
        let state = RowDecodingState.state(for: Record.self, of: row).begin(row)
        let generation = state.pointee.generation
        defer {
            state.end(generation)
            extendLifetime(row)
        }
        return try Record(from: RecordDecoder(state: state, generation: generation))
    }
}
