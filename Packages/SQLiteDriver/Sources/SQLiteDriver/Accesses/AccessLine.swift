/// A place where accesses wait for a connection.
protocol AccessEntrance: AnyObject, Sendable {
    /// Lets an access wait, which has its turn now or later.
    ///
    /// - Throws: ``DatabaseUnavailableError`` if the access is refused.
    func enter(_ access: Access) throws

    /// Removes an access that has ended early, if it still waits.
    func leave(_ access: Access)

    /// Takes a connection, unless the access of a thread must wait.
    ///
    /// - Throws: ``DatabaseUnavailableError`` if the access is refused.
    func takeNow(_ request: AccessRequest, _ kind: ReaderPool.Kind) throws -> SerializedConnection?

    /// Ends the turn of an access.
    ///
    /// - Parameter connection: its connection; nil for the permission to open one.
    func release(_ connection: SerializedConnection?, _ request: AccessRequest, _ kind: ReaderPool.Kind)
}

/// What waits in a line: an access, or a barrier.
protocol LineEntry: AnyObject, Sendable {
    /// The request of the access.
    var request: AccessRequest { get }

    /// Whether the entry can have its turn. A barrier waits for reads first.
    var isReady: Bool { get }

    /// Called outside locks when the turn of the entry has come, or never will.
    func turnHasCome(_ turn: Access.Turn)
}

/// The line of the accesses to a connection. One has the connection, and the others wait in the order in which they came.
final class AccessLine: Sendable {
    private struct State {
        var isTaken = false
        var isRefusing = false
        var waiting: [any LineEntry] = []

        /// Throws if an access is refused.
        func check(_ request: AccessRequest, isNested: Bool, _ limit: Int?) throws {
            // Others may wait for the caller of a nested access.
            if !isNested { try request.check(isRefusing: isRefusing, limit, mustWait: isTaken, waiting: waiting) }
        }

        var nextIndex: Int? { waiting.firstIndex { $0.isReady } }

        var nextSharesCommit: Bool { nextIndex.map { waiting[$0].request.commitMember != nil } ?? false }

        mutating func next() -> (any LineEntry)? {
            let index = nextIndex
            isTaken = index != nil
            return index.map { waiting.remove(at: $0) }
        }
    }

    private let state = Guarded(State())
    private let limit: Int?

    /// - Parameter limit: how many accesses may wait; nil for any number.
    init(limit: Int?) {
        self.limit = limit.map { max($0, 0) }
    }

    var waitingCount: Int { state.withLock { $0.waiting.count } }
    var isTaken: Bool { state.withLock { $0.isTaken } }
    /// Whether the entry whose turn is next may share a commit.
    var nextSharesCommit: Bool { state.withLock { $0.nextSharesCommit } }
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
            if state.isTaken || !entry.isReady {
                state.waiting.append(entry)
                return false
            }
            state.isTaken = true
            return true
        }
    }

    /// Waits for an entry, for a moment. After a shared commit, its writes return at the same time, and those who write again come within
    /// 40 µs. It would take as long again to wake the thread of the connection up, if it slept meanwhile. Other threads get the processor.
    func awaitEntry() {
        let end = ContinuousClock.now.advanced(by: .microseconds(50))
        while !isTaken, ContinuousClock.now < end { yieldProcessor() }
    }

    /// Removes an entry, if it still waits.
    func leave(_ entry: any LineEntry) {
        state.withLock { $0.waiting.removeAll { $0 === entry } }
    }

    /// Ends the current turn.
    ///
    /// - Returns: the entry whose turn is next.
    func next() -> (any LineEntry)? { state.withLock { $0.next() } }

    /// Ends the current turn, unless the entry whose turn is next can't share a commit, or there is none.
    func nextThatSharesCommit() -> (any LineEntry)? { state.withLock { $0.nextSharesCommit ? $0.next() : nil } }

    /// Takes the turn for an entry that has become ready, unless another entry has it.
    ///
    /// - Returns: the entry that has its turn now.
    func lookAgain() -> (any LineEntry)? { state.withLock { $0.isTaken ? nil : $0.next() } }
}
