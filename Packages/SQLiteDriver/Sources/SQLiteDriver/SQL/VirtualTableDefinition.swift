/// The module of a virtual table and its arguments, as `CREATE VIRTUAL TABLE` has them. The arguments are parsed as full-text modules parse
/// them.
///
/// Source: <https://www.sqlite.org/fts5.html#fts5_table_creation_and_initialization>
package struct VirtualTableDefinition: Hashable, Sendable {
    /// A column or an option.
    package struct Argument: Hashable, Sendable {
        /// The name, without quotes.
        package let name: String

        /// The value of an option, without quotes; nil for a column.
        package let value: String?

        /// The words that follow the name of a column, in capitals.
        package let words: [String]
    }

    /// The name of the module, in lowercase.
    package let module: String

    package let arguments: [Argument]

    /// Reads a statement as the schema stores it; nil for a statement that does not create a virtual table.
    package init?(_ sql: String) {
        let tokens = SQLTokens(sql)
        // As a name of the table or of its database, USING is in quotes.
        guard sql.isVirtualTable, let using = tokens.tokens.indices.first(where: { tokens.keyword($0) == "USING" }),
            using + 1 < tokens.count
        else { return nil }
        module = tokens.name(using + 1).foldingASCIICase
        guard let end = tokens.indexOfClosing(using + 2) else {
            arguments = []
            return
        }
        arguments = tokens.split((using + 3)..<end, atCommasOfDepth: 1).filter { !$0.isEmpty }.map { part in
            let isOption = part.count > 1 && tokens.text(part.lowerBound + 1) == "="
            return Argument(
                name: tokens.name(part.lowerBound), value: isOption ? part.dropFirst(2).first.map { tokens.name($0) } ?? "" : nil,
                words: isOption ? [] : part.dropFirst().map { tokens.keyword($0) })
        }
    }

    /// Returns the value of an option, or nil if the table does not have it.
    ///
    /// FTS5 accepts abbreviations of the names of options.
    package func value(ofOption name: String) -> String? {
        arguments.first { argument in
            let key = argument.name.foldingASCIICase
            return argument.value != nil && (key == name || module == "fts5" && !key.isEmpty && name.hasPrefix(key))
        }?.value
    }
}
