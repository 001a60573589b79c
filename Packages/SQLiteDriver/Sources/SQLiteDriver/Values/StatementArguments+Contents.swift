import CSQLiteShims

extension StatementArguments {
    /// The representation of arguments. It is a single reference, because programs pass arguments for each run of a statement.
    enum Contents: Sendable {
        case literal(ArgumentsLiteral)
        case values([Argument])
        /// Arguments, some of which have names.
        indirect case named([(name: String, value: Argument)], others: [Argument])

        init(literal elements: [(any StatementBinding)?]) {
            if ArgumentsLiteral.canHold(elements) {
                self = .literal(ArgumentsLiteral(elements))
            } else {
                self = .values(elements.map { Argument($0) })
            }
        }

        init(named namedValues: [(name: String, value: Argument)], others values: [Argument]) {
            self = namedValues.isEmpty ? .values(values) : .named(namedValues, others: values)
        }

        /// Returns whether there are this many arguments, all of them positional.
        @inline(__always)
        func isInOrder(count: Int) -> Bool {
            switch self {
            case .literal(let literal): literal.count == count
            case .values(let values): values.count == count
            case .named: false
            }
        }

        /// The error of the first positional argument that can't be stored, if any.
        @inline(__always)
        var failure: (any Error)? {
            guard case .values(let values) = self else { return nil }
            return Self.firstFailure(of: values)
        }

        @inline(never)
        private static func firstFailure(of values: [Argument]) -> (any Error)? {
            for case .failure(let error) in values { return error }
            return nil
        }

        /// Binds each argument to the parameter at its position, and borrows the bytes of strings: keep the arguments until others are
        /// bound.
        ///
        /// - Parameter parameters: as many parameters as there are arguments.
        /// - Returns: a result code of SQLite.
        @inline(__always)
        func bind(to parameters: BorrowingParameters) -> CInt {
            switch self {
            case .literal(let literal):
                return literal.bind(to: parameters)
            case .values(let values), .named(_, others: let values):
                for index in values.indices {
                    guard case .value(let value) = values[index] else { continue }
                    let code = parameters.bind(value, at: index)
                    if code != SQLITE_OK { return code }
                }
                return SQLITE_OK
            }
        }
    }

    /// The values of the positional arguments, in order.
    var values: [Argument] {
        switch contents {
        case .literal(let literal): literal.values
        case .values(let values), .named(_, others: let values): values
        }
    }

    /// The named arguments, in the order in which they were given.
    var namedValues: [(name: String, value: Argument)] {
        guard case .named(let namedValues, _) = contents else { return [] }
        return namedValues
    }
}
