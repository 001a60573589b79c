import ValueConversion

// Records of scopes, and of prefetched rows. Both are searched in the whole tree of scopes, breadth-first.

extension Row {
    // MARK: - Subscripts

    /// The record of a scope.
    ///
    /// ```swift
    /// let team: Team = row["team"]
    /// ```
    ///
    /// - Parameter scope: the name of a scope of the row, or of one of its scopes.
    /// - Returns: the record. The program stops when there is no such scope, or when the record's initializer throws;
    ///   `try row.decode(Team.self, forKey: "team")` throws instead.
    @inlinable
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
        stopOnError { try decode(Record.self, forKey: scope) }
    }

    /// The record of a scope, or nil when there is no such scope, or when all its columns are NULL.
    ///
    /// - Parameter scope: the name of a scope of the row, or of one of its scopes.
    /// - Returns: the record. The program stops when the record's initializer throws;
    ///   `try row.decodeIfPresent(Team.self, forKey: "team")` throws instead.
    @inlinable
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
        stopOnError { try decodeIfPresent(Record.self, forKey: scope) }
    }

    /// The records of prefetched rows.
    ///
    /// ```swift
    /// let books: [Book] = row["books"]
    /// ```
    ///
    /// - Parameter key: the key of an association.
    /// - Returns: the records. The program stops when no rows were fetched for the key, or when a record's initializer throws;
    ///   `try row.decode([Book].self, forKey: "books")` throws instead.
    @inlinable
    public subscript<Records: RangeReplaceableCollection>(_ key: String) -> Records where Records.Element: FetchableRecord {
        stopOnError { try decode(Records.self, forKey: key) }
    }

    /// The records of prefetched rows, as a set.
    ///
    /// - Parameter key: the key of an association.
    /// - Returns: the records. The program stops when no rows were fetched for the key, or when a record's initializer throws;
    ///   `try row.decode(Set<Book>.self, forKey: "books")` throws instead.
    @inlinable
    public subscript<Record: FetchableRecord & Hashable>(_ key: String) -> Set<Record> {
        stopOnError { try decode(Set<Record>.self, forKey: key) }
    }

    @inlinable
    @inline(__always)
    func stopOnError<Value>(_ value: () throws -> Value) -> Value {
        do {
            return try value()
        } catch {
            fatalError("\(error)")
        }
    }

    // MARK: - Throwing twins

    /// The record of a scope.
    ///
    /// ```swift
    /// let team = try row.decode(Team.self, forKey: "team")
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type of the record.
    ///   - scope: the name of a scope of the row, or of one of its scopes.
    /// - Throws: ``RowDecodingError`` when there is no such scope, or the error of the record's initializer.
    @inlinable
    public func decode<Record: FetchableRecord>(_ type: Record.Type = Record.self, forKey scope: String) throws -> Record {
        guard let row = nearestScopeRow(named: scope) else {
            throw RowDecodingError(missingScope: scope, type: type, row: self)
        }
        return try Record(row: row)
    }

    /// The record of a scope, or nil when there is no such scope, or when all its columns are NULL.
    ///
    /// - Parameters:
    ///   - type: the type of the record.
    ///   - scope: the name of a scope of the row, or of one of its scopes.
    /// - Throws: the error of the record's initializer.
    @inlinable
    public func decodeIfPresent<Record: FetchableRecord>(_ type: Record.Type = Record.self, forKey scope: String) throws -> Record? {
        guard let row = nearestScopeRow(named: scope), row.containsNonNullValue else { return nil }
        return try Record(row: row)
    }

    /// The records of prefetched rows.
    ///
    /// - Parameters:
    ///   - type: the type of the collection.
    ///   - key: the key of an association.
    /// - Throws: ``RowDecodingError`` when no rows were fetched for the key, or the error of a record's initializer.
    @inlinable
    public func decode<Records: RangeReplaceableCollection>(
        _ type: Records.Type = Records.self, forKey key: String
    ) throws -> Records where Records.Element: FetchableRecord {
        guard let rows = prefetchedRows[key] else {
            throw RowDecodingError(missingPrefetchedRows: key, type: type, row: self)
        }
        var records = Records()
        records.reserveCapacity(rows.count)
        for row in rows {
            records.append(try Records.Element(row: row))
        }
        return records
    }

    /// The records of prefetched rows, as a set.
    ///
    /// - Parameters:
    ///   - type: the type of the set.
    ///   - key: the key of an association.
    /// - Throws: ``RowDecodingError`` when no rows were fetched for the key, or the error of a record's initializer.
    @inlinable
    public func decode<Record: FetchableRecord & Hashable>(
        _ type: Set<Record>.Type = Set<Record>.self, forKey key: String
    ) throws -> Set<Record> {
        guard let rows = prefetchedRows[key] else {
            throw RowDecodingError(missingPrefetchedRows: key, type: type, row: self)
        }
        var records = Set<Record>(minimumCapacity: rows.count)
        for row in rows {
            records.insert(try Record(row: row))
        }
        return records
    }
}
