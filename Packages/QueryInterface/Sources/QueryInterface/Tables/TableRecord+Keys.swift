import RowDecoding

// Fetches records by their keys. The statement for a single primary key is prepared once for each connection and record type, and
// again when the schema changes.

extension FetchableRecord where Self: TableRecord {
    /// Returns the record with a primary key, or nil if no row has the key.
    ///
    /// ```swift
    /// let player = try Player.fetchOne(db, key: 42)
    /// ```
    ///
    /// The SQL is `SELECT * FROM "player" WHERE "id" = 42`.
    ///
    /// SQLite converts a key as the affinity of the column says: "42" finds the row 42. But no string is the key of a row whose key is stored
    /// as a blob, such as a UUID, nor the reverse. Debug builds throw an error for such a key, wherever a `key:` is passed.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the value of the primary key, which must have one column.
    /// - Throws: ``DatabaseError``, in debug builds also `SQLITE_MISMATCH` for a string in place of a blob and for a blob in place of a string,
    ///   or the error of the record's initializer.
    @inlinable
    public static func fetchOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Self? {
        let value = try PrimaryKeyPlan.value(of: key, for: Self.self, in: db)
        if value.isNull { return nil }
        let plan = try PrimaryKeyPlan.plan(for: Self.self, in: db)
        return try plan.fetchOne(db, key: value) { try Self(row: $0) }
    }

    /// Returns the record with an id, or nil if there is none. Same as ``fetchOne(_:key:)``.
    ///
    /// ```swift
    /// let player = try Player.fetchOne(db, id: 42)
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - id: the value of the primary key, which must have one column; nil gives nil.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @_disfavoredOverload
    @inlinable
    public static func fetchOne(_ db: Database, id: some DatabaseValueConvertible) throws -> Self? {
        try fetchOne(db, key: id)
    }

    /// Returns the record with a primary key: `SELECT * FROM "player" WHERE "id" = 42`.
    ///
    /// ```swift
    /// let player = try Player.find(db, key: 42)
    /// ```
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when no row has the key, ``DatabaseError``, or the error of
    ///   the record's initializer.
    @inlinable
    public static func find(_ db: Database, key: some DatabaseValueConvertible) throws -> Self {
        guard let record = try fetchOne(db, key: key) else {
            throw recordNotFound(db, key: key)
        }
        return record
    }

    /// Returns the record with an id. Same as ``find(_:key:)``.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when no row has the id, ``DatabaseError``, or the error of
    ///   the record's initializer.
    @_disfavoredOverload
    @inlinable
    public static func find(_ db: Database, id: some DatabaseValueConvertible) throws -> Self {
        try find(db, key: id)
    }

    // MARK: - Several keys

    /// Returns the records with some primary keys, in no particular order.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, keys: [1, 2, 3])
    /// ```
    ///
    /// The SQL is `SELECT * FROM "player" WHERE "id" IN (1, 2, 3)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public static func fetchAll<Keys: Sequence>(_ db: Database, keys: Keys) throws -> [Self]
    where Keys.Element: DatabaseValueConvertible {
        try filter(keys: keys).fetchAll(db)
    }

    /// Returns the records with some primary or unique keys, in no particular order, each given by its columns.
    ///
    /// - Throws: ``DatabaseError``, also when several rows could have a key, or the error of the record's initializer.
    public static func fetchAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> [Self] {
        try filter(keys: keys).fetchAll(db)
    }

    /// Returns the records with some ids, in no particular order. Same as `fetchAll(_:keys:)`.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, ids: [1, 2, 3])
    /// ```
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @_disfavoredOverload
    public static func fetchAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> [Self]
    where IDs.Element: DatabaseValueConvertible {
        try fetchAll(db, keys: ids)
    }

    /// Returns a cursor over the records with some primary keys, in no particular order.
    ///
    /// The SQL is `SELECT * FROM "player" WHERE "id" IN (1, 2, 3)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public static func fetchCursor<Keys: Sequence>(_ db: Database, keys: Keys) throws -> RecordCursor<Self>
    where Keys.Element: DatabaseValueConvertible {
        try filter(keys: keys).fetchCursor(db)
    }

