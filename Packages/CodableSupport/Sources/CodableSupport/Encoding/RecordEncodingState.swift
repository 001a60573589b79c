import Foundation
import Persistence

// The state for encoding a record type is created once, and kept with the memory of the persistence container from one record to
// the next. As in decoding, the containers that the standard library copies at each call point to the state. A container that is
// used after its record finds another generation in it. The encoding function retains the state until `encode(to:)` returns.

/// The state of encoding records of one type.
@usableFromInline
final class RecordEncodingState: AttachmentKey {
    /// One state for each record type.
    @usableFromInline
    enum Key<Record>: AttachmentKey {
        @usableFromInline typealias Value = RecordEncodingState
    }

    @usableFromInline let handle: StateHandle<State>

    @usableFromInline
    struct State: CodingState {
        @usableFromInline var generation = 0

        /// The container that a record is being encoded in. It is moved here, as only the single reference to a container's memory can set
        /// columns. Nil after the record, and while the record encodes another record in its place.
        @usableFromInline var container: PersistenceContainer?

        /// Stands in the place of the container meanwhile. It is moved to and fro, as a copy would be retained for each record.
        @usableFromInline var placeholder: PersistenceContainer? = PersistenceContainer()

        /// The strategies; nil while the memory is not used.
        fileprivate var currentStrategies: EncodingStrategies?

        /// Whether columns have the names of coding keys.
        fileprivate(set) var usesDefaultKeys: Bool

        /// The keyed containers requested so far.
        var keyedContainers = KeptContainers()

        /// How each type seen so far is written to a column.
        var columnWriters: [(type: ObjectIdentifier, writer: ColumnWriter)] = []

        /// The JSON encoders of columns.
        var jsonEncoders: [(column: String, encoder: JSONEncoder)] = []

        /// The columns of coding keys, if a strategy converts their names.
        var columnsOfKeys: [String: String] = [:]

        /// The number of columns that the container had before the record, and how many of them were set again.
        @usableFromInline var firstSlot = 0
        @usableFromInline var firstRepetition = 0

        /// The columns that the record is encoding piece by piece, and whether there are any.
        var columnsOfPieces: [Column] = []
        @usableFromInline var hasPieces = false

        /// The state of records of the same type that are encoded while this one is, in the same memory.
        fileprivate var inner: RecordEncodingState?

        var strategies: EncodingStrategies { currentStrategies! }
    }

    private static let blocks = StateBlocks<State>()

    @usableFromInline
    init(strategies: EncodingStrategies) {
        let usesDefaultKeys = if case .useDefaultKeys = strategies.columns { true } else { false }
        handle = Self.blocks.take { State(usesDefaultKeys: usesDefaultKeys) }
        handle.pointee.currentStrategies = strategies
        handle.pointee.usesDefaultKeys = usesDefaultKeys
    }

    deinit {
        Self.blocks.giveBack(handle)
    }

    /// Encodes a record in a container.
    ///
    /// - Parameter body: encodes the record with the state for its type.
    @inlinable
    @inline(__always)
    static func withState<Record: EncodableRecord>(
        for type: Record.Type, in container: inout PersistenceContainer, _ body: (StateHandle<State>) throws -> Void
    ) throws {
        let state = container.attachments.value(for: Key<Record>.self) { RecordEncodingState(strategies: EncodingStrategies(type)) }
        let handle = state.handle.begin(in: &container)
        defer {
            handle.end(&container)
            extendLifetime(state)
        }
        try body(handle)
    }
}

extension RecordEncodingState.State {
    /// Empties the memory for its next use. Containers that still point to it find another generation.
    @usableFromInline mutating func empty() {
        generation = (generation | 1) &+ 1
        container = nil
        currentStrategies = nil
        keyedContainers.removeAll()
        columnWriters = []
        jsonEncoders = []
        columnsOfKeys = [:]
        columnsOfPieces = []
        hasPieces = false
        inner = nil
    }

    @inline(never)
    @usableFromInline
    static func stopForStaleCoder() -> Never {
        fatalError(
            "An encoder, or one of its containers, was used after its record had been encoded, or while the record was encoding another record "
                + "in its place. Encode what is to be written in encode(to:), one value after the other.")
    }
}

extension StateHandle<RecordEncodingState.State> {
    /// Begins to encode a record, and moves its container to the state.
    ///
    /// - Returns: the state that encodes it: this one, or an inner one if this one is already encoding a record of the same type.
    @inlinable
    @inline(__always)
    func begin(in container: inout PersistenceContainer) -> Self {
        if pointee.generation & 1 != 0 { return beginInner(in: &container) }
        pointee.generation &+= 1
        pointee.firstSlot = container.endIndex
        pointee.firstRepetition = container.repetitionCount
        var moved = pointee.placeholder.take()!
        swap(&moved, &container)
        pointee.container = consume moved
        return self
    }

