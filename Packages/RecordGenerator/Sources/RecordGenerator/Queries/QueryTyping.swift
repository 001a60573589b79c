import ValueConversion

/// Proves types, and where NULL is impossible.
///
/// Whatever is not understood is an error (``SQLParser/NotUnderstood``), after which the caller assumes nothing.
struct QueryTyping {
    /// The columns of a query, and how many rows it returns.
    struct Shape {
        struct Column {
            var name: String
            var value: QueryValue
            /// The place of the expression.
            var range: Range<Int>
            /// Whether SQLite defines the name: it is an alias, or the name of a column.
            var hasOwnName: Bool
            /// Whether `*` comes before the column, so that a change of a table may move it.
            var followsStar: Bool
        }

        var columns: [Column]
        var rowCount: QueryFile.Cardinality
    }

    /// What a parameter has met.
    struct ParameterFacts {
        struct Meeting {
            var value: QueryValue
            /// The place of the parameter, and of the expression that it meets.
            var range: Range<Int>
            var partner: Range<Int>
        }

        var meetings: [Meeting] = []
        /// Whether NULL makes sense as a value.
        var isOptional = false
        /// Whether the SQL tests for NULL.
        var isNullTested = false
        /// The type that is used for expressions with the parameter.
        var value = QueryValue.unknown
    }

    /// A table of a FROM clause.
    struct Source {
        var name: String
        var table: QuerySchema.Table
        /// The columns that another table shows: those of USING.
        var joined: Set<SchemaName> = []
        /// Whether outer joins may replace the row by NULL.
        var mayBeMissing = false
        /// The columns whose values come from one of two tables, with their type if both have the same.
        var merged: [SchemaName: QueryType?] = [:]

        func column(_ name: SchemaName) -> QuerySchema.Column? { table.columns.first { SchemaName($0.name) == name } }
    }

    /// The names that an expression can use.
    final class Scope {
        let parent: Scope?
        let sources: [Source]
        /// The tables of WITH, by their names.
        var tables: [SchemaName: QuerySchema.Table]
        /// Whether there may be no row: an aggregate of an empty table.
        var mayBeEmpty = false
        /// The scope of the rows that an aggregate reads.
        var rows: Scope?
        /// The columns that conditions have proven not to be NULL.
        var present: Set<[Int]> = []
        var presentSources: Set<Int> = []
        /// The selected expressions, by their aliases.
        var aliases: [SchemaName: SQLTerm] = [:]
        /// Whether an outer aggregate may be meant.
        var isAggregate = false

        init(parent: Scope?, sources: [Source] = [], tables: [SchemaName: QuerySchema.Table]) {
            (self.parent, self.sources, self.tables) = (parent, sources, tables)
        }
    }

    let schema: QuerySchema
    var parameters: [ParameterFacts]
    let parser: SQLParser
    private var sourceCount = 0

    init(_ schema: QuerySchema, _ parser: SQLParser) {
        (self.schema, self.parser) = (schema, parser)
        parameters = parser.parameters.map { _ in
            var facts = ParameterFacts()
            facts.value.isPending = true
            return facts
        }
    }

    // MARK: - Statements

    /// Returns the columns and the number of rows of a statement.
    mutating func shape(of statement: SQLStatementTree) throws -> Shape {
        switch statement.kind {
        case .query: return try shape(of: statement.query!, in: Scope(parent: nil, tables: [:]))
        case .insert, .update, .delete: return try changeShape(statement)
        }
    }

    mutating func shape(of query: SQLQueryTree) throws -> Shape { try shape(of: query, in: Scope(parent: nil, tables: [:])) }

