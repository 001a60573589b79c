import CSQLiteShims

/// What running a statement does besides producing rows, as SQLite's authorizer tells while it compiles the statement.
struct StatementEffects: OptionSet {
    let rawValue: UInt8

    /// Creates, alters or drops tables and the like, or attaches a database.
    static let schema = StatementEffects(rawValue: 1)

    /// Begins or ends a transaction or a savepoint.
    static let transaction = StatementEffects(rawValue: 2)

    /// Rolls back a transaction or a savepoint.
    static let rollback = StatementEffects(rawValue: 8)

    /// Inserts, updates or deletes rows.
    static let data = StatementEffects(rawValue: 4)
}

/// Listens to SQLite's authorizer while statements are compiled, and refuses nothing.
///
/// It is set once for each connection: setting an authorizer expires all its statements.
///
/// Source: <https://www.sqlite.org/c3ref/set_authorizer.html>
final class StatementAuthorizer {
    private(set) var effects: StatementEffects = []

    func install(on connection: SQLiteConnection) {
        sqlite3_set_authorizer(
            connection,
            { context, action, operation, _, _, _ in
                if let context {
                    Unmanaged<StatementAuthorizer>.fromOpaque(context).takeUnretainedValue().authorize(action, operation)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Forgets the statement that was compiled before.
    func reset() {
        effects = []
    }

    private func authorize(_ action: CInt, _ operation: UnsafePointer<CChar>?) {
        switch action {
        case SQLITE_CREATE_INDEX, SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_INDEX, SQLITE_CREATE_TEMP_TABLE,
            SQLITE_CREATE_TEMP_TRIGGER, SQLITE_CREATE_TEMP_VIEW, SQLITE_CREATE_TRIGGER, SQLITE_CREATE_VIEW,
            SQLITE_DROP_INDEX, SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_INDEX, SQLITE_DROP_TEMP_TABLE,
            SQLITE_DROP_TEMP_TRIGGER, SQLITE_DROP_TEMP_VIEW, SQLITE_DROP_TRIGGER, SQLITE_DROP_VIEW,
            SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE, SQLITE_ALTER_TABLE, SQLITE_ATTACH, SQLITE_DETACH:
            effects.insert(.schema)
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT:
            effects.insert(.transaction)
            if let operation, String(cString: operation) == "ROLLBACK" { effects.insert(.rollback) }
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
            effects.insert(.data)
        default:
            break
        }
    }
}