    @inline(never)
    @usableFromInline
    func beginInner(in container: inout PersistenceContainer) -> Self {
        let inner = pointee.inner ?? RecordEncodingState(strategies: pointee.strategies)
        pointee.inner = inner
        return inner.handle.begin(in: &container)
    }

    /// Ends the record, and moves its container back.
    @inlinable
    @inline(__always)
    func end(_ container: inout PersistenceContainer) {
        pointee.generation &+= 1
        var moved = pointee.container.take()!
        swap(&moved, &container)
        pointee.placeholder = consume moved
    }

    /// Encodes another record in the place of this one.
    func encode(_ record: any EncodableRecord) throws {
        guard var container = pointee.container.take() else { State.stopForStaleCoder() }
        defer { pointee.container = container }
        try record.encode(to: &container)
    }

    /// Whether the record has set a column again.
    @inlinable
    var hasRepetitions: Bool { pointee.container!.repetitionCount != pointee.firstRepetition }

    /// Throws if the record has encoded several coding keys for one column, of which only the last value would be written.
    ///
    /// A key that is encoded again, for example by a subclass, replaces its value. So does a key of a column that the program has set
    /// itself.
    @inline(never)
    @usableFromInline
    func checkRepetitions(_ record: Any) throws {
        guard let container = pointee.container else { return }
        for (slot, name) in container.repeatedColumns.dropFirst(pointee.firstRepetition) where slot >= pointee.firstSlot {
            let column = container[slot].0
            let keys =
                pointee.usesDefaultKeys
                ? Set([column, name]).sorted()
                : pointee.columnsOfKeys.filter { $0.value.isEqualIgnoringASCIICase(to: column) }.keys.sorted()
            guard keys.count > 1 else { continue }
            let names = keys.map { "\"\($0)\"" }.joined(separator: " and ")
            throw EncodingError.invalid(
                record,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "The coding keys \(names) are the same column \"\(column)\": column names ignore case. "
                        + "Give each key a column of its own."))
        }
    }
}

/// The encoding strategies of a record type.
@usableFromInline
final class EncodingStrategies {
    /// The record type, which provides the strategies of columns.
    let record: any EncodableRecord.Type
    let userInfo: [CodingUserInfoKey: Any]
    let columns: DatabaseColumnEncodingStrategy

    @usableFromInline
    init(_ record: any EncodableRecord.Type) {
        self.record = record
        userInfo = record.databaseEncodingUserInfo
        columns = record.databaseColumnEncodingStrategy
    }
}

/// How a type is written to a column.
enum ColumnWriter {
    /// By its conversion to database values.
    case value
    /// By its `Encodable` conformance: as a single value, or as JSON if it requests a keyed or unkeyed container.
    case single
}

extension RecordEncodingState.State {
    /// Returns the column of a coding key, if a strategy converts its name.
    @inline(never)
    mutating func convertedColumn(for key: some CodingKey) -> String {
        if let column = columnsOfKeys[key.stringValue] { return column }
        let column =
            switch strategies.columns {
            case .useDefaultKeys: key.stringValue
            case .convertToSnakeCase: key.stringValue.snakeCased
            case .custom(let column): column(key)
            }
        columnsOfKeys[key.stringValue] = column
        return column
    }

    mutating func jsonEncoder(for column: String) -> JSONEncoder {
        for known in jsonEncoders where known.column == column { return known.encoder }
        let encoder = strategies.record.databaseJSONEncoder(for: column)
        jsonEncoders.append((column, encoder))
        return encoder
    }
}

extension StateHandle<RecordEncodingState.State> {
    /// Writes a column.
    @inline(__always)
    func set<Value: StatementBinding>(_ value: Value?, forColumn column: String) {
        if pointee.container?.set(value, forColumn: column) == nil { State.stopForStaleCoder() }
    }

    /// Writes a column whose place is kept.
    @inline(__always)
    func set<Value: StatementBinding>(_ value: Value?, at place: inout ColumnPlace, column: () -> String) {
        if pointee.container?.set(value, at: &place, column: column) == nil { State.stopForStaleCoder() }
    }
}

extension String {
    /// `playerId` as `player_id`, and `myURLProperty` as `my_url_property`.
    var snakeCased: String {
        let characters = Array(self)
        var result = ""
        for (index, character) in characters.enumerated() {
            if character.isUppercase, index > 0, characters[index - 1] != "_" {
                let followsLowercase = !characters[index - 1].isUppercase
                let beginsWord = index + 1 < characters.count && characters[index + 1].isLowercase
                if followsLowercase || beginsWord { result.append("_") }
            }
            result += character.lowercased()
        }
        return result
    }
}
