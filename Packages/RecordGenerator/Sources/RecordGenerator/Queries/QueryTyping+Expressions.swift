import SQLiteDriver

extension QueryTyping {
    // MARK: - Values

    /// Returns what is proven about an expression, and notes what its parameters meet.
    mutating func value(of term: SQLTerm, in scope: Scope) throws -> QueryValue {
        var chain = [term]
        while let operand = chain[chain.count - 1].leftOperand { chain.append(operand) }
        var result = QueryValue.unknown
        for term in chain.reversed() {
            do {
                result = try value(of: term, left: result, in: scope)
            } catch let error as SQLParser.NotUnderstood {
                // Expressions that are not understood have no influence on the columns of stars.
                guard isAboutStars else { throw error.placed(at: term.range) }
                result = .unknown
            }
        }
        return result
    }

    /// The value of the expression that has one of several values.
    func either(_ values: [QueryValue]) -> QueryValue { QueryValue.either(values, schema.listedLiterals) }

    /// - Parameter left: the value of the left operand, if there is one.
    private mutating func value(of term: SQLTerm, left: QueryValue, in scope: Scope) throws -> QueryValue {
        func literal(_ kind: QueryValue.Literal.Kind) -> QueryValue.Literal { QueryValue.Literal(kind: kind, range: term.range) }
        switch term.kind {
        case .null: return QueryValue(literal: literal(.null))
        case .integer(let number):
            let bits = number.map { 64 - $0.magnitude.leadingZeroBitCount } ?? 64
            return QueryValue(.int64, isNullable: false, literal: literal(.integer(number)), storage: .integer, magnitude: bits)
        case .real(let number):
            let magnitude = number.isFinite ? max(0, Int(number.exponent) + 1) : nil
            // With a minus sign, this number is the lowest integer.
            let storage: Statement.ColumnStorage? = number == 0x1p63 ? nil : .real
            return QueryValue(
                .double, isNullable: false, literal: literal(.real(number)), storage: storage, magnitude: number == 0 ? 0 : magnitude)
        case .string(let text): return QueryValue(.string, isNullable: false, literal: literal(.string(text)), storage: .text)
        case .blob: return QueryValue(.data, isNullable: false, storage: .blob)
        case .currentTime: return .text(isNullable: false)
        case .parameter(let number): return parameters[number].value
        case .column(let table, let name, let isDoubleQuoted):
            return try column(table, name, isDoubleQuoted: isDoubleQuoted, term.range, in: scope)
        case .prefix(let sign, let operand): return try prefix(sign, operand, term.range, in: scope)
        case .binary(let sign, let leftTerm, let right): return try binary(sign, leftTerm, left, right, in: scope)
        case .identity(let leftTerm, let right, _):
            let parts = (try parts(of: leftTerm, left, in: scope), try parts(of: right, in: scope))
            try expect(leftTerm, parts.0, like: parts.1, isIdentity: true)
            try expect(right, parts.1, like: parts.0, isIdentity: true)
            return .boolean(isNullable: false)
        case .nullTest(let operand, _):
            noteNullTest(operand)
            return .boolean(isNullable: try rowWidth(operand) > 1)
        case .between(let operand, let low, let high):
            return try compared([operand, low, high], left, in: scope)
        case .like(let name, let leftTerm, let right, let escape):
            for operand in [leftTerm, right, escape].compactMap({ $0 }) {
                if name == "MATCH", case .column = operand.kind { continue }
                try expect(operand, .text(isNullable: false), operand.range)
            }
            nameAlike([leftTerm, right])
            if name == "MATCH" {
                // The name of a full-text table stands for all of its columns.
                _ = try? value(of: leftTerm, in: scope)
                _ = try value(of: right, in: scope)
                return .boolean(isNullable: true)
            }
            let values = [left, try value(of: right, in: scope)]
            if let escape { _ = try value(of: escape, in: scope) }
            // A program can replace these functions.
            return .boolean(isNullable: name == "REGEXP" || escape != nil || values.contains(where: \.isNullable))
        case .inList(let operand, let items):
            let result = try compared([operand] + items, left, in: scope)
            return items.isEmpty ? .boolean(isNullable: false) : result
        case .inQuery(let operand, let query):
            let shape = try shape(of: query, in: scope)
            let columns = shape.columns.map { Part(name: $0.hasOwnName ? $0.name : nil, value: $0.value, range: $0.range) }
            let left = try parts(of: operand, left, in: scope)
            try expect(operand, left, like: columns)
            if left.count == columns.count { try expect(query, left) }
            return .boolean(isNullable: (left + columns).contains { $0.value?.isNullable == true })
        case .exists(let query):
            _ = try shape(of: query, in: scope)
            keepStars(of: query)
            return .boolean(isNullable: false)
        case .subquery(let query):
            let parts = try parts(ofSubquery: query, in: scope)
            if parts.count == 1, let value = parts[0].value { return value }
            return QueryValue(isNullable: parts.contains { $0.value?.isNullable == true })
        case .conditional(let operand, let branches, let otherwise):
            return try conditional(operand, branches, otherwise, in: scope)
        case .cast(let operand, let type):
            let name = type.isEmpty ? "BLOB" : type
            let inner = try value(of: operand, in: scope)
            var result = QueryValue(isNullable: inner.isNullable)
            switch ColumnAffinity(name, isStrict: false) {
            case .integer: (result.type, result.storage, result.magnitude) = (.int64, .integer, 63)
            case .text: (result.type, result.storage) = (.string, .text)
            case .real: (result.type, result.storage) = (.double, .real)
            case .blob: (result.type, result.storage) = (.data, .blob)
            case .numeric where ["BOOL", "BOOLEAN"].contains(name.uppercased()):
                // Each number is a Bool, but a fraction is no integer for SQL that computes with it.
                result.type = .bool
                result.meaning = inner.isPending || inner.type?.number == .int64 ? .number : .own
            case .numeric: result.type = .double
            }
            try expect(operand, result, term.range)
            return result
        case .collate: return left
        case .call(let call): return try self.value(of: call, term.range, in: scope)
        case .row(let terms):
            let values = try terms.map { try value(of: $0, in: scope) }
            return QueryValue(isNullable: values.contains(where: \.isNullable))
        }
    }

