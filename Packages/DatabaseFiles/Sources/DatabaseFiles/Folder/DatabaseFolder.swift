#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Many databases, each in a file of its own: one for each tenant, user or device.
///
/// ```swift
/// let files = try DatabaseFolder(path: "/data/tenants") { db in
///     try migrator.migrate(db)
/// }
/// try await files.write("arthur", creating: true) { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')")
/// }
/// let count = try await files.read("arthur") { db in
///     try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
/// }
/// ```
///
/// A file is opened, as a ``DatabasePool``, when it is needed, prepared once, stays open while it is used, and is closed when it was not used for
/// a time, or when another file needs its place. If all places are in use, calls wait in the order in which they came. Opening, migrating and
/// closing one file keeps no other file waiting.
///
/// Several processes may use the same folder. Files are in the WAL mode.
public final class DatabaseFolder: Sendable {
    /// Options of a folder.
    public struct Options: Sendable {
        /// How many files are open at the same time; nil, the default, for as many as half of the process's open files allow, at most 500.
        ///
        /// A call inside an access, or by a task that uses another file, never waits for the others: it may exceed the limit, up to twice the
        /// number. Files that are being closed don't count.
        public var maximumOpenCount: Int?

        /// How many calls may wait because all files that may be open are in use; nil, the default, for any number. A further call throws
        /// ``DatabaseUnavailableError``.
        public var maximumWaitingCount: Int?

        /// How long an open file stays open without being used. A minute by default.
        public var idleTime = Duration.seconds(60)

        /// How long the error of a file that could not be opened or prepared is thrown again, without another attempt. Five seconds by
        /// default. See ``DatabaseFolder/forgetFailures()``.
        public var failureTime = Duration.seconds(5)

        /// Returns the path of the file of a database, relative to the folder; nil, the default, for names of files that Strata makes.
        ///
        /// ```swift
        /// options.relativePath = { name in "\(name.prefix(2))/\(name).db" }
        /// ```
        ///
        /// The function decides which names are good: it throws for others. A path that leaves the folder is refused. Two names that lead to
        /// one file are an error when both are used at the same time. Folders that are missing are created with a new file.
        public var relativePath: (@Sendable (_ name: String) throws -> String)?

        /// Creates the default options.
        public init() {}
    }

    /// The path of the folder.
    public let path: String
    /// The configuration of the files' connections.
    public let configuration: Configuration
    /// The options of the folder.
    public let options: Options

    let table: FileTable
    /// The request to shut down ends the stream.
    let shutdown = AsyncStream<Void>.makeStream()

    /// Whether the current task uses a file. Others may wait for it, so it must not wait for them.
    @TaskLocal static var isInsideLease = false

    /// A configuration with one reader for each file: 5 to 7 file descriptors.
    public static var defaultConfiguration: Configuration { changed(Configuration()) { $0.maximumReaderCount = 1 } }

    /// Creates an object for the files of a folder, which must exist. No file is opened yet.
    ///
    /// ```swift
    /// var options = DatabaseFolder.Options()
    /// options.maximumOpenCount = 100
    /// let files = try DatabaseFolder(path: "/data/tenants", options: options)
    /// ```
    ///
    /// - Parameters:
    ///   - path: the path of the folder.
    ///   - configuration: how to open each file. Its limits of time and of waiting accesses apply to the accesses, with the wait for the file,
    ///     and not to `prepare`. Without a ``Configuration/targetQueue``, the accesses to all files share 32 threads.
    ///   - options: how many files may be open, and how long.
    ///   - prepare: called with each file after it was opened, and with a new file before it gets its name: it brings the schema up to date. It
    ///     runs on a thread that may wait. If it throws, calls that wait for this file throw the error.
    /// - Throws: ``DatabaseFileError`` if the folder does not exist, or if the process may not open as many files as the options ask for.
    public init(
        path: String, configuration: Configuration = DatabaseFolder.defaultConfiguration, options: Options = Options(),
        prepare: @escaping @Sendable (any DatabaseWriter) throws -> Void = { _ in }
    ) throws {
        guard NewFile.isFolder(path) else { throw DatabaseFileError(.noFolder, name: "", detail: path) }
        // Relative paths depend on the current folder, which may change.
        let folder = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        (self.path, self.configuration, self.options) = (folder, configuration, options)
        var ofFiles = configuration
        ofFiles.requiresFile = true
        if configuration.targetQueue == nil { ofFiles.sharedThreads = Workers.accesses }
        let locks = NameLocks(folder: folder)
        let opener = FileOpener(folder: folder, configuration: ofFiles, options: options, preparation: prepare, locks: locks)
        table = FileTable(options, limit: try Self.limit(configuration, options), perform: opener.perform)
        opener.removeLeftovers()
    }

    deinit { table.refuse() }

    /// The number of file descriptors of an open file: the file, its log and the log's index, the file and the log for each reader, and two that
    /// SQLite keeps after the log was copied. While it is copied, it has two more, but few are copied at the same time.
    private static func descriptorCount(_ configuration: Configuration) -> Int { 3 + 2 * max(configuration.maximumReaderCount, 1) + 2 }

    private static func limit(_ configuration: Configuration, _ options: Options) throws -> Int {
        let (available, each) = (FileIdentity.maximumDescriptorCount, descriptorCount(configuration))
        guard let count = options.maximumOpenCount.map({ max($0, 1) }) else { return min(max(available / 2 / each, 1), 500) }
        // The rest of the program needs some, too.
        let (needed, isTooMany) = count.multipliedReportingOverflow(by: each)
        guard !isTooMany, needed <= available - 64 else {
            throw DatabaseFileError(
                .tooFewDescriptors, name: "",
                detail: "\(count) databases need up to \(each) descriptors each, and 64 are for the rest of the program, "
                    + "but the limit is \(available). Raise it (ulimit -n), or lower maximumOpenCount or maximumReaderCount.")
        }
        return count
    }

    /// Returns the path of the file of a database.
    ///
    /// ```swift
    /// try files.path(of: "Zoë")  // "/data/tenants/%5ao%c3%ab.sqlite"
    /// ```
    ///
    /// - Throws: ``DatabaseFileError`` if there can't be such a file, or the error of ``Options/relativePath``.
    public func path(of name: String) throws -> String { try options.path(of: name, in: path) }

    /// Forgets which files could not be opened: the next call tries again. See ``Options/failureTime``.
    public func forgetFailures() { table.forgetFailures() }
}

extension DatabaseFolder.Options {
    func path(of name: String, in folder: String) throws -> String {
        guard let relativePath else { return "\(folder)/\(try FileNaming.fileName(of: name))" }
        let path = try relativePath(name)
        if path.hasPrefix("/") || path.utf8.contains(0) || path.split(separator: "/").allSatisfy({ $0 == "." })
            || path.split(separator: "/").contains("..")
        {
            throw DatabaseFileError(.invalidName, name: name, detail: "its path is \(path)")
        }
        return "\(folder)/\(path)"
    }
}
