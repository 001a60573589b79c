/// An access to the writer while no read is running: its wait for the reads, and then for the writer.
///
/// It waits for the running reads, while others still begin. As soon as the reads that began before it have ended, ordinary reads wait. It is up
/// when no connection is lent, and then waits for its turn in the writer's line. Meanwhile, reads may begin inside the writer's accesses: it
/// keeps its turn until they have ended, but passes it on to accesses that those reads may depend on, and waits for another.
final class Barrier: LineEntry {
    private let readers: ReaderPool
    private let writer: SerializedConnection
    private let access = Guarded<Access?>(nil)
    let request: AccessRequest

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
            if let access = access.withLock({ $0 }) { access.turnHasCome(.connection(writer)) } else { writer.passTurn() }
        case .waits: break
        case .lends:
            writer.passTurn()
            readers.whenIdle { [self] in isUp() }
        case .isOver: writer.passTurn()
        }
    }

    /// Tries again, after a change of what the barrier waits for.
    func readersHaveChanged() { tryToBegin() }

    /// Ends the barrier, once.
    private func end() {
        let isFirst = access.withLock { access in
            defer { access = nil }
            return access != nil
        }
        if isFirst { writer.line.endAnnouncement() }
        readers.end(self)
    }
}

extension Barrier: AccessEntrance {
    func enter(_ access: Access) throws {
        try writer.line.announce(request, isNested: access.isNested)
        self.access.withLock { $0 = access }
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
