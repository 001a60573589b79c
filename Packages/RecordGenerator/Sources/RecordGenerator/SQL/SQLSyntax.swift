/// An expression of SQL, with the tokens that it consists of.
struct SQLTerm {
    indirect enum Kind {
        case null
        /// A number without a fraction. The value is nil if it does not fit.
        case integer(Int64?)
        case real(Double)
        case string(String)
        case blob
        /// `CURRENT_TIMESTAMP`, `CURRENT_DATE`, `CURRENT_TIME`.
        case currentTime
        /// A parameter, by its number from 0.
        case parameter(Int)
        case column(table: String?, name: String, isDoubleQuoted: Bool)
        case prefix(String, SQLTerm)
        case binary(String, SQLTerm, SQLTerm)
        /// `IS`, `IS NOT`, `IS DISTINCT FROM`.
        case identity(SQLTerm, SQLTerm, isNegated: Bool)
        /// `IS NULL`, `ISNULL`, `IS NOT NULL`, `NOTNULL`, `NOT NULL`.
        case nullTest(SQLTerm, isNegated: Bool)
        case between(SQLTerm, SQLTerm, SQLTerm)
        /// `LIKE`, `GLOB`, `MATCH`, `REGEXP`.
        case like(String, SQLTerm, SQLTerm, escape: SQLTerm?)
        case inList(SQLTerm, [SQLTerm])
        case inQuery(SQLTerm, SQLQueryTree)
        case exists(SQLQueryTree)
        case subquery(SQLQueryTree)
        case conditional(SQLTerm?, [(when: SQLTerm, then: SQLTerm)], otherwise: SQLTerm?)
        case cast(SQLTerm, type: String)
        case collate(SQLTerm)
        case call(SQLCall)
        case row([SQLTerm])
    }

    var kind: Kind
    var range: Range<Int>
}

extension SQLTerm {
    /// The operand before the operator, if there is one. A chain of operators has hundreds of them, one in the other: whoever visits all parts
    /// of an expression walks along them, as a call for each of them would use up the stack.
    var leftOperand: SQLTerm? {
        switch kind {
        // The name of a full-text table is no value.
        case .like("MATCH", _, _, _): nil
        case .nullTest(let left, _), .like(_, let left, _, _), .collate(let left): left
        // Each part of a row has a value.
        case .binary(_, let left, _), .identity(let left, _, _), .between(let left, _, _), .inList(let left, _), .inQuery(let left, _):
            left.isRow ? nil : left
        default: nil
        }
    }

    private var isRow: Bool {
        switch kind {
        case .row, .subquery: true
        default: false
        }
    }

    /// The expressions that this expression is made of, without those of subqueries.
    var operands: [SQLTerm] {
        switch kind {
        case .null, .integer, .real, .string, .blob, .currentTime, .parameter, .column, .exists, .subquery: []
        case .prefix(_, let operand), .nullTest(let operand, _), .cast(let operand, _), .collate(let operand), .inQuery(let operand, _):
            [operand]
        case .binary(_, let left, let right), .identity(let left, let right, _): [left, right]
        case .between(let operand, let low, let high): [operand, low, high]
        case .like(_, let left, let right, let escape): [left, right] + [escape].compactMap { $0 }
        case .inList(let operand, let items): [operand] + items
        case .conditional(let operand, let branches, let otherwise):
            [operand, otherwise].compactMap { $0 } + branches.flatMap { [$0.when, $0.then] }
        case .call(let call): call.arguments + [call.filter].compactMap { $0 } + (call.window?.terms ?? [])
        case .row(let terms): terms
        }
    }

    /// The expression, its operands, and theirs.
    var parts: [SQLTerm] {
        var parts = [self]
        var index = 0
        while index < parts.count {
            parts += parts[index].operands
            index += 1
        }
        return parts
    }

