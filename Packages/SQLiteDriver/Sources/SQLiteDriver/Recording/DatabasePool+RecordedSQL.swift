// Recording of the SQL of all connections of a pool.

extension DatabasePool {
    /// Begins a recording on all connections.
    ///
    /// - Throws: ``DatabaseError`` inside an access to the writer, or if the pool is closed.
    func beginRecording(_ recording: SQLRecording) throws {
        try writer.sync { try $0.unsafeAccess { $0.beginRecording(recording) } }
        // A connection that is closed meanwhile runs nothing more.
        for connection in readers.add(recording) { try? connection.sync { $0.beginRecording(recording) } }
    }

    /// Begins a recording on all connections, without blocking a thread.
    ///
    /// - Throws: ``DatabaseError`` if the pool is closed, or `CancellationError`.
    func beginRecording(_ recording: SQLRecording) async throws {
        try await writer.perform { try $0.unsafeAccess { $0.beginRecording(recording) } }
        for connection in readers.add(recording) { try? await connection.perform { $0.beginRecording(recording) } }
    }

    /// Ends a recording, and waits until it has ended on all connections.
    func endRecording(_ recording: SQLRecording) {
        recording.end()
        for connection in readers.remove(recording) + [writer] { try? connection.sync { $0.endRecording(recording) } }
    }

    /// Ends a recording after the accesses that were requested before.
    func endRecordingLater(_ recording: SQLRecording) {
        recording.end()
        for connection in readers.remove(recording) + [writer] { connection.async { $0.endRecording(recording) } }
    }
}
