import CDqliteCluster
import Foundation
import SQLiteDriver

/// The virtual tables and the function behind the statements that run on the leader.
///
/// - `strata_remote(plan, arguments)` runs a plan without rows, and has a row for each row that the plan has changed.
/// - `strata_rows_17(arguments)` runs the plan 17, and has its rows.
/// - `strata_sink` takes a row for each row that a statement has changed, so that SQLite counts them; `strata_sink_17` also has the columns
///   that the plan 17 returns.
/// - `strata_args(plan, position, …)` keeps its arguments for the plan.
///
/// Source: <https://www.sqlite.org/vtab.html#eponymous_only_virtual_tables>
enum RemoteTables {
    /// The functions of a table that is read.
    ///
    /// SQLite only reads the memory, which is never freed.
    private nonisolated(unsafe) static let remoteModule: UnsafeMutablePointer<sqlite3_module> = {
        var module = sqlite3_module()
        module.iVersion = 1
        module.xConnect = { connection, context, _, arguments, table, _ in
            RemoteTables.connect(connection, context, arguments, table) { $0 == nil ? ",plan HIDDEN,args HIDDEN" : ",args HIDDEN" }
        }
        module.xBestIndex = { table, info in RemoteTables.chooseIndex(table, info) }
        module.xDisconnect = { table in RemoteTables.disconnect(table) }
        module.xOpen = { table, cursor in
            guard let table, let cursor else { return SQLITE_MISUSE }
            let engine = RemoteTables.engine(of: table)
            let memory = UnsafeMutablePointer<strata_remote_cursor>.allocate(capacity: 1)
            memory.initialize(to: strata_remote_cursor())
            memory.pointee.reader = Unmanaged.passRetained(RemoteReader(engine)).toOpaque()
            cursor.pointee = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        module.xClose = { cursor in
            guard let cursor else { return SQLITE_OK }
            let memory = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: strata_remote_cursor.self)
            Unmanaged<RemoteReader>.fromOpaque(memory.pointee.reader).release()
            memory.deallocate()
            return SQLITE_OK
        }
        module.xFilter = { cursor, _, _, _, arguments in
            guard let cursor, let table = cursor.pointee.pVtab else { return SQLITE_MISUSE }
            let reader = RemoteTables.reader(of: cursor)
            let (id, columnCount) = RemoteTables.planAndColumnCount(of: table)
            guard let plan = reader.engine.plans[id ?? Int(sqlite3_value_int64(arguments?[0]))] else { return SQLITE_MISUSE }
            // SQLite then compiles the statement again.
            if id != nil, columnCount != plan.columnNames.count { return SQLITE_SCHEMA }
            return RemoteTables.report(cursor, reader) { try $0.run(plan) }
        }
        module.xNext = { cursor in
            guard let cursor else { return SQLITE_MISUSE }
            return RemoteTables.report(cursor, RemoteTables.reader(of: cursor)) { try $0.next() }
        }
        module.xEof = { cursor in cursor.map { RemoteTables.reader(of: $0).isAtEnd } ?? true ? 1 : 0 }
        module.xColumn = { cursor, context, column in
            guard let cursor else { return SQLITE_MISUSE }
            RemoteTables.reader(of: cursor).report(column: Int(column), to: context)
            return SQLITE_OK
        }
        module.xRowid = { _, rowID in
            rowID?.pointee = 0
            return SQLITE_OK
        }
        let memory = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        memory.initialize(to: module)
        return memory
    }()

    /// The functions of a table that is written to. It has no rows.
    private nonisolated(unsafe) static let sinkModule: UnsafeMutablePointer<sqlite3_module> = {
        var module = sqlite3_module()
        module.iVersion = 1
        module.xConnect = { connection, context, _, arguments, table, _ in
            RemoteTables.connect(connection, context, arguments, table) { _ in "" }
        }
        module.xBestIndex = { _, _ in SQLITE_OK }
        module.xDisconnect = { table in RemoteTables.disconnect(table) }
        module.xOpen = { _, _ in SQLITE_MISUSE }
        module.xClose = { _ in SQLITE_OK }
        module.xFilter = { _, _, _, _, _ in SQLITE_MISUSE }
        module.xNext = { _ in SQLITE_MISUSE }
        module.xEof = { _ in 1 }
        module.xColumn = { _, _, _ in SQLITE_MISUSE }
        module.xRowid = { _, _ in SQLITE_MISUSE }
        module.xUpdate = { table, count, _, rowID in
            guard let table, count > 1 else { return SQLITE_READONLY }
            rowID?.pointee = RemoteTables.engine(of: table).insertedRowID
            return SQLITE_OK
        }
        let memory = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        memory.initialize(to: module)
        return memory
    }()

