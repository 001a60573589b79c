import RowDecoding

/// A prepared fetch of one record by its primary key, with the generation of the schema for which it was prepared.
@usableFromInline
final class PrimaryKeyPlan: AttachmentKey, ReleasableAttachment {
    @usableFromInline let statement: Statement
    @usableFromInline let column: String
    @usableFromInline let generation: Int

    /// The arguments of the selection, which come before the key's, and a placeholder for the key.
    let arguments: StatementArguments

    /// The index of the key's parameter, from 1: the last one.
    @usableFromInline let parameter: Int

    /// The table, if the key is its row ID and the statement depends on the row of the key alone: for the recording of accesses.
    private let rowIDTable: String?

    /// The record type, if it defines how values are stored.
    private let encoding: (any ColumnValueEncoding.Type)?

    init(
        statement: Statement, column: String, recordType: Any.Type, generation: Int, arguments: StatementArguments, rowIDTable: String?
    ) throws {
        self.statement = statement
        self.column = column
        self.rowIDTable = rowIDTable
        encoding = recordType as? any ColumnValueEncoding.Type
        self.generation = generation
        self.arguments = arguments
        parameter = statement.parameterCount
        try statement.setArguments(arguments)
    }

    /// The storage key of a record type's plan.
    @usableFromInline
    enum Key<Record>: AttachmentKey {
        @usableFromInline typealias Value = PrimaryKeyPlan
    }

    /// Returns the plan of a record type, and creates it if it does not exist, or if the schema has changed.
    @inlinable
    static func plan<Record: TableRecord>(for type: Record.Type, in db: Database) throws -> PrimaryKeyPlan {
        db.checkAccess()
        let generation = try db.schemaGeneration()
        if let plan = db.attachments.value(for: Key<Record>.self), plan.generation == generation {
            KeptPlanCheck.check(plan, for: type, db)
            return plan
        }
        return try make(for: type, in: db)
    }

    @inline(never)
    @usableFromInline
    static func make<Record: TableRecord>(for type: Record.Type, in db: Database) throws -> PrimaryKeyPlan {
        let column = try Self.column(of: Record.databaseTableName, in: db)
        let (relation, renderer) = try write(for: type, column, in: db)
        let statement = try db.makeStatement(sql: renderer.sql)
        let source = relation.rowIDSource(db, renderer.counts)
        let plan = try PrimaryKeyPlan(
            statement: statement, column: column, recordType: type, generation: db.schemaGeneration(),
            arguments: renderer.arguments, rowIDTable: source?.isRowID(column) == true ? source?.table.name : nil)
        db.attachments.setValue(plan, for: Key<Record>.self)
        return plan
    }

    /// Writes the query that a plan runs.
    ///
    /// The comparison with 0 creates the parameter for the key, which is the last parameter. Each fetch binds it.
    static func write<Record: TableRecord>(
        for type: Record.Type, _ column: String, in db: Database
    ) throws -> (relation: Relation, renderer: SQLRenderer) {
        var renderer = SQLRenderer(database: db)
        renderer.keepsHandwrittenSQL = true
        let relation = Record.all().filter(Column(column) == 0).relation
        try relation.render(to: &renderer)
        return (relation, renderer)
    }

    /// Returns the database value of a primary key, encoded as the record type stores it.
    ///
    /// - Throws: the error of a value that can't be stored.
    @inlinable
    static func value<Record: TableRecord>(
        of key: some DatabaseValueConvertible, for type: Record.Type, in db: Database
    ) throws -> DatabaseValue {
        let value = if let value = key.columnEncodableValue { try plan(for: type, in: db).encode(value) } else { try key.bindingValue() }
        #if DEBUG
            try check(value, for: type, in: db)
        #endif
        return value
    }

    /// Checks that the keys of a table have the storage class of a value.
    @usableFromInline
    static func check<Record: TableRecord>(_ value: DatabaseValue, for type: Record.Type, in db: Database) throws {
        let table = Record.databaseTableName
        try KeyCheck(recordType: type, table: table).check(value, inColumn: column(of: table, in: db), db)
    }

    /// Returns the database value of a key of a type that the record type can encode in its own way.
    @inline(never)
    @usableFromInline
    func encode(_ key: any DatabaseValueConvertible & Sendable) throws -> DatabaseValue {
        try encoding?.databaseValue(of: key, inColumn: column) ?? key.bindingValue()
    }

    /// Returns the column of a table's primary key.
    ///
    /// - Throws: ``DatabaseError`` when the primary key has several columns.
    static func column(of table: String, in db: Database) throws -> String {
        let columns = try TableReference(table, in: db).primaryKey(db).columns
        guard columns.count == 1 else {
            throw DatabaseError.misuse(
                "the primary key of \(table) has the columns \(columns.joined(separator: ", ")): one value can't identify a row",
                advice: "Pass the values by name: [\"\(columns[0])\": …].")
        }
        return columns[0]
    }

    @inlinable
    func fetchOne<Record>(_ db: Database, key: DatabaseValue, _ make: (Row) throws -> Record) throws -> Record? {
        if statement.isBusy {
            // The statement is busy when a record's initializer fetches another record of its type.
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
        if statement.database.isRecordingAccesses { narrow(statement, key: key) }
        return try RowDecoding.fetchFirst(statement, make)
    }

    /// Records which row the statement reads.
    @inline(never)
    @usableFromInline
    func narrow(_ statement: Statement, key: DatabaseValue) {
        guard let rowIDTable, let rowIDs = key.rowIDs else { return }
        statement.narrowNextRun(toRows: rowIDs, ofTable: rowIDTable)
    }
}
