import SQLiteDriver

/// What the parameters in queries meet, and how parameters without a name are called.
extension QueryTyping {
    /// A part of a row value, a column of a query, or the column of a table that stores a value.
    struct Part {
        var name: String?
        var value: QueryValue?
        /// The place; nil if the place of what meets the part determines what it is.
        var range: Range<Int>?
    }

    /// The parts of an expression: several for a row value, and for a subquery with several columns.
    ///
    /// - Parameter known: the value of the expression, if it is known. See ``SQLTerm/leftOperand``.
    mutating func parts(of term: SQLTerm, _ known: QueryValue? = nil, in scope: Scope) throws -> [Part] {
        switch term.kind {
        case .row(let terms): try terms.flatMap { try parts(of: $0, in: scope) }
        case .subquery(let query): try parts(ofSubquery: query, in: scope)
        default: [Part(name: Self.name(of: term), value: try known ?? value(of: term, in: scope), range: term.range)]
        }
    }

    /// The columns of a subquery that is used as a value: those of its first row, or NULL if it has none.
    ///
    /// Source: <https://www.sqlite.org/lang_expr.html#subquery_expressions>
    mutating func parts(ofSubquery query: SQLQueryTree, in scope: Scope) throws -> [Part] {
        let shape = try shape(of: query, in: scope)
        return shape.columns.map { column in
            let value = shape.rowCount == .one ? column.value.copied : column.value.copied.nullable()
            return Part(name: column.hasOwnName ? column.name : nil, value: value, range: column.range)
        }
    }

    /// Notes what the parameters in the columns of a query meet.
    mutating func expect(_ query: SQLQueryTree, _ parts: [Part], isStored: Bool = false) throws {
        for core in query.cores {
            // A star has columns, and no parameters.
            let rows = (core.rows ?? []) + [core.columns.prefix { $0.term != nil }.compactMap(\.term)]
            for (term, part) in rows.flatMap({ zip($0, parts) }) { try expect(term, [part], isStored: isStored) }
        }
    }

    /// Notes what the parameters of an expression meet, which is a row value if it meets several parts.
    mutating func expect(_ term: SQLTerm, _ parts: [Part], isStored: Bool = false, isIdentity: Bool = false) throws {
        if case .subquery(let query) = term.kind { return try expect(query, parts, isStored: isStored) }
        if parts.count > 1 {
            guard case .row(let terms) = term.kind, terms.count == parts.count else { return }
            for (term, part) in zip(terms, parts) { try expect(term, [part], isStored: isStored, isIdentity: isIdentity) }
        } else if let part = parts.first {
            if let value = part.value { try expect(term, value, part.range ?? term.range, isStored: isStored, isIdentity: isIdentity) }
            name(term, part.name)
        }
    }

    // MARK: - Names

    /// Functions whose result is like their argument.
    private static let transparent: Set<String> = [
        "abs", "coalesce", "date", "datetime", "if", "ifnull", "iif", "julianday", "likely", "lower", "ltrim", "max", "min", "nullif",
        "round", "rtrim", "strftime", "time", "trim", "unixepoch", "unlikely", "upper",
    ]

    private static let arithmetic: Set<String> = ["+", "-", "*", "/", "%"]

    /// Names the parameters of an expression, unless they have met something else before.
    mutating func name(_ term: SQLTerm, _ name: String?) {
        guard let name else { return }
        switch term.kind {
        case .parameter(let number): parameters[number].name = parameters[number].name ?? name
        case .collate(let operand), .cast(let operand, _), .prefix(_, let operand): self.name(operand, name)
        case .binary(let sign, let left, let right) where sign == "||" || Self.arithmetic.contains(sign):
            for operand in [left, right] { self.name(operand, name) }
        case .conditional(_, let branches, let otherwise):
            for result in branches.map(\.then) + [otherwise].compactMap({ $0 }) { self.name(result, name) }
        case .call(let call) where Self.transparent.contains(call.name):
            for argument in call.results { self.name(argument, name) }
        case .subquery(let query):
            for term in query.cores.compactMap({ $0.rows?.first?.first ?? $0.columns.first?.term }) { self.name(term, name) }
        default: break
        }
    }

    /// Names the parameters of several expressions by those that have a name.
    mutating func nameAlike(_ terms: [SQLTerm]) {
        let name = terms.lazy.compactMap(Self.name).first
        for term in terms { self.name(term, name) }
    }

    /// The name of what an expression computes: of its only column, or of its function.
    static func name(of term: SQLTerm) -> String? {
        switch term.kind {
        case .column(_, let name, _): return name
        case .collate(let operand), .cast(let operand, _), .prefix(_, let operand): return name(of: operand)
        case .binary(let sign, let left, let right) where arithmetic.contains(sign):
            let names = [left, right].compactMap { name(of: $0) }
            return names.count == 1 ? names[0] : nil
        case .call(let call):
            return transparent.contains(call.name) ? call.results.lazy.compactMap(name).first : call.name
        default: return nil
        }
    }
}

extension SQLCall {
    /// The arguments among which the result may be.
    fileprivate var results: ArraySlice<SQLTerm> { ["if", "iif", "strftime"].contains(name) ? arguments.dropFirst() : arguments[...] }
}

extension SQLResult {
    /// The expression; nil for a star.
    var term: SQLTerm? { if case .term(let term, _) = kind { term } else { nil } }
}
