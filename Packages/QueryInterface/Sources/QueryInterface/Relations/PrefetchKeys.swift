import RowDecoding

/// What the rows of an association are found by: the value of one column, as nearly always, or those of several.
enum PrefetchKey: Hashable {
    case single(DatabaseValue)
    case composite([DatabaseValue])

    /// The key of a row, whose values are at some indexes of the query's columns.
    init(_ row: Row, at indexes: [Int]) {
        if indexes.count == 1 {
            self = .single(row.unadaptedValue(atIndex: indexes[0]) ?? .null)
        } else {
            self = .composite(indexes.map { row.unadaptedValue(atIndex: $0) ?? .null })
        }
    }

    var values: [DatabaseValue] {
        switch self {
        case .single(let value): [value]
        case .composite(let values): values
        }
    }

    fileprivate var containsNull: Bool {
        switch self {
        case .single(let value): value.isNull
        case .composite(let values): values.contains(where: \.isNull)
        }
    }

    fileprivate var containsText: Bool {
        switch self {
        case .single(let value): value.isText
        case .composite(let values): values.contains(where: \.isText)
        }
    }

    /// What is the same for all keys that SQLite may take for equal.
    fileprivate var folded: PrefetchKey {
        switch self {
        case .single(let value): .single(value.folded)
        case .composite(let values): .composite(values.map(\.folded))
        }
    }
}

/// The keys for which the rows of an association are fetched, and which of them a row's key is equal to.
///
/// SQLite compares by the affinity and the collation of the row's column: 1 and '1' can be equal, and 'fr' and 'FR'. A row that
/// is equal to several keys belongs to each of them, as in a join.
struct PrefetchKeys {
    /// The keys, each of them once.
    let keys: [PrefetchKey]

    /// For each of the rows that have the association, the index of its key; nil for a key with NULL, which leads to no rows.
    let indexesOfRows: [Int?]

    private let indexes: [PrefetchKey: Int]

    /// Whether no value has a collation, or could be equal to a value of another type.
    private let isExact: Bool

    /// The keys by what is the same for all those that SQLite may take for equal. Made when it is needed.
    private lazy var folded = Dictionary(grouping: keys.indices) { keys[$0].folded }

    /// What was found so far.
    private var matches: [PrefetchKey: [Int]] = [:]

    /// The last key that was found, and its index: an index of the table gives the rows of one key one after the other.
    private var last: (key: PrefetchKey, index: Int)?

    /// - Parameter rowKeys: the keys of the rows that have the association.
    init(_ rowKeys: some Collection<PrefetchKey>) {
        var keys: [PrefetchKey] = []
        var indexes: [PrefetchKey: Int] = [:]
        indexes.reserveCapacity(rowKeys.count)
        indexesOfRows = rowKeys.map { key in
            if key.containsNull { return nil }
            if let index = indexes[key] { return index }
            indexes[key] = keys.count
            keys.append(key)
            return keys.count - 1
        }
        self.keys = keys
        self.indexes = indexes
        isExact = !keys.contains(where: \.containsText)
    }

    /// The index of the only key that is equal to that of a row.
    ///
    /// - Returns: nil when there may be others, or only such that are equal in SQLite's eyes: see ``indexes(equalTo:_:)``.
    mutating func exactIndex(of key: PrefetchKey) -> Int? {
        guard isExact else { return nil }
        if let last, last.key == key { return last.index }
        guard let index = indexes[key] else { return nil }
        last = (key, index)
        return index
    }

    /// The indexes of the keys that are equal to that of a row.
    ///
    /// - Parameters:
    ///   - key: the key of a row.
    ///   - compare: asks SQLite whether they are equal. That is seldom needed: for keys that differ in the case of letters only,
    ///     and the like.
    mutating func indexes(
        equalTo key: PrefetchKey, _ compare: (_ asked: PrefetchKey, _ key: PrefetchKey) throws -> Bool
    ) rethrows -> [Int] {
        if let found = matches[key] { return found }
        let candidates = folded[key.folded] ?? Array(keys.indices)
        // The row was found by one of the keys.
        let found = candidates.count == 1 ? candidates : try candidates.filter { try compare(keys[$0], key) }
        matches[key] = found
        return found
    }
}

extension DatabaseValue {
    fileprivate var isText: Bool {
        if case .string = storage { true } else { false }
    }

    /// What is the same for all values that SQLite may take for equal.
    fileprivate var folded: DatabaseValue {
        guard case .string(let text) = storage else { return self }
        if let integer = Int64(text) { return integer.databaseValue }
        if let real = Double(text) { return real.databaseValue }
        var folded = text.lowercased()
        while folded.last == " " { folded.removeLast() }
        return folded.databaseValue
    }
}
