import RowDecoding

/// A SELECT statement: its clauses, and how they are written.
struct SelectQuery: Sendable {
    struct Limit: Sendable {
        let count: Int
        let offset: Int?
    }

    var table: String
    var selection: [SQLSelection]
    var filters: [SQLExpression] = []
    var orderings: [SQLOrdering] = []
    var limit: Limit?

    init(table: String, selection: [SQLSelection]) {
        self.table = table
        self.selection = selection
    }

    func render(to renderer: inout SQLRenderer) throws {
        renderer.append("SELECT ")
        try renderer.append(selection, separator: ", ") { try $0.append($1) }
        try renderFromAndWhere(to: &renderer)
        if !orderings.isEmpty {
            renderer.append(" ORDER BY ")
            try renderer.append(orderings, separator: ", ") { try $0.append($1) }
        }
        if let limit {
            renderer.append(" LIMIT \(limit.count)")
            if let offset = limit.offset { renderer.append(" OFFSET \(offset)") }
        }
    }

    /// Writes the query that counts the rows of this one.
    func renderCount(to renderer: inout SQLRenderer) throws {
        if limit == nil {
            // The order makes no difference to the count.
            renderer.append("SELECT count(*)")
            try renderFromAndWhere(to: &renderer)
        } else {
            renderer.append("SELECT count(*) FROM (")
            try render(to: &renderer)
            renderer.append(")")
        }
    }

    private func renderFromAndWhere(to renderer: inout SQLRenderer) throws {
        renderer.append(" FROM ")
        renderer.append(identifier: table)
        guard !filters.isEmpty else { return }
        renderer.append(" WHERE ")
        if filters.count == 1 {
            try renderer.append(filters[0])
        } else {
            try renderer.append(filters, separator: " AND ") { try $0.append($1, atLeast: .and) }
        }
    }
}
