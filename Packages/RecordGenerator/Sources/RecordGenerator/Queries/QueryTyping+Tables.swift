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
    mutating func sources(
        of source: SQLSource, in outer: Scope
    ) throws -> (sources: [Source], conditions: [SQLTerm], proven: [SQLTerm]) {
        switch source {
        case .table(let schemaName, let name, let alias, let arguments):
            var table: QuerySchema.Table
            if schemaName == nil, arguments == nil, let common = try commonTable(name, in: outer) {
                table = common
            } else {
                if let schemaName, SchemaName(schemaName) != SchemaName("main") { throw SQLParser.NotUnderstood() }
                table = try schemaTable(name)
            }
            number(&table)
            for (argument, column) in zip(arguments ?? [], table.columns.filter(\.isHidden)) { self.name(argument, column.name) }
            for argument in arguments ?? [] {
                try expect(
                    argument, name.foldingASCIICase == "generate_series" ? .integer(isNullable: false) : .text(isNullable: false),
                    argument.range)
                // The argument may use the tables before this one, which are not known here.
                _ = try? value(of: argument, in: outer)
            }
            return ([Source(name: alias ?? name, table: table)], [], [])
        case .query(let query, let alias):
            let shape = try shape(of: query, in: outer)
            let columns = shape.columns.map { QuerySchema.Column(name: $0.name, value: $0.value) }
            let table = QuerySchema.Table(name: alias ?? "", columns: columns, isDerived: true)
            return ([Source(name: alias ?? "", table: table, end: alias == nil ? query.end : nil)], [], [])
        case .join(let leftSource, let rightSource, let join):
            var (left, leftConditions, leftProven) = try sources(of: leftSource, in: outer)
            var (right, rightConditions, rightProven) = try sources(of: rightSource, in: outer)
            var names = join.columns
            if join.isNatural {
                names = right.flatMap { source in source.table.columns.filter { !$0.isHidden }.map(\.name) }.filter { name in
                    left.contains { $0.table.columns.contains { SchemaName($0.name) == SchemaName(name) && !$0.isHidden } }
                }
            }
            for name in names.map(SchemaName.init) {
                for index in right.indices where right[index].table.columns.contains(where: { SchemaName($0.name) == name }) {
                    right[index].joined.insert(name)
                }
                // In a RIGHT or FULL JOIN, the value is that of any table that has a row, also of those joined before.
                if join.leftMayBeMissing {
                    let value = either((left + right).compactMap { $0.merged[name] ?? $0.column(name)?.value }).copied
                    for index in left.indices where left[index].column(name) != nil { left[index].merged[name] = value }
                }
            }
            if join.leftMayBeMissing {
                for index in left.indices { left[index].mayBeMissing = true }
                leftProven = []
            }
            if join.rightMayBeMissing {
                for index in right.indices { right[index].mayBeMissing = true }
                rightProven = []
            }
            let own = [join.condition].compactMap { $0 }
            let isInner = !join.leftMayBeMissing && !join.rightMayBeMissing
            return (left + right, leftConditions + rightConditions + own, leftProven + rightProven + (isInner ? own : []))
        }
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
    func value(ofColumn number: Int, of index: Int, in scope: Scope, isMerged: Bool = false) -> QueryValue {
        let source = scope.sources[index]
        var value = source.table.columns[number].value
        let isPresent = scope.present.contains([index, number])
        if scope.mayMiss(index) { value = value.missing }
        if isMerged, let merged = source.merged[SchemaName(source.table.columns[number].name)] { value = merged.nullable() }
        if isPresent { value.isNullable = false }
        if scope.mayBeEmpty { value = value.missing }
        return value
    }

    /// The place of a column in a scope: its table, and its number; nil if it is not a column of this scope.
    func place(table: String?, name: String, in scope: Scope) -> (source: Int, column: Int)? {
        let key = SchemaName(name)
        for (index, source) in scope.sources.enumerated() {
            if let table, SchemaName(source.name) != SchemaName(table) { continue }
            guard let number = source.table.columns.firstIndex(where: { SchemaName($0.name) == key }) else { continue }
            if table == nil, source.joined.contains(key) { continue }
            return (index, number)
        }
        return nil
    }

    // MARK: - Conditions

    /// Notes the columns that conditions prove not to be NULL.
    mutating func narrow(_ scope: Scope, by conditions: [SQLTerm]) throws {
        for condition in conditions {
            for (table, name) in present(condition) {
                guard let place = place(table: table, name: name, in: scope) else { continue }
                // A column that comes from one of two tables proves nothing about either.
                if table == nil, scope.sources[place.source].merged[SchemaName(name)] != nil { continue }
                scope.present.insert([place.source, place.column])
                scope.presentSources.insert(place.source)
            }
        }
    }

    /// The columns that are not NULL where a condition is true.
    ///
    /// WHERE and inner joins leave out the rows where the condition is NULL. A comparison is NULL if one of its sides is.
    func present(_ condition: SQLTerm) -> [(String?, String)] { condition.conjuncts.flatMap(presentColumns) }

    private func presentColumns(_ condition: SQLTerm) -> [(String?, String)] {
        switch condition.kind {
        case .nullTest(let term, isNegated: true): return strict(term)
        case .prefix("NOT", let term):
            switch term.kind {
            case .nullTest(let operand, isNegated: false): return strict(operand)
            case .binary(let sign, let left, let right) where Self.comparisons.contains(sign): return strict(left) + strict(right)
            case .like(let name, let left, let right, _) where name == "LIKE" || name == "GLOB": return strict(left) + strict(right)
            case .inList(let operand, let items) where !items.isEmpty && !isList(items): return strict(operand)
            case .column: return strict(term)
            default: return []
            }
        case .binary(let sign, let left, let right) where Self.comparisons.contains(sign): return strict(left) + strict(right)
        case .between(let operand, let low, let high): return strict(operand) + strict(low) + strict(high)
        case .like(let name, let left, let right, _) where name == "LIKE" || name == "GLOB": return strict(left) + strict(right)
        case .inList(let operand, let items) where !items.isEmpty: return strict(operand)
        case .inQuery(let operand, _): return strict(operand)
        case .column: return strict(condition)
        default: return []
        }
    }

    /// Whether the items of IN are a list parameter, which may be empty.
    func isList(_ items: [SQLTerm]) -> Bool {
        if items.count == 1, case .parameter = items[0].kind { true } else { false }
    }

    static let comparisons: Set<String> = ["=", "==", "<>", "!=", "<", "<=", ">", ">="]

    /// The columns that make an expression NULL if they are NULL.
    func strict(_ term: SQLTerm) -> [(String?, String)] {
        var columns: [(String?, String)] = []
        var pending = [term]
        while let term = pending.popLast() {
            switch term.kind {
            // A name in double quotes may be a string.
            case .column(let table, let name, let isDoubleQuoted) where !isDoubleQuoted: columns.append((table, name))
            case .collate(let operand), .cast(let operand, _): pending.append(operand)
            case .prefix(let sign, let operand) where sign != "NOT": pending.append(operand)
            case .binary(let sign, let left, let right) where ["+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>"].contains(sign):
                pending += [left, right]
            case .call(let call) where ["lower", "upper", "length", "abs", "trim"].contains(call.name) && call.arguments.count == 1:
                pending.append(call.arguments[0])
            default: break
            }
        }
        return columns
    }

    /// Returns whether conditions select at most one row of a table: they give each column of a unique key one value.
    func isUnique(_ conditions: [SQLTerm], _ scope: Scope, source: Int) -> Bool {
        var columns: Set<SchemaName> = []
        for term in conditions.flatMap(\.conjuncts) {
            guard case .binary(let sign, let left, let right) = term.kind, sign == "=" || sign == "==" else { continue }
            for (column, other) in [(left, right), (right, left)] {
                guard case .column(let table, let name, _) = column.kind, isConstant(other),
                    let place = place(table: table, name: name, in: scope), place.source == source
                else { continue }
                columns.insert(SchemaName(scope.sources[source].table.columns[place.column].name))
            }
        }
        return scope.sources[source].table.uniqueKeys.contains { $0.isSubset(of: columns) }
    }

    func isConstant(_ term: SQLTerm) -> Bool {
        switch term.kind {
        case .parameter, .integer, .real, .string, .blob: true
        case .prefix("-", let operand): isConstant(operand)
        default: false
        }
    }
}
