import CSQLiteShims

// Binding arguments to parameters. All arguments are checked before the first one is bound, and bound before the statement runs.

extension Statement {
    /// The arguments of the next run.
    ///
    /// - Precondition: the arguments fit the statement. ``setArguments(_:)`` throws if they don't.
    public var arguments: StatementArguments {
        get { state.pointee.arguments ?? StatementArguments() }
        set {
            do {
                try setArguments(newValue)
            } catch {
                fatalError("\(error)")
            }
        }
    }

    /// Sets the arguments of the next runs.
    ///
    /// - Throws: ``DatabaseError`` if there are too few or too many arguments, if a named argument is missing, or if a value can't be
    ///   stored. The previous arguments stay, unless a value is too long for SQLite: the statement then has no arguments.
    public func setArguments(_ arguments: consuming StatementArguments) throws {
        if arguments.contents.isInOrder(count: parameterCount) {
            return try bindInOrder(consume arguments)
        }
        try bindByName(arguments)
    }

    /// Sets the arguments of all parameters, in the memory of the previous arguments: for layers that keep a statement for many runs.
    ///
    /// - Parameter argument: returns the argument of a parameter, by its index from 0. If it throws an error, the statement has no arguments.
    /// - Throws: ``DatabaseError`` if a value is too long for SQLite, or the closure's error.
    package func setArguments(_ argument: (Int) throws -> DatabaseValue) throws {
        beginBinding()
        var values: [StatementArguments.Argument] = []
        if case .values(let previous)? = state.pointee.arguments?.contents { values = previous }
        // This releases the second reference to the array. SQLite does not read the strings before the next run.
        state.pointee.arguments = nil
        if values.count != parameterCount { values = Array(repeating: .value(.null), count: parameterCount) }
        let parameters = state.pointee.borrowingParameters ?? makeBorrowingParameters()
        do {
            for index in values.indices {
                let value = try argument(index)
                let code = parameters.bind(value, at: index)
                values[index] = .value(value)
                if code != SQLITE_OK { throw makeError(code) }
            }
        } catch {
            removeArguments()
            throw error
        }
        state.pointee.arguments = StatementArguments(contents: .values(values))
        state.pointee.hasArguments = beginsAtOnce
    }

    /// Binds to each parameter the argument with its name, or else the next positional argument.
    @inline(never)
    private func bindByName(_ arguments: StatementArguments) throws {
        try bind(resolve(arguments), from: arguments)
    }

    /// Sets the arguments without checking their number: parameters without an argument are NULL.
    ///
    /// The method does not throw. If a value can't be stored, the next run of the statement throws the error.
    public func setUncheckedArguments(_ arguments: StatementArguments) {
        do {
            var positions = arguments.values[...]
            let values = try (0..<parameterCount).map { index in
                try argument(at: index, from: arguments, positions: &positions)?.get() ?? .null
            }
            try bind(values, from: arguments)
        } catch {
            removeArguments()
            state.pointee.argumentsError = describe(error, arguments)
        }
    }

    /// Removes the arguments, and the values that the program has bound through the C API: a statement with parameters needs new ones before
    /// its next run.
    package func removeArguments() {
        beginBinding()
        sqlite3_clear_bindings(handle)
        state.pointee.arguments = nil
        state.pointee.argumentsError = nil
    }

    /// Checks that arguments fit the statement, without setting them.
    ///
    /// - Throws: ``DatabaseError`` if there are too few or too many arguments, if a named argument is missing, or if a value can't
    ///   be stored.
    public func validateArguments(_ arguments: StatementArguments) throws {
        _ = try resolve(arguments)
    }

    /// Binds one value, for layers that check the number of values themselves.
    ///
    /// - Parameters:
    ///   - value: the value, which SQLite copies.
    ///   - index: the parameter's index, from 1.
    /// - Throws: ``DatabaseError``.
    @inlinable
    public func bind(_ value: DatabaseValue, at index: Int) throws {
        database.checkAccess()
        let code = value.bind(to: handle, at: CInt(clamping: index))
        if code != SQLITE_OK {
            throw makeError(code)
        }
    }

    /// Binds a string, for layers that check the bytes and the number of values themselves.
    ///
    /// - Parameters:
    ///   - text: bytes that contain the string, which SQLite copies.
    ///   - range: the position of the string in the bytes. It must be valid UTF-8.
    ///   - index: the parameter's index, from 1.
    /// - Throws: ``DatabaseError``.
    package func bind(text: [UInt8], _ range: Range<Int>, at index: Int) throws {
        database.checkAccess()
        let code = text.bindText(range, to: handle, at: CInt(clamping: index))
        if code != SQLITE_OK {
            throw makeError(code)
        }
    }

    /// Binds positional arguments to the last parameters, for layers that bind the others themselves.
    ///
    /// - Throws: ``DatabaseError``.
    package func bindLast(_ arguments: StatementArguments) throws {
        let values = arguments.values
        for (index, value) in values.enumerated() { try bind(value.get(), at: parameterCount - values.count + index + 1) }
    }

    /// Declares that ``bind(_:at:)`` has set all parameters.
    @inlinable
    package func didBindArguments() {
        state.pointee.hasArguments = beginsAtOnce
    }

