import Foundation
import RowDecoding
import Testing

/// Columns that are found once, and read from each row of a fetch.
struct ColumnPositionTests {
    private static let sql = "SELECT 1 AS a, 'x' AS b, 3 AS A, NULL AS c UNION ALL SELECT 5, 'y', 7, 'z'"

    @Test(arguments: [false, true], [false, true])
    func `A position is that of the leftmost column of a name, and holds for all rows of the fetch`(isCopied: Bool, isAdapted: Bool) throws
    {
        let adapter = isAdapted ? ScopeAdapter(base: RangeRowAdapter(0..<4), scopes: ["end": SuffixRowAdapter(fromIndex: 2)]) : nil
        try withDatabase { db in
            let cursor = try Row.fetchCursor(db, sql: Self.sql, adapter: adapter)
            var positions: (a: ColumnPosition, b: ColumnPosition, c: ColumnPosition, end: ColumnPosition?)?
            var values: [[DatabaseValue?]] = []
            while let live = try cursor.next() {
                let row = isCopied ? live.copy() : live
                let found =
                    try positions
                    ?? (
                        a: #require(row.position(ofColumn: "A")), b: #require(row.position(ofColumn: "b")),
                        c: #require(row.position(ofColumn: "C")), end: row.scopes["end"]?.position(ofColumn: "a")
                    )
                positions = found
                #expect(row.position(ofColumn: "d") == nil)
                values.append([row.value(at: found.a), row.value(at: found.b), row.value(at: found.c)])
                #expect(row.value(String.self, at: found.a) == nil)
                #expect(row.value(Int?.self, at: found.b) == .none)
                let end: Int? = found.end.flatMap { row.scopes["end"]?.value(at: $0) }
                #expect(end == (isAdapted ? row[2] : nil))
            }
            #expect(values == [[1.databaseValue, "x".databaseValue, .null], [5.databaseValue, "y".databaseValue, "z".databaseValue]])
        }
    }

    @Test
    func `NULL is a value of optional types, and no value of others`() throws {
        let row = try row(Self.sql)
        let position = try #require(row.position(ofColumn: "c"))
        #expect(row.value(Int.self, at: position) == nil)
        #expect(row.value(Int?.self, at: position) == .some(nil))
    }

    @Test(arguments: [false, true])
    func `A position of other rows leads to another column, or to none`(isCopied: Bool) throws {
        let position = try #require(try row(Self.sql).position(ofColumn: "b"))
        try withDatabase { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT 1 AS a")
            let narrow = try #require(try cursor.next())
            #expect((isCopied ? narrow.copy() : narrow).value(String.self, at: position) == nil)
            let wide = try #require(try Row.fetchCursor(db, sql: "SELECT 1 AS a, 2 AS x").next())
            #expect((isCopied ? wide.copy() : wide).value(Int.self, at: position) == 2)
            // The connection is as usable as before.
            #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
        }
        let made: Row = ["a": 1]
        #expect(made.value(String.self, at: position) == nil)
    }
}
