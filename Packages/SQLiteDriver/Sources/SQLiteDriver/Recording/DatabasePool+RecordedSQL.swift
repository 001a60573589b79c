// Recording of the SQL of all connections of a pool. Recordings begin and end while no read is running.

extension DatabasePool {
    private var request: AccessRequest { AccessRequest(.barrierWrite, .database) }

    /// Begins a recording on all connections.
    ///
    /// - Throws: ``DatabaseError`` inside an access, or if the pool is closed.
    func beginRecording(_ recording: SQLRecording) throws { try gate.run(request) { try begin(recording, $0) } }

    /// Begins a recording on all connections, without blocking a thread.
    ///
    /// - Throws: ``DatabaseError`` if the pool is closed, or `CancellationError`.
    func beginRecording(_ recording: SQLRecording) async throws { try await gate.run(request) { try begin(recording, $0) } }

    private func begin(_ recording: SQLRecording, _ db: Database) throws {
        try db.unsafeAccess { $0.beginRecording(recording) }
        try readers.changeRecordings({ $0.append(recording) }, { $0.beginRecording(recording) })
    }

    /// Ends a recording, and waits until it has ended on all connections.
    func endRecording(_ recording: SQLRecording) {
        recording.end()
        // A closed connection records nothing.
        try? gate.run(request) { end(recording, $0) }
    }

    /// Ends a recording after the accesses that were requested before.
    func endRecordingLater(_ recording: SQLRecording) {
        recording.end()
        gate.schedule(request) { [self] result in if let db = try? result.get() { end(recording, db) } }
    }

    private func end(_ recording: SQLRecording, _ db: Database) {
        db.endRecording(recording)
        try? readers.changeRecordings({ $0.removeAll { $0 === recording } }, { $0.endRecording(recording) })
    }
}
