import Foundation
import Persistence

// What decoding a record type needs, made once for each fetch and kept in the storage of its rows, from one row to the next.
//
// The standard library copies a keyed container at each of its calls. A container that held class references would pay for
// retaining and releasing them every time; ours points to this state. That is safe because who decodes holds the state until the
// initializer returns, and because decoders and containers that are used later find another generation in the state: its memory is
// never freed, see `StateBlocks`.
//
// What the state can do are methods of the pointer: a method of the struct would copy it to be called, with all that it refers to.

/// The state of decoding records of one type from the rows of one fetch.
@usableFromInline
final class RowDecodingState: AttachmentKey {
    @usableFromInline typealias Value = RowDecodingState

    /// One state for each decoded type.
    @usableFromInline
    enum Key<Record>: AttachmentKey {
        @usableFromInline typealias Value = RowDecodingState
    }

    @usableFromInline let pointer: UnsafeMutablePointer<State>

    @usableFromInline
    struct State {
        /// Odd while a record is being decoded. It never comes back to a number that it has had.
        @usableFromInline var generation = 0

        /// The row that is being decoded. Unmanaged, as a reference would be retained and released for each property.
        @usableFromInline var row: Unmanaged<Row>

        /// The strategies, which the state's object keeps. Unmanaged, as a reference would be retained for each use.
        fileprivate(set) var unretainedStrategies: Unmanaged<DecodingStrategies>

        /// Whether coding keys have the names of columns.
        fileprivate(set) var usesDefaultKeys: Bool

        /// The keyed containers that were asked for so far.
        var keyedContainers = KeptContainers()

        /// How the types that were met so far are read from a column.
        var columnReaders: [(type: ObjectIdentifier, reader: ColumnReader)] = []

        /// The JSON decoders of columns.
        var jsonDecoders: [(column: String, decoder: JSONDecoder)] = []

        /// The columns of coding keys, where a strategy makes names of names.
        var columnsOfKeys: [String: String]?

        /// The records that are being decoded from the columns of a row of this record: see ``decodeWithoutColumn(_:key:in:)``.
        var recordsOfRows: [RecordOfRow] = []

        /// The state of records of the same type that a record decodes from other rows while it is being decoded.
        fileprivate var inner: RowDecodingState?

        var strategies: DecodingStrategies { unretainedStrategies.takeUnretainedValue() }
    }

    private let strategies: DecodingStrategies

    private static let blocks = StateBlocks<State>()

    init(row: Row, strategies: DecodingStrategies) {
        self.strategies = strategies
        let usesDefaultKeys = if case .useDefaultKeys = strategies.columns { true } else { false }
        pointer = Self.blocks.take {
            State(row: .passUnretained(row), unretainedStrategies: .passUnretained(strategies), usesDefaultKeys: usesDefaultKeys)
        }
        pointer.pointee.row = .passUnretained(row)
        pointer.pointee.unretainedStrategies = .passUnretained(strategies)
        pointer.pointee.usesDefaultKeys = usesDefaultKeys
    }

    deinit {
        pointer.pointee.empty()
        Self.blocks.giveBack(pointer)
    }

    /// The state for decoding records of a type from a row. The row's storage keeps it, and so it is there as long as the row.
    @inlinable
    static func state<Record: FetchableRecord>(for type: Record.Type, of row: Row) -> UnsafeMutablePointer<State> {
        if let state = row.recentAttachment(for: Key<Record>.self) { return state.pointer }
        return row.attachments.value(for: Key<Record>.self) { make(DecodingStrategies(type), row: row) }.pointer
    }

    @usableFromInline
    static func make(_ strategies: DecodingStrategies, row: Row) -> RowDecodingState {
        RowDecodingState(row: row, strategies: strategies)
    }
}

extension RowDecodingState.State {
    /// Makes ready for another use of the memory. Who still points to it finds another generation.
    fileprivate mutating func empty() {
        generation = (generation | 1) &+ 1
        keyedContainers.removeAll()
        columnReaders = []
        jsonDecoders = []
        columnsOfKeys = nil
        recordsOfRows = []
        inner = nil
    }
}

extension UnsafeMutablePointer<RowDecodingState.State> {
    /// Begins to decode a record.
    ///
    /// - Returns: the state that decodes it: this one, or another one if this one is decoding a record of the same type already.
    @inlinable
    @inline(__always)
    func begin(_ row: Row) -> Self {
        if pointee.generation & 1 != 0 { return beginInner(row) }
        pointee.generation &+= 1
        pointee.row = Unmanaged.passUnretained(row)
        return self
    }

    /// The rows that a fetch has copied share the state, and an initializer may make records of its own type from others of them.
    @inline(never)
    @usableFromInline
    func beginInner(_ row: Row) -> Self {
        let inner = pointee.inner ?? RowDecodingState(row: row, strategies: pointee.strategies)
        pointee.inner = inner
        let state = inner.pointer.begin(row)
        if state == inner.pointer {
            // A record that asks for itself in its own columns is known by them.
            state.pointee.recordsOfRows = pointee.recordsOfRows
        }
        return state
    }

    /// Ends the record of a generation, unless the state was given up in the meantime.
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

    /// The types that were met so far in nested rows, and those of them that are records.
    @exclusivity(unchecked)
    private var recordTypes: [(type: ObjectIdentifier, recordType: (any FetchableRecord.Type)?)] = []

    @usableFromInline
    init(_ record: any FetchableRecord.Type) {
        self.record = record
        userInfo = record.databaseDecodingUserInfo
        columns = record.databaseColumnDecodingStrategy
    }

    /// A type as that of a record, nil when it is none; looked up once for each type, as asking for a conformance is slow.
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
    /// By its `Decodable` conformance, as a single value, or from JSON when it asks for keys or elements.
    case single
    /// As ``single``, but this type has asked for keys or elements where there was no column: it will ask again in the next row.
    case nested
    /// As ``single``, but this type was decoded from JSON in the row before: an object or an array is JSON again, most likely.
    case json
}

extension RowDecodingState.State {
    /// The column of a coding key, where a strategy makes names of names.
    @inline(never)
    mutating func convertedColumn(for key: String) -> String {
        if columnsOfKeys == nil {
            var columns: [String: String] = [:]
            for name in row.takeUnretainedValue().columnNames {
                // The leftmost column wins, as elsewhere.
                let key = strategies.columns.key(forColumn: name)
                if columns[key] == nil { columns[key] = name }
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
    /// `player_id` as `playerId`: underscores at the ends stay, and a name with none in the middle stays as it is.
    var camelCased: String {
        let leading = prefix { $0 == "_" }
        guard leading.count < count else { return self }
        let trailing = reversed().prefix { $0 == "_" }.count
        let words = self[leading.endIndex...].dropLast(trailing).split(separator: "_")
        guard words.count > 1 else { return self }
        let name = words[0].lowercased() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined()
        return leading + name + String(repeating: "_", count: trailing)
    }
}
