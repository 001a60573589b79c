import CSQLiteShims

/// The positional arguments of a statement.
enum PositionalArguments: Sendable {
    case values([StatementArguments.Argument])
    case literal(ArgumentsLiteral)

    init(literal elements: [(any StatementBinding)?]) {
        if ArgumentsLiteral.canHold(elements) {
            self = .literal(ArgumentsLiteral(elements))
        } else {
            self = .values(elements.map { StatementArguments.Argument($0) })
        }
    }

    var count: Int {
        switch self {
        case .values(let values): values.count
        case .literal(let literal): literal.count
        }
    }

    var values: [StatementArguments.Argument] {
        switch self {
        case .values(let values): values
        case .literal(let literal): literal.values
        }
    }

    /// The error of the first argument that can't be stored.
    var failure: (any Error)? {
        guard case .values(let values) = self else { return nil }
        for case .failure(let error) in values { return error }
        return nil
    }

    /// Binds each argument to the parameter of its place. Texts are borrowed: they must stay until other ones are bound.
    ///
    /// - Parameter room: memory for 16 bytes for each argument, which must stay as long.
    /// - Returns: a result code of SQLite.
    @inline(__always)
    func bind(to sqliteStatement: SQLiteStatement, room: UnsafeMutableRawPointer) -> CInt {
        switch self {
        case .values(let values):
            for index in values.indices {
                guard case .value(let value) = values[index] else { continue }
                let code = value.bindBorrowed(to: sqliteStatement, at: CInt(index + 1), room: room + 16 * index)
                if code != SQLITE_OK { return code }
            }
            return SQLITE_OK
        case .literal(let literal):
            return literal.bind(to: sqliteStatement, room: room)
        }
    }

    /// Lets go of the arguments, as fast as that can be done.
    @inline(__always)
    mutating func removeAll() {
        let removed = consume self
        self = .values([])
        if case .literal(var literal) = consume removed { literal.removeAll() }
    }
}
