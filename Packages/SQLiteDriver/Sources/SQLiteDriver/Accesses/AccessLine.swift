/// A place where accesses wait for a connection.
protocol AccessEntrance: AnyObject, Sendable {
    /// Lets an access wait, which has its turn now or later.
    ///
    /// - Throws: ``DatabaseUnavailableError`` if the access is refused.
    func enter(_ access: Access) throws

    /// Removes an access that has ended early, if it still waits.
    func leave(_ access: Access)

    /// Opens a connection for an access that has the permission.
    func open(_ number: Int, for access: Access) throws -> SerializedConnection

    /// Ends the turn of an access.
    ///
    /// - Parameter connection: its connection; nil for the permission to open one.
    func release(_ connection: SerializedConnection?, of access: Access)
}

/// What waits in a line: an access, or a barrier.
protocol LineEntry: AnyObject, Sendable {
    /// The request of the access.
    var request: AccessRequest { get }

    /// Whether the line counts the access as waiting already: see ``AccessLine/announce(_:isNested:)``.
    var isAnnounced: Bool { get }

    /// Called outside locks when the turn of the entry has come, or never will.
    func turnHasCome(_ turn: Access.Turn)
}

/// The line of the accesses to a connection. One has the connection, and the others wait in the order in which they came.
final class AccessLine: Sendable {
    private struct State {
        var isTaken = false
        var isRefusing = false
        var waiting: [any LineEntry] = []
        /// The number of accesses that wait elsewhere before they come.
        var announcedCount = 0

        var waitingCount: Int { waiting.count { !$0.isAnnounced } + announcedCount }

        /// Throws if an access is refused.
        func check(_ request: AccessRequest, isNested: Bool, _ limit: Int?) throws {
            // Others may wait for the caller of a nested access.
            if isNested { return }
            if isRefusing, request.isRefusable { throw DatabaseUnavailableError(reason: .shuttingDown) }
            if let limit, request.isLimited, isTaken,
                waiting.count(where: { $0.request.isLimited && !$0.isAnnounced }) + announcedCount >= limit
            {
                throw DatabaseUnavailableError(reason: .tooManyWaiting(limit: limit))
            }
        }
    }

    private let state = Guarded(State())
    private let limit: Int?

    /// - Parameter limit: how many accesses may wait; nil for any number.
    init(limit: Int?) {
        self.limit = limit.map { max($0, 0) }
    }

    var waitingCount: Int { state.withLock { $0.waitingCount } }
    var isTaken: Bool { state.withLock { $0.isTaken } }
    var isRefusing: Bool { state.withLock { $0.isRefusing } }

    /// Refuses new accesses from now on, except those inside other accesses.
    func refuse() { state.withLock { $0.isRefusing = true } }

    /// Takes the turn, unless another access has it or waits for it.
    ///
    /// - Throws: ``DatabaseUnavailableError`` if the access is refused.
    func takeNow(_ request: AccessRequest, isNested: Bool) throws -> Bool {
        try state.withLock { state in
            try state.check(request, isNested: isNested, limit)
            if state.isTaken { return false }
            state.isTaken = true
            return true
        }
    }

    /// Takes the turn, or waits for it.
    ///
    /// - Parameter isAdmitted: whether the access was checked before, or can't be refused.
    /// - Returns: whether the entry has its turn now.
    /// - Throws: ``DatabaseUnavailableError`` if the access is refused.
    func enter(_ entry: any LineEntry, isAdmitted: Bool) throws -> Bool {
        try state.withLock { state in
            try state.check(entry.request, isNested: isAdmitted, limit)
            if state.isTaken {
                state.waiting.append(entry)
                return false
            }
            state.isTaken = true
            return true
        }
    }

    /// Admits an access that will come later.
    ///
    /// - Throws: ``DatabaseUnavailableError`` if the access is refused.
    func announce(_ request: AccessRequest, isNested: Bool) throws {
        try state.withLock { state in
            try state.check(request, isNested: isNested, limit)
            state.announcedCount += 1
        }
    }

    /// Records that an announced access has come, or will not.
    func endAnnouncement() { state.withLock { $0.announcedCount -= 1 } }

    /// Removes an entry, if it still waits.
    func leave(_ entry: any LineEntry) {
        state.withLock { $0.waiting.removeAll { $0 === entry } }
    }

    /// Ends the current turn.
    ///
    /// - Returns: the entry whose turn is next.
    func next() -> (any LineEntry)? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
