import Persistence

/// Decodes `Decodable` records from rows.
///
/// The default `init(row:)` of `Decodable` records does the same. Use the decoder in a record that implements this initializer in
/// order to do more:
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
    ///   - type: the type of the record. The decoder uses its strategies.
    ///   - row: a row.
    /// - Throws: `RowDecodingError` or `DecodingError` when a column is missing or can't be converted to the property's type, or
    ///   the error of an initializer.
    /// - Complexity: O(n) in the number of properties. The state for decoding a type is created once per fetch.
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
        do {
            return try Record(from: RecordDecoder(state: state, generation: generation))
        } catch {
            throw RowDecodingState.hidingValues(in: error, of: row)
        }
    }
}
