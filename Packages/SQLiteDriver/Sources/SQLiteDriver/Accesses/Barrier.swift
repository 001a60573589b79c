/// An access to the writer while no read is running: its wait for the reads, and then for the writer.
///
/// It waits for the running reads, while others still begin. As soon as the reads that began before it have ended, ordinary reads wait. It is up
/// when no connection is lent, and then waits for its turn in the writer's line. Meanwhile, reads may begin inside the writer's accesses: it
/// keeps its turn until they have ended, but passes it on to accesses that those reads may depend on, and waits for another.
final class Barrier: LineEntry {
    private let readers: ReaderPool
    private let writer: SerializedConnection
    /// The access, until it ends, and whether it is one that the writer's line counts as waiting.
    private let state = Guarded((access: Access?.none, isAnnounced: false))
    let request: AccessRequest
    let isAnnounced = true

    init(_ request: AccessRequest, _ readers: ReaderPool, _ writer: SerializedConnection) {
        self.request = request
        self.readers = readers
        self.writer = writer
    }

    /// No read is running, and ordinary reads wait.
    func isUp() {
        // It was admitted when it was announced.
        if (try? writer.line.enter(self, isAdmitted: true)) == true { tryToBegin() }
    }

    func turnHasCome(_ turn: Access.Turn) { tryToBegin() }

    /// Begins the access if no read is running. The barrier has its turn in the writer's line.
    private func tryToBegin() {
        switch readers.begin(self) {
        case .begins:
            endAnnouncement()
            if let access = state.withLock({ $0.access }) { access.turnHasCome(.connection(writer)) } else { writer.passTurn() }
        case .waits: break
        case .lends:
            writer.passTurn()
            readers.whenIdle { [self] in isUp() }
        case .isOver: writer.passTurn()
        }
    }

    /// Tries again, after a change of what the barrier waits for.
    func readersHaveChanged() { tryToBegin() }

    private func endAnnouncement() {
        let isAnnounced = state.withLock { state in
            defer { state.isAnnounced = false }
            return state.isAnnounced
        }
        if isAnnounced { writer.line.endAnnouncement() }
    }

    /// Ends the barrier. It may be called more than once.
    private func end() {
        state.withLock { $0.access = nil }
        endAnnouncement()
        readers.end(self)
    }
}

extension Barrier: AccessEntrance {
    func enter(_ access: Access) throws {
        try writer.line.announce(request, isNested: access.isNested)
        state.withLock { $0 = (access, true) }
        readers.raise(self)
    }

    func leave(_ access: Access) {
        end()
        writer.line.leave(self)
    }

    func open(_ number: Int, for access: Access) throws -> SerializedConnection { writer }

    func release(_ connection: SerializedConnection?, of access: Access) {
        end()
        writer.passTurn()
    }
}
