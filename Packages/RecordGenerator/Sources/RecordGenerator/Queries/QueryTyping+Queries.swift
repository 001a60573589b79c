import SQLiteDriver

extension QueryTyping {
    // MARK: - Common tables

    /// Returns a scope with the tables of a WITH clause.
    mutating func adding(_ tables: [SQLCommonTable], to scope: Scope) -> Scope {
        guard !tables.isEmpty else { return scope }
        let result = Scope(scope, common: CommonTables(tables, in: scope))
        // Parameters meet the expressions of all tables. One that is not understood is an error where it is used.
        for table in tables { _ = try? commonTable(table.name, in: result) }
        return result
    }

    /// Returns the table of a WITH clause with a name; nil if there is none.
    mutating func commonTable(_ name: String, in scope: Scope) throws -> QuerySchema.Table? {
        let key = SchemaName(name)
        var current = scope.common
        while let tables = current {
            if let table = tables.known[key] { return table }
            if let definition = tables.definitions[key] {
                guard tables.inProgress.insert(key).inserted else { throw SQLParser.NotUnderstood() }
                defer { tables.inProgress.remove(key) }
                let table = try resolve(definition, of: tables)
                tables.known[key] = table
                return table
            }
            current = tables.scope.common
        }
        return nil
    }

    private mutating func resolve(_ table: SQLCommonTable, of tables: CommonTables) throws -> QuerySchema.Table {
        func named(_ shape: Shape) -> QuerySchema.Table {
            QuerySchema.Table(
                name: table.name,
                columns: shape.columns.enumerated().map { index, column in
                    QuerySchema.Column(
                        name: table.columns.indices.contains(index) ? table.columns[index] : column.name, value: column.value)
                }, isDerived: true)
        }
        let scope = Scope(tables.scope, common: tables)
        guard let first = table.query.cores.firstIndex(where: { Self.names(table.name, $0) }) else {
            return named(try shape(of: table.query, in: scope))
        }
        guard first > 0 else { throw SQLParser.NotUnderstood() }
        // A recursive table: what holds for the first rows must hold for the rows that follow from them.
        let initial = SQLQueryTree()
        (initial.tables, initial.cores) = (table.query.tables, Array(table.query.cores[..<first]))
        initial.operators = Array(table.query.operators[..<(first - 1)])
        var known = named(try shape(of: initial, in: scope))
        for column in known.columns.indices { known.columns[column].value = known.columns[column].value.copied }
        defer { tables.known[SchemaName(table.name)] = nil }
        for _ in 0..<12 {
            tables.known[SchemaName(table.name)] = known
            let next = named(try shape(of: table.query, in: scope))
            guard next.columns.count == known.columns.count else { throw SQLParser.NotUnderstood() }
            var isStable = true
            for index in known.columns.indices where known.columns[index].value.widen(by: next.columns[index].value) { isStable = false }
            if isStable { return known }
        }
        throw SQLParser.NotUnderstood()
    }

    // MARK: - Compound queries

    /// The columns of a query, and the number of its rows.
    ///
    /// A column of a compound query has the values of all of its SELECTs, none of which are converted. The rows of EXCEPT and INTERSECT are
    /// rows of the first one.
    ///
    /// Source: <https://www.sqlite.org/lang_select.html#compound_select_statements>,
    /// <https://www.sqlite.org/datatype3.html#sorting_grouping_and_compound_selects>
    mutating func shape(of query: SQLQueryTree, in outer: Scope) throws -> Shape {
        let scope = adding(query.tables, to: Scope(outer))
        var result = try shape(of: query.cores[0], query.cores.count == 1 ? query.orders : [], in: scope)
        for (name, core) in zip(query.operators, query.cores.dropFirst()) {
            let other = try shape(of: core, [], in: scope)
            guard other.columns.count == result.columns.count else { throw SQLParser.NotUnderstood() }
            for index in result.columns.indices {
                let (left, right) = (result.columns[index].value, other.columns[index].value)
                var value = name == "EXCEPT" ? left : either([left, right])
                value.isNullable =
                    switch name {
                    case "EXCEPT": left.isNullable
                    // A row is in both queries. Compound queries compare NULL with NULL as equal.
                    case "INTERSECT": left.isNullable && right.isNullable
                    default: left.isNullable || right.isNullable
                    }
                value.origin = nil
                (result.columns[index].value, result.columns[index].place) = (value, nil)
            }
            result.scope = nil
            result.rowCount = name == "EXCEPT" || name == "INTERSECT" ? (result.rowCount == .many ? .many : .optional) : .many
        }
        noteOrder(of: query)
        try expectLimits(query.limit, query.offset, in: scope)
        if let limit = query.limit {
            if case .integer(let count?) = limit.kind, count >= 0 {
                if count <= 1, result.rowCount == .many || count == 0 { result.rowCount = .optional }
            } else if result.rowCount == .one {
                result.rowCount = .optional
            }
        }
        if query.offset != nil, result.rowCount == .one { result.rowCount = .optional }
        return result
    }

