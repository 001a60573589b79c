import QueryInterface

// Records are compared by what they write: by the values of their columns, as SQLite compares values of one column. 1 equals
// 1.0, and NULL equals NULL; a text is no number, and the case of letters makes a difference.

extension EncodableRecord {
    /// Whether two records write the same.
    ///
    /// ```swift
    /// if try !player.databaseEquals(oldPlayer) {
    ///     try player.update(db)
    /// }
    /// ```
    ///
    /// They do when they write the same columns, whatever the order and the case of the names, with the same values. 1 and 1.0
    /// are the same value, and so are NULL and NULL.
    ///
    /// - Throws: the error of one of the records' encoding, or of a value that can't be stored.
    public func databaseEquals(_ record: Self) throws -> Bool {
        let container = try PersistenceContainer(encoding: self)
        let other = try PersistenceContainer(encoding: record)
        return container.count == other.count && container.changes(from: other).isEmpty
    }

    /// The columns in which a record differs from another one, with the values of the other one.
    ///
    /// ```swift
    /// let oldPlayer = Player(id: 1, name: "Arthur", score: 100)
    /// let player = Player(id: 1, name: "Arthur", score: 200)
    /// try player.databaseChanges(from: oldPlayer)  // ["score": 100]
    /// ```
    ///
    /// - Parameter record: the other record, which may be of another type.
    /// - Returns: nothing for columns that only the other record writes; NULL for those that it does not write.
    /// - Throws: the error of one of the records' encoding, or of a value that can't be stored.
    public func databaseChanges(from record: some EncodableRecord) throws -> [String: DatabaseValue] {
        try changes(from: PersistenceContainer(encoding: record))
    }

    /// Changes the record, and tells in which columns, with the values of before.
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

extension PersistableRecord {
    /// Changes the record, and tells in which columns, with the values of before.
    ///
    /// - Parameter modify: changes the object, or a copy of the struct.
    /// - Throws: the error of the closure, of the record's encoding, or of a value that can't be stored.
    public func databaseChanges(modify: (inout Self) throws -> Void) throws -> [String: DatabaseValue] {
        let original = try PersistenceContainer(encoding: self)
        var record = self
        try modify(&record)
        return try record.changes(from: original)
    }
}

extension PersistenceContainer {
    /// What a record writes.
    ///
    /// - Throws: the record's error, or that of a value that can't be stored.
    init(encoding record: some EncodableRecord) throws {
        self.init()
        try record.encode(to: &self)
        try contents.checkFailures()
    }

    /// The columns whose values are not those of another container, with the values of that one.
    func changes(from original: PersistenceContainer) -> [(name: String, original: DatabaseValue)] {
        indices.filter { contents.isChanged($0, from: original.contents) }.map { index in
            let name = self[index].0
            return (name, original.databaseValue(forColumn: name) ?? .null)
        }
    }
}