    /// The conditions that AND connects.
    var conjuncts: [SQLTerm] {
        var conjuncts: [SQLTerm] = []
        var pending = [self]
        while let term = pending.popLast() {
            if case .binary("AND", let left, let right) = term.kind { pending += [right, left] } else { conjuncts.append(term) }
        }
        return conjuncts
    }
}

/// A call of a function.
struct SQLCall {
    var name: String
    var arguments: [SQLTerm]
    var filter: SQLTerm?
    /// The window of `OVER`.
    var window: SQLWindow?
}

struct SQLWindow {
    /// The expressions of PARTITION BY, ORDER BY, and of the frame.
    var terms: [SQLTerm]
    /// Whether the frame may have no rows: it is not the default frame, or defined elsewhere.
    var mayBeEmpty: Bool
}

/// A query: one or several cores, with an order and a limit.
final class SQLQueryTree {
    var tables: [SQLCommonTable] = []
    /// The cores, and the operators between them.
    var cores: [SQLCore] = []
    var operators: [String] = []
    var orders: [SQLTerm] = []
    var limit: SQLTerm?
    var offset: SQLTerm?
    /// The place behind the parenthesis that closes a subquery of a FROM clause.
    var end: Int?
}

/// A common table expression.
struct SQLCommonTable {
    var name: String
    var columns: [String]
    var query: SQLQueryTree
}

/// A SELECT without order and limit, or VALUES.
struct SQLCore {
    /// The rows of VALUES; nil for SELECT.
    var rows: [[SQLTerm]]?
    var columns: [SQLResult] = []
    var source: SQLSource?
    var condition: SQLTerm?
    var groups: [SQLTerm] = []
    var having: SQLTerm?
    /// The expressions of the WINDOW clause.
    var windowTerms: [SQLTerm] = []

    /// The selected expressions, by their aliases.
    var aliases: [SchemaName: SQLTerm] {
        var aliases: [SchemaName: SQLTerm] = [:]
        for result in columns {
            if case .term(let term, let alias?) = result.kind { aliases[SchemaName(alias)] = term }
        }
        return aliases
    }
}

/// An item of a SELECT or RETURNING clause.
struct SQLResult {
    enum Kind {
        /// `*`, or `table.*`.
        case star(table: String?)
        case term(SQLTerm, alias: String?)
    }

    var kind: Kind
    var range: Range<Int>
}

/// A table, a subquery or a join of a FROM clause.
indirect enum SQLSource {
    case table(schema: String?, name: String, alias: String?, arguments: [SQLTerm]?)
    case query(SQLQueryTree, alias: String?)
    case join(SQLSource, SQLSource, SQLJoin)
}

struct SQLJoin {
    /// Whether rows of a side may be missing.
    var leftMayBeMissing = false
    var rightMayBeMissing = false
    var isNatural = false
    var condition: SQLTerm?
    var columns: [String] = []
}

/// A statement.
struct SQLStatementTree {
    enum Kind {
        case query
        case insert
        case update
        case delete
    }

    var kind = Kind.query
    /// The common table expressions of an INSERT, UPDATE or DELETE.
    var tables: [SQLCommonTable] = []
    /// The query, or the rows to insert; nil for DEFAULT VALUES, UPDATE and DELETE.
    var query: SQLQueryTree?
    var table = ""
    var alias: String?
    /// The columns of an INSERT; nil if it does not list them.
    var columns: [String]?
    var assignments: [SQLAssignment] = []
    var source: SQLSource?
    var condition: SQLTerm?
    var upserts: [SQLUpsert] = []
    var orders: [SQLTerm] = []
    var limit: SQLTerm?
    var offset: SQLTerm?
    var returning: [SQLResult]?
    /// Whether a row may be skipped: OR IGNORE, and DO NOTHING.
    var mayIgnore = false
}

struct SQLAssignment {
    var columns: [String]
    var value: SQLTerm
}

struct SQLUpsert {
    var targets: [SQLTerm]
    var targetCondition: SQLTerm?
    var assignments: [SQLAssignment]
    var condition: SQLTerm?
}
