import Foundation

extension DatabaseWriter {
    /// Inserts the records of a file, in portions.
    ///
    /// ```swift
    /// try queue.load(
    ///     .csv(.file(url)), into: "player", portion: 5_000, resumableAs: "players.csv"
    /// ) { progress in
    ///     print("\(progress.rowCount) rows, \(progress.byteCount) bytes")
    /// }
    /// ```
    ///
    /// Records become rows as with ``Database/load(_:into:options:onConflict:upsert:progress:)``.
    ///
    /// Each portion of records is inserted in a transaction of its own, and other accesses run in between, also while the file is read. After
    /// an error, the portions that were committed stay. Timeouts of the configuration apply to each portion.
    ///
    /// With `resumableAs`, each portion also stores the position in the file, in the table `strata_loads` of the database. If the load ends
    /// early, because of an error or because the process is killed, the same call continues after the last portion: each record is inserted
    /// once. It first reads again what was loaded, and throws if that part of the file has changed. The last portion removes the position: a
    /// load whose process is killed after that commit has ended, and the same call begins another one. Nothing can fail after that commit:
    /// `progress` is called for the last portion before it is committed. To count its rows, the portion is inserted and rolled back first.
    ///
    /// A source that is not a file must deliver the same bytes again from its beginning.
    ///
    /// - Parameters:
    ///   - file: a file, a string or bytes, in its format.
    ///   - table: the name of a table or view.
    ///   - options: how texts become values, whether the table is created, and where records go that can't be loaded.
    ///   - conflict: the conflict resolution; nil for the table's own.
    ///   - upsert: by which columns rows are found that are updated; nil to insert all records. Updated rows count, too.
    ///   - portion: the maximum number of records in a transaction. A portion also ends after 16 MB.
    ///   - name: the name under which the position is stored; nil for a load that can't be resumed.
    ///   - progress: called after each portion was committed; with `resumableAs`, for the last portion before that. An error that it throws
    ///     ends the load.
    /// - Returns: the number of rows that were inserted, without ignored rows. If the load was resumed, all its rows count.
    /// - Throws: ``LoadError`` with the number of the line, also if the file has changed; ``DatabaseError``; the error of the file, or of
    ///   `progress`.
    @discardableResult
    public func load(
        _ file: LoadedFile, into table: String, options: LoadOptions = LoadOptions(),
        onConflict conflict: Database.ConflictResolution? = nil, upsert: LoadUpsert? = nil, portion: Int = 10_000,
        resumableAs name: String? = nil, progress: ((LoadProgress) throws -> Void)? = nil
    ) throws -> Int {
        try Portion.check(portion)
        let loader = try file.makeLoader(table, options, ConflictRule(resolution: conflict, upsert: upsert), name: name)
        try writeWithoutTransaction { try loader.begin($0) }
        try loader.open()
        repeat {
            try loader.read(portion, size: Portion.size)
            let isLast = name != nil && loader.hasReadLast
            if isLast, let progress {
                try progress(
                    writeWithoutTransaction { db in
                        defer { loader.finish() }
                        return try loader.rehearse(db)
                    })
            }
            try writeWithoutTransaction { db in
                defer { loader.finish() }
                try loader.insert(db)
            }
            if !isLast { try progress?(loader.progress) }
        } while !loader.isComplete
        return loader.progress.rowCount
    }

    // MARK: - Without blocking a thread

    /// Inserts the records of a file, in portions, and without blocking a thread.
    ///
    /// ```swift
    /// try await queue.load(
    ///     .csv(.file(url)), into: "player", portion: 5_000, resumableAs: "players.csv"
    /// ) { progress in
    ///     print("\(progress.rowCount) rows, \(progress.byteCount) bytes")
    /// }
    /// ```
    ///
    /// Records become rows as with ``Database/load(_:into:options:onConflict:upsert:progress:)``.
    ///
    /// For portions and positions, see ``load(_:into:options:onConflict:upsert:portion:resumableAs:progress:)``. If the task is
    /// cancelled, the portions that were committed stay. The file is read on a thread of its own: a read that waits for bytes, such as that of
    /// a pipe, ends with them, and not with the cancellation.
    ///
    /// - Parameters:
    ///   - file: a file, a string or bytes, in its format.
    ///   - table: the name of a table or view.
    ///   - options: how texts become values, whether the table is created, and where records go that can't be loaded.
    ///   - conflict: the conflict resolution; nil for the table's own.
    ///   - upsert: by which columns rows are found that are updated; nil to insert all records. Updated rows count, too.
    ///   - portion: the maximum number of records in a transaction. A portion also ends after 16 MB.
    ///   - name: the name under which the position is stored; nil for a load that can't be resumed.
    ///   - isolation: the actor that calls `progress`: the caller's.
    ///   - progress: called after each portion was committed; with `resumableAs`, for the last portion before that. An error that it throws
    ///     ends the load.
    /// - Returns: the number of rows that were inserted, without ignored rows. If the load was resumed, all its rows count.
    /// - Throws: ``LoadError`` with the number of the line, also if the file has changed; ``DatabaseError``; the error of the file, or of
    ///   `progress`; `CancellationError`.
    @discardableResult
    public func load(
        _ file: sending LoadedFile, into table: String, options: LoadOptions = LoadOptions(),
        onConflict conflict: Database.ConflictResolution? = nil, upsert: LoadUpsert? = nil, portion: Int = 10_000,
        resumableAs name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        progress: ((LoadProgress) throws -> Void)? = nil
    ) async throws -> Int {
        try Portion.check(portion)
        let file = Confined(file)
        let loader = try await onThread {
            Confined(try file.value.makeLoader(table, options, ConflictRule(resolution: conflict, upsert: upsert), name: name))
        }
        try await writeWithoutTransaction { try loader.value.begin($0) }
        try await onThread { try loader.value.open() }
        repeat {
            try await onThread { try loader.value.read(portion, size: Portion.size) }
            let isLast = name != nil && loader.value.hasReadLast
            if isLast, let progress {
                try await progress(
                    writeWithoutTransaction { db in
                        defer { loader.value.finish() }
                        return try loader.value.rehearse(db)
                    })
            }
            try await writeWithoutTransaction { db in
                defer { loader.value.finish() }
                try loader.value.insert(db)
            }
            if !isLast { try progress?(loader.value.progress) }
        } while !loader.value.isComplete
        return loader.value.progress.rowCount
    }
}

private enum Portion {
    /// The number of bytes after which a portion ends: they are in memory.
    static let size = 16 << 20

    static func check(_ maximum: Int) throws {
        guard maximum > 0 else { throw DatabaseError.misuse("a portion of \(maximum) records would never end") }
    }
}

/// A value that one thread after the other uses.
///
/// `@unchecked Sendable`: each step of a load is awaited before the next one begins.
private struct Confined<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: sending Value) {
        self.value = value
    }
}

/// Runs a closure that may wait for a file, on a thread that is not one of the cooperative pool.
private func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try Task.checkCancellation()
    return try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
    }
}
