import SQLiteDriver

/// Conditions: their values, and what they prove about the rows that they select.
extension QueryTyping {
    // MARK: - Values

    /// The value of a test, which is 0, 1 or NULL.
    ///
    /// IS and EXISTS are never NULL. The others can be NULL if an operand is, except for `NULL IN ()`, which is 0.
    ///
    /// Source: <https://www.sqlite.org/lang_expr.html#isisnot>, <https://www.sqlite.org/lang_expr.html#in_op>,
    /// <https://www.sqlite.org/lang_expr.html#the_exists_operator>
    ///
    /// - Parameter left: the value of the left operand, if it is known.
    mutating func test(_ term: SQLTerm, _ left: QueryValue, in scope: Scope) throws -> QueryValue {
        switch term.kind {
        case .identity(let leftTerm, let right, _):
            let parts = (try parts(of: leftTerm, left, in: scope), try parts(of: right, in: scope))
            try expect(leftTerm, parts.1, isIdentity: true)
            try expect(right, parts.0, isIdentity: true)
        case .nullTest(let operand, _):
            if case .parameter(let number) = operand.kind {
                (parameters[number].isOptional, parameters[number].isNullTested) = (true, true)
            }
        case .exists(let query):
            _ = try shape(of: query, in: scope)
            keepStars(of: query)
        case .between(let operand, let low, let high): return try compared([operand, low, high], left, in: scope)
        case .inList(let operand, let items):
            let result = try compared([operand] + items, left, in: scope)
            return items.isEmpty ? .boolean(isNullable: false) : result
        case .inQuery(let operand, let query):
            let shape = try shape(of: query, in: scope)
            let columns = shape.columns.map { Part(name: $0.hasOwnName ? $0.name : nil, value: $0.value, range: $0.range) }
            let left = try parts(of: operand, left, in: scope)
            try expect(operand, columns)
            if left.count == columns.count { try expect(query, left) }
            return .boolean(isNullable: (left + columns).contains { $0.value?.isNullable == true })
        case .like(let name, let leftTerm, let right, let escape):
            return try like(name, leftTerm, left, right, escape, in: scope)
        default: throw SQLParser.NotUnderstood()
        }
        return .boolean(isNullable: false)
    }

    /// The value of LIKE, GLOB, MATCH or REGEXP.
    ///
    /// MATCH and REGEXP call functions of the program or of a virtual table, which may return NULL. `LIKE x ESCAPE NULL` is NULL.
    ///
    /// Source: <https://www.sqlite.org/lang_expr.html#the_like_glob_regexp_match_and_extract_operators>
    private mutating func like(
        _ name: String, _ leftTerm: SQLTerm, _ left: QueryValue, _ right: SQLTerm, _ escape: SQLTerm?, in scope: Scope
    ) throws -> QueryValue {
        let pattern = name == "MATCH" ? patternType(leftTerm, in: scope).map { QueryValue($0, isNullable: false) } : nil
        for operand in [leftTerm, right, escape].compactMap({ $0 }) {
            if name == "MATCH", case .column = operand.kind { continue }
            try expect(operand, pattern ?? .text(isNullable: false), operand.range)
        }
        nameAlike([leftTerm, right])
        // The name of a full-text table stands for all of its columns.
        if name == "MATCH" { _ = try? value(of: leftTerm, in: scope) }
        let values = [left, try value(of: right, in: scope)]
        if let escape { _ = try value(of: escape, in: scope) }
        let isKnown = name == "LIKE" || name == "GLOB"
        return .boolean(isNullable: !isKnown || escape != nil || values.contains(where: \.isNullable))
    }

    /// The type of the patterns of a full-text table, by its name or a column; nil for strings.
    private func patternType(_ term: SQLTerm, in scope: Scope) -> QueryType? {
        guard case .column(let table, let name, _) = term.kind else { return nil }
        return sequence(first: scope, next: \.parent).lazy.compactMap { scope in
            place(table: table, name: name, in: scope).map { scope.sources[$0.source].table }
        }.first?.patternType
    }

    /// The value of a comparison of the first expression with the others.
    mutating func compared(_ terms: [SQLTerm], _ first: QueryValue, in scope: Scope) throws -> QueryValue {
        let parts = [try parts(of: terms[0], first, in: scope)] + (try terms.dropFirst().map { try self.parts(of: $0, in: scope) })
        for index in terms.indices.dropFirst() {
            try expect(terms[0], parts[index])
            try expect(terms[index], parts[0])
        }
        return .boolean(isNullable: parts.joined().contains { $0.value?.isNullable == true })
    }

    // MARK: - What conditions prove

    /// Notes the columns that conditions prove not to be NULL.
    ///
    /// WHERE and inner joins leave out the rows where the condition is NULL.
    ///
    /// Source: <https://www.sqlite.org/lang_select.html#whereclause>
    func narrow(_ scope: Scope, by conditions: [SQLTerm]) {
        for (table, name) in conditions.flatMap(\.conjuncts).flatMap(presentColumns) {
            guard let place = place(table: table, name: name, in: scope) else { continue }
            // A column that comes from one of two tables proves nothing about either.
            if table == nil, scope.sources[place.source].merged[SchemaName(name)] != nil { continue }
            scope.present.insert(place)
            scope.presentSources.insert(place.source)
        }
    }

    /// The columns that are not NULL where a condition is true.
    private func presentColumns(_ condition: SQLTerm) -> [(String?, String)] {
        switch condition.kind {
        case .nullTest(let operand, isNegated: true): strict(operand)
        case .prefix("NOT", let term):
            if case .nullTest(let operand, isNegated: false) = term.kind { strict(operand) } else { strictColumns(term) }
        case .between(let operand, let low, let high): strict(operand) + strict(low) + strict(high)
        // Nothing is IN an empty list, so the list is not empty.
        case .inList(let operand, _), .inQuery(let operand, _): strict(operand)
        default: strictColumns(condition)
        }
    }

    /// The columns that make a condition NULL if they are NULL, and so NOT of the condition, too.
    ///
    /// A BETWEEN that is false on one side is false even if the other side is NULL, and `NULL NOT IN` an empty list is true.
    private func strictColumns(_ condition: SQLTerm) -> [(String?, String)] {
        switch condition.kind {
        case .prefix("NOT", let operand): strictColumns(operand)
        case .binary(let sign, let left, let right) where Self.comparisons.contains(sign): strict(left) + strict(right)
        case .like(let name, let left, let right, _) where name == "LIKE" || name == "GLOB": strict(left) + strict(right)
        case .inList(let operand, let items) where !items.isEmpty && !isList(items): strict(operand)
        case .column: strict(condition)
        default: []
        }
    }

    /// Whether the items of IN are a list parameter, which may be empty.
    private func isList(_ items: [SQLTerm]) -> Bool {
        if items.count == 1, case .parameter = items[0].kind { true } else { false }
    }

    /// The columns that make an expression NULL if they are NULL: those that only such operators and functions come between.
    private func strict(_ term: SQLTerm) -> [(String?, String)] {
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
    ///
    /// `=` finds no NULL, of which a UNIQUE column can have several.
    ///
    /// Source: <https://www.sqlite.org/lang_createtable.html#unique_constraints>
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

    private func isConstant(_ term: SQLTerm) -> Bool {
        switch term.kind {
        case .parameter, .integer, .real, .string, .blob: true
        case .prefix("-", let operand): isConstant(operand)
        default: false
        }
    }
}
