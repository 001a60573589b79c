import SQLiteDriver

extension QueryTyping {
    /// Gives the rows of a table in a FROM clause an identity of their own.
    mutating func number(_ table: inout QuerySchema.Table) {
        var numbers: [Int: Int] = [:]
        for index in table.columns.indices {
            guard let old = table.columns[index].value.origin?.source else { continue }
            if numbers[old] == nil {
                sourceCount += 1
                numbers[old] = sourceCount
            }
            table.columns[index].value.origin?.source = numbers[old]!
        }
    }

    /// The tables of a FROM clause, the conditions of its joins, and those conditions that hold for each row.
    typealias Sources = (sources: [Source], conditions: [SQLTerm], proven: [SQLTerm])

    mutating func sources(of source: SQLSource, in outer: Scope) throws -> Sources {
        switch source {
        case .table(let schema, let name, let alias, let arguments):
            let table = try table(schema, name, arguments, in: outer)
            return ([Source(name: alias ?? name, table: table)], [], [])
        case .query(let query, let alias):
            let shape = try shape(of: query, in: outer)
            let columns = shape.columns.map { QuerySchema.Column(name: $0.name, value: $0.value) }
            let table = QuerySchema.Table(name: alias ?? "", columns: columns, isDerived: true)
            return ([Source(name: alias ?? "", table: table, end: alias == nil ? query.end : nil)], [], [])
        case .join(let leftSource, let rightSource, let join):
            let (left, right) = (try sources(of: leftSource, in: outer), try sources(of: rightSource, in: outer))
            return joined(left, right, join)
        }
    }

    /// The table that a name in a FROM clause means, whose arguments may be parameters.
    private mutating func table(
        _ schemaName: String?, _ name: String, _ arguments: [SQLTerm]?, in outer: Scope
    ) throws -> QuerySchema.Table {
        var table: QuerySchema.Table
        if schemaName == nil, arguments == nil, let common = try commonTable(name, in: outer) {
            table = common
        } else {
            if let schemaName, SchemaName(schemaName) != SchemaName("main") { throw SQLParser.NotUnderstood() }
            table = try schemaTable(name)
        }
        number(&table)
        for (argument, column) in zip(arguments ?? [], table.columns.filter(\.isHidden)) { self.name(argument, column.name) }
        let pattern = table.patternType.map { QueryValue($0, isNullable: false) }
        let expected =
            name.foldingASCIICase == "generate_series" ? QueryValue.integer(isNullable: false) : pattern ?? .text(isNullable: false)
        for argument in arguments ?? [] {
            try expect(argument, expected, argument.range)
            // The argument may use the tables before this one, which are not known here.
            _ = try? value(of: argument, in: outer)
        }
        return table
    }

    /// The tables of a join.
    ///
    /// Where a row of one side has no partner, a LEFT, RIGHT or FULL JOIN gives it NULL in all columns of the other. There, what the
    /// conditions of the other side have proven no longer holds, nor does the condition of the join itself.
    ///
    /// Source: <https://www.sqlite.org/lang_select.html#fromclause>
    private func joined(_ left: Sources, _ right: Sources, _ join: SQLJoin) -> Sources {
        var (left, right) = (left, right)
        // NATURAL JOIN is USING with all columns of the same name.
        let names = join.isNatural ? right.sources.flatMap(\.shownNames).filter(left.sources.flatMap(\.shownNames).contains) : []
        for name in join.columns.map({ SchemaName($0) }) + names {
            for index in right.sources.indices where right.sources[index].column(name) != nil { right.sources[index].joined.insert(name) }
            guard join.leftMayBeMissing else { continue }
            // In a RIGHT or FULL JOIN, the value is that of any table that has a row, also of those joined before.
            let value = either((left.sources + right.sources).compactMap { $0.merged[name] ?? $0.column(name)?.value }).copied
            for index in left.sources.indices where left.sources[index].column(name) != nil { left.sources[index].merged[name] = value }
        }
        func loseRows(of side: inout Sources) {
            for index in side.sources.indices { side.sources[index].mayBeMissing = true }
            side.proven = []
        }
        if join.leftMayBeMissing { loseRows(of: &left) }
        if join.rightMayBeMissing { loseRows(of: &right) }
        let own = [join.condition].compactMap { $0 }
        let proven = left.proven + right.proven + (join.leftMayBeMissing || join.rightMayBeMissing ? [] : own)
        return (left.sources + right.sources, left.conditions + right.conditions + own, proven)
    }

    /// The table, view or function of the schema with a name.
    mutating func schemaTable(_ name: String) throws -> QuerySchema.Table {
        let range = parser.tokens.first { SchemaName($0.text.unquotedSQLName) == SchemaName(name) }?.range
        do {
            let table = try schema.table(name)
            if table.isUnknown, let range { unknownViews.append((name, range)) }
            return table
        } catch let error as SQLParser.NotUnderstood { throw error.placed(at: range) }
    }

    /// Returns whether a core reads a table, at any depth.
    static func names(_ name: String, _ core: SQLCore) -> Bool {
        func names(_ source: SQLSource) -> Bool {
            switch source {
            case .table(let schema, let table, _, _): schema == nil && SchemaName(table) == SchemaName(name)
            case .query(let query, _): Self.names(name, query)
            case .join(let left, let right, _): names(left) || names(right)
            }
        }
        return core.source.map(names) ?? false
    }

    static func names(_ name: String, _ query: SQLQueryTree) -> Bool {
        // A table of its own WITH hides the other one.
        if query.tables.contains(where: { SchemaName($0.name) == SchemaName(name) }) { return false }
        return query.cores.contains { names(name, $0) } || query.tables.contains { names(name, $0.query) }
    }

    // MARK: - Columns

    /// What is proven about a column of a scope.
    ///
    /// An outer join replaces the whole row by NULL, and a group without rows has none. A condition that is only true for values other than
    /// NULL selects none of these rows.
    ///
    /// - Parameter isMerged: whether the name may mean the column of USING, which has no table.
    func value(ofColumn number: Int, of index: Int, in scope: Scope, isMerged: Bool = false) -> QueryValue {
        let source = scope.sources[index]
        var value = source.table.columns[number].value
        if scope.mayMiss(index) { value = value.missing }
        if isMerged, let merged = source.merged[SchemaName(source.table.columns[number].name)] { value = merged.nullable() }
        if scope.present.contains(Place(source: index, column: number)) { value.isNullable = false }
        if scope.mayBeEmpty { value = value.missing }
        return value
    }

    /// The place of a column in a scope; nil if it is not a column of this scope.
    ///
    /// A name without a table means the column of USING of the first table that has it.
    func place(table: String?, name: String, in scope: Scope) -> Place? {
        let key = SchemaName(name)
        for (index, source) in scope.sources.enumerated() {
            if let table, SchemaName(source.name) != SchemaName(table) { continue }
            guard let number = source.table.columns.firstIndex(where: { SchemaName($0.name) == key }) else { continue }
            if table == nil, source.joined.contains(key) { continue }
            return Place(source: index, column: number)
        }
        return nil
    }
}
