import SQLiteDriver

extension QueryTyping {
    mutating func addTables(_ tables: [SQLCommonTable], to scope: Scope) throws {
        for table in tables {
            func named(_ shape: Shape) -> QuerySchema.Table {
                QuerySchema.Table(
                    name: table.name,
                    columns: shape.columns.enumerated().map { index, column in
                        QuerySchema.Column(
                            name: table.columns.indices.contains(index) ? table.columns[index] : column.name, value: column.value)
                    }, isDerived: true)
            }
            guard let first = table.query.cores.firstIndex(where: { Self.names(table.name, $0) }) else {
                if table.query.tables.contains(where: { Self.names(table.name, $0.query) }) { throw SQLParser.NotUnderstood() }
                scope.tables[SchemaName(table.name)] = named(try shape(of: table.query, in: scope))
                continue
            }
            guard first > 0 else { throw SQLParser.NotUnderstood() }
            // A recursive table: what holds for the first rows must hold for the rows that follow from them.
            let initial = SQLQueryTree()
            (initial.tables, initial.cores) = (table.query.tables, Array(table.query.cores[..<first]))
            initial.operators = Array(table.query.operators[..<(first - 1)])
            var known = named(try shape(of: initial, in: scope))
            for column in known.columns.indices {
                known.columns[column].value.origin = nil
                if known.columns[column].value.literal != .null { known.columns[column].value.literal = nil }
            }
            for round in 0..<12 {
                let inner = Scope(parent: scope.parent, sources: scope.sources, tables: scope.tables)
                inner.tables[SchemaName(table.name)] = known
                let next = named(try shape(of: table.query, in: inner))
                guard next.columns.count == known.columns.count else { throw SQLParser.NotUnderstood() }
                var isStable = true
                for index in known.columns.indices {
                    let (old, new) = (known.columns[index].value, next.columns[index].value)
                    if new.isNullable, !old.isNullable { (known.columns[index].value.isNullable, isStable) = (true, false) }
                    if old.storage != nil, new.storage != old.storage { (known.columns[index].value.storage, isStable) = (nil, false) }
                    if old.magnitude != nil, new.magnitude != old.magnitude {
                        (known.columns[index].value.magnitude, isStable) = (nil, false)
                    }
                    if new.type != old.type, old.type != nil || new.type != nil {
                        if old.literal != nil, new.type != nil {
                            (known.columns[index].value.type, known.columns[index].value.literal, isStable) = (new.type, nil, false)
                        } else if old.type != nil {
                            (known.columns[index].value.type, known.columns[index].value.literal, isStable) = (nil, nil, false)
                        }
                    }
                }
                if isStable { break }
                if round == 11 { throw SQLParser.NotUnderstood() }
            }
            scope.tables[SchemaName(table.name)] = known
        }
    }

    mutating func shape(of query: SQLQueryTree, in outer: Scope) throws -> Shape {
        let scope = Scope(parent: outer.parent, sources: outer.sources, tables: outer.tables)
        scope.present = outer.present
        scope.presentSources = outer.presentSources
        scope.mayBeEmpty = outer.mayBeEmpty
        scope.rows = outer.rows
        scope.isAggregate = outer.isAggregate
        try addTables(query.tables, to: scope)
        var result = try shape(of: query.cores[0], query.cores.count == 1 ? query.orders : [], in: scope)
        for (name, core) in zip(query.operators, query.cores.dropFirst()) {
            let other = try shape(of: core, [], in: scope)
            guard other.columns.count == result.columns.count else { throw SQLParser.NotUnderstood() }
            for index in result.columns.indices {
                let (left, right) = (result.columns[index].value, other.columns[index].value)
                var value = name == "EXCEPT" ? left : QueryValue.either([left, right])
                value.isNullable =
                    switch name {
                    case "EXCEPT": left.isNullable
                    // A row is in both queries.
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

    mutating func shape(of core: SQLCore, _ orders: [SQLTerm], in outer: Scope) throws -> Shape {
        if let rows = core.rows {
            let scope = Scope(parent: outer, tables: outer.tables)
            var values: [[QueryValue]] = []
            for row in rows { values.append(try row.map { try value(of: $0, in: scope) }) }
            let columns = (0..<rows[0].count).map { index in
                var result = QueryValue.either(values.map { $0[index] })
                result.isNullable = values.contains { $0[index].isNullable }
                return Shape.Column(
                    name: "column\(index + 1)", value: result, range: rows[0][index].range, hasOwnName: false, followsStar: false)
            }
            return Shape(columns: columns, rowCount: rows.count == 1 ? .one : .many)
        }
        var scope = Scope(parent: outer, tables: outer.tables)
        var proven: [SQLTerm] = []
        if let source = core.source {
            let (sources, joins, conditions) = try sources(of: source, in: outer)
            scope = Scope(parent: outer, sources: sources, tables: outer.tables)
            for join in joins { try check(join, in: scope) }
            proven = conditions
        }
        for result in core.columns {
            if case .term(let term, let alias?) = result.kind { scope.aliases[SchemaName(alias)] = term }
        }
        try check(core.condition, in: scope)
        proven += [core.condition].compactMap { $0 }
        try narrow(scope, by: proven)

        let terms = core.columns.compactMap { result -> SQLTerm? in if case .term(let term, _) = result.kind { term } else { nil } }
        let isAggregate = !core.groups.isEmpty || (terms + orders + [core.having].compactMap { $0 }).contains { hasAggregate($0) }
        for group in core.groups { _ = try value(of: group, in: scope) }
        var results = scope
        if isAggregate {
            results = Scope(parent: outer, sources: scope.sources, tables: scope.tables)
            (results.present, results.presentSources, results.aliases) = (scope.present, scope.presentSources, scope.aliases)
            results.rows = scope
            results.isAggregate = true
            // Without GROUP BY, a query without rows has one group.
            results.mayBeEmpty = core.groups.isEmpty
        }
        try check(core.having, in: results)
        for term in core.windowTerms { _ = try value(of: term, in: results) }
        let columns = try columns(core.columns, in: results)
        for order in orders {
            // A number is a column.
            if case .integer = order.kind { continue }
            _ = try value(of: order, in: results)
        }
        var rowCount = QueryFile.Cardinality.many
        if isAggregate, core.groups.isEmpty || core.source == nil {
            rowCount = core.having == nil && core.groups.isEmpty ? .one : .optional
        } else if core.source == nil {
            rowCount = core.condition == nil && core.having == nil ? .one : .optional
        } else if !isAggregate, scope.sources.count == 1, isUnique(proven, scope, source: 0) {
            rowCount = .optional
        }
        return Shape(columns: columns, rowCount: rowCount, scope: results)
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
                    if let found = self.place(table: table, name: column, in: scope),
                        table != nil || scope.sources[found.source].merged[SchemaName(column)] == nil
                    {
                        place = Place(source: found.source, column: found.column)
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
