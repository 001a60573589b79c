import RowDecoding

// Records by their primary key. The statement is prepared once for each connection and record type, and made anew when the
// schema changes.

extension FetchableRecord where Self: TableRecord {
    /// The record of a primary key, or nil.
    ///
    /// ```swift
    /// let player = try Player.fetchOne(db, key: 42)
    /// ```
    ///
    /// The SQL is `SELECT * FROM "player" WHERE "id" = 42`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the value of the primary key, which is one column.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Self? {
        let value = try PrimaryKeyPlan.value(of: key, for: Self.self, in: db)
        if value.isNull { return nil }
        let plan = try PrimaryKeyPlan.plan(for: Self.self, in: db)
        return try plan.fetchOne(db, key: value) { try Self(row: $0) }
    }

    /// The record of an id, or nil: ``fetchOne(_:key:)`` by another name.
    ///
    /// ```swift
    /// let player = try Player.fetchOne(db, id: 42)
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - id: the value of the primary key, which is one column; nil gives nil.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @_disfavoredOverload
    @inlinable
    public static func fetchOne(_ db: Database, id: some DatabaseValueConvertible) throws -> Self? {
        try fetchOne(db, key: id)
    }

    /// The record of a primary key.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is none, ``DatabaseError``, or the error of
    ///   the record's initializer.
    @inlinable
    public static func find(_ db: Database, key: some DatabaseValueConvertible) throws -> Self {
        guard let record = try fetchOne(db, key: key) else {
            throw recordNotFound(db, key: key)
        }
        return record
    }

    /// The record of an id: ``find(_:key:)`` by another name.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is none, ``DatabaseError``, or the error of
    ///   the record's initializer.
    @_disfavoredOverload
    @inlinable
    public static func find(_ db: Database, id: some DatabaseValueConvertible) throws -> Self {
        try find(db, key: id)
    }
}

// MARK: - Several keys

extension FetchableRecord where Self: TableRecord {
    /// The records of some primary keys, in no order.
    ///
    /// The SQL is `SELECT * FROM "player" WHERE "id" IN (1, 2, 3)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public static func fetchAll<Keys: Sequence>(_ db: Database, keys: Keys) throws -> [Self]
    where Keys.Element: DatabaseValueConvertible {
        try filter(keys: keys).fetchAll(db)
    }

    /// The records of some primary or unique keys, in no order, each given by its columns.
    ///
    /// - Throws: ``DatabaseError``, also when several rows could have a key, or the error of the record's initializer.
    public static func fetchAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> [Self] {
        try filter(keys: keys).fetchAll(db)
    }

    /// The records of some ids, in no order: `fetchAll(_:keys:)` by another name.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @_disfavoredOverload
    public static func fetchAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> [Self]
    where IDs.Element: DatabaseValueConvertible {
        try fetchAll(db, keys: ids)
    }

    /// A cursor over the records of some primary keys, in no order.
    ///
    /// The SQL is `SELECT * FROM "player" WHERE "id" IN (1, 2, 3)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public static func fetchCursor<Keys: Sequence>(_ db: Database, keys: Keys) throws -> RecordCursor<Self>
    where Keys.Element: DatabaseValueConvertible {
        try filter(keys: keys).fetchCursor(db)
    }

