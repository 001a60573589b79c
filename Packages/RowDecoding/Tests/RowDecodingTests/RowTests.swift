import RowDecoding
import Testing

@Suite struct RowTests {
    @Test func columnsAreReadByNameWhateverTheCase() throws {
        let row = try DatabaseQueue().read { try Row.fetchOne($0, sql: "SELECT 1 AS a, 'x' AS b")! }
        #expect(row["A"] == 1)
        #expect(row["b"] == "x")
    }
}
