import CSQLiteShims

/// The effects of a statement, as SQLite's authorizer reports them while SQLite compiles the statement.
struct StatementEffects {
    /// Whether the statement creates, alters or drops schema objects, or attaches a database.
    var changesSchema = false

    /// Whether the statement writes to a table with the schema. SQLite also reports this for queries: see ``forgetDeclaration()``.
    var writesSchemaTable = false

    /// Whether SQLite has reported nothing, for example for `DROP TABLE IF EXISTS` if the table does not exist when the statement is
    /// compiled. When the statement runs, the table may exist.
    var hasNoEffects = true

    /// Whether the statement begins or ends a transaction or a savepoint.
    var controlsTransaction = false

    /// Whether the statement rolls back a transaction or a savepoint.
    var rollsBack = false

    /// Whether the statement begins a transaction or a savepoint.
    var beginsTransaction = false

    /// Whether the statement commits or rolls back a transaction or a savepoint.
    var endsTransaction: Bool { controlsTransaction && !beginsTransaction }

    /// The statement's operation on a savepoint, if any.
    var savepoint: (operation: SavepointOperation, name: String)?

    /// Whether the statement reads the journal mode. SQLite counts it as a writing statement.
    var asksForJournalMode = false

    /// The PRAGMA, if it concerns checkpoints, and they need protection: see ``LogProtection``.
    var logPragma: LogPragma?

    /// The tables and columns that the statement reads.
    var region = DatabaseRegion()

    /// The tables whose rows are read without their columns, where the statement does not name the database of the table.
    var unqualifiedTables: Set<SchemaName> = []

    /// Whether the statement, or a view that it reads, may join tables by `USING`, or by a natural join.
    var mayJoinByColumnNames = false

    /// The tables that the statement inserts into and deletes from, and the columns that it updates, directly or by triggers.
    var eventKinds: [DatabaseEventKind] = []

    /// The tables that the statement writes to, with the columns that it updates.
    var writes: [DatabaseRegion.TableID: Set<SchemaName>] = [:]

    /// Whether the statement reads tables.
    var readsTables: Bool { !region.isEmpty || !unqualifiedTables.isEmpty || mayJoinByColumnNames }

    /// Whether observers may need to be notified of changes.
    var mayChange: Bool { changesSchema || !eventKinds.isEmpty }

    /// Removes the schema change that SQLite reports for a query that declares a table-valued function.
    ///
    /// The first use of such a function, for example of `pragma_table_info`, declares its columns. SQLite then reports an update of the
    /// schema, although nothing changes.
    mutating func forgetDeclaration() {
        (changesSchema, writesSchemaTable) = (false, false)
    }

    /// A PRAGMA that runs a checkpoint, or changes when SQLite runs one.
    enum LogPragma: Equatable {
        /// `PRAGMA wal_checkpoint`, of all databases if the schema is nil.
        case checkpoint(Database.CheckpointMode, schema: String?)
        /// `PRAGMA wal_autocheckpoint = N`.
        case automaticCheckpoints
    }

    enum SavepointOperation: String {
        case begin = "BEGIN"
        case release = "RELEASE"
        case rollback = "ROLLBACK"
    }
}

/// Receives the calls of SQLite's authorizer while statements are compiled, and denies nothing.
///
/// Setting an authorizer expires all statements of the connection. The authorizer is set once, and again for the first observer, so
/// that all statements are compiled again, without SQLite's truncate optimization.
///
/// Source: <https://www.sqlite.org/c3ref/set_authorizer.html>
final class StatementAuthorizer {
    private(set) var effects = StatementEffects()

    /// Whether a DELETE without a condition deletes row by row. With the truncate optimization, SQLite empties the table without
    /// reporting the rows: <https://www.sqlite.org/lang_delete.html#the_truncate_optimization>.
    var disablesTruncation = false

    /// Whether SQLite has compiled statements on its own, or for callers of the C API.
    var hasUnreadEffects: Bool {
        get { unreadEffects.pointee }
        set { unreadEffects.pointee = newValue }
    }

    /// The update hook reads it for each changed row, without a check for exclusive access.
    private let unreadEffects = OwnedMemory(false)

    /// Called before a PRAGMA locks the file exclusively, or changes its journal mode.
    var willChangeMode: () -> Void = {}

    /// The possible changes of compiled statements, while an access records them.
    var recordedChanges: RecordedChanges?

    /// Whether an ATTACH was compiled, which may run at any later time. SQLite attaches databases in no other way: `sqlite3_deserialize` and
    /// VACUUM compile one, too.
    private(set) var hasSeenAttach = false

    /// Whether a `PRAGMA defer_foreign_keys = …` was compiled, since this was last set to false. SQLite runs it when it compiles it, and
    /// compiles it each time.
    var hasSeenDeferredForeignKeys = false

