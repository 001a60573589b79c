import RowDecoding

// Ids of another type than `Identifiable` declares. The general methods, for records that are not Identifiable, would accept them silently, and
// find no row. An unavailable method would be passed over in favor of these, so the methods are deprecated, which gives a warning.

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
    /// Returns the record with an id, or nil if there is none, or if the id is nil.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public static func fetchOne(_ db: Database, id: ID?) throws -> Self? {
        try id.flatMap { try fetchOne(db, key: $0) }
    }

    /// The same for an array of ids without optionals, for records whose id is optional.
    public static func fetchAll<Wrapped: DatabaseValueConvertible, IDs: Sequence>(_ db: Database, ids: IDs) throws -> [Self]
    where ID == Wrapped?, IDs.Element == Wrapped {
        try fetchAll(db, keys: ids)
    }

    /// The same for an array of ids without optionals, for records whose id is optional.
    public static func fetchCursor<Wrapped: DatabaseValueConvertible, IDs: Sequence>(_ db: Database, ids: IDs) throws -> RecordCursor<Self>
    where ID == Wrapped?, IDs.Element == Wrapped {
        try fetchCursor(db, keys: ids)
    }

    /// The same for an array of ids without optionals, for records whose id is optional.
    public static func fetchSet<Wrapped: DatabaseValueConvertible, IDs: Sequence>(_ db: Database, ids: IDs) throws -> Set<Self>
    where ID == Wrapped?, IDs.Element == Wrapped, Self: Hashable {
        try fetchSet(db, keys: ids)
    }
}

@available(*, deprecated, message: "the id has another type than the ids of the record: use key: if that is intended")
extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
    /// Warns: the id has another type than the ids of the record.
    @_disfavoredOverload
    public static func fetchOne(_ db: Database, id: some DatabaseValueConvertible) throws -> Self? {
        try fetchOne(db, key: id)
    }

    /// Warns: the id has another type than the ids of the record.
    @_disfavoredOverload
    public static func find(_ db: Database, id: some DatabaseValueConvertible) throws -> Self {
        try find(db, key: id)
    }

    /// Warns: the id has another type than the ids of the record.
    @_disfavoredOverload
    public static func fetchAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> [Self] where IDs.Element: DatabaseValueConvertible {
        try fetchAll(db, keys: ids)
    }

    /// Warns: the id has another type than the ids of the record.
    @_disfavoredOverload
    public static func fetchCursor<IDs: Sequence>(_ db: Database, ids: IDs) throws -> RecordCursor<Self>
    where IDs.Element: DatabaseValueConvertible {
        try fetchCursor(db, keys: ids)
    }

    /// Warns: the id has another type than the ids of the record.
    @_disfavoredOverload
    public static func fetchSet<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Set<Self>
    where IDs.Element: DatabaseValueConvertible, Self: Hashable {
        try fetchSet(db, keys: ids)
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// Keeps the row with an id, or no row if the id is nil.
    public static func filter(id: ID?) -> QueryInterfaceRequest<Self> {
        all().filter(key: id)
    }

    /// Keeps the rows with some ids, for records whose id is optional.
    public static func filter<Wrapped: DatabaseValueConvertible>(ids: any Sequence<Wrapped>) -> QueryInterfaceRequest<Self>
    where ID == Wrapped? {
        all().filter(keys: ids)
    }

    /// The same for an array of ids without optionals, for records whose id is optional.
    @discardableResult
    public static func deleteAll<Wrapped: DatabaseValueConvertible, IDs: Sequence>(_ db: Database, ids: IDs) throws -> Int
    where ID == Wrapped?, IDs.Element == Wrapped {
        try deleteAll(db, keys: ids)
    }

    /// Deletes the row with an id. Same as ``deleteOne(_:id:)``.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public static func delete(_ db: Database, id: ID) throws -> Bool {
        try deleteOne(db, key: id)
    }

    /// Returns the error for an id that no row has. Same as ``recordNotFound(_:key:)``.
    public static func recordNotFound(_ db: Database, id: ID) -> any Error {
        recordNotFound(db, key: id)
    }
}