    private func rowWidth(_ term: SQLTerm) throws -> Int { if case .row(let terms) = term.kind { terms.count } else { 1 } }

    private mutating func column(
        _ table: String?, _ name: String, isDoubleQuoted: Bool, _ range: Range<Int>, in scope: Scope
    ) throws -> QueryValue {
        var current: Scope? = scope
        while let scope = current {
            if let place = place(table: table, name: name, in: scope) {
                return value(ofColumn: place.column, of: place.source, in: scope, isMerged: table == nil)
            }
            if let value = rowID(table, name, in: scope) { return value }
            if table == nil, let term = scope.aliases[SchemaName(name)], let selection = scope.selection {
                return try value(of: term, in: selection).copied
            }
            current = scope.parent
        }
        guard table == nil else { throw SQLParser.NotUnderstood() }
        func literal(_ kind: QueryValue.Literal.Kind) -> QueryValue.Literal { QueryValue.Literal(kind: kind, range: range) }
        if isDoubleQuoted { return QueryValue(.string, isNullable: false, literal: literal(.string(name)), storage: .text) }
        guard ["true", "false"].contains(name.foldingASCIICase) else { throw SQLParser.NotUnderstood() }
        return QueryValue(.bool, isNullable: false, literal: literal(.boolean), storage: .integer, magnitude: 1)
    }

    /// The row ID of the only table that can be meant; nil if the name is none for row IDs.
    private func rowID(_ table: String?, _ name: String, in scope: Scope) -> QueryValue? {
        guard SchemaName.isRowID(name) else { return nil }
        let candidates = scope.sources.indices.filter { table == nil || SchemaName(table!) == SchemaName(scope.sources[$0].name) }
        guard candidates.count == 1, let hasRowID = scope.sources[candidates[0]].table.hasRowID else {
            // Some versions of SQLite give the rows of views and subqueries IDs, and all others NULL.
            return candidates.count == 1 ? .unknown : nil
        }
        guard hasRowID else { return nil }
        return .integer(isNullable: scope.mayMiss(candidates[0]) || scope.sources[candidates[0]].table.record?.table.kind != .table)
    }

    private mutating func prefix(_ sign: String, _ operand: SQLTerm, _ range: Range<Int>, in scope: Scope) throws -> QueryValue {
        if sign == "NOT" {
            try expect(operand, .boolean(isNullable: false), operand.range)
            return .boolean(isNullable: try value(of: operand, in: scope).isNullable)
        }
        var result = try value(of: operand, in: scope)
        result.origin = nil
        switch sign {
        case "+": return result
        case "~": return .integer(isNullable: result.isNullable)
        default:
            let literals = result.isNull ? result.literals : result.literals.compactMap { $0.negated(range) }
            if literals.count != result.literals.count || literals.isEmpty {
                // -(-2^63) is a real number.
                (result.literals, result.storage) = ([], result.storage == .real ? .real : nil)
            } else {
                result.literals = literals
            }
            if !result.isPending { result.becomeNumber(from: [result], isSimilar: true) }
            return result
        }
    }

