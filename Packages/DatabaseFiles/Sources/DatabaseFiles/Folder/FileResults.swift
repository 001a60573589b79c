#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DatabaseFolder {
    /// Returns the names of all databases of the folder, ordered by their bytes.
    ///
    /// It reads the folder, and opens no file. Files with other names than those that Strata makes are ignored.
    ///
    /// - Throws: an error of the file system; ``DatabaseFileError`` if the folder has its own function for paths: the program must know the names.
    /// - Complexity: O(*n* log *n*) for *n* files.
    public func names() throws -> [String] {
        if options.relativePath != nil {
            throw DatabaseFileError(.invalidName, name: "", detail: "the folder's function for paths can't be reversed: pass the names")
        }
        return try FileManager.default.contentsOfDirectory(atPath: path).compactMap { FileNaming.name(ofFile: $0) }
            .sorted { FileKey($0) < FileKey($1) }
    }

    /// Uses all databases, several at a time, and returns the results in the order of the names.
    ///
    /// ```swift
    /// // Migrates all files, as opening them does.
    /// for try await file in files.results({ _ in }) {
    ///     if case .failure(let error) = file.result { print(file.name, error) }
    /// }
    /// ```
    /// ```swift
    /// let counts = files.results { lease in
    ///     try await lease.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") ?? 0 }
    /// }
    /// var total = 0
    /// for try await file in counts { total += try file.result.get() }
    /// ```
    ///
    /// An error of one file is its result, and the others follow. A file that was deleted meanwhile has the error ``DatabaseFileError/Reason/notFound``.
    /// The work begins with the loop, is at most the given number of files ahead of it, and is cancelled when the loop is left.
    ///
    /// The names are the progress: to resume later, pass the last name that the loop has got as `previousName`.
    ///
    /// - Parameters:
    ///   - names: the databases to use; nil for all, in the order of ``names()``.
    ///   - previousName: where an earlier loop has ended; nil to begin at the first name. Files up to this name, in the order of ``names()``, are
    ///     left out; of given names, those up to its place.
    ///   - count: how many files are used at a time.
    ///   - timeout: how long each file may wait to be opened; nil for no limit.
    ///   - body: uses the file, in a task of its own.
    public func results<Value: Sendable>(
        of names: [String]? = nil, after previousName: String? = nil, atATime count: Int = 4, timeout: Duration? = nil,
        _ body: @escaping @Sendable (DatabaseLease) async throws -> Value
    ) -> FileResults<Value> {
        FileResults(folder: self, names: names, previousName: previousName, count: max(count, 1), timeout: timeout, body: body)
    }
}

/// The results of a closure for many databases: see ``DatabaseFolder/results(of:after:atATime:timeout:_:)``.
public struct FileResults<Value: Sendable>: AsyncSequence, Sendable {
    /// The result of one database.
    public struct Element: Sendable {
        /// The name of the database.
        public let name: String
        /// What the closure has returned or thrown, or the error with which the file could not be opened.
        public let result: Result<Value, any Error>
    }

    fileprivate let folder: DatabaseFolder
    fileprivate let names: [String]?
    fileprivate let previousName: String?
    fileprivate let count: Int
    fileprivate let timeout: Duration?
    fileprivate let body: @Sendable (DatabaseLease) async throws -> Value

    /// Creates an iterator. The work begins when the first result is requested.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(results: self) }

    /// The results of a loop.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let results: FileResults
        private var names: ArraySlice<String>?
        private let running = RunningTasks()

        fileprivate init(results: FileResults) {
            self.results = results
        }

        /// Waits for the next result.
        ///
        /// - Returns: nil at the end.
        /// - Throws: `CancellationError`, or the error of reading the folder.
        public mutating func next() async throws -> FileResults.Element? {
            try Task.checkCancellation()
            var rest: ArraySlice<String>
            if let names { rest = names } else { rest = try await results.remainingNames() }
            while running.tasks.count < results.count, let name = rest.popFirst() {
                running.tasks.append(
                    (name, Task { [results] in try await results.folder.use(name, timeout: results.timeout, results.body) }))
            }
            names = rest
            guard let (name, task) = running.tasks.first else { return nil }
            let result = await withTaskCancellationHandler {
                await task.result
            } onCancel: { [running] in
                running.cancel()
            }
            try Task.checkCancellation()
            running.tasks.removeFirst()
            return FileResults.Element(name: name, result: result)
        }

        /// The tasks that have not been waited for, in the order of their names. They are cancelled with the iterator.
        private final class RunningTasks: Sendable {
            private let state = Guarded<[(name: String, task: Task<Value, any Error>)]>([])

            var tasks: [(name: String, task: Task<Value, any Error>)] {
                get { state.withLock { $0 } }
                set { state.withLock { $0 = newValue } }
            }

            func cancel() { for (_, task) in tasks { task.cancel() } }

            deinit { cancel() }
        }
    }

    private func remainingNames() async throws -> ArraySlice<String> {
        if let names {
            let previous = previousName.map { FileKey($0) }
            let index = names.firstIndex { FileKey($0) == previous }
            return index.map { names[($0 + 1)...] } ?? names[...]
        }
        // Reading the folder may wait for the disk.
        let all = try await withCheckedThrowingContinuation { continuation in
            Workers.open { continuation.resume(with: Result { try folder.names() }) }
        }
        let previous = previousName.map { FileKey($0) }
        return all[...].drop { name in previous.map { FileKey(name) <= $0 } ?? false }
    }
}
