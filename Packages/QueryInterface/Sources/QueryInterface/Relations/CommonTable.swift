import RowDecoding

/// A common table expression: a name for a query.
struct CommonTable: Sendable {
    let name: String
    let columns: [String]?
    let isRecursive: Bool
    let query: SQLSubquery

    /// Writes the expression as it stands after WITH.
    func render(to renderer: inout SQLRenderer) throws {
        renderer.append(identifier: name)
        if let columns {
            renderer.append("(")
            renderer.append(columns, separator: ", ") { $0.append(identifier: $1) }
            renderer.append(")")
        }
        renderer.append(" AS (")
        try query.render(to: &renderer)
        renderer.append(")")
    }

    /// The names of the columns, which SQLite tells when they were not given.
    func columnNames(_ db: Database) throws -> [String] {
        if let columns { return columns }
        let statement = try db.cachedStatement { renderer in
            renderer.append(isRecursive ? "WITH RECURSIVE " : "WITH ")
            try render(to: &renderer)
            renderer.append(" SELECT * FROM ")
            renderer.append(identifier: name)
        }
        return statement.columnNames
    }

    /// Writes the WITH clause, if there is one.
    static func renderAll(_ tables: [CommonTable], to renderer: inout SQLRenderer) throws {
        guard !tables.isEmpty else { return }
        renderer.append(tables.contains(where: \.isRecursive) ? "WITH RECURSIVE " : "WITH ")
        try renderer.append(tables, separator: ", ") { try $1.render(to: &$0) }
        renderer.append(" ")
    }
}