    /// Returns a cursor over the records with some primary or unique keys, in no particular order, each given by its columns.
    ///
    /// - Throws: ``DatabaseError``, also when several rows could have a key, or the error of the record's initializer.
    public static func fetchCursor(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> RecordCursor<Self> {
        try filter(keys: keys).fetchCursor(db)
    }

    /// Returns a cursor over the records with some ids, in no particular order. Same as `fetchCursor(_:keys:)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @_disfavoredOverload
    public static func fetchCursor<IDs: Sequence>(_ db: Database, ids: IDs) throws -> RecordCursor<Self>
    where IDs.Element: DatabaseValueConvertible {
        try fetchCursor(db, keys: ids)
    }

    /// Returns a set of the records with some primary keys.
    ///
    /// The SQL is `SELECT * FROM "player" WHERE "id" IN (1, 2, 3)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public static func fetchSet<Keys: Sequence>(_ db: Database, keys: Keys) throws -> Set<Self>
    where Keys.Element: DatabaseValueConvertible, Self: Hashable {
        try filter(keys: keys).fetchSet(db)
    }

    /// Returns a set of the records with some primary or unique keys, each given by its columns.
    ///
    /// - Throws: ``DatabaseError``, also when several rows could have a key, or the error of the record's initializer.
    public static func fetchSet(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Set<Self>
    where Self: Hashable {
        try filter(keys: keys).fetchSet(db)
    }

    /// Returns a set of the records with some ids. Same as `fetchSet(_:keys:)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @_disfavoredOverload
    public static func fetchSet<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Set<Self>
    where IDs.Element: DatabaseValueConvertible, Self: Hashable {
        try fetchSet(db, keys: ids)
    }

    /// Returns the record with a primary or unique key, or nil if no row has the key: `fetchOne(db, key: ["name": "Arthur"])`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the columns of a primary key or of a unique index, and their values. For nil, the result is nil. It is also nil for a key
    ///     that contains NULL, because several rows can have it: use `filter(Column("name") == nil)` for those.
    /// - Throws: ``DatabaseError``, for example when several rows could have the key, or the error of the record's initializer.
    public static func fetchOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]?) throws -> Self? {
        guard let key else { return nil }
        return try filter(key: key).fetchOne(db)
    }

    /// Returns the record with a primary or unique key: `find(db, key: ["name": "Arthur"])`.
    ///
    /// ```swift
    /// let player = try Player.find(db, key: ["name": "Arthur"])
    /// ```
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when no row has the key, ``DatabaseError``, for example when
    ///   several rows could have the key, or the error of the record's initializer.
    public static func find(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Self {
        guard let record = try fetchOne(db, key: key) else { throw recordNotFound(key: key) }
        return record
    }
}

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
    /// Returns the record with an id, or nil if there is none. Same as `fetchOne(_:key:)`.
    ///
    /// ```swift
    /// let player = try Player.fetchOne(db, id: 42)
    /// // warning: the id has another type than the ids of the record
    /// let nobody = try Player.fetchOne(db, id: "abc")
    /// ```
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchOne(_ db: Database, id: ID) throws -> Self? {
        try fetchOne(db, key: id)
    }

    /// Returns the record with an id. Same as `find(_:key:)`.
    ///
    /// ```swift
    /// let player = try Player.find(db, id: 42)
    /// ```
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when no row has the id, ``DatabaseError``, or the error of
    ///   the record's initializer.
    @inlinable
    public static func find(_ db: Database, id: ID) throws -> Self {
        try find(db, key: id)
    }

    /// Returns the records with some ids, in no particular order. Same as `fetchAll(_:keys:)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public static func fetchAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> [Self] where IDs.Element == ID {
        try fetchAll(db, keys: ids)
    }

    /// Returns a cursor over the records with some ids, in no particular order. Same as `fetchCursor(_:keys:)`.
    ///
    /// - Throws: ``DatabaseError``.
    public static func fetchCursor<IDs: Sequence>(_ db: Database, ids: IDs) throws -> RecordCursor<Self> where IDs.Element == ID {
        try fetchCursor(db, keys: ids)
    }

    /// Returns a set of the records with some ids. Same as `fetchSet(_:keys:)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public static func fetchSet<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Set<Self> where IDs.Element == ID, Self: Hashable {
        try fetchSet(db, keys: ids)
    }
}

// MARK: - Errors

extension TableRecord {
    /// Returns the error for a key that no row has, for use in your own fetches.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the value of the primary key, which must have one column.
    /// - Returns: ``RecordError/recordNotFound(databaseTableName:key:)``, or an error when the primary key has several columns.
    public static func recordNotFound(_ db: Database, key: some DatabaseValueConvertible) -> any Error {
        do {
            let column = try PrimaryKeyPlan.column(of: databaseTableName, in: db)
            return RecordError.recordNotFound(
                databaseTableName: databaseTableName, key: [column: try PrimaryKeyPlan.value(of: key, for: Self.self, in: db)])
        } catch {
            return error
        }
    }

    /// Returns the error for an id that no row has. Same as ``recordNotFound(_:key:)``.
    @_disfavoredOverload
    public static func recordNotFound(_ db: Database, id: some DatabaseValueConvertible) -> any Error {
        recordNotFound(db, key: id)
    }

    /// Returns the error for a key that no row has, given by its columns.
    ///
    /// - Parameter key: the columns of the key, and their values.
    /// - Returns: ``RecordError/recordNotFound(databaseTableName:key:)``, or the error of a value that can't be stored.
    public static func recordNotFound(key: [String: (any DatabaseValueConvertible)?]) -> any Error {
        do {
            let encoding = Self.self as? any ColumnValueEncoding.Type
            let values = try key.map { column, value in
                let encoded = try value?.columnEncodableValue.flatMap { try encoding?.databaseValue(of: $0, inColumn: column) }
                return (column, try encoded ?? value?.bindingValue() ?? .null)
            }
            return RecordError.recordNotFound(databaseTableName: databaseTableName, key: Dictionary(uniqueKeysWithValues: values))
        } catch {
            return error
        }
    }
}
