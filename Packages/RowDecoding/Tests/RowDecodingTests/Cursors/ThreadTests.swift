import Foundation
import RowDecoding
import Testing

/// A row or a cursor that is used on another thread, during its access, stops the program.
struct ThreadTests {
    /// The operation on the other thread.
    enum Use: String, Codable, CaseIterable {
        case rowCursor, recordCursor, valueCursor, mappedCursor, anyCursor
        case byIndex, byName, decodeByIndex, decodeByName, position, databaseValue, names, copy, scope, description

        func callAsFunction(_ used: Used) throws -> Any? {
            switch self {
            case .rowCursor: try used.rows.next()
            case .recordCursor: try used.records.next()
            case .valueCursor: try used.values.next()
            case .mappedCursor: try used.mapped.next()
            case .anyCursor: try AnyCursor(used.values).next()
            case .byIndex: used.row[0] as Int
            case .byName: used.row["id"] as Int
            case .decodeByIndex: try used.row.decode(Int.self, atIndex: 0)
            case .decodeByName: try used.row.decode(Int.self, forKey: "id")
            case .position: used.row.value(Int.self, at: used.position)
            case .databaseValue: used.row["id"] as DatabaseValue
            case .names: used.row.columnNames
            case .copy: used.row.copy()
            case .scope: used.scoped.scopes["player"]?["id"] as Int?
            case .description: used.row.description
            }
        }
    }

    /// Running cursors, and their rows.
    struct Used {
        let rows: RowCursor
        let records: RecordCursor<Player>
        let values: DatabaseValueCursor<Int>
        let mapped: MapCursor<DatabaseValueCursor<Int>, Int>
        let row: Row
        let scoped: Row
        let scopedRows: RowCursor
        let position: ColumnPosition

        init(_ db: Database) throws {
            let sql = "SELECT * FROM player"
            rows = try Row.fetchCursor(db.makeStatement(sql: sql))
            records = try Player.fetchCursor(db.makeStatement(sql: sql))
            values = try Int.fetchCursor(db.makeStatement(sql: sql))
            mapped = try Int.fetchCursor(db.makeStatement(sql: sql)).map { $0 }
            row = try #require(try rows.next())
            position = try #require(row.position(ofColumn: "id"))
            scopedRows = try Row.fetchCursor(
                db.makeStatement(sql: sql), adapter: ScopeAdapter(["player": SuffixRowAdapter(fromIndex: 0)]))
            scoped = try #require(try scopedRows.next())
            _ = try records.next()
            _ = try values.next()
            _ = try mapped.next()
        }
    }

    /// Lets tests hand over what Swift would not let them.
    private struct Handed<Value>: @unchecked Sendable {
        let value: Value
    }

    private static func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
        let done = Semaphore("the other thread has ended")
        Thread.detachNewThread {
            body()
            done.signal()
        }
        done.wait()
    }

    @Test(arguments: Use.allCases)
    func `A use on another thread stops the program`(_ use: Use) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use = use as Use] in
            try withPlayers { db in
                let used = Handed(value: try Used(db))
                Self.onAnotherThread { _ = try? use(used.value) }
                withExtendedLifetime(used) {}
            }
        }
        #expect(result?.message.contains("on another thread") == true)
    }

    @Test(arguments: Use.allCases)
    func `The same use on the thread of the access is fine`(_ use: Use) throws {
        try withPlayers { db in
            let used = try Used(db)
            _ = try use(used)
            withExtendedLifetime(used) {}
        }
    }

    @Test
    func `A cursor may be released on another thread, and its statement ends with the access`() throws {
        let queue = try DatabaseQueue()
        try queue.read { db in
            let cursor = Box<DatabaseValueCursor<Int>?>(try Int.fetchCursor(db, sql: "SELECT 1 UNION SELECT 2"))
            #expect(try cursor.value?.next() == 1)
            Self.onAnotherThread { cursor.value = nil }
            #expect(try Int.fetchAll(db, sql: "SELECT 1 UNION SELECT 2") == [1, 2])
        }
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        try queue.close()
    }

}
