import SQLiteDriver
import Testing

@Suite struct VirtualTableDefinitionTests {
    @Test
    func `The columns and options of a virtual table are read as full-text modules read them`() throws {
        let definition = try #require(
            VirtualTableDefinition(
                """
                CREATE VIRTUAL TABLE "using"."USING (fts3)" USING -- a comment
                'FTS5'(title, "the, body" unindexed, [content], /* , */ tokenize = 'unicode61 tokenchars ''-,''', pre='2 3', Content_RowID=id, c="a)b",)
                """))
        #expect(definition.module == "fts5")
        #expect(definition.arguments.map(\.name) == ["title", "the, body", "content", "tokenize", "pre", "Content_RowID", "c"])
        #expect(definition.arguments.prefix(3).map(\.words) == [[], ["UNINDEXED"], []])
        #expect(definition.arguments.prefix(3).allSatisfy { $0.value == nil })
        #expect(definition.value(ofOption: "tokenize") == "unicode61 tokenchars '-,'")
        #expect(definition.value(ofOption: "prefix") == "2 3")
        #expect(definition.value(ofOption: "content_rowid") == "id")
        #expect(definition.value(ofOption: "content") == "a)b")
        #expect(definition.value(ofOption: "detail") == nil)
    }

    @Test
    func `Only FTS5 has abbreviated options, and arguments may be missing`() {
        #expect(VirtualTableDefinition("CREATE VIRTUAL TABLE t USING fts4(a, c='x')")?.value(ofOption: "content") == nil)
        #expect(VirtualTableDefinition("CREATE VIRTUAL TABLE t USING fts4(a, content=)")?.value(ofOption: "content") == "")
        #expect(VirtualTableDefinition("CREATE VIRTUAL TABLE t USING fts3")?.module == "fts3")
        #expect(VirtualTableDefinition("CREATE VIRTUAL TABLE t USING fts3()")?.arguments == [])
        #expect(VirtualTableDefinition("CREATE VIRTUAL TABLE t USING fts3(a")?.arguments == [])
        #expect(VirtualTableDefinition("CREATE VIRTUAL TABLE t USING")?.module == nil)
        #expect(VirtualTableDefinition("CREATE TABLE t (using fts5)")?.module == nil)
    }
}