    private mutating func binary(
        _ sign: String, _ left: SQLTerm, _ leftValue: QueryValue, _ right: SQLTerm, in scope: Scope
    ) throws -> QueryValue {
        if Self.comparisons.contains(sign) { return try compared([left, right], leftValue, in: scope) }
        switch sign {
        case "AND", "OR":
            for operand in [left, right] { try expect(operand, .boolean(isNullable: false), operand.range) }
        case "||":
            for operand in [left, right] { try expect(operand, .text(isNullable: false), operand.range) }
        case "->", "->>":
            for operand in [left, right] { try expect(operand, .text(isNullable: false), operand.range) }
        case "&", "|", "<<", ">>":
            for operand in [left, right] { try expect(operand, .integer(isNullable: false), operand.range) }
        default: break
        }
        let values = (leftValue, try value(of: right, in: scope))
        let isNullable = values.0.isNullable || values.1.isNullable
        switch sign {
        case "AND", "OR": return .boolean(isNullable: isNullable)
        case "||": return .text(isNullable: isNullable)
        case "->": return QueryValue(.string)
        case "->>": return .unknown
        case "&", "|", "<<", ">>": return .integer(isNullable: isNullable)
        default: break
        }
        // Arithmetic.
        for (operand, other, partner) in [(left, values.1, right), (right, values.0, left)] {
            let isTerm = (sign == "+" || sign == "-") && other.meaning == .quantity
            if isTerm || other.type == .int64 || other.type == .double { try expect(operand, other.nullable(false), partner.range) }
        }
        nameAlike([left, right])
        var result = QueryValue(isNullable: isNullable)
        if values.0.isPending || values.1.isPending {
            let other = values.0.isPending ? values.1 : values.0
            (result.type, result.isPending) = (other.type == .int64 || other.type == .double ? other.type : nil, true)
            if other.meaning != .number { result.becomeNumber(from: [other], isSimilar: sign == "+" || sign == "-") }
        } else {
            result.becomeNumber(from: [values.0, values.1], isSimilar: isSimilar(sign, values.0, values.1))
        }
        let (a, b) = (values.0.magnitude, values.1.magnitude)
        switch sign {
        case "+", "-":
            // Only two infinities make NaN, which is NULL.
            if a == nil, b == nil { result.isNullable = true }
            if let a, let b { result.magnitude = max(a, b) + 1 }
        case "*":
            // 0 times infinity is NaN.
            let isSafe = a != nil && b != nil || isFiniteAndNotZero(left) || isFiniteAndNotZero(right)
            if !isSafe { result.isNullable = true }
            if let a, let b { result.magnitude = a + b }
        case "/":
            // Division by 0 is NULL.
            if !isFiniteAndNotZero(right) { result.isNullable = true }
            if let a, case .integer = right.kind { result.magnitude = a }
        default:
            // Both sides of % become integers.
            if case .integer(let number?) = right.kind, number != 0 {} else { result.isNullable = true }
            if result.type == .int64 { result.magnitude = 63 }
        }
        if let magnitude = result.magnitude, magnitude > 1000 { result.magnitude = nil }
        return result
    }

    /// Whether the result of an operator is a quantity of the same type: a sum of two, or a whole multiple of one.
    private func isSimilar(_ sign: String, _ left: QueryValue, _ right: QueryValue) -> Bool {
        switch sign {
        case "+", "-": left.type == right.type
        case "*": left.meaning != right.meaning && [left.type?.number, right.type?.number].contains(.int64)
        default: false
        }
    }

    private func isFiniteAndNotZero(_ term: SQLTerm) -> Bool {
        switch term.kind {
        case .integer(let number?): number != 0
        case .real(let number): number.isFinite && number != 0 && number.magnitude >= 1e-300
        case .prefix("-", let operand), .prefix("+", let operand): isFiniteAndNotZero(operand)
        default: false
        }
    }

