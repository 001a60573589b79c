import RowDecoding
import Testing

/// Copied rows of one fetch share the remembered positions of columns.
struct CopiedRowLookupTests {
    private func rows() throws -> [Row] {
        try DatabaseQueue().read { db in
            try Row.fetchAll(db, sql: "SELECT 1 AS a, 2 AS b, 3 AS c UNION ALL SELECT 4, 5, 6")
        }
    }

    @Test
    func `Copied rows that are asked for columns in different orders, by turns, find them`() throws {
        let rows = try rows()
        for _ in 0..<3 {
            #expect(rows[0]["a"] as Int == 1)
            #expect(rows[1]["c"] as Int == 6)
            #expect(rows[0]["b"] as Int == 2)
            #expect(rows[1]["A"] as Int == 4)
            #expect(rows[0]["c"] as Int == 3)
            #expect(rows[1]["b"] as Int == 5)
        }
    }

    @Test
    func `A missing column stays missing, and more names than there are columns are found`() throws {
        for row in try rows() {
            for name in ["x", "a", "A", "b", "B", "y", "c", "C"] {
                let value = try row.decode(Int?.self, forKey: name)
                #expect((value == nil) == ["x", "y"].contains(name))
            }
            #expect(throws: RowDecodingError.self) { try row.decode(Int.self, forKey: "x") }
        }
    }
}
