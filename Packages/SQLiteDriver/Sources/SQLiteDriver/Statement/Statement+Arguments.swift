import CSQLiteShims

// Giving values to parameters. Everything is checked before anything is bound, and bound before anything runs.

extension Statement {
    /// The arguments of the statement's next run.
    ///
    /// - Precondition: the arguments fit the statement; ``setArguments(_:)`` throws where this setter stops.
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

    /// Gives the parameters the values that they have in the statement's next runs.
    ///
    /// - Throws: ``DatabaseError`` when there are too few or too many arguments, when a named one is missing, or when a value
    ///   can't be stored. The parameters keep their values, but for a value that is too long for SQLite: then they have none.
    public func setArguments(_ arguments: consuming StatementArguments) throws {
        if arguments.contents.isInOrder(count: parameterCount) {
            return try bindInOrder(consume arguments)
        }
        try bindByName(arguments)
    }

    /// Gives each parameter the argument of its name, or the next one that has none.
    @inline(never)
    private func bindByName(_ arguments: StatementArguments) throws {
        var positions = arguments.values[...]
        let values = try resolve(arguments, positions: &positions)
        if !positions.isEmpty {
            throw wrongCount(of: arguments)
        }
        try bind(values, from: arguments)
    }

    /// Gives the parameters values without checking their number: missing ones are NULL.
    ///
    /// - Throws: ``DatabaseError`` when a value can't be stored.
    public func setUncheckedArguments(_ arguments: StatementArguments) throws {
        var positions = arguments.values[...]
        let values = try (0..<parameterCount).map { index in
            try argument(at: index, from: arguments, positions: &positions)?.get() ?? .null
        }
        try bind(values, from: arguments)
    }

    /// Checks that arguments fit the statement, without giving them to it.
    ///
    /// - Throws: ``DatabaseError`` when there are too few or too many arguments, when a named one is missing, or when a value
    ///   can't be stored.
    public func validateArguments(_ arguments: StatementArguments) throws {
        var positions = arguments.values[...]
        _ = try resolve(arguments, positions: &positions)
        if !positions.isEmpty {
            throw wrongCount(of: arguments)
        }
    }

    /// Binds one value, for layers that check the number of the values by themselves.
    ///
    /// - Parameters:
    ///   - value: the value, which SQLite copies.
    ///   - index: the parameter's index, from 1.
    /// - Throws: ``DatabaseError``.
    @inlinable
    public func bind(_ value: DatabaseValue, at index: Int) throws {
        database.checkAccess()
        let code = value.bind(to: sqliteStatement, at: CInt(clamping: index))
        if code != SQLITE_OK {
            throw makeError(code)
        }
    }

    /// Tells the statement that all its parameters were given values by ``bind(_:at:)``.
    @inlinable
    public func didBindArguments() {
        state.pointee.hasArguments = true
    }

    /// The values of all parameters, in order.
    ///
    /// - Parameter positions: the positional arguments that are left; those that are used are removed.
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

    /// Gives each parameter the argument of its place: what nearly all arguments are, so that nothing is made of them on the way.
    ///
    /// Texts are not copied: the statement keeps the arguments until its parameters have others. It has all or none of them.
    @inline(__always)
    private func bindInOrder(_ arguments: consuming StatementArguments) throws {
        if let error = arguments.contents.failure { throw describe(error, arguments) }
        database.checkAccess()
        reset()
        state.pointee.hasArguments = parameterCount == 0
        let code = arguments.contents.bind(to: sqliteStatement, room: state.pointee.roomForTexts ?? makeRoomForTexts())
        if code != SQLITE_OK { throw refuse(arguments, code) }
        // The texts that the parameters had until now are not looked at any more.
        state.pointee.arguments = consume arguments
        state.pointee.hasArguments = true
    }

    /// Makes room for the bytes of short texts: 16 for each parameter.
    @inline(never)
    private func makeRoomForTexts() -> UnsafeMutableRawPointer {
        let room = UnsafeMutableRawPointer.allocate(byteCount: 16 * max(parameterCount, 1), alignment: 16)
        state.pointee.roomForTexts = room
        return room
    }

    /// Removes arguments of which one was refused: some parameters may have texts that nobody keeps.
    @inline(never)
    private func refuse(_ arguments: StatementArguments, _ code: CInt) -> DatabaseError {
        let error = database.makeError(code, sql: sql, arguments: arguments)
        sqlite3_clear_bindings(sqliteStatement)
        state.pointee.arguments = nil
        return error
    }

    /// Gives the error of an argument the statement's SQL.
    @inline(never)
    private func describe(_ error: any Error, _ arguments: StatementArguments) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        return error.with(
            sql: sql, arguments: arguments, publicStatementArguments: database.configuration.publicStatementArguments)
    }

    private func bind(_ values: [DatabaseValue], from arguments: StatementArguments) throws {
        database.checkAccess()
        reset()
        // Should one of them be refused, the statement must not run with a mixture of old and new ones.
        state.pointee.hasArguments = parameterCount == 0
        for (index, value) in values.enumerated() {
            try bind(value, at: index + 1)
        }
        state.pointee.arguments = arguments
        state.pointee.hasArguments = true
    }

    func bindResolved(_ values: [DatabaseValue], from arguments: StatementArguments) throws {
        try bind(values, from: arguments)
    }

    private func wrongCount(of arguments: StatementArguments) -> DatabaseError {
        argumentError(
            "wrong number of statement arguments: \(parameterCount) expected, "
                + "\(arguments.values.count + arguments.namedValues.count) given", arguments)
    }

    private func missing(at index: Int, in arguments: StatementArguments) -> DatabaseError {
        if let name = sqlite3_bind_parameter_name(sqliteStatement, CInt(index + 1)), name[0] != CChar(UInt8(ascii: "?")) {
            return argumentError("missing statement argument: \(String(cString: name))", arguments)
        }
        return wrongCount(of: arguments)
    }

    private func argumentError(_ message: String, _ arguments: StatementArguments) -> DatabaseError {
        DatabaseError(
            code: .SQLITE_MISUSE, message: message, sql: sql, arguments: arguments,
            publicStatementArguments: database.configuration.publicStatementArguments,
            advice: gapAdvice + "Give one value for each parameter.")
    }

    /// A sentence about a parameter such as `?5` that makes SQLite count others before it, which the SQL may not have.
    private var gapAdvice: String {
        let names = (0..<parameterCount).map { sqlite3_bind_parameter_name(sqliteStatement, CInt($0 + 1)) }
        guard names.contains(where: { $0 == nil }), let name = names.last(where: { $0?[0] == CChar(UInt8(ascii: "?")) }) else {
            return ""
        }
        let text = name.map { String(cString: $0) } ?? ""
        return "The number of \(text) is its place: those before it count, even where the SQL does not have them. "
    }
}
