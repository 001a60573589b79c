import Foundation
import Persistence

// The state for decoding a record type is created once for each fetch, and kept in the storage of its rows from one row to the next.
//
// The decoding function retains the state until the initializer of the record returns. Decoders and containers that are used later find
// another generation in it: see `StateHandle`.

/// The state of decoding records of one type from the rows of one fetch.
@usableFromInline
final class RowDecodingState: AttachmentKey {
    /// One state for each decoded type.
    @usableFromInline
    enum Key<Record>: AttachmentKey {
        @usableFromInline typealias Value = RowDecodingState
    }

    @usableFromInline let handle: StateHandle<State>

    @usableFromInline
    struct State: CodingState {
        @usableFromInline var generation = 0

        /// The row that is being decoded. Unmanaged, because a reference would be retained and released for each property.
        @usableFromInline var row: Unmanaged<Row>

        /// The strategies, which the state's object retains. Unmanaged, because a reference would be retained for each use.
        fileprivate(set) var unretainedStrategies: Unmanaged<DecodingStrategies>

        /// Whether coding keys have the names of columns.
        fileprivate(set) var usesDefaultKeys: Bool

        /// Whether the rows have scopes. All rows of a fetch have the same.
        fileprivate(set) var hasScopes = false

        /// The leftmost column of the rows, when it is first needed.
        fileprivate var firstColumn: NameKey?

        /// The keyed containers requested so far.
        var keyedContainers = KeptContainers()

        /// How each type seen so far is read from a column.
        var columnReaders: [(type: ObjectIdentifier, reader: ColumnReader)] = []

        /// The JSON decoders of columns.
        var jsonDecoders: [(column: String, decoder: JSONDecoder)] = []

        /// The columns of coding keys, if a strategy converts their names.
        var columnsOfKeys: [String: String]?

        /// The records that are being decoded from the columns of a row of this record: see ``decodeWithoutColumn(_:key:in:)``.
        var recordsOfRows: [RecordOfRow] = []

        /// The property that was decoded from the columns of the row itself, and the generation of its record.
        var rootKey: (generation: Int, key: String)?

        /// The state for records of the same type that this record decodes from other rows while it is being decoded.
        fileprivate var inner: RowDecodingState?

        var strategies: DecodingStrategies { unretainedStrategies.takeUnretainedValue() }
    }

    private let strategies: DecodingStrategies

    private static let blocks = StateBlocks<State>()

    @usableFromInline
    init(row: Row, strategies: DecodingStrategies) {
        self.strategies = strategies
        let usesDefaultKeys = if case .useDefaultKeys = strategies.columns { true } else { false }
        handle = Self.blocks.take {
            State(row: .passUnretained(row), unretainedStrategies: .passUnretained(strategies), usesDefaultKeys: usesDefaultKeys)
        }
        handle.pointee.row = .passUnretained(row)
        handle.pointee.unretainedStrategies = .passUnretained(strategies)
        handle.pointee.usesDefaultKeys = usesDefaultKeys
        handle.pointee.hasScopes = !row.scopes.isEmpty
    }

    deinit {
        Self.blocks.giveBack(handle)
    }

    /// Returns the state for decoding records of a type from a row. The row's storage retains it, so it lives as long as the row.
    @inlinable
    static func state<Record: FetchableRecord>(for type: Record.Type, of row: Row) -> StateHandle<State> {
        if let state = row.recentAttachment(for: Key<Record>.self) { return state.handle }
        return row.attachments.value(for: Key<Record>.self) { RowDecodingState(row: row, strategies: DecodingStrategies(type)) }.handle
    }
}

extension RowDecodingState.State {
    /// Empties the memory for its next use. Containers that still point to it find another generation.
    @usableFromInline mutating func empty() {
        generation = (generation | 1) &+ 1
        keyedContainers.removeAll()
        columnReaders = []
        jsonDecoders = []
        columnsOfKeys = nil
        firstColumn = nil
        recordsOfRows = []
        rootKey = nil
        inner = nil
    }

    @inline(never)
    @usableFromInline
    static func stopForStaleCoder() -> Never {
        fatalError(
            "A decoder, or one of its containers, was used after its record had been decoded. Decode what is needed in init(from:), and keep "
                + "the values.")
    }
}

extension StateHandle<RowDecodingState.State> {
    /// The row that is being decoded.
    var currentRow: Row { pointee.row.takeUnretainedValue() }

    /// The coding path of the row that is being decoded: the scopes and the associations that lead to it.
    var codingPath: [any CodingKey] { currentRow.path.map { NameKey(stringValue: $0) } }

    /// The leftmost column of the row that is being decoded, or nil if it has none.
    var firstColumn: NameKey? {
        if pointee.firstColumn == nil { pointee.firstColumn = currentRow.columnNames.first.map { NameKey(stringValue: $0) } }
        return pointee.firstColumn
    }

    /// Calls a closure with the row that is being decoded, without retaining it.
    @inline(__always)
    func withRow<Result>(_ body: (Row) throws -> Result) rethrows -> Result { try pointee.row._withUnsafeGuaranteedRef(body) }

    /// Calls a closure with the strategies, without retaining them.
    @inline(__always)
    func withStrategies<Result>(_ body: (DecodingStrategies) throws -> Result) rethrows -> Result {
        try pointee.unretainedStrategies._withUnsafeGuaranteedRef(body)
    }

