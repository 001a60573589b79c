import Dispatch

// Recording of the SQL of all connections of a pool.

extension DatabasePool {
    /// Begins a recording on all connections.
    ///
    /// - Throws: ``DatabaseError`` inside an access to the writer, or if the pool is closed.
    func beginRecording(_ recording: SQLRecording) throws {
        try gate.run(.ofDatabase) { try $0.unsafeAccess { $0.beginRecording(recording) } }
        let hasBegun = DispatchSemaphore(value: 0)
        readers.begin(recording) { hasBegun.signal() }
        hasBegun.wait()
    }

    /// Begins a recording on all connections, without blocking a thread.
    ///
    /// - Throws: ``DatabaseError`` if the pool is closed, or `CancellationError`.
    func beginRecording(_ recording: SQLRecording) async throws {
        try await gate.run(.ofDatabase) { try $0.unsafeAccess { $0.beginRecording(recording) } }
        await withCheckedContinuation { continuation in readers.begin(recording) { continuation.resume() } }
    }

    /// Ends a recording, and waits until it has ended on all connections.
    func endRecording(_ recording: SQLRecording) {
        recording.end()
        // A closed connection records nothing.
        try? gate.runReentrantly(.ofDatabase) { $0.endRecording(recording) }
        let hasEnded = DispatchSemaphore(value: 0)
        readers.end(recording) { hasEnded.signal() }
        hasEnded.wait()
    }

    /// Ends a recording after the accesses that were requested before.
    func endRecordingLater(_ recording: SQLRecording) {
        recording.end()
        gate.schedule(.ofDatabase) { result in (try? result.get())?.endRecording(recording) }
        readers.end(recording)
    }
}
