import RowDecoding

/// The values that identify the associated rows of a row: the values of one column, or rarely of several columns.
enum PrefetchKey: Hashable {
    case single(DatabaseValue)
    case composite([DatabaseValue])

    /// Reads the key of a row from some columns of the query.
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

    fileprivate func contains(_ isFound: (DatabaseValue) -> Bool) -> Bool {
        switch self {
        case .single(let value): isFound(value)
        case .composite(let values): values.contains(where: isFound)
        }
    }

    /// A form in which all keys that SQLite may consider equal are the same.
    fileprivate var folded: PrefetchKey {
        switch self {
        case .single(let value): .single(value.folded)
        case .composite(let values): .composite(values.map(\.folded))
        }
    }
}

/// The keys whose associated rows are fetched, and the mapping from fetched rows to those keys.
///
/// SQLite compares with the affinity and the collation of the fetched row's column: 1 can equal '1', and 'fr' can equal 'FR'. A row
/// that equals several keys belongs to each of them, as in a join.
struct PrefetchKeys {
    /// The keys, without duplicates.
    let keys: [PrefetchKey]

    /// The index of the key of each origin row, or nil if the key contains NULL, which has no associated rows.
    let indexesOfRows: [Int?]

    private let indexes: [PrefetchKey: Int]

    /// Whether each key can equal only one other key: no key contains a string, which can equal several keys by affinity or collation.
    private let isExact: Bool

    /// The keys grouped by their folded form. Computed on demand.
    private lazy var folded = Dictionary(grouping: keys.indices) { keys[$0].folded }

    /// The results of ``indexes(equalTo:_:)``.
    private var matches: [PrefetchKey: [Int]] = [:]

    /// The last key that was looked up, and its index. Rows from an index are ordered by key, so it is often the next one, too.
    private var last: (key: PrefetchKey, index: Int)?

    /// - Parameter rowKeys: the keys of the origin rows.
    init(_ rowKeys: some Collection<PrefetchKey>) {
        var keys: [PrefetchKey] = []
        var indexes: [PrefetchKey: Int] = [:]
        indexes.reserveCapacity(rowKeys.count)
        indexesOfRows = rowKeys.map { key in
            if key.contains(\.isNull) { return nil }
            if let index = indexes[key] { return index }
            indexes[key] = keys.count
            keys.append(key)
            return keys.count - 1
        }
        self.keys = keys
        self.indexes = indexes
        isExact = !keys.contains { $0.contains(\.isText) }
    }

    /// Returns the index of the only key that equals the key of a fetched row.
    ///
    /// - Returns: nil if SQLite must decide which keys are equal: see ``indexes(equalTo:_:)``.
    mutating func exactIndex(of key: PrefetchKey) -> Int? {
        guard isExact else { return nil }
        if let last, last.key == key { return last.index }
        guard let index = indexes[key] else { return nil }
        last = (key, index)
        return index
    }

    /// Returns the indexes of the keys that equal the key of a fetched row.
    ///
    /// - Parameters:
    ///   - key: the key of a fetched row.
    ///   - compare: asks SQLite whether two keys are equal. It is called only if several keys have the same folded form, such as strings
    ///     that differ in case.
    mutating func indexes(
        equalTo key: PrefetchKey, _ compare: (_ asked: PrefetchKey, _ key: PrefetchKey) throws -> Bool
    ) rethrows -> [Int] {
        if let found = matches[key] { return found }
        let candidates = folded[key.folded] ?? Array(keys.indices)
        // The row was found by some key, so a single candidate is that key.
        let found = candidates.count == 1 ? candidates : try candidates.filter { try compare(keys[$0], key) }
        matches[key] = found
        return found
    }
}

extension DatabaseValue {
    fileprivate var isText: Bool {
        if case .string = storage { true } else { false }
    }

    /// A form in which all values that SQLite may consider equal are the same.
    fileprivate var folded: DatabaseValue {
        guard case .string(let text) = storage else { return self }
        if let integer = Int64(text) { return integer.databaseValue }
        if let real = Double(text) { return real.databaseValue }
        var folded = text.lowercased()
        while folded.last == " " { folded.removeLast() }
        return folded.databaseValue
    }
}
