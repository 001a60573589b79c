import CDqliteCluster
import SQLiteDriver

/// Runs a statement on the leader, and reads its rows: the cursor of the virtual table.
final class RemoteReader {
    let engine: RemoteEngine
    private var rows: WireRows?
    private var laterRows: [WireRows] = []
    private var hasMore = false

    /// The index of the current row in ``rows``, or the number of changed rows that were not counted yet.
    private var row = 0
    private var uncountedChanges: UInt64 = 0

    init(_ engine: RemoteEngine) {
        self.engine = engine
    }

    deinit {
        // The remaining rows are arriving, and must be read before the next request is sent.
        if hasMore { try? finishReading(keeping: false) }
    }

    /// Runs a statement.
    func run(_ plan: RemotePlan) throws {
        rows = nil
        laterRows = []
        row = 0
        uncountedChanges = 0
        try engine.interruptible {
            switch plan.kind {
            case .change:
                let (rowID, changes) = try engine.execute(plan.remoteSQL, plan.arguments)
                uncountedChanges = changes
                engine.insertedRowID = plan.inserts ? rowID : engine.localRowID
            case .changeReturningRows:
                try read(engine.query(plan.remoteSQL, plan.arguments))
                try finishReading()
                let result = try engine.query("SELECT last_insert_rowid()")
                engine.insertedRowID = plan.inserts ? result.int64(row: 0, column: 0) ?? 0 : engine.localRowID
            default:
                try read(engine.query(plan.remoteSQL, plan.arguments))
            }
        }
    }

    private func read(_ rows: WireRows) throws {
        self.rows = rows
        hasMore = rows.hasMore
        if hasMore { engine.activeReader = self }
    }

    /// Reads the rows that are still arriving, so that another request can be sent.
    func finishReading() throws {
        try finishReading(keeping: true)
    }

    private func finishReading(keeping: Bool) throws {
        while hasMore {
            do {
                let more = try engine.moreRows()
                hasMore = more.hasMore
                if keeping { laterRows.append(more) }
            } catch {
                hasMore = false
                throw error
            }
        }
    }

    var isAtEnd: Bool {
        if uncountedChanges > 0 { return false }
        return rows.map { row >= $0.count } ?? true
    }

    func next() throws {
        if uncountedChanges > 0 {
            uncountedChanges -= 1
            return
        }
        row += 1
        while let rows, row >= rows.count {
            if !laterRows.isEmpty {
                self.rows = laterRows.removeFirst()
            } else if hasMore {
                self.rows = nil
                let more = try engine.interruptible { try engine.moreRows() }
                self.rows = more
                hasMore = more.hasMore
            } else {
                return
            }
            row = 0
        }
    }

    /// Passes a value of the current row to SQLite, which copies it.
    func report(column: Int, to context: OpaquePointer?) {
        guard let rows, uncountedChanges == 0, column < rows.columnNames.count else { return sqlite3_result_null(context) }
        let cell = rows.cells[row * rows.columnNames.count + column]
        switch cell.type {
        case .integer, .unixTime, .boolean:
            sqlite3_result_int64(context, Int64(bitPattern: rows.bytes.word(at: cell.start)))
        case .real:
            sqlite3_result_double(context, Double(bitPattern: rows.bytes.word(at: cell.start)))
        case .text, .iso8601:
            rows.bytes.withUnsafeBytes { strata_result_text_copy(context, $0.baseAddress! + cell.start, UInt64(cell.count)) }
        case .blob where engine.nulGuard?.isText(rows.bytes[cell.start..<(cell.start + cell.count)]) == true:
            rows.bytes.withUnsafeBytes {
                strata_result_text_copy(
                    context, $0.baseAddress! + cell.start + NULGuard.markSize, UInt64(cell.count - NULGuard.markSize))
            }
        case .blob:
            rows.bytes.withUnsafeBytes { strata_result_blob_copy(context, $0.baseAddress! + cell.start, UInt64(cell.count)) }
        case .null:
            sqlite3_result_null(context)
        }
    }
}

extension RemoteEngine {
    /// The row ID of the last inserted row, as SQLite knows it here.
    var localRowID: Int64 { database?.sqliteConnection.map { sqlite3_last_insert_rowid($0) } ?? 0 }
}