@available(*, deprecated, message: "the id has another type than the ids of the record: use key: if that is intended")
extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// Warns: the id has another type than the ids of the record.
    @_disfavoredOverload
    public static func filter(id: (any DatabaseValueConvertible)?) -> QueryInterfaceRequest<Self> {
        all().filter(key: id)
    }

    /// Warns: the id has another type than the ids of the record.
    @_disfavoredOverload
    public static func filter<Other: DatabaseValueConvertible>(ids: any Sequence<Other>) -> QueryInterfaceRequest<Self> {
        all().filter(keys: ids)
    }

    /// Warns: the id has another type than the ids of the record.
    @_disfavoredOverload
    @discardableResult
    public static func deleteOne(_ db: Database, id: some DatabaseValueConvertible) throws -> Bool {
        try deleteOne(db, key: id)
    }

    /// Warns: the id has another type than the ids of the record.
    @_disfavoredOverload
    @discardableResult
    public static func deleteAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Int where IDs.Element: DatabaseValueConvertible {
        try deleteAll(db, keys: ids)
    }

    /// Warns: the id has another type than the ids of the record.
    @_disfavoredOverload
    public static func exists(_ db: Database, id: some DatabaseValueConvertible) throws -> Bool {
        try exists(db, key: id)
    }

    /// Warns: the id has another type than the ids of the record.
    @_disfavoredOverload
    @discardableResult
    public static func delete(_ db: Database, id: some DatabaseValueConvertible) throws -> Bool {
        try deleteOne(db, key: id)
    }

    /// Warns: the id has another type than the ids of the record.
    @_disfavoredOverload
    public static func recordNotFound(_ db: Database, id: some DatabaseValueConvertible) -> any Error {
        recordNotFound(db, key: id)
    }
}

extension RequestSource
where Self: TypedRequest, DerivedRequest: TableRequest & FilteredRequest, RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible
{
    /// Keeps the row with an id, or no row if the id is nil.
    public func filter(id: RowDecoder.ID?) -> DerivedRequest {
        filter(key: id)
    }

    /// Keeps the rows with some ids, for records whose id is optional.
    public func filter<Wrapped: DatabaseValueConvertible>(ids: any Sequence<Wrapped>) -> DerivedRequest where RowDecoder.ID == Wrapped? {
        filter(keys: ids)
    }

    /// Warns: the id has another type than the ids of the record.
    @available(*, deprecated, message: "the id has another type than the ids of the record: use key: if that is intended")
    @_disfavoredOverload
    public func filter(id: (any DatabaseValueConvertible)?) -> DerivedRequest {
        filter(key: id)
    }

    /// Warns: the id has another type than the ids of the record.
    @available(*, deprecated, message: "the id has another type than the ids of the record: use key: if that is intended")
    @_disfavoredOverload
    public func filter<Other: DatabaseValueConvertible>(ids: any Sequence<Other>) -> DerivedRequest {
        filter(keys: ids)
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// The same for an array of ids without optionals, for records whose id is optional.
    @discardableResult
    public func deleteAll<Wrapped: DatabaseValueConvertible, IDs: Sequence>(_ db: Database, ids: IDs) throws -> Int
    where RowDecoder.ID == Wrapped?, IDs.Element == Wrapped {
        try deleteAll(db, keys: ids)
    }

    /// Warns: the id has another type than the ids of the record.
    @available(*, deprecated, message: "the id has another type than the ids of the record: use key: if that is intended")
    @_disfavoredOverload
    @discardableResult
    public func deleteOne(_ db: Database, id: some DatabaseValueConvertible) throws -> Bool {
        try deleteOne(db, key: id)
    }

    /// Warns: the id has another type than the ids of the record.
    @available(*, deprecated, message: "the id has another type than the ids of the record: use key: if that is intended")
    @_disfavoredOverload
    @discardableResult
    public func deleteAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Int where IDs.Element: DatabaseValueConvertible {
        try deleteAll(db, keys: ids)
    }

    /// Warns: the id has another type than the ids of the record.
    @available(*, deprecated, message: "the id has another type than the ids of the record: use key: if that is intended")
    @_disfavoredOverload
    public func exists(_ db: Database, id: some DatabaseValueConvertible) throws -> Bool {
        try exists(db, key: id)
    }
}
