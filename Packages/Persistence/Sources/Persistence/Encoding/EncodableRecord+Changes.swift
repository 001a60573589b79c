import QueryInterface

// Compares records by their encoded columns and values. Integers and reals compare as numbers, so 1 equals 1.0, and NULL equals
// NULL. A string never equals a number, and strings compare case-sensitively.

extension EncodableRecord {
    /// Returns whether two records encode the same columns and values.
    ///
    /// ```swift
    /// if try !player.databaseEquals(oldPlayer) {
    ///     try player.update(db)
    /// }
    /// ```
    ///
    /// The comparison ignores the order of the columns and the case of their names. 1 equals 1.0, and NULL equals NULL.
    ///
    /// - Throws: the error of one of the records' encoding, or of a value that can't be stored.
    public func databaseEquals(_ record: Self) throws -> Bool {
        let container = try PersistenceContainer(encoding: self)
        let other = try PersistenceContainer(encoding: record)
        return container.count == other.count && container.allSatisfy { other.databaseValue(forColumn: $0.0) != nil }
            && container.changes(from: other).isEmpty
    }

    /// Returns the columns in which the record differs from another record, with the values of the other record.
    ///
    /// ```swift
    /// let oldPlayer = Player(id: 1, name: "Arthur", score: 100)
    /// let player = Player(id: 1, name: "Arthur", score: 200)
    /// try player.databaseChanges(from: oldPlayer)  // ["score": 100]
    /// ```
    ///
    /// - Parameter record: the other record, which may be of another type.
    /// - Returns: the changed columns. A column that the other record does not encode counts as NULL there. Columns that only the
    ///   other record encodes are omitted.
    /// - Throws: the error of one of the records' encoding, or of a value that can't be stored.
    public func databaseChanges(from record: some EncodableRecord) throws -> [String: DatabaseValue] {
        try changes(from: PersistenceContainer(encoding: record))
    }

    /// Changes the record, and returns the changed columns with their previous values.
    ///
    /// ```swift
    /// var player = Player(id: 1, name: "Arthur", score: 100)
    /// let changes = try player.databaseChanges { $0.score = 200 }  // ["score": 100]
    /// ```
    ///
    /// - Parameter modify: changes the record.
    /// - Throws: the error of the closure, of the record's encoding, or of a value that can't be stored.
    public mutating func databaseChanges(modify: (inout Self) throws -> Void) throws -> [String: DatabaseValue] {
        let original = try PersistenceContainer(encoding: self)
        try modify(&self)
        return try changes(from: original)
    }

    fileprivate func changes(from original: PersistenceContainer) throws -> [String: DatabaseValue] {
        let changes = try PersistenceContainer(encoding: self).changes(from: original)
        return Dictionary(changes.map { ($0.name, $0.original) }, uniquingKeysWith: { $1 })
    }
}

extension EncodableRecord where Self: AnyObject {
    /// Changes the record, and returns the changed columns with their previous values.
    ///
    /// - Parameter modify: changes the object.
    /// - Throws: the error of the closure, of the record's encoding, or of a value that can't be stored.
    public func databaseChanges(modify: (inout Self) throws -> Void) throws -> [String: DatabaseValue] {
        let original = try PersistenceContainer(encoding: self)
        var record = self
        try modify(&record)
        return try record.changes(from: original)
    }
}

extension PersistenceContainer {
    /// Encodes a record into a new container.
    ///
    /// - Throws: the record's error, or the error of a value that can't be stored.
    init(encoding record: some EncodableRecord) throws {
        self.init()
        try record.encode(to: &self)
        try contents.checkFailures()
    }

    /// Returns the columns whose values differ in another container, with the other container's values.
    func changes(from original: PersistenceContainer) -> [(name: String, original: DatabaseValue)] {
        indices.filter { contents.isChanged($0, from: original.contents) }.map { index in
            let name = self[index].0
            return (name, original.databaseValue(forColumn: name) ?? .null)
        }
    }
}
