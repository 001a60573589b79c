import CSQLiteShims

// Unsafe code: it manages the lifetime of objects that SQLite keeps pointers to.
//
// - SQLite retains a `FunctionRegistration` for each function of a connection. `sqlite3_create_function_v2` calls the
//   destructor, which releases it, when the function is replaced or removed, when the connection is closed, and also when the call
//   itself fails (https://www.sqlite.org/c3ref/create_function.html).
// - For each group of an aggregate, SQLite allocates a few zeroed bytes, and frees them. They hold a retained `AggregateState`,
//   which the final call releases: SQLite makes that call for each group with at least one row, even when the statement is reset
//   before its end.

extension Database {
    /// Adds a function to the connection, or replaces the one of the same name and argument count.
    ///
    /// ```swift
    /// db.add(function: initials)
    /// ```
    ///
    /// - Precondition: the function's name and argument count are in the ranges that ``DatabaseFunction`` documents, and no
    ///   statement is running when a function is replaced.
    public func add(function: DatabaseFunction) {
        if create(function) != SQLITE_OK { stop("add", function) }
    }

    /// Adds a function to the connection, and returns SQLite's result code.
    func create(_ function: DatabaseFunction) -> CInt {
        let registration = FunctionRegistration(function, self)
        return switch function.body {
        case .scalar:
            create(function, registration, call: { FunctionCall(context: $0, count: $1, arguments: $2).callScalar() })
        case .aggregate:
            create(
                function, registration, step: { FunctionCall(context: $0, count: $1, arguments: $2).stepAggregate() },
                finalize: { FunctionCall(context: $0).finalizeAggregate() })
        }
    }

    /// Removes a function from the connection.
    ///
    /// Statements that call the function no longer compile. A built-in function that it replaced does not come back.
    ///
    /// - Precondition: no statement is running.
    public func remove(function: DatabaseFunction) {
        if create(function, nil) != SQLITE_OK { stop("remove", function) }
    }

    private func create(
        _ function: DatabaseFunction, _ registration: FunctionRegistration?,
        call: (@convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void)? = nil,
        step: (@convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void)? = nil,
        finalize: (@convention(c) (OpaquePointer?) -> Void)? = nil
    ) -> CInt {
        checkAccess()
        guard let handle = sqliteConnection else { return SQLITE_MISUSE }
        let flags = SQLITE_UTF8 | (function.isPure ? SQLITE_DETERMINISTIC : 0)
        return sqlite3_create_function_v2(
            handle, function.name, CInt(clamping: function.argumentCount ?? -1), flags,
            registration.map { Unmanaged.passRetained($0).toOpaque() }, call, step, finalize,
            { if let pointer = $0 { Unmanaged<FunctionRegistration>.fromOpaque(pointer).release() } })
    }

    private func stop(_ action: String, _ function: DatabaseFunction) -> Never {
        fatalError("Could not \(action) the SQL function \(function): \(lastErrorMessage ?? "")")
    }
}

/// A function of a connection.
private final class FunctionRegistration {
    let function: DatabaseFunction
    /// SQLite calls a function only while its connection is open.
    unowned let database: Database

    init(_ function: DatabaseFunction, _ database: Database) {
        self.function = function
        self.database = database
    }
}

/// A call of a function by SQLite.
private struct FunctionCall {
    let context: OpaquePointer?
    var count: CInt = 0
    var arguments: UnsafeMutablePointer<OpaquePointer?>?

    private var registration: FunctionRegistration? {
        sqlite3_user_data(context).map { Unmanaged<FunctionRegistration>.fromOpaque($0).takeUnretainedValue() }
    }

    private var function: DatabaseFunction? { registration?.function }

    private var values: [DatabaseValue] {
        (0..<Int(count)).map { DatabaseValue(sqliteValue: arguments?[$0]) }
    }

    func callScalar() {
        guard case .scalar(let body)? = function?.body else { return }
        do {
            try (body(values)?.bindingValue() ?? .null).setResult(of: context)
            checkInterruption()
        } catch {
            setError(error)
        }
    }

    func stepAggregate() {
        guard let state = aggregateState(creating: true) else {
            return sqlite3_result_error_nomem(context)
        }
        // SQLite stops at the first error, but does not document that.
        guard state.error == nil else { return }
        do {
            try state.aggregate.step(values)
            checkInterruption()
        } catch {
            state.error = error
            setError(error)
        }
    }

    func finalizeAggregate() {
        let state = aggregateState(creating: false)
        defer {
            // Balances the retain of the first step.
            if let state { Unmanaged.passUnretained(state).release() }
        }
        do {
            if let error = state?.error { throw error }
            // A group without rows has no state yet.
            guard let aggregate = state?.aggregate ?? newAggregate() else { return }
            try aggregate.finalDatabaseValue().setResult(of: context)
        } catch {
            setError(error)
        }
    }

    private func newAggregate() -> (any DatabaseAggregate)? {
        guard case .aggregate(let make)? = function?.body else { return nil }
        return make()
    }

    /// The state of the group that this call belongs to.
    private func aggregateState(creating: Bool) -> AggregateState? {
        // When asked for 0 bytes, SQLite returns the memory that a step has allocated, if any.
        let size = creating ? CInt(MemoryLayout<UnsafeMutableRawPointer?>.size) : 0
        guard let memory = sqlite3_aggregate_context(context, size) else { return nil }
        let slot = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        if let pointer = slot.pointee {
            return Unmanaged<AggregateState>.fromOpaque(pointer).takeUnretainedValue()
        }
        guard creating, let aggregate = newAggregate() else { return nil }
        let state = AggregateState(aggregate)
        slot.pointee = Unmanaged.passRetained(state).toOpaque()
        return state
    }

    /// Interrupts the statement if required: SQLite's own checks may be many calls of a slow function apart.
    private func checkInterruption() {
        if registration?.database.interruptsStatement() == true { sqlite3_result_error_code(context, SQLITE_INTERRUPT) }
    }

    private func setError(_ error: any Error) {
        let (code, text) = ResultCode.failure(with: error)
        var message = text
        message.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_result_error(context, $0.baseAddress, CInt(clamping: $0.count))
            }
        }
        // The code comes after the message, as setting the message sets the code to SQLITE_ERROR.
        sqlite3_result_error_code(context, code.rawValue)
        // SQLite's message ends at the first NUL.
        let shownMessage = message.split(separator: "\0").first.map(String.init) ?? ""
        registration?.database.functionFailure = (error, code.rawValue, shownMessage, carriesMessage: true)
    }
}

/// The state of an aggregate over the rows of a group, and the error that has ended it.
private final class AggregateState {
    var aggregate: any DatabaseAggregate
    var error: (any Error)?

    init(_ aggregate: any DatabaseAggregate) {
        self.aggregate = aggregate
    }
}