    /// The value of a comparison of the first expression with the others.
    private mutating func compared(_ terms: [SQLTerm], _ first: QueryValue, in scope: Scope) throws -> QueryValue {
        let parts = [try parts(of: terms[0], first, in: scope)] + (try terms.dropFirst().map { try self.parts(of: $0, in: scope) })
        for index in terms.indices.dropFirst() {
            try expect(terms[0], parts[0], like: parts[index])
            try expect(terms[index], parts[index], like: parts[0])
        }
        return .boolean(isNullable: parts.joined().contains { $0.value?.isNullable == true })
    }

    private mutating func conditional(
        _ operand: SQLTerm?, _ branches: [(when: SQLTerm, then: SQLTerm)], _ otherwise: SQLTerm?, in scope: Scope
    ) throws -> QueryValue {
        if let operand {
            _ = try compared([operand] + branches.map(\.when), value(of: operand, in: scope), in: scope)
        } else {
            for branch in branches {
                try expect(branch.when, .boolean(isNullable: false), branch.when.range)
                _ = try value(of: branch.when, in: scope)
            }
        }
        let terms = branches.map(\.then) + [otherwise].compactMap { $0 }
        let values = try terms.map { try value(of: $0, in: scope) }
        var result = either(values)
        for term in terms { try expect(term, result, term.range) }
        nameAlike(terms)
        result.isNullable = otherwise == nil || values.contains(where: \.isNullable)
        return result
    }

    // MARK: - Parameters

    /// Notes that an expression is compared with a value, or becomes one: the parameters in it have its type.
    ///
    /// - Parameters:
    ///   - partner: the place of the value, for errors.
    ///   - isStored: whether the value is stored in a column, which accepts NULL if it is nullable.
    ///   - isIdentity: whether NULL is equal to NULL.
    mutating func expect(
        _ term: SQLTerm, _ value: QueryValue, _ partner: Range<Int>, isStored: Bool = false, isIdentity: Bool = false
    ) throws {
        switch term.kind {
        case .parameter(let number):
            if isStored || isIdentity, value.isNullable { parameters[number].isOptional = true }
            // A parameter whose type is not known yet tells nothing.
            guard value.type != nil else { return }
            parameters[number].meetings.append(ParameterFacts.Meeting(value: value, range: term.range, partner: partner))
        case .collate(let operand), .prefix("+", let operand): try expect(operand, value, partner)
        case .prefix("-", let operand): try expect(operand, value.nullable(false), partner)
        case .subquery(let query): try expect(query, [Part(value: value, range: partner)], isStored: isStored)
        case .conditional(_, let branches, let otherwise):
            for branch in branches { try expect(branch.then, value, partner, isStored: isStored) }
            if let otherwise { try expect(otherwise, value, partner, isStored: isStored) }
        case .call(let call) where ["coalesce", "ifnull", "iif", "if", "nullif", "likely", "unlikely", "min", "max"].contains(call.name):
            for (index, argument) in call.arguments.enumerated() where !(call.name == "iif" || call.name == "if") || index > 0 {
                try expect(argument, value, partner, isStored: isStored && index == call.arguments.count - 1)
            }
        default: break
        }
    }

    private mutating func noteNullTest(_ term: SQLTerm) {
        if case .parameter(let number) = term.kind {
            parameters[number].isOptional = true
            parameters[number].isNullTested = true
        }
    }

    /// Notes that NULL is a meaningful value of an expression.
    mutating func expectOptional(_ term: SQLTerm) {
        if case .parameter(let number) = term.kind { parameters[number].isOptional = true }
    }

    // MARK: - Aggregates

    /// Returns whether an expression calls an aggregate function of its own query.
    func hasAggregate(_ term: SQLTerm) -> Bool {
        term.parts.contains { if case .call(let call) = $0.kind { call.window == nil && isAggregate(call) } else { false } }
    }

    func isAggregate(_ call: SQLCall) -> Bool {
        if (call.name == "min" || call.name == "max"), call.arguments.count != 1 { return false }
        if let declared = schema.declaredFunctions[call.name] { return declared.isAggregate }
        return schema.functions[call.name] == .aggregate
    }
}

extension QueryValue.Literal {
    /// The literal after a minus sign; nil if it is no number.
    fileprivate func negated(_ range: Range<Int>) -> QueryValue.Literal? {
        switch kind {
        case .integer(let value): QueryValue.Literal(kind: .integer(value.map { 0 &- $0 }), range: range)
        case .real(let value): QueryValue.Literal(kind: .real(-value), range: range)
        case .null, .boolean, .string: nil
        }
    }
}
