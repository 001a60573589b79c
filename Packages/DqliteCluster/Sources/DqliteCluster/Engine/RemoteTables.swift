import CDqliteCluster
import Foundation
import SQLiteDriver

/// The virtual tables and the function behind the statements that run on the leader.
///
/// - `strata_remote(plan, arguments)` runs a plan, and has its rows.
/// - `strata_sink`, and the wide form, take a row for each row that a statement has changed, so that SQLite counts them.
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
        module.xConnect = { connection, context, _, _, table, _ in
            let columns = (0..<RemoteTable.maximumColumnCount).map { "c\($0)" }.joined(separator: ",")
            return RemoteTables.connect(connection, context, table, "CREATE TABLE x(\(columns),plan HIDDEN,args HIDDEN)")
        }
        module.xBestIndex = { _, info in RemoteTables.chooseIndex(info) }
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
            guard let cursor, let arguments else { return SQLITE_MISUSE }
            let reader = RemoteTables.reader(of: cursor)
            guard let plan = reader.engine.plans[Int(sqlite3_value_int64(arguments[0]))] else { return SQLITE_MISUSE }
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
    private nonisolated(unsafe) static let sinkModule = makeSinkModule { connection, context, _, _, table, _ in
        RemoteTables.connect(connection, context, table, RemoteTables.sinkSchema(columnCount: RemoteTable.sinkColumnCount))
    }
    private nonisolated(unsafe) static let wideSinkModule = makeSinkModule { connection, context, _, _, table, _ in
        RemoteTables.connect(connection, context, table, RemoteTables.sinkSchema(columnCount: RemoteTable.maximumColumnCount))
    }

    private static func sinkSchema(columnCount: Int) -> String {
        "CREATE TABLE x(" + (0..<columnCount).map { "c\($0)" }.joined(separator: ",") + ")"
    }

    private typealias Connect =
        @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer?, CInt, UnsafePointer<UnsafePointer<CChar>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> CInt

    private static func makeSinkModule(_ connect: @escaping Connect) -> UnsafeMutablePointer<sqlite3_module> {
        var module = sqlite3_module()
        module.iVersion = 1
        module.xConnect = connect
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
    }

    /// Registers the tables and the function on a connection, which must keep the engine.
    static func register(on handle: SQLiteConnection, engine: RemoteEngine) throws {
        let context = Unmanaged.passUnretained(engine).toOpaque()
        let modules = [
            (RemoteTable.name, remoteModule), (RemoteTable.sinkName, sinkModule), (RemoteTable.wideSinkName, wideSinkModule),
        ]
        for (name, module) in modules {
            let code = sqlite3_create_module_v2(handle, name, module, context, nil)
            if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
        let code = sqlite3_create_function_v2(
            handle, RemoteTable.argumentsFunction, -1, SQLITE_UTF8, context,
            { context, count, values in RemoteTables.keepArguments(context, Int(count), values) }, nil, nil, nil)
        if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    // MARK: - Tables

    private static func connect(
        _ connection: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
        _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
        _ schema: String
    ) -> CInt {
        let code = sqlite3_declare_vtab(connection, schema)
        if code != SQLITE_OK { return code }
        let memory = UnsafeMutablePointer<strata_remote_table>.allocate(capacity: 1)
        memory.initialize(to: strata_remote_table())
        memory.pointee.engine = context
        table?.pointee = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    }

    private static func disconnect(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> CInt {
        table.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: strata_remote_table.self).deallocate() }
        return SQLITE_OK
    }

    /// Passes the hidden columns to `xFilter`: the plan, and the arguments, which only need to be computed.
    private static func chooseIndex(_ info: UnsafeMutablePointer<sqlite3_index_info>?) -> CInt {
        guard let info else { return SQLITE_MISUSE }
        for index in 0..<Int(info.pointee.nConstraint) {
            let constraint = info.pointee.aConstraint[index]
            let position = constraint.iColumn - CInt(RemoteTable.maximumColumnCount)
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

    /// Returns a copy of a text in SQLite's memory.
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
            let value = values[index]
            switch sqlite3_value_type(value) {
            case SQLITE_INTEGER: plan.arguments.append(sqlite3_value_int64(value))
            case SQLITE_FLOAT: plan.arguments.append(sqlite3_value_double(value))
            case SQLITE_TEXT:
                let text = sqlite3_value_text(value)
                let bytes = UnsafeRawBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
                guard !bytes.contains(0) else {
                    let message =
                        "argument \(start + index - 1) contains a NUL character, where the cluster would cut it off. Store it as a blob."
                    sqlite3_result_error(context, message, -1)
                    return sqlite3_result_error_code(context, SQLITE_MISMATCH)
                }
                plan.arguments.append(text: bytes)
            case SQLITE_BLOB:
                let blob = sqlite3_value_blob(value)
                plan.arguments.append(blob: UnsafeRawBufferPointer(start: blob, count: blob == nil ? 0 : Int(sqlite3_value_bytes(value))))
            default: plan.arguments.appendNull()
            }
        }
        sqlite3_result_int(context, 0)
    }
}

extension RemoteEngine {
    /// Returns the code and the message by which SQLite knows an error, which is kept for the statement.
    fileprivate func describe(_ error: any Error) -> (CInt, String) {
        switch error {
        case let error as NodeFailure:
            // The statement makes an error of the code and the message, with its arguments.
            return (error.code, error.message)
        case let error as DatabaseError:
            return (error.extendedResultCode.rawValue, error.message ?? "")
        default:
            failure = error
            return (SQLITE_IOERR, "\(error)")
        }
    }
}