    /// Returns the values of all parameters, in order, and throws if positional arguments are left.
    private func resolve(_ arguments: StatementArguments) throws -> [DatabaseValue] {
        var positions = arguments.values[...]
        let values = try resolve(arguments, positions: &positions)
        if !positions.isEmpty { throw wrongCount(of: arguments) }
        return values
    }

    /// Returns the values of all parameters, in order.
    ///
    /// - Parameter positions: the remaining positional arguments. The method removes those that it uses.
    func resolve(
        _ arguments: StatementArguments, positions: inout ArraySlice<StatementArguments.Argument>
    ) throws -> [DatabaseValue] {
        try (0..<parameterCount).map { index in
            guard let argument = argument(at: index, from: arguments, positions: &positions) else {
                throw missing(at: index, in: arguments)
            }
            do {
                return try argument.get()
            } catch {
                throw describe(error, arguments)
            }
        }
    }

    private func argument(
        at index: Int, from arguments: StatementArguments, positions: inout ArraySlice<StatementArguments.Argument>
    ) -> StatementArguments.Argument? {
        if !arguments.namedValues.isEmpty, let name = parameterNames[index], let argument = arguments.argument(named: name) {
            return argument
        }
        return positions.popFirst()
    }

    /// Ends the current run, and its arguments: if a new one is refused, the statement must not run with a mixture of old and new ones.
    @inline(__always)
    private func beginBinding() {
        database.checkAccess()
        reset()
        if state.pointee.narrowing != nil { state.pointee.narrowing = nil }
        state.pointee.hasArguments = parameterCount == 0 && beginsAtOnce
        state.pointee.mayHaveForeignBindings = false
    }

    /// Binds to each parameter the argument at its position. This is the common case, so it makes no array of values in between.
    ///
    /// Strings are not copied: the statement keeps the arguments until it gets new ones. If an argument is refused, the statement has no
    /// arguments.
    @inline(__always)
    private func bindInOrder(_ arguments: consuming StatementArguments) throws {
        if let error = arguments.contents.failure { throw describe(error, arguments) }
        beginBinding()
        let code = arguments.contents.bind(to: state.pointee.borrowingParameters ?? makeBorrowingParameters())
        if code != SQLITE_OK { throw refuse(arguments, code) }
        // SQLite no longer reads the strings of the previous arguments.
        state.pointee.arguments = consume arguments
        state.pointee.hasArguments = beginsAtOnce
    }

    @inline(never)
    private func makeBorrowingParameters() -> BorrowingParameters {
        let parameters = BorrowingParameters(of: handle, count: parameterCount)
        state.pointee.borrowingParameters = parameters
        return parameters
    }

    /// Clears the parameters after an argument was refused: some may refer to strings that are not kept.
    @inline(never)
    private func refuse(_ arguments: StatementArguments, _ code: CInt) -> DatabaseError {
        let error = database.makeError(code, sql: sql, arguments: arguments)
        removeArguments()
        return error
    }

    /// Adds the statement's SQL to the error of an argument.
    @inline(never)
    private func describe(_ error: any Error, _ arguments: StatementArguments) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        return error.with(
            sql: sql, arguments: arguments, publicStatementArguments: database.configuration.publicStatementArguments)
    }

    /// Binds the values of all parameters, which ``resolve(_:positions:)`` returns.
    func bind(_ values: [DatabaseValue], from arguments: StatementArguments) throws {
        beginBinding()
        state.pointee.argumentsError = nil
        for (index, value) in values.enumerated() {
            try bind(value, at: index + 1)
        }
        state.pointee.arguments = arguments
        state.pointee.hasArguments = beginsAtOnce
    }

    private func wrongCount(of arguments: StatementArguments) -> DatabaseError {
        argumentError(
            "wrong number of statement arguments: \(parameterCount) expected, "
                + "\(arguments.values.count + arguments.namedValues.count) given", arguments)
    }

    private func missing(at index: Int, in arguments: StatementArguments) -> DatabaseError {
        if let name = sqlite3_bind_parameter_name(handle, CInt(index + 1)), name[0] != CChar(UInt8(ascii: "?")) {
            return argumentError("missing statement argument: \(String(cString: name))", arguments)
        }
        // Arguments with other names count as given.
        if arguments.namedValues.isEmpty { return wrongCount(of: arguments) }
        return argumentError(
            "missing statement argument: parameter \(index + 1) has no name, and needs an argument without one", arguments)
    }

    private func argumentError(_ message: String, _ arguments: StatementArguments) -> DatabaseError {
        DatabaseError(
            code: .SQLITE_MISUSE, message: message, sql: sql, arguments: arguments,
            publicStatementArguments: database.configuration.publicStatementArguments,
            advice: gapAdvice + "Pass one value for each parameter.")
    }

    /// Advice about a parameter such as `?5`, for which SQLite also counts lower numbers that the SQL does not use.
    private var gapAdvice: String {
        let names = (0..<parameterCount).map { sqlite3_bind_parameter_name(handle, CInt($0 + 1)) }
        guard names.contains(where: { $0 == nil }), let name = names.last(where: { $0?[0] == CChar(UInt8(ascii: "?")) }) else {
            return ""
        }
        let text = name.map { String(cString: $0) } ?? ""
        return "The number of \(text) is its position: the parameters before it count, even if the SQL does not contain them. "
    }
}