    /// Registers the tables and the function on a connection, which must keep the engine.
    static func register(on handle: SQLiteConnection, engine: RemoteEngine) throws {
        try register(RemoteTable.name, remoteModule, on: handle, engine)
        try register(RemoteTable.sinkName, sinkModule, on: handle, engine)
        let context = Unmanaged.passUnretained(engine).toOpaque()
        let code = sqlite3_create_function_v2(
            handle, RemoteTable.argumentsFunction, -1, SQLITE_UTF8, context,
            { context, count, values in RemoteTables.keepArguments(context, Int(count), values) }, nil, nil, nil)
        if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Registers the tables of a plan with rows. If they are registered, statements that SQLite compiles from now on see their new columns.
    static func registerTables(of plan: RemotePlan, engine: RemoteEngine) throws {
        guard !plan.columnNames.isEmpty, let handle = engine.database?.sqliteConnection else { return }
        try register(RemoteTable.rowsPrefix + "\(plan.id)", remoteModule, on: handle, engine)
        if case .changeReturningRows = plan.kind { try register(RemoteTable.sinkPrefix + "\(plan.id)", sinkModule, on: handle, engine) }
    }

    /// Removes the tables of a plan whose statement no longer exists.
    static func removeTables(ofPlan id: Int, engine: RemoteEngine) {
        guard let handle = engine.database?.sqliteConnection else { return }
        for prefix in [RemoteTable.rowsPrefix, RemoteTable.sinkPrefix] {
            sqlite3_create_module_v2(handle, "\(prefix)\(id)", nil, nil, nil)
        }
    }

    private static func register(
        _ name: String, _ module: UnsafeMutablePointer<sqlite3_module>, on handle: SQLiteConnection, _ engine: RemoteEngine
    ) throws {
        let code = sqlite3_create_module_v2(handle, name, module, Unmanaged.passUnretained(engine).toOpaque(), nil)
        if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    // MARK: - Tables

    /// Declares a table with the current columns of its plan.
    ///
    /// - Parameter hiddenColumns: called with the number of the plan, or nil for a table of all plans.
    private static func connect(
        _ connection: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ arguments: UnsafePointer<UnsafePointer<CChar>?>?,
        _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?, hiddenColumns: (Int?) -> String
    ) -> CInt {
        guard let context, let moduleName = arguments?[0] else { return SQLITE_MISUSE }
        let engine = Unmanaged<RemoteEngine>.fromOpaque(context).takeUnretainedValue()
        let id = String(cString: moduleName).split(separator: "_").last.flatMap { Int($0) }
        let count = id.map { engine.plans[$0]?.columnNames.count ?? 0 } ?? 1
        if count == 0 { return SQLITE_MISUSE }
        let columns = (0..<count).map { "c\($0)" }.joined(separator: ",")
        let code = sqlite3_declare_vtab(connection, "CREATE TABLE x(\(columns)\(hiddenColumns(id)))")
        if code != SQLITE_OK { return code }
        let memory = UnsafeMutablePointer<strata_remote_table>.allocate(capacity: 1)
        memory.initialize(to: strata_remote_table())
        memory.pointee.engine = context
        memory.pointee.plan = Int64(id ?? 0)
        memory.pointee.column_count = CInt(count)
        table?.pointee = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    }

    /// The number of the plan that a table belongs to, if any, and the number of its columns that are not hidden.
    private static func planAndColumnCount(of table: UnsafeMutablePointer<sqlite3_vtab>) -> (plan: Int?, columnCount: Int) {
        let memory = UnsafeMutableRawPointer(table).assumingMemoryBound(to: strata_remote_table.self)
        return (memory.pointee.plan == 0 ? nil : Int(memory.pointee.plan), Int(memory.pointee.column_count))
    }

    private static func disconnect(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> CInt {
        table.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: strata_remote_table.self).deallocate() }
        return SQLITE_OK
    }

    /// Passes the hidden columns to `xFilter`: the plan, and the arguments, which only need to be computed.
    private static func chooseIndex(
        _ table: UnsafeMutablePointer<sqlite3_vtab>?, _ info: UnsafeMutablePointer<sqlite3_index_info>?
    ) -> CInt {
        guard let table, let info else { return SQLITE_MISUSE }
        let columnCount = CInt(planAndColumnCount(of: table).columnCount)
        for index in 0..<Int(info.pointee.nConstraint) {
            let constraint = info.pointee.aConstraint[index]
            let position = constraint.iColumn - columnCount
            guard position >= 0, constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ) else { continue }
            if constraint.usable == 0 { return SQLITE_CONSTRAINT }
            info.pointee.aConstraintUsage[index].argvIndex = position + 1
            info.pointee.aConstraintUsage[index].omit = 1
        }
        info.pointee.estimatedCost = 1
        return SQLITE_OK
    }

