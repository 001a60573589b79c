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

extension StatementCompilation {
    /// Lists the columns that stars mean, and chooses the tables that rows nest.
    ///
    /// A program can then read columns by their positions, also from a database to which a newer version of it has added columns. A `*`
    /// that is the only column of a query of one table stays: its columns are read by their names.
    mutating func listStars(_ description: inout SQLCompilation.Description) throws {
        hasCertainPositions = !parser.tokens.contains { $0.text == "*" }
        if statement.nests.isEmpty, hasCertainPositions { return }
        var parser = parser
        var typing = QueryTyping(compiler.schema, parser)
        typing.isAboutStars = true
        guard let tree = try? parser.statement(), let shape = try? typing.shape(of: tree),
            shape.columns.count == description.columns.count
        else { return addNestProblem("the statement is not understood") }
        let outermost = Set((tree.query.map { $0.cores[0].columns } ?? tree.returning ?? []).map(\.range))
        chooseNests(shape, typing.stars.filter { outermost.contains($0.key) })

        var lists = StarLists(compiler.schema, parser)
        var keepsStar = false
        for (range, star) in typing.stars {
            let nested = outermost.contains(range) ? Set(nests.map(\.source)).intersection(star.sources) : []
            if nested.isEmpty, star.isFixed { continue }
            if nested.isEmpty, keeps(star, at: range, tree, shape) {
                keepsStar = true
            } else {
                try lists.list(star, at: range, nesting: nested)
            }
        }
        hasCertainPositions = !keepsStar
        if lists.edits.isEmpty { return }
        let edited = EditedSQL(statement.sql, lists.edits)
        guard let listed = try self.description(of: edited, insteadOf: description) else {
            hasCertainPositions = false
            addNestProblem("its columns can't be listed")
            nests = []
            if statement.nests.isEmpty, let range = typing.stars.keys.min(by: { $0.lowerBound < $1.lowerBound }) {
                add(
                    "the columns of \(text(range)) can't be listed: columns that are added to the table later would move those behind it",
                    at: range, isWarning: true)
            }
            return
        }
        (sql, self.parser, description) = (edited, SQLParser(edited.text), listed)
    }

    /// How SQLite describes the statement with lists of columns; nil if it disagrees, and finds other columns than in the statement itself.
    private func description(of edited: EditedSQL, insteadOf old: SQLCompilation.Description) throws -> SQLCompilation.Description? {
        guard case .statement(let listed, _) = try compiler.db.compile(edited.text) else { return nil }
        // A nested row shows the columns of USING, which `*` shows once.
        if !nests.isEmpty { return listed }
        let isSame = listed.columns.elementsEqual(old.columns) {
            Self.name($0.name) == Self.name($1.name) && $0.declaredType == $1.declaredType
        }
        return isSame ? listed : nil
    }

    /// The name of a column without the number that SQLite appends to equal names of a subquery: after the third, it is random.
    private static func name(_ name: String) -> Substring {
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
        return name.dropLast(digits).last == ":" ? name.dropLast(digits + 1) : name[...]
    }

    /// Whether a star stays: it is the only column of a query of one table, whose columns have names, and no positions.
    private func keeps(
        _ star: QueryTyping.Star, at range: Range<Int>, _ tree: SQLStatementTree, _ shape: QueryTyping.Shape
    ) -> Bool {
        guard star.scope.sources.count == 1, shape.columns.count > 1 else { return false }
        if let returning = tree.returning { return returning.count == 1 && returning[0].range == range }
        guard tree.kind == .query, let query = tree.query, query.operators.isEmpty, query.cores[0].columns.count == 1,
            query.cores[0].columns[0].range == range
        else { return false }
        let isDistinct = parser.tokens.last { $0.range.upperBound <= range.lowerBound }?.keyword == "DISTINCT"
        return !isDistinct && !(query.orders + query.cores[0].groups).contains { if case .integer = $0.kind { true } else { false } }
    }
}
