/// An access to the writer while no read is running: its wait for the reads, and then for the writer.
///
/// It waits for the running reads, while others still begin. As soon as the reads that began before it have ended, ordinary reads wait. It is up
/// when no connection is lent, and then waits for its turn in the writer's line. Meanwhile, reads may begin inside the writer's accesses: it
/// keeps its turn until they have ended, but passes it on to accesses that those reads may depend on, and waits for another.
final class Barrier: LineEntry {
    private let readers: ReaderPool
    private let writer: SerializedConnection
    /// The access, until it ends, and whether it can have its turn in the writer's line.
    private let state = Guarded((access: Access?.none, isReady: false))
    let request: AccessRequest
    var isReady: Bool { state.withLock { $0.isReady } }

    init(_ request: AccessRequest, _ readers: ReaderPool, _ writer: SerializedConnection) {
        self.request = request
        self.readers = readers
        self.writer = writer
    }

    /// No read is running, and ordinary reads wait.
    func isUp() {
        state.withLock { $0.isReady = true }
        writer.line.lookAgain()?.turnHasCome(.connection(writer))
    }

    func turnHasCome(_ turn: Access.Turn) { tryToBegin() }

    /// Begins the access if no read is running. The barrier has its turn in the writer's line.
    private func tryToBegin() {
        switch readers.begin(self) {
        case .begins:
            if let access = state.withLock({ $0.access }) { access.turnHasCome(.connection(writer)) } else { writer.passTurn() }
        case .waits: break
        case .lends:
            state.withLock { $0.isReady = false }
            // It was admitted before.
            _ = try? writer.line.enter(self, isAdmitted: true)
            // It may have ended before it was in the line.
            if state.withLock({ $0.access == nil }) { writer.line.leave(self) }
            writer.passTurn()
            readers.whenIdle { [self] in isUp() }
        case .isOver: writer.passTurn()
        }
    }

    /// Tries again, after a change of what the barrier waits for.
    func readersHaveChanged() { tryToBegin() }

    /// Ends the barrier. It may be called more than once.
    private func end() {
        state.withLock { $0.access = nil }
        readers.end(self)
    }
}

extension Barrier: AccessEntrance {
    func enter(_ access: Access) throws {
        _ = try writer.line.enter(self, isAdmitted: access.isNested)
        state.withLock { $0.access = access }
        readers.raise(self)
    }

    func leave(_ access: Access) {
        end()
        writer.line.leave(self)
    }

    func takeNow(_ request: AccessRequest, _ kind: ReaderPool.Kind) throws -> SerializedConnection? { nil }

    func release(_ connection: SerializedConnection?, _ request: AccessRequest, _ kind: ReaderPool.Kind) {
        end()
        writer.passTurn()
    }
}
