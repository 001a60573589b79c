import SQLiteDriver

/// The definition of a full-text table.
///
/// Source: <https://www.sqlite.org/fts5.html>, <https://www.sqlite.org/fts3.html>
struct FullTextDefinition: Sendable, Equatable {
    let isFTS5: Bool

    /// The table whose values the columns show; empty if the columns show none, and nil if the table stores them itself.
    private(set) var content: String?

    /// The columns that are not indexed. They may contain anything, such as the key of another table.
    private(set) var unindexed: Set<SchemaName> = []

    /// Reads a `CREATE VIRTUAL TABLE`; nil if this is another table.
    init?(_ sql: String) {
        let tokens = CommentedSQL(sql).tokens
        guard let using = tokens.firstIndex(where: { $0.is("USING") }), using + 1 < tokens.count,
            tokens.prefix(2).last?.is("VIRTUAL") == true,
            ["FTS3", "FTS4", "FTS5"].contains(tokens[using + 1].name.uppercased())
        else { return nil }
        isFTS5 = tokens[using + 1].name.uppercased() == "FTS5"
        for argument in tokens[(using + 2)...].split(whereSeparator: { ["(", ")", ","].contains($0.text) }) {
            let name = argument.first!.name.foldingASCIICase
            if argument.count == 3, argument.dropFirst().first?.text == "=" {
                let value = argument.last!.name
                if name == "content" { content = value }
                if name == "notindexed" { unindexed.insert(SchemaName(value)) }
            } else if isFTS5, argument.dropFirst().contains(where: { $0.is("UNINDEXED") }) {
                unindexed.insert(SchemaName(argument.first!.name))
            }
        }
    }
}
