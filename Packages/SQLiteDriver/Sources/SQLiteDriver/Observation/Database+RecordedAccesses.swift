// Recording of what a closure reads, for callers that run it again after a change.

extension Database {
    /// Runs a closure, and returns its result and the region of the database that it has read.
    ///
    /// ```swift
    /// let (names, region) = try db.recordingAccesses {
    ///     try String.fetchAll(db, sql: "SELECT name FROM player")
    /// }
    /// // region is player(name)
    /// ```
    ///
    /// - Parameter value: the closure. Its reads inside a nested recording count for both recordings.
    /// - Returns: the closure's result, and the regions of the statements that it ran, with the regions that it passed to
    ///   ``registerAccess(to:)``.
    /// - Throws: the error of the closure.
    public func recordingAccesses<T>(_ value: () throws -> T) rethrows -> (value: T, region: DatabaseRegion) {
        checkAccess()
        let outer = recordedRegion
        recordedRegion = DatabaseRegion()
        updateNeedsAttention()
        defer {
            recordedRegion = outer.map { $0.union(recordedRegion ?? DatabaseRegion()) }
            updateNeedsAttention()
        }
        let result = try value()
        return (result, recordedRegion ?? DatabaseRegion())
    }

    /// Adds a region to the recording when no statement reads it, for example because the result was cached.
    ///
    /// It does nothing outside ``recordingAccesses(_:)``.
    ///
    /// - Parameter region: the region, which is evaluated only inside a recording.
    /// - Throws: the error of the region.
    public func registerAccess(to region: @autoclosure () -> some DatabaseRegionConvertible) throws {
        guard recordedRegion != nil else { return }
        let region = try region().databaseRegion(self)
        recordedRegion?.formUnion(region)
    }
}
