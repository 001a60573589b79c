import SQLiteDriver

/// The kinds of databases of one machine.
enum Kind: CaseIterable {
    case memory, queue, walQueue, pool

    /// The kinds whose databases are files.
    static let files = allCases.filter { $0 != .memory }

    /// Opens a database.
    ///
    /// - Parameter path: the path of its file, unless it is in memory.
    func open(_ path: String, _ configuration: Configuration = Configuration()) throws -> any DatabaseWriter {
        switch self {
        case .memory: return try DatabaseQueue(configuration: configuration)
        case .queue: return try DatabaseQueue(path: path, configuration: configuration)
        case .walQueue:
            var configuration = configuration
            configuration.journalMode = .wal
            return try DatabaseQueue(path: path, configuration: configuration)
        case .pool: return try DatabasePool(path: path, configuration: configuration)
        }
    }
}