    /// Begins to decode a record.
    ///
    /// - Returns: the state that decodes it: this one, or an inner one if this one is already decoding a record of the same type.
    @inlinable
    @inline(__always)
    func begin(_ row: Row) -> Self {
        if pointee.generation & 1 != 0 { return beginInner(row) }
        pointee.generation &+= 1
        pointee.row = Unmanaged.passUnretained(row)
        return self
    }

    /// The copied rows of a fetch share the state, and an initializer may make records of its own type from other rows.
    @inline(never)
    @usableFromInline
    func beginInner(_ row: Row) -> Self {
        let inner = pointee.inner ?? RowDecodingState(row: row, strategies: pointee.strategies)
        pointee.inner = inner
        let state = inner.handle.begin(row)
        if state == inner.handle {
            // Detects a record that contains a record of its own type in the same columns.
            state.pointee.recordsOfRows = pointee.recordsOfRows
        }
        return state
    }

    /// Ends the record of a generation, if the state still decodes that record.
    @inlinable
    @inline(__always)
    func end(_ generation: Int) {
        if pointee.generation == generation { pointee.generation = generation &+ 1 }
    }
}

/// The decoding strategies of a record type.
@usableFromInline
final class DecodingStrategies {
    /// The record type, which is asked for the strategies of columns.
    let record: any FetchableRecord.Type
    let userInfo: [CodingUserInfoKey: Any]
    let columns: DatabaseColumnDecodingStrategy

    /// The types seen so far in nested rows, and which of them are records.
    private var recordTypes: [(type: ObjectIdentifier, recordType: (any FetchableRecord.Type)?)] = []

    @usableFromInline
    init(_ record: any FetchableRecord.Type) {
        self.record = record
        userInfo = record.databaseDecodingUserInfo
        columns = record.databaseColumnDecodingStrategy
    }

    /// Returns the type as a record type, or nil if it is not one. The result is cached, because checking a conformance is slow.
    func recordType(_ type: Any.Type) -> (any FetchableRecord.Type)? {
        for known in recordTypes where known.type == ObjectIdentifier(type) { return known.recordType }
        let recordType = type as? any FetchableRecord.Type
        recordTypes.append((ObjectIdentifier(type), recordType))
        return recordType
    }
}

/// How a type is read from a column.
enum ColumnReader {
    /// By its conversion from database values.
    case value(any DatabaseValueConvertible.Type)
    /// As a date or NULL, by the column's strategy.
    case optionalDate
    /// As data or NULL, by the column's strategy.
    case optionalData
    /// By its `Decodable` conformance: as a single value, or from JSON if it requests a keyed or unkeyed container.
    case single
    /// As ``single``, but the type has requested keys or elements in a row without its column, and will do so in the next row.
    case nested
    /// As ``single``, but the type was decoded from JSON in the previous row. An object or an array is probably JSON again.
    case json
}

extension RowDecodingState.State {
    /// Returns the column of a coding key, if a strategy converts column names.
    @inline(never)
    mutating func convertedColumn(for key: String) -> String {
        if columnsOfKeys == nil {
            var columns: [String: String] = [:]
            for name in row.takeUnretainedValue().columnNames {
                // If several columns have the same key, the leftmost one is used, as elsewhere.
                let key = strategies.columns.key(forColumn: name)
                if columns[key] == nil { columns[key] = name }
            }
            if case .convertFromSnakeCase = strategies.columns {
                // Annotations by aggregates of associations have names such as `book_reviewCount`.
                for name in row.takeUnretainedValue().columnNames {
                    let key = name.camelCasedKeepingHumps
                    if columns[key] == nil { columns[key] = name }
                }
            }
            columnsOfKeys = columns
        }
        return columnsOfKeys?[key] ?? key
    }

    mutating func jsonDecoder(for column: String) -> JSONDecoder {
        for known in jsonDecoders where known.column == column { return known.decoder }
        let decoder = strategies.record.databaseJSONDecoder(for: column)
        jsonDecoders.append((column, decoder))
        return decoder
    }
}

extension DatabaseColumnDecodingStrategy {
    func key(forColumn name: String) -> String {
        switch self {
        case .useDefaultKeys: name
        case .convertFromSnakeCase: name.camelCased
        case .custom(let key): key(name).stringValue
        }
    }
}

extension String {
    /// `player_id` as `playerId`. Underscores at the ends stay, and a name without an underscore in the middle is unchanged.
    var camelCased: String { camelCased(rest: { $0.lowercased() }) }

    /// `book_reviewCount` as `bookReviewCount`: like ``camelCased``, except that words in camel case stay so.
    var camelCasedKeepingHumps: String {
        camelCased { rest in
            let hasHump = zip(rest, rest.dropFirst()).contains { $0.isLowercase && $1.isUppercase }
            return hasHump ? String(rest) : rest.lowercased()
        }
    }

    /// - Parameter rest: converts a word, whose first letter is then replaced.
    private func camelCased(rest: (Substring) -> String) -> String {
        let leading = prefix { $0 == "_" }
        guard leading.count < count else { return self }
        let trailing = reversed().prefix { $0 == "_" }.count
        let words = self[leading.endIndex...].dropLast(trailing).split(separator: "_")
        guard words.count > 1 else { return self }
        let name = words.enumerated()
            .map { index, word in
                (index == 0 ? word.prefix(1).lowercased() : word.prefix(1).uppercased()) + rest(word).dropFirst()
            }
            .joined()
        return leading + name + String(repeating: "_", count: trailing)
    }
}