    /// The tables that statements of the C API write to, with the columns that they update.
    private(set) var foreignWrites: [DatabaseRegion.TableID: Set<SchemaName>] = [:]

    /// The number of times that SQLite has compiled a change of the schema on its own, or for a caller of the C API.
    private(set) var foreignSchemaChangeCount = 0

    /// Whether this library is compiling a statement of the program. Otherwise, SQLite compiles one while a statement runs, or a caller of
    /// the C API does.
    private var isCompiling = false

    /// Returns whether a statement of the program that may write is running.
    var isRunning: () -> Bool = { false }

    /// The table that the statement drops. Its rows are removed without a DELETE.
    private var droppedTable: String?

    func install(on connection: SQLiteConnection) {
        sqlite3_set_authorizer(
            connection,
            { context, action, first, second, database, accessor in
                guard let context else { return SQLITE_OK }
                return Unmanaged<StatementAuthorizer>.fromOpaque(context)._withUnsafeGuaranteedRef { authorizer in
                    if authorizer.ignores(action) { return SQLITE_OK }
                    func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
                    return authorizer.authorize(action, text(first), text(second), database: text(database), isInView: accessor != nil)
                }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Notes a call of the authorizer, and returns whether its names are not needed.
    ///
    /// The effects of a statement that SQLite compiles on its own, or for a caller of the C API, are not read. To change the schema, SQLite
    /// reads much of it with such statements.
    private func ignores(_ action: CInt) -> Bool {
        hasUnreadEffects = true
        effects.hasNoEffects = false
        return action == SQLITE_SELECT || action == SQLITE_FUNCTION || action == SQLITE_READ && !isCompiling
    }

    /// Resets the effects before a statement is compiled.
    func reset() {
        effects = StatementEffects()
        droppedTable = nil
        isCompiling = true
    }

    /// Ends the compilation that ``reset()`` has begun.
    func didCompile() {
        isCompiling = false
    }

    /// Returns the effects of the statement that was compiled.
    ///
    /// SQLite does not report the columns of `USING` and of natural joins: for a statement that may have such joins, the region
    /// contains all columns.
    func effects(of sql: String) -> StatementEffects {
        hasUnreadEffects = false
        var effects = effects
        if effects.hasNoEffects { effects.changesSchema = true }
        if effects.readsTables || effects.eventKinds.isEmpty, sql.hasJoinByColumnNames {
            effects.mayJoinByColumnNames = true
            effects.region.formTables()
        }
        return effects
    }

    private func authorize(
        _ action: CInt, _ first: String, _ second: String, database: String, isInView: Bool
    ) -> CInt {
        if recordedChanges != nil { record(action, first, second, database) }
        switch action {
        case SQLITE_READ:
            noteRead(first, second, database: database, isInView: isInView)
        case SQLITE_INSERT:
            addEventKind(.insert(tableName: first), database)
        case SQLITE_UPDATE:
            addUpdate(ofColumn: second, table: first, database)
        case SQLITE_DELETE:
            addEventKind(.delete(tableName: first), database)
            if disablesTruncation, !Database.isSchemaTable(first), first != droppedTable { return SQLITE_IGNORE }
        case SQLITE_PRAGMA:
            notePragma(first.lowercased(), second, database: database)
        case SQLITE_TRANSACTION:
            effects.controlsTransaction = true
            effects.rollsBack = first == "ROLLBACK"
            effects.beginsTransaction = first == "BEGIN"
        case SQLITE_SAVEPOINT:
            effects.controlsTransaction = true
            guard let operation = StatementEffects.SavepointOperation(rawValue: first) else { break }
            effects.savepoint = (operation, second)
            effects.rollsBack = operation == .rollback
            effects.beginsTransaction = operation == .begin
        case SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_VIEW, SQLITE_DROP_TEMP_VIEW, SQLITE_DROP_VTABLE:
            droppedTable = first
            effects.changesSchema = true
        case SQLITE_CREATE_INDEX, SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_INDEX, SQLITE_CREATE_TEMP_TABLE,
            SQLITE_CREATE_TEMP_TRIGGER, SQLITE_CREATE_TEMP_VIEW, SQLITE_CREATE_TRIGGER, SQLITE_CREATE_VIEW,
            SQLITE_DROP_INDEX, SQLITE_DROP_TEMP_INDEX, SQLITE_DROP_TEMP_TRIGGER, SQLITE_DROP_TRIGGER,
            SQLITE_CREATE_VTABLE, SQLITE_ALTER_TABLE, SQLITE_ATTACH, SQLITE_DETACH, SQLITE_ANALYZE:
            if action == SQLITE_ATTACH { hasSeenAttach = true }
            effects.changesSchema = true
        default:
            break
        }
        return SQLITE_OK
    }

    /// Notes that a statement reads a column.
    ///
    /// - Parameters:
    ///   - column: its name, or an empty string if the statement reads no column of the table.
    ///   - database: the name of the table's database, or an empty string if the statement does not name it either.
    ///   - isInView: whether a view reads it.
    private func noteRead(_ table: String, _ column: String, database: String, isInView: Bool) {
        if isInView {
            // The view may join tables by columns that SQLite does not report, so the region contains all columns.
            effects.region.insert(table: table, in: database)
            effects.mayJoinByColumnNames = true
        } else if column.isEmpty, database.isEmpty {
            effects.unqualifiedTables.insert(SchemaName(table))
        } else {
            effects.region.insert(column: column, ofTable: table, in: database)
        }
    }

    /// Notes what a PRAGMA does.
    ///
    /// - Parameters:
    ///   - name: its name, in lower case.
    ///   - value: its value, or an empty string.
    private func notePragma(_ name: String, _ value: String, database: String) {
        effects.asksForJournalMode = value.isEmpty && name == "journal_mode"
        // The numbers in the header of the file count as a part of the schema. Setting `schema_version` or `writable_schema` can change
        // the schema that statements see, and SQLite does not notice.
        if !value.isEmpty, ["user_version", "application_id", "schema_version", "writable_schema"].contains(name) {
            effects.changesSchema = true
        } else if Self.pragmasThatReadSchema.contains(name) {
            effects.region.insert(table: "sqlite_master", in: database.isEmpty ? "main" : database)
        }
        switch name {
        case "wal_checkpoint":
            let mode = Database.CheckpointMode.allCases.first { "\($0)" == value.lowercased() }
            effects.logPragma = .checkpoint(mode ?? .passive, schema: database.isEmpty ? nil : database)
        case "wal_autocheckpoint" where !value.isEmpty:
            effects.logPragma = .automaticCheckpoints
        case "journal_mode" where !value.isEmpty, "locking_mode" where !value.isEmpty:
            willChangeMode()
        case "defer_foreign_keys" where !value.isEmpty:
            hasSeenDeferredForeignKeys = true
        default:
            break
        }
    }

    private static let pragmasThatReadSchema: Set<String> = [
        "user_version", "application_id", "schema_version", "table_info", "table_xinfo", "table_list", "index_list", "index_info",
        "index_xinfo", "foreign_key_list",
    ]

    private func record(_ action: CInt, _ first: String, _ second: String, _ database: String) {
        switch action {
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_TABLE, SQLITE_DROP_TABLE,
            SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_VTABLE:
            if Database.isSchemaTable(first) {
                // A statement that creates an object inserts a row, and then updates it.
                let isAddition = action == SQLITE_INSERT || action == SQLITE_UPDATE && effects.changesSchema
                recordedChanges?.noteSchemaChange(isAddition && database == "main" ? .additions : .others)
            } else if !Database.isSQLiteInternalTable(first) {
                recordedChanges?.tables.insert(SchemaName(first))
            }
        case SQLITE_ALTER_TABLE:
            recordedChanges?.tables.insert(SchemaName(second))
            recordedChanges?.noteSchemaChange(.others)
        case SQLITE_ATTACH, SQLITE_DETACH:
            recordedChanges?.noteSchemaChange(.others)
        case SQLITE_PRAGMA where !second.isEmpty && ["schema_version", "writable_schema"].contains(first.lowercased()):
            recordedChanges?.noteSchemaChange(.others)
        default:
            break
        }
    }

    private func addEventKind(_ kind: DatabaseEventKind, _ database: String, column: String? = nil) {
        // SQLite reports only this for `CREATE VIRTUAL TABLE IF NOT EXISTS` if the table exists when the statement is compiled.
        if Database.isSchemaTable(kind.tableName) {
            (effects.changesSchema, effects.writesSchemaTable) = (true, true)
            if !isCompiling { foreignSchemaChangeCount &+= 1 }
        }
        // Changes of SQLite's internal tables by a schema change are not events.
        if Database.isSQLiteInternalTable(kind.tableName) { return }
        let id = DatabaseRegion.TableID(kind.tableName, database)
        let columns: Set<SchemaName> = column.map { [SchemaName($0)] } ?? []
        effects.writes[id, default: []].formUnion(columns)
        if !isCompiling, !isRunning() { foreignWrites[id, default: []].formUnion(columns) }
        if !effects.eventKinds.contains(kind) { effects.eventKinds.append(kind) }
    }

    private func addUpdate(ofColumn column: String, table: String, _ database: String) {
        // An update of the row ID by one of SQLite's names for it may update the primary key, so it counts as an update of any columns.
        var updated: Set<String> = SchemaName(column) == .rowID ? [] : [column]
        if let index = effects.eventKinds.firstIndex(where: { if case .update(table, _) = $0 { true } else { false } }),
            case .update(_, let others) = effects.eventKinds.remove(at: index)
        {
            updated = others.isEmpty || updated.isEmpty ? [] : others.union(updated)
        }
        addEventKind(.update(tableName: table, columnNames: updated), database, column: column)
    }
}