    /// A cursor over the records of some primary or unique keys, in no order, each given by its columns.
    ///
    /// - Throws: ``DatabaseError``, also when several rows could have a key, or the error of the record's initializer.
    public static func fetchCursor(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> RecordCursor<Self> {
        try filter(keys: keys).fetchCursor(db)
    }

    /// A cursor over the records of some ids, in no order: `fetchCursor(_:keys:)` by another name.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @_disfavoredOverload
    public static func fetchCursor<IDs: Sequence>(_ db: Database, ids: IDs) throws -> RecordCursor<Self>
    where IDs.Element: DatabaseValueConvertible {
        try fetchCursor(db, keys: ids)
    }

    /// The records, as a set, of some primary keys, in no order.
    ///
    /// The SQL is `SELECT * FROM "player" WHERE "id" IN (1, 2, 3)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public static func fetchSet<Keys: Sequence>(_ db: Database, keys: Keys) throws -> Set<Self>
    where Keys.Element: DatabaseValueConvertible, Self: Hashable {
        try filter(keys: keys).fetchSet(db)
    }

    /// The records, as a set, of some primary or unique keys, in no order, each given by its columns.
    ///
    /// - Throws: ``DatabaseError``, also when several rows could have a key, or the error of the record's initializer.
    public static func fetchSet(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Set<Self>
    where Self: Hashable {
        try filter(keys: keys).fetchSet(db)
    }

    /// The records, as a set, of some ids, in no order: `fetchSet(_:keys:)` by another name.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @_disfavoredOverload
    public static func fetchSet<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Set<Self>
    where IDs.Element: DatabaseValueConvertible, Self: Hashable {
        try fetchSet(db, keys: ids)
    }

    /// The record of a primary or unique key, or nil: `fetchOne(db, key: ["name": "Arthur"])`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the columns of a primary key or of a unique index, and their values; nil gives nil, and so does a key with NULL, which
    ///     several rows may have: `filter(Column("name") == nil)` finds those.
    /// - Throws: ``DatabaseError``, also when several rows could have the key, or the error of the record's initializer.
    public static func fetchOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]?) throws -> Self? {
        guard let key else { return nil }
        return try filter(key: key).fetchOne(db)
    }

    /// The record of a primary or unique key: `find(db, key: ["name": "Arthur"])`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is none, ``DatabaseError``, also when several rows
    ///   could have the key, or the error of the record's initializer.
    public static func find(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Self {
        guard let record = try fetchOne(db, key: key) else { throw recordNotFound(key: key) }
        return record
    }
}

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
    /// The record of an id, or nil: `fetchOne(_:key:)` by another name.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchOne(_ db: Database, id: ID) throws -> Self? {
        try fetchOne(db, key: id)
    }

    /// The record of an id: `find(_:key:)` by another name.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is none, ``DatabaseError``, or the error of
    ///   the record's initializer.
    @inlinable
    public static func find(_ db: Database, id: ID) throws -> Self {
        try find(db, key: id)
    }

    /// The records of some ids, in no order: `fetchAll(_:keys:)` by another name.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public static func fetchAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> [Self] where IDs.Element == ID {
        try fetchAll(db, keys: ids)
    }

    /// A cursor over the records of some ids, in no order: `fetchCursor(_:keys:)` by another name.
    ///
    /// - Throws: ``DatabaseError``.
    public static func fetchCursor<IDs: Sequence>(_ db: Database, ids: IDs) throws -> RecordCursor<Self> where IDs.Element == ID {
        try fetchCursor(db, keys: ids)
    }

    /// The records of some ids, as a set, in no order: `fetchSet(_:keys:)` by another name.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public static func fetchSet<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Set<Self> where IDs.Element == ID, Self: Hashable {
        try fetchSet(db, keys: ids)
    }
}

// MARK: - Errors

extension TableRecord {
    /// The error of a key that no row has, for your own fetches.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the value of the primary key, which is one column.
    /// - Returns: ``RecordError/recordNotFound(databaseTableName:key:)``, or the error of a table whose key is not one column.
    public static func recordNotFound(_ db: Database, key: some DatabaseValueConvertible) -> any Error {
        do {
            let column = try PrimaryKeyPlan.column(of: databaseTableName, in: db)
            return RecordError.recordNotFound(
                databaseTableName: databaseTableName, key: [column: try PrimaryKeyPlan.value(of: key, for: Self.self, in: db)])
        } catch {
            return error
        }
    }

    /// The error of an id that no row has: ``recordNotFound(_:key:)`` by another name.
    public static func recordNotFound(_ db: Database, id: some DatabaseValueConvertible) -> any Error {
        recordNotFound(db, key: id)
    }

    /// The error of a key that no row has.
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