    /// The columns of VALUES: each has the values of all rows.
    private mutating func shape(of rows: [[SQLTerm]], in outer: Scope) throws -> Shape {
        let scope = Scope(parent: outer, common: outer.common)
        let values = try rows.map { try $0.map { try value(of: $0, in: scope) } }
        let columns = rows[0].indices.map { index in
            var result = either(values.map { $0[index] })
            result.isNullable = values.contains { $0[index].isNullable }
            return Shape.Column(
                name: "column\(index + 1)", value: result, range: rows[0][index].range, hasOwnName: false, followsStar: false)
        }
        return Shape(columns: columns, rowCount: rows.count == 1 ? .one : .many)
    }

    private mutating func shape(of core: SQLCore, _ orders: [SQLTerm], in outer: Scope) throws -> Shape {
        if let rows = core.rows { return try shape(of: rows, in: outer) }
        let aliases = core.aliases
        let (sources, joins, proven) = try core.source.map { try self.sources(of: $0, in: outer) } ?? ([], [], [])
        let scope = Scope(parent: outer, sources: sources, common: outer.common)
        for condition in joins + [core.condition].compactMap({ $0 }) { try check(condition, in: scope.seeing(aliases)) }
        let conditions = proven + [core.condition].compactMap { $0 }
        narrow(scope, by: conditions)

        let terms = core.columns.compactMap(\.term)
        let isAggregate = !core.groups.isEmpty || (terms + orders + [core.having].compactMap { $0 }).contains { hasAggregate($0) }
        for group in core.groups { _ = try value(of: group, in: scope.seeing(aliases)) }
        var results = scope
        if isAggregate {
            results = Scope(scope)
            results.rows = scope
            results.isAggregate = true
            // Without GROUP BY, a query without rows has one group, in which each column is NULL.
            results.mayBeEmpty = core.groups.isEmpty
        }
        try check(core.having, in: results.seeing(aliases))
        for term in core.windowTerms { _ = try value(of: term, in: results) }
        let columns = try columns(core.columns, in: results)
        for order in orders {
            // A number is a column.
            if case .integer = order.kind { continue }
            _ = try value(of: order, in: results.seeing(aliases))
        }
        let isUnique = !isAggregate && sources.count == 1 && self.isUnique(conditions, scope, source: 0)
        return Shape(columns: columns, rowCount: Self.rowCount(of: core, isAggregate: isAggregate, isUnique: isUnique), scope: results)
    }

    /// The number of rows of a SELECT: an aggregate without GROUP BY has one row, as has a SELECT without FROM, unless a condition drops it.
    ///
    /// Source: <https://www.sqlite.org/lang_select.html#resultset>
    ///
    /// - Parameter isUnique: whether the conditions find at most one row.
    private static func rowCount(of core: SQLCore, isAggregate: Bool, isUnique: Bool) -> QueryFile.Cardinality {
        if core.source != nil, !isAggregate || !core.groups.isEmpty { return isUnique ? .optional : .many }
        let mayDrop = core.having != nil || !core.groups.isEmpty || core.condition != nil && !isAggregate
        return mayDrop ? .optional : .one
    }

    mutating func columns(_ results: [SQLResult], in scope: Scope) throws -> [Shape.Column] {
        var columns: [Shape.Column] = []
        var followsStar = false
        for result in results {
            switch result.kind {
            case .star(let table):
                let star = Star(table: table, scope: scope)
                if star.sources.isEmpty { throw SQLParser.NotUnderstood() }
                stars[result.range] = star
                followsStar = true
                for place in star.places {
                    let value = value(ofColumn: place.column, of: place.source, in: scope, isMerged: true)
                    columns.append(
                        Shape.Column(
                            name: scope.sources[place.source].table.columns[place.column].name, value: value, range: result.range,
                            hasOwnName: true, followsStar: followsStar, place: star.isMerged(place) ? nil : place))
                }
            case .term(let term, let alias):
                let value = try value(of: term, in: scope)
                var name = alias
                var place: Place?
                if name == nil, case .column(let table, let column, _) = term.kind {
                    name = column
                    place = self.place(table: table, name: column, in: scope).flatMap { found in
                        table != nil || scope.sources[found.source].merged[SchemaName(column)] == nil ? found : nil
                    }
                }
                columns.append(
                    Shape.Column(
                        name: name ?? text(term.range), value: value, range: term.range, hasOwnName: name != nil, followsStar: followsStar,
                        place: place))
            }
        }
        return columns
    }

    func text(_ range: Range<Int>) -> String {
        parser.tokens.filter { range.contains($0.range.lowerBound) }.map(\.text).joined(separator: " ")
    }
}