    private static func engine(of table: UnsafeMutablePointer<sqlite3_vtab>) -> RemoteEngine {
        let memory = UnsafeMutableRawPointer(table).assumingMemoryBound(to: strata_remote_table.self)
        return Unmanaged<RemoteEngine>.fromOpaque(memory.pointee.engine).takeUnretainedValue()
    }

    // MARK: - Cursors

    private static func reader(of cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>) -> RemoteReader {
        let memory = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: strata_remote_cursor.self)
        return Unmanaged<RemoteReader>.fromOpaque(memory.pointee.reader).takeUnretainedValue()
    }

    /// Calls a closure, and reports its error to SQLite.
    private static func report(
        _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>, _ reader: RemoteReader, _ body: (RemoteReader) throws -> Void
    ) -> CInt {
        do {
            try body(reader)
            return SQLITE_OK
        } catch {
            let (code, message) = reader.engine.describe(error)
            let text = message.withCString { sqlite3_mprintf_text($0) }
            sqlite3_free(cursor.pointee.pVtab.pointee.zErrMsg)
            cursor.pointee.pVtab.pointee.zErrMsg = text
            return code
        }
    }

    /// Returns a copy of a string in SQLite's memory.
    private static func sqlite3_mprintf_text(_ text: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>? {
        let count = strlen(text) + 1
        guard let copy = sqlite3_malloc64(UInt64(count)) else { return nil }
        memcpy(copy, text, count)
        return copy.assumingMemoryBound(to: CChar.self)
    }

    // MARK: - Arguments

    private static func keepArguments(
        _ context: OpaquePointer?, _ count: Int, _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let data = sqlite3_user_data(context), let values, count >= 2 else {
            return sqlite3_result_error_code(context, SQLITE_MISUSE)
        }
        let engine = Unmanaged<RemoteEngine>.fromOpaque(data).takeUnretainedValue()
        let start = Int(sqlite3_value_int64(values[1]))
        guard let plan = engine.plans[Int(sqlite3_value_int64(values[0]))] else { return sqlite3_result_error_code(context, SQLITE_MISUSE) }
        if start == 0 { plan.arguments.removeAll() }
        guard plan.arguments.types.count == start else { return sqlite3_result_error_code(context, SQLITE_MISUSE) }
        for index in 2..<count {
            if plan.arguments.append(UnprotectedValue(sqliteValue: values[index])) { continue }
            let (code, message) = engine.describe(
                DatabaseError(
                    resultCode: .SQLITE_MISMATCH,
                    message: "argument \(start + index - 1) contains a NUL character, where the cluster would truncate it",
                    advice: "Store it as a blob."))
            sqlite3_result_error(context, message, -1)
            return sqlite3_result_error_code(context, code)
        }
        sqlite3_result_int(context, 0)
    }
}

extension RemoteEngine {
    /// Returns the code and the message by which SQLite knows an error, which is kept for the statement.
    fileprivate func describe(_ error: any Error) -> (CInt, String) {
        switch error {
        case let error as NodeFailure:
            return describe(error.databaseError)
        case let error as DatabaseError:
            // The statement makes an error of the code and the message, with its arguments, and takes the advice from this one.
            failure = error
            return (error.extendedResultCode.rawValue, error.message ?? "")
        default:
            failure = error
            return (SQLITE_IOERR, "\(error)")
        }
    }
}
