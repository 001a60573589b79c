import RowDecoding

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

    /// The record type, if it says how values are stored.
    private let encoding: (any ColumnValueEncoding.Type)?

    init(statement: Statement, column: String, recordType: Any.Type, generation: Int, arguments: StatementArguments) throws {
        self.statement = statement
        self.column = column
        encoding = recordType as? any ColumnValueEncoding.Type
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
        let column = try Self.column(of: Record.databaseTableName, in: db)
        var renderer = SQLRenderer(database: db)
        // Any value that is not NULL makes the parameter whose value each fetch gives. It is the last one.
        try Record.all().filter(Column(column) == 0).relation.render(to: &renderer)
        let statement = try db.makeStatement(sql: renderer.sql)
        let plan = try PrimaryKeyPlan(
            statement: statement, column: column, recordType: type, generation: db.schemaGeneration(),
            arguments: renderer.arguments)
        db.storage.setValue(plan, for: Key<Record>.self)
        return plan
    }

    /// The database value of a primary key.
    ///
    /// - Throws: the error of a value that can't be stored.
    @inlinable
    static func value<Record: TableRecord>(
        of key: some DatabaseValueConvertible, for type: Record.Type, in db: Database
    ) throws -> DatabaseValue {
        guard let value = key.columnEncodableValue else { return try key.bindingValue() }
        return try plan(for: type, in: db).encode(value)
    }

    /// The database value of a key that the record type may store in a way of its own.
    @inline(never)
    @usableFromInline
    func encode(_ key: any DatabaseValueConvertible & Sendable) throws -> DatabaseValue {
        try encoding?.databaseValue(of: key, inColumn: column) ?? key.bindingValue()
    }

    /// The one column of a table's primary key.
    ///
    /// - Throws: ``DatabaseError`` when it has several.
    static func column(of table: String, in db: Database) throws -> String {
        let columns = try TableReference(table, in: db).primaryKey(db).columns
        guard columns.count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the primary key of \(table) has the columns \(columns.joined(separator: ", ")): one value can't match it; "
                    + "give them by name: [\"\(columns[0])\": …]")
        }
        return columns[0]
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