    private mutating func changeShape(_ statement: SQLStatementTree) throws -> Shape {
        let outer = Scope(parent: nil, tables: [:])
        try addTables(statement.tables, to: outer)
        var table = try schema.table(statement.table)
        number(&table)
        // The triggers of a view decide what its rows are.
        if table.record == nil { for index in table.columns.indices { table.columns[index].value = table.columns[index].value.missing } }
        let target = Source(name: statement.alias ?? statement.table, table: table)
        var rowCount = QueryFile.Cardinality.many
        var shape = Shape(columns: [], rowCount: .many)

        switch statement.kind {
        case .insert:
            let names = statement.columns ?? table.columns.filter { !$0.isHidden && !$0.isGenerated }.map(\.name)
            if let query = statement.query {
                try insert(query, names, into: table, outer)
                if query.operators.isEmpty, query.tables.isEmpty, query.cores[0].rows?.count == 1 { rowCount = .one }
            } else {
                rowCount = .one
            }
            if rowCount == .one, statement.mayIgnore || table.mayIgnoreRows { rowCount = .optional }
            let excluded = Scope(parent: outer, sources: [target, Source(name: "excluded", table: table)], tables: [:])
            for upsert in statement.upserts {
                for term in upsert.targets + [upsert.targetCondition].compactMap({ $0 }) { _ = try value(of: term, in: excluded) }
                try assign(upsert.assignments, table, excluded)
                try check(upsert.condition, in: excluded)
            }
        default:
            let scope: Scope
            var conditions: [SQLTerm] = []
            if let source = statement.source {
                let (others, joins, proven) = try sources(of: source, in: outer)
                scope = Scope(parent: outer, sources: [target] + others, tables: [:])
                conditions = proven
                for join in joins { try check(join, in: scope) }
            } else {
                scope = Scope(parent: outer, sources: [target], tables: [:])
            }
            try assign(statement.assignments, table, scope)
            try check(statement.condition, in: scope)
            for term in statement.orders { _ = try value(of: term, in: scope) }
            for term in [statement.limit, statement.offset].compactMap({ $0 }) { try expectLimit(term, in: scope) }
            conditions += [statement.condition].compactMap { $0 }
            // With several tables, the condition may be about another table, and each row is still changed once.
            if isUnique(conditions, scope, source: 0) { rowCount = .optional }
            if statement.kind == .delete {
                try narrow(scope, by: conditions)
                shape.columns = try columns(statement.returning ?? [], in: narrowed(scope, to: target))
                shape.rowCount = rowCount
                return shape
            }
        }
        shape.columns = try columns(statement.returning ?? [], in: Scope(parent: outer, sources: [target], tables: [:]))
        shape.rowCount = rowCount
        return shape
    }

    /// The scope of RETURNING, which sees only the changed table.
    private func narrowed(_ scope: Scope, to target: Source) -> Scope {
        let result = Scope(parent: scope.parent, sources: [target], tables: [:])
        result.present = scope.present.filter { $0[0] == 0 }
        return result
    }

    private mutating func insert(_ query: SQLQueryTree, _ names: [String], into table: QuerySchema.Table, _ outer: Scope) throws {
        func column(_ index: Int) -> QueryValue? {
            guard names.indices.contains(index) else { return nil }
            return stored(names[index], in: table)
        }
        for core in query.cores {
            for row in core.rows ?? [] {
                for (index, term) in row.enumerated() {
                    if let value = column(index) { try expect(term, value, term.range, isStored: true) }
                }
            }
            for (index, result) in core.columns.enumerated() {
                // A star has columns, and no parameters.
                guard case .term(let term, _) = result.kind else { break }
                if let value = column(index) { try expect(term, value, term.range, isStored: true) }
            }
        }
        _ = try shape(of: query, in: outer)
    }

    private mutating func assign(_ assignments: [SQLAssignment], _ table: QuerySchema.Table, _ scope: Scope) throws {
        for assignment in assignments {
            if assignment.columns.count == 1 {
                if let value = stored(assignment.columns[0], in: table) {
                    try expect(assignment.value, value, assignment.value.range, isStored: true)
                }
            } else if case .row(let terms) = assignment.value.kind, terms.count == assignment.columns.count {
                for (name, term) in zip(assignment.columns, terms) {
                    if let value = stored(name, in: table) { try expect(term, value, term.range, isStored: true) }
                }
            }
            _ = try value(of: assignment.value, in: scope)
        }
    }

    /// The value that a column stores. The column of a row ID accepts NULL.
    private func stored(_ name: String, in table: QuerySchema.Table) -> QueryValue? {
        guard var value = table.columns.first(where: { SchemaName($0.name) == SchemaName(name) })?.value else {
            return SchemaName.isRowID(name) ? .integer(isNullable: false) : nil
        }
        if table.uniqueKeys.first == [SchemaName(name)], value.storage == .integer, value.magnitude == 63,
            table.record?.table.rowIDColumn != nil
        {
            value.isNullable = true
        }
        return value
    }

    private mutating func check(_ condition: SQLTerm?, in scope: Scope) throws {
        guard let condition else { return }
        try expect(condition, .boolean(isNullable: false), condition.range)
        _ = try value(of: condition, in: scope)
    }

