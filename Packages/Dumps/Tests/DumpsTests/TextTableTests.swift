import Dumps
import Testing

@Suite struct TextTableTests {
    @Test
    func `Columns are as wide as their widest cell, and aligned as they or their cells say`() {
        var table = TextTable("Mission", .right("Samples (kg)"))
        table.add("Apollo 11", "21.6")
        table.add([TextTable.Cell("月", isRightAligned: true), TextTable.Cell("none", isRightAligned: false)])
        let lines = table.description.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines == [
                "Mission     Samples (kg)",
                "─────────   ────────────",
                "Apollo 11           21.6",
                "       月   none",
            ])
        #expect(table.width == 24)
    }

    @Test
    func `Missing cells are empty, those beyond the last column are ignored, and control characters can't break a line`() {
        var table = TextTable(columns: ["a", TextTable.Column("b")])
        table.add()
        table.add("1", "2", "3")
        table.add("x\ny\u{1B}[31m")
        #expect(table.description == "a          b\n────────   ─\n\n1          2\nx␊y␛[31m")
        #expect(TextTable().description == "\n")
    }
}
