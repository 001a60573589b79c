import SQLiteDriver

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
