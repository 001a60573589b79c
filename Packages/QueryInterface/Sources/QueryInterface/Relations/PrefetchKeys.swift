import RowDecoding

/// The keys for which the rows of an association are fetched, and which of them a row's key is equal to.
///
/// SQLite compares by the affinity and the collation of the row's column: 1 and '1' can be equal, and 'fr' and 'FR'. A row that
/// is equal to several keys belongs to each of them, as in a join.
struct PrefetchKeys {
    let keys: [[DatabaseValue]]

    private let known: Set<[DatabaseValue]>

    /// Whether no value has a collation, or could be equal to a value of another type.
    private let isExact: Bool

    /// The keys by what is the same for all those that SQLite may take for equal. Made when it is needed.
    private lazy var folded = Dictionary(grouping: keys) { $0.map(\.folded) }

    /// What was found so far.
    private var matches: [[DatabaseValue]: [[DatabaseValue]]] = [:]

    /// - Parameter keys: the keys of the rows that have the association. Those with NULL lead to no rows, and are left out.
    init(_ keys: [[DatabaseValue]]) {
        var unique: [[DatabaseValue]] = []
        var known: Set<[DatabaseValue]> = []
        for key in keys where !key.contains(where: \.isNull) && known.insert(key).inserted { unique.append(key) }
        self.keys = unique
        self.known = known
        isExact = unique.allSatisfy { $0.allSatisfy { !$0.isText } }
    }

    /// The keys that are equal to that of a row.
    ///
    /// - Parameters:
    ///   - key: the key of a row.
    ///   - compare: asks SQLite whether they are equal. That is seldom needed: for keys that differ in the case of letters only,
    ///     and the like.
    mutating func equal(
        to key: [DatabaseValue], _ compare: (_ asked: [DatabaseValue], _ key: [DatabaseValue]) throws -> Bool
    ) rethrows -> [[DatabaseValue]] {
        if isExact && known.contains(key) { return [key] }
        if let found = matches[key] { return found }
        let candidates = folded[key.map(\.folded)] ?? keys
        // The row was found by one of the keys.
        let found = candidates.count == 1 ? candidates : try candidates.filter { try compare($0, key) }
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
