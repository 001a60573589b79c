// What a closure reads, for those who want to know when to run it again.

extension Database {
    /// Runs a closure, and tells which part of the database it has read.
    ///
    /// ```swift
    /// let (names, region) = try db.recordingAccesses {
    ///     try String.fetchAll(db, sql: "SELECT name FROM player")
    /// }
    /// // region is player(name)
    /// ```
    ///
    /// - Parameter value: the closure. What it reads inside another recording belongs to both.
    /// - Returns: what the closure returns, and the regions of the statements that it has run, with those that it has given to
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

    /// Says that a part of the database is read, when no statement tells: because the result is kept from before, for one.
    ///
    /// It does nothing outside ``recordingAccesses(_:)``.
    ///
    /// - Parameter region: the part of the database, which is asked for only when it is recorded.
    /// - Throws: the error of the region.
    public func registerAccess(to region: @autoclosure () -> some DatabaseRegionConvertible) throws {
        guard recordedRegion != nil else { return }
        let region = try region().databaseRegion(self)
        recordedRegion?.formUnion(region)
    }
}