    private mutating func expectLimit(_ term: SQLTerm, in scope: Scope) throws {
        try expect(term, .integer(isNullable: false), term.range)
        _ = try value(of: term, in: Scope(parent: scope.parent, tables: scope.tables))
    }

    // MARK: - Queries

    private mutating func addTables(_ tables: [SQLCommonTable], to scope: Scope) throws {
        for table in tables {
            func named(_ shape: Shape) -> QuerySchema.Table {
                QuerySchema.Table(
                    name: table.name,
                    columns: shape.columns.enumerated().map { index, column in
                        QuerySchema.Column(
                            name: table.columns.indices.contains(index) ? table.columns[index] : column.name, value: column.value)
                    })
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
                result.columns[index].value = value
            }
            result.rowCount = name == "EXCEPT" || name == "INTERSECT" ? (result.rowCount == .many ? .many : .optional) : .many
        }
        for term in [query.limit, query.offset].compactMap({ $0 }) { try expectLimit(term, in: scope) }
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

    private mutating func shape(of core: SQLCore, _ orders: [SQLTerm], in outer: Scope) throws -> Shape {
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
        return Shape(columns: columns, rowCount: rowCount)
    }

    private mutating func columns(_ results: [SQLResult], in scope: Scope) throws -> [Shape.Column] {
        var columns: [Shape.Column] = []
        var followsStar = false
        for result in results {
            switch result.kind {
            case .star(let table):
                followsStar = true
                var found = false
                for (index, source) in scope.sources.enumerated() {
                    if let table, SchemaName(source.name) != SchemaName(table) { continue }
                    // Of two tables with the same name, SQLite would complain.
                    found = true
                    for (number, column) in source.table.columns.enumerated() where !column.isHidden {
                        let name = SchemaName(column.name)
                        if table == nil, source.joined.contains(name) { continue }
                        columns.append(
                            Shape.Column(
                                name: column.name, value: value(ofColumn: number, of: index, in: scope, isMerged: true),
                                range: result.range, hasOwnName: true, followsStar: true))
                    }
                }
                if !found { throw SQLParser.NotUnderstood() }
            case .term(let term, let alias):
                let value = try value(of: term, in: scope)
                var name = alias
                if name == nil, case .column(_, let column, _) = term.kind { name = column }
                columns.append(
                    Shape.Column(
                        name: name ?? text(term.range), value: value, range: term.range, hasOwnName: name != nil, followsStar: followsStar))
            }
        }
        return columns
    }

    func text(_ range: Range<Int>) -> String {
        parser.tokens.filter { range.contains($0.range.lowerBound) }.map(\.text).joined(separator: " ")
    }

    // MARK: - Tables

    /// Gives the rows of a table in a FROM clause an identity of their own.
    private mutating func number(_ table: inout QuerySchema.Table) {
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
    private mutating func sources(
        of source: SQLSource, in outer: Scope
    ) throws -> (sources: [Source], conditions: [SQLTerm], proven: [SQLTerm]) {
        switch source {
        case .table(let schemaName, let name, let alias, let arguments):
            var table: QuerySchema.Table
            if schemaName == nil, arguments == nil, let common = commonTable(name, in: outer) {
                table = common
            } else {
                if let schemaName, SchemaName(schemaName) != SchemaName("main") { throw SQLParser.NotUnderstood() }
                table = try schema.table(name)
            }
            number(&table)
            for argument in arguments ?? [] {
                try expect(
                    argument, name.foldingASCIICase == "generate_series" ? .integer(isNullable: false) : .text(isNullable: false),
                    argument.range)
                // The argument may use the tables before this one, which are not known here.
                _ = try? value(of: argument, in: outer)
            }
            return ([Source(name: alias ?? name, table: table)], [], [])
        case .query(let query, let alias):
            let inner = Scope(parent: outer.parent, sources: outer.sources, tables: outer.tables)
            (inner.present, inner.presentSources, inner.mayBeEmpty) = (outer.present, outer.presentSources, outer.mayBeEmpty)
            (inner.rows, inner.isAggregate) = (outer.rows, outer.isAggregate)
            let shape = try shape(of: query, in: inner)
            let columns = shape.columns.map { QuerySchema.Column(name: $0.name, value: $0.value) }
            return ([Source(name: alias ?? "", table: QuerySchema.Table(name: alias ?? "", columns: columns))], [], [])
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
                // In a RIGHT or FULL JOIN, the column is the one of the table that has a row.
                if join.leftMayBeMissing {
                    let others = right.compactMap { $0.column(name) }.map(\.value.type)
                    for index in left.indices {
                        guard let type = left[index].column(name).map(\.value.type) else { continue }
                        left[index].merged[name] = .some(others.allSatisfy { $0 == type } ? type : nil)
                    }
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

    private func commonTable(_ name: String, in scope: Scope) -> QuerySchema.Table? {
        var scope: Scope? = scope
        while let current = scope {
            if let table = current.tables[SchemaName(name)] { return table }
            scope = current.parent
        }
        return nil
    }

    /// Returns whether a core reads a table, at any depth.
    private static func names(_ name: String, _ core: SQLCore) -> Bool {
        func names(_ source: SQLSource) -> Bool {
            switch source {
            case .table(let schema, let table, _, _): schema == nil && SchemaName(table) == SchemaName(name)
            case .query(let query, _): Self.names(name, query)
            case .join(let left, let right, _): names(left) || names(right)
            }
        }
        return core.source.map(names) ?? false
    }

    private static func names(_ name: String, _ query: SQLQueryTree) -> Bool {
        query.cores.contains { names(name, $0) } || query.tables.contains { names(name, $0.query) }
    }

    // MARK: - Columns

    /// What is proven about a column of a scope.
    func value(ofColumn number: Int, of index: Int, in scope: Scope, isMerged: Bool = false) -> QueryValue {
        let source = scope.sources[index]
        var value = source.table.columns[number].value
        let isPresent = scope.present.contains([index, number])
        if source.mayBeMissing, !scope.presentSources.contains(index) { value = value.missing }
        if isMerged, let type = source.merged[SchemaName(source.table.columns[number].name)] { value = QueryValue(type) }
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
    private mutating func narrow(_ scope: Scope, by conditions: [SQLTerm]) throws {
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
    private func present(_ condition: SQLTerm) -> [(String?, String)] {
        switch condition.kind {
        case .binary("AND", let left, let right): return present(left) + present(right)
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
    private func isList(_ items: [SQLTerm]) -> Bool {
        if items.count == 1, case .parameter = items[0].kind { true } else { false }
    }

    static let comparisons: Set<String> = ["=", "==", "<>", "!=", "<", "<=", ">", ">="]

    /// The columns that make an expression NULL if they are NULL.
    private func strict(_ term: SQLTerm) -> [(String?, String)] {
        switch term.kind {
        // A name in double quotes may be a string.
        case .column(let table, let name, let isDoubleQuoted) where !isDoubleQuoted: return [(table, name)]
        case .collate(let operand), .cast(let operand, _): return strict(operand)
        case .prefix(let sign, let operand) where sign != "NOT": return strict(operand)
        case .binary(let sign, let left, let right) where ["+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>"].contains(sign):
            return strict(left) + strict(right)
        case .call(let call) where ["lower", "upper", "length", "abs", "trim"].contains(call.name) && call.arguments.count == 1:
            return strict(call.arguments[0])
        default: return []
        }
    }

    /// Returns whether conditions select at most one row of a table: they give each column of a unique key one value.
    private func isUnique(_ conditions: [SQLTerm], _ scope: Scope, source: Int) -> Bool {
        var columns: Set<SchemaName> = []
        func collect(_ term: SQLTerm) {
            guard case .binary(let sign, let left, let right) = term.kind else { return }
            if sign == "AND" {
                collect(left)
                collect(right)
            } else if sign == "=" || sign == "==" {
                for (column, other) in [(left, right), (right, left)] {
                    guard case .column(let table, let name, _) = column.kind, isConstant(other),
                        let place = place(table: table, name: name, in: scope), place.source == source
                    else { continue }
                    columns.insert(SchemaName(scope.sources[source].table.columns[place.column].name))
                }
            }
        }
        for condition in conditions { collect(condition) }
        return scope.sources[source].table.uniqueKeys.contains { !$0.isEmpty && $0.isSubset(of: columns) }
    }

    private func isConstant(_ term: SQLTerm) -> Bool {
        switch term.kind {
        case .parameter, .integer, .real, .string, .blob: true
        case .prefix("-", let operand): isConstant(operand)
        default: false
        }
    }
}

extension SchemaName {
    /// Whether SQLite has this name for row IDs.
    static func isRowID(_ name: String) -> Bool { ["rowid", "oid", "_rowid_"].contains(name.foldingASCIICase) }
}
