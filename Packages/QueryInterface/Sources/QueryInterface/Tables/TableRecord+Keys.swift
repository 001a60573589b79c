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
        let value = try key.bindingValue()
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
            let plan = try PrimaryKeyPlan.plan(for: Self.self, in: db)
            throw RecordError.recordNotFound(
                databaseTableName: databaseTableName, key: [plan.column: try key.bindingValue()])
        }
        return record
    }

    /// The record of an id: ``find(_:key:)`` by another name.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is none, ``DatabaseError``, or the error of
    ///   the record's initializer.
    @inlinable
    public static func find(_ db: Database, id: some DatabaseValueConvertible) throws -> Self {
        try find(db, key: id)
    }

    /// The records of some primary keys, in no order.
    ///
    /// The SQL is `SELECT * FROM "player" WHERE "id" IN (1, 2, 3)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public static func fetchAll(_ db: Database, keys: some Sequence<some DatabaseValueConvertible>) throws -> [Self] {
        let plan = try PrimaryKeyPlan.plan(for: Self.self, in: db)
        return try all().filter(keys.contains(Column(plan.column))).fetchAll(db)
    }

    /// The records of some ids, in no order: ``fetchAll(_:keys:)`` by another name.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public static func fetchAll(_ db: Database, ids: some Sequence<some DatabaseValueConvertible>) throws -> [Self] {
        try fetchAll(db, keys: ids)
    }
}

/// How the record of a primary key is fetched: the statement, and the schema that it was made for.
@usableFromInline
final class PrimaryKeyPlan: StorageKey {
    @usableFromInline typealias Value = PrimaryKeyPlan

    @usableFromInline let statement: Statement
    @usableFromInline let column: String
    @usableFromInline let generation: Int

    /// The values of the parameters before the key's, which the selection may have, and one that stands in for the key.
    private let arguments: StatementArguments

    /// The index of the key's parameter, from 1: the last one.
    @usableFromInline let parameter: Int

    init(statement: Statement, column: String, generation: Int, arguments: StatementArguments) throws {
        self.statement = statement
        self.column = column
        self.generation = generation
        self.arguments = arguments
        parameter = statement.parameterCount
        try statement.setArguments(arguments)
    }

    /// One plan for each record type.
    @usableFromInline
    enum Key<Record>: StorageKey {
        @usableFromInline typealias Value = PrimaryKeyPlan
    }

    /// The plan of a record type, made when there is none, or when the schema has changed.
    @inlinable
    static func plan<Record: TableRecord>(for type: Record.Type, in db: Database) throws -> PrimaryKeyPlan {
        db.checkAccess()
        let generation = try db.schemaGeneration()
        if let plan = db.storage.value(for: Key<Record>.self), plan.generation == generation {
            return plan
        }
        return try make(for: type, in: db)
    }

    @inline(never)
    @usableFromInline
    static func make<Record: TableRecord>(for type: Record.Type, in db: Database) throws -> PrimaryKeyPlan {
        let table = Record.databaseTableName
        let columns = try db.primaryKey(table).columns
        guard columns.count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the primary key of \(table) has the columns \(columns.joined(separator: ", ")): one value can't match it")
        }
        var renderer = SQLRenderer(database: db)
        // Any value that is not NULL makes the parameter whose value each fetch gives. It is the last one.
        try Record.all().filter(Column(columns[0]) == 0).render(to: &renderer)
        let statement = try db.makeStatement(sql: renderer.sql)
        let plan = try PrimaryKeyPlan(
            statement: statement, column: columns[0], generation: db.schemaGeneration(),
            arguments: renderer.arguments)
        db.storage.setValue(plan, for: Key<Record>.self)
        return plan
    }

    @inlinable
    func fetchOne<Record>(_ db: Database, key: DatabaseValue, _ make: (Row) throws -> Record) throws -> Record? {
        if statement.isBusy {
            // The initializer of a record fetches another one of its type.
            return try fetchOne(anotherStatement(db), key: key, make)
        }
        return try fetchOne(statement, key: key, make)
    }

    @inline(never)
    @usableFromInline
    func anotherStatement(_ db: Database) throws -> Statement {
        let other = try db.makeStatement(sql: statement.sql)
        try other.setArguments(arguments)
        return other
    }

    @inlinable
    func fetchOne<Record>(
        _ statement: Statement, key: DatabaseValue, _ make: (Row) throws -> Record
    ) throws -> Record? {
        try statement.bind(key, at: parameter)
        statement.didBindArguments()
        return try RowDecoding.fetchFirst(statement, make)
    }
}

/// An error about a record.
public enum RecordError: Error, Sendable {
    /// The table has no row of a key.
    ///
    /// - Parameters:
    ///   - databaseTableName: the name of the table.
    ///   - key: the columns of the key with their values.
    case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
    /// The error in one sentence: `no row in table player with id = 42`.
    public var description: String {
        switch self {
        case .recordNotFound(let table, let key):
            let columns = key.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: " and ")
            return "no row in table \(table) with \(columns)"
        }
    }
}
