import RowDecoding

/// A CREATE INDEX statement.
struct IndexDefinition {
    /// An indexed column or expression.
    enum Term {
        case column(String)
        case ordering(SQLOrdering)
    }

    var name: String
    let table: String
    let terms: [Term]
    let options: IndexOptions

    /// The database of the table and the index, or nil for the first database that has the table.
    var schema: String?

    /// The condition of a partial index, or nil to index all rows.
    var condition: SQLExpression?

    /// Writes the statement.
    func render(to renderer: inout SQLRenderer) throws {
        renderer.append(options.contains(.unique) ? "CREATE UNIQUE INDEX " : "CREATE INDEX ")
        if options.contains(.ifNotExists) { renderer.append("IF NOT EXISTS ") }
        if let schema { renderer.append("\(schema.quotedDatabaseIdentifier).") }
        renderer.append("\(name.quotedDatabaseIdentifier) ON \(table.quotedDatabaseIdentifier) (")
        try renderer.append(terms, separator: ", ") { renderer, term in
            switch term {
            case .column(let name): renderer.append(identifier: name)
            case .ordering(let ordering): try renderer.appendUncommented { try $0.append(ordering) }
            }
        }
        renderer.append(")")
        if let condition {
            renderer.append(" WHERE ")
            try renderer.append(condition)
        }
    }

    /// Returns the name of an index that belongs to the definition of its table or column.
    static func name(table: String, columns: [String]) -> String {
        "\(table)_on_\(columns.joined(separator: "_"))"
    }

    /// Returns the name of an index that is created separately, without a name. It differs from the name above, so that a table can have
    /// both indexes.
    static func defaultName(table: String, columns: [String]) -> String {
        "index_\(table)_on_\(columns.joined(separator: "_"))"
    }
}
