import ValueConversion

// Collections created from cursors. Copy the rows of a ``RowCursor`` first, because it reuses one row object: `Array(rows.map { $0.copy()
// })`.

extension RangeReplaceableCollection {
    /// Creates a collection from the remaining elements of a cursor.
    ///
    /// ```swift
    /// let names = try Array(String.fetchCursor(db, sql: "SELECT name FROM player"))
    /// ```
    ///
    /// - Parameters:
    ///   - cursor: a cursor, which is consumed.
    ///   - minimumCapacity: the number of elements to reserve memory for.
    /// - Throws: the cursor's error.
    @inlinable
    public init<Base: Cursor>(_ cursor: Base, minimumCapacity: Int = 0) throws where Base.Element == Element {
        self.init()
        if minimumCapacity > 0 { reserveCapacity(minimumCapacity) }
        try append(contentsOf: cursor)
    }

    /// Adds the remaining elements of a cursor.
    ///
    /// - Throws: the cursor's error. The elements before the error have been added.
    @inlinable
    public mutating func append<Base: Cursor>(contentsOf cursor: Base) throws where Base.Element == Element {
        try cursor.forEach { append($0) }
    }
}

extension Set {
    /// Creates a set from the remaining elements of a cursor.
    ///
    /// - Parameters:
    ///   - cursor: a cursor, which is consumed.
    ///   - minimumCapacity: the number of elements to reserve memory for.
    /// - Throws: the cursor's error.
    @inlinable
    public init<Base: Cursor>(_ cursor: Base, minimumCapacity: Int = 0) throws where Base.Element == Element {
        self.init(minimumCapacity: minimumCapacity)
        try formUnion(cursor)
    }

    /// Returns a set of the elements of this set and the remaining elements of a cursor.
    ///
    /// - Throws: the cursor's error.
    @inlinable
    public func union<Base: Cursor>(_ cursor: Base) throws -> Set<Element> where Base.Element == Element {
        var result = self
        try result.formUnion(cursor)
        return result
    }

    /// Adds the remaining elements of a cursor.
    ///
    /// - Throws: the cursor's error. The elements before the error have been added.
    @inlinable
    public mutating func formUnion<Base: Cursor>(_ cursor: Base) throws where Base.Element == Element {
        try cursor.forEach { insert($0) }
    }

    /// Returns a set of the elements of this set that are among the remaining elements of a cursor.
    ///
    /// - Throws: the cursor's error.
    @inlinable
    public func intersection<Base: Cursor>(_ cursor: Base) throws -> Set<Element> where Base.Element == Element {
        try intersection(Set(cursor))
    }

    /// Removes the elements that are not among the remaining elements of a cursor.
    ///
    /// - Throws: the cursor's error. The set is then unchanged.
    @inlinable
    public mutating func formIntersection<Base: Cursor>(_ cursor: Base) throws where Base.Element == Element {
        formIntersection(try Set(cursor))
    }
}

/// An error thrown when a key occurs twice where keys must be unique.
public struct DuplicateKeyError: Error, Sendable, CustomStringConvertible {
    /// A description of the key, which may be private.
    public let key: String

    @usableFromInline
    init(_ key: Any) {
        self.key = "\(key)"
    }

    /// The error in one line, without the key, and what to do.
    public var description: String {
        "a key occurs more than once. Use init(_:uniquingKeysWith:) to choose between its values, or init(grouping:by:)."
    }
}

extension Dictionary {
    /// Creates a dictionary from the remaining keys and values of a cursor.
    ///
    /// ```swift
    /// let players = try Player.fetchCursor(db, sql: "SELECT * FROM player")
    /// let playersByID = try Dictionary(uniqueKeysWithValues: players.map { ($0.id, $0) })
    /// ```
    ///
    /// - Parameters:
    ///   - minimumCapacity: the number of keys to reserve memory for.
    ///   - cursor: a cursor, which is consumed.
    /// - Throws: the cursor's error, or ``DuplicateKeyError`` when a key occurs twice.
    @inlinable
    public init<Base: Cursor>(minimumCapacity: Int = 0, uniqueKeysWithValues cursor: Base) throws where Base.Element == (Key, Value) {
        self.init(minimumCapacity: minimumCapacity)
        try cursor.forEach { key, value in
            if updateValue(value, forKey: key) != nil { throw DuplicateKeyError(key) }
        }
    }

    /// Creates a dictionary from the remaining keys and values of a cursor.
    ///
    /// - Parameters:
    ///   - cursor: a cursor, which is consumed.
    ///   - combine: combines two values that have the same key.
    /// - Throws: the error of the cursor, or of the closure.
    @inlinable
    public init<Base: Cursor>(
        _ cursor: Base, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) throws where Base.Element == (Key, Value) {
        self.init()
        try cursor.forEach { key, value in
            if let present = self[key] {
                self[key] = try combine(present, value)
            } else {
                self[key] = value
            }
        }
    }

    /// Creates a dictionary whose values are arrays of the cursor's elements that share a key.
    ///
    /// ```swift
    /// let players = try Player.fetchCursor(db, sql: "SELECT * FROM player")
    /// let playersByTeam = try Dictionary(grouping: players, by: { $0.teamID })
    /// ```
    ///
    /// - Parameters:
    ///   - minimumCapacity: the number of keys to reserve memory for.
    ///   - cursor: a cursor, which is consumed.
    ///   - keyForValue: returns the key of an element.
    /// - Throws: the error of the cursor, or of the closure.
    @inlinable
    public init<Base: Cursor>(
        minimumCapacity: Int = 0, grouping cursor: Base, by keyForValue: (Base.Element) throws -> Key
    ) throws where Value == [Base.Element] {
        self.init(minimumCapacity: minimumCapacity)
        try cursor.forEach { self[try keyForValue($0), default: []].append($0) }
    }
}
