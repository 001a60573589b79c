import SQLiteDriver

extension QueryTyping {
    /// A column of a table of a FROM clause, by their numbers.
    struct Place: Hashable {
        var source: Int
        var column: Int
    }

    /// The columns that `*` or `table.*` means.
    struct Star {
        /// The table; nil for `*`.
        var table: String?
        var scope: Scope
        /// The names in ORDER BY that could mean something else. There, the columns of a star have precedence over tables, like aliases.
        var orderNames: Set<SchemaName> = []

        /// The tables whose columns it means. Of two tables with the same name, SQLite would complain.
        var sources: [Int] {
            scope.sources.indices.filter { index in table.map { SchemaName($0) == SchemaName(scope.sources[index].name) } ?? true }
        }

        var places: [Place] { sources.flatMap { source in columns(of: source).map { Place(source: source, column: $0) } } }

        /// Whether only the statement decides which columns these are: they are those of subqueries and common tables.
        var isFixed: Bool { sources.allSatisfy { scope.sources[$0].table.isDerived } }

        /// The columns of a table.
        ///
        /// - Parameter nested: the tables that rows nest. They have all of their columns, also those of USING, which `*` shows once.
        func columns(of index: Int, nesting nested: Set<Int> = []) -> [Int] {
            let source = scope.sources[index]
            return source.table.columns.indices.filter { number in
                guard !source.table.columns[number].isHidden else { return false }
                let name = SchemaName(source.table.columns[number].name)
                guard table == nil, source.joined.contains(name), !nested.contains(index) else { return true }
                // Where a nested row may be missing, it does not show the column of USING.
                return nested.contains { $0 < index && scope.sources[$0].merged[name] != nil }
            }
        }

        /// Whether the column of USING is the one of the table that has a row, in a RIGHT or FULL JOIN. `table.*` shows it, too.
        func isMerged(_ place: Place) -> Bool {
            let source = scope.sources[place.source]
            return source.merged[SchemaName(source.table.columns[place.column].name)] != nil
        }
    }

    /// Notes by which names a query orders its rows.
    mutating func noteOrder(of query: SQLQueryTree) {
        let names = query.orders.compactMap { term -> SchemaName? in
            var term = term
            while case .collate(let operand) = term.kind { term = operand }
            if case .column(nil, let name, _) = term.kind { return SchemaName(name) }
            return nil
        }
        for core in query.cores {
            let aliases = Set(core.aliases.keys)
            for result in core.columns {
                guard let scope = stars[result.range]?.scope else { continue }
                stars[result.range]?.orderNames = Set(names).filter { name in
                    let count = scope.sources.count { !$0.joined.contains(name) && $0.column(name) != nil }
                    return count > 1 || aliases.contains(name) || !query.operators.isEmpty
                }
            }
        }
    }

    /// Leaves the stars of a query as they are.
    mutating func keepStars(of query: SQLQueryTree) {
        for result in query.cores.flatMap(\.columns) { stars[result.range] = nil }
    }
}

extension QueryTyping.Scope {
    /// Whether rows of the result may have no row of a table.
    func mayMiss(_ source: Int) -> Bool {
        mayBeEmpty || sources[source].mayBeMissing && !presentSources.contains(source)
    }
}

/// Replaces the stars of a statement by lists of columns.
struct StarLists {
    let schema: QuerySchema
    /// The names that a subquery without a name must not get.
    let taken: Set<SchemaName>
    private(set) var edits: [EditedSQL.Edit] = []
    /// The names for subqueries without a name, by the places of the ends of these.
    private var names: [Int: String] = [:]

    init(_ schema: QuerySchema, _ parser: SQLParser) {
        self.schema = schema
        taken = Set(parser.tokens.filter { $0.kind != .sign }.map { SchemaName($0.text.unquotedSQLName) })
    }

    /// Lists the columns of a star.
    ///
    /// - Parameter nested: the tables that rows nest.
    mutating func list(_ star: QueryTyping.Star, at range: Range<Int>, nesting nested: Set<Int> = []) throws {
        var items: [String] = []
        for index in star.sources {
            let source = star.scope.sources[index]
            let columns = star.columns(of: index, nesting: nested)
            let isShown = { (column: Int) in !nested.contains(index) && star.isMerged(QueryTyping.Place(source: index, column: column)) }
            let table = try name(of: source)
            // The columns of a subquery are those that it lists.
            if source.table.isDerived, columns.count == source.table.columns.count, !columns.contains(where: isShown) {
                items.append("\(table).*")
                continue
            }
            for column in columns {
                let key = SchemaName(source.table.columns[column].name)
                let name = try schema.written(source.table.columns[column].name)
                let isShared = source.joined.contains(key) || source.merged[key] != nil
                // SQLite names a column of two tables like the expression, with its quotes. ORDER BY means it only without an alias.
                let isNamed =
                    isShown(column) && name.hasPrefix("\"")
                    || star.orderNames.contains(key) && !(isShared && nested.contains(index))
                items.append((isShown(column) ? name : "\(table).\(name)") + (isNamed ? " AS \(name)" : ""))
            }
        }
        edits.append(EditedSQL.Edit(range: range, items: items))
    }

    private mutating func name(of source: QueryTyping.Source) throws -> String {
        guard source.name.isEmpty, let end = source.end else { return try schema.written(source.name) }
        if let name = names[end] { return name }
        var number = names.count + 1
        while taken.contains(SchemaName("subquery\(number)")) || names.values.contains("subquery\(number)") { number += 1 }
        names[end] = "subquery\(number)"
        edits.append(EditedSQL.Edit(range: end..<end, items: [" AS subquery\(number)"]))
        return names[end]!
    }
}
