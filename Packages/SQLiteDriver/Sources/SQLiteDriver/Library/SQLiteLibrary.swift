import CSQLiteShims

/// The SQLite library that the program runs with.
///
/// ```swift
/// print(SQLiteLibrary.current)  // SQLite 3.40.1
/// for defect in SQLiteLibrary.current.defects {
///     print(defect.summary)
/// }
/// ```
///
/// Strata uses the system's SQLite, so its version is known only when the program runs.
public struct SQLiteLibrary: Sendable, CustomStringConvertible {
    /// Whether several threads may use the library at the same time.
    ///
    /// Source: <https://www.sqlite.org/threadsafe.html>
    public enum ThreadingMode: CInt, Sendable {
        /// No two threads may use SQLite at the same time. Strata can't be used with such a build.
        case singleThread = 0
        /// All objects lock their own mutexes, unless a connection is opened without one. Strata opens its connections without, because it
        /// serializes their accesses.
        case serialized = 1
        /// Threads may use SQLite at the same time, but not the same connection. That is all that Strata needs.
        case multiThread = 2
    }

    /// The library of this process.
    public static let current = SQLiteLibrary(
        versionNumber: Int(sqlite3_libversion_number()), version: String(cString: sqlite3_libversion()),
        sourceID: String(cString: sqlite3_sourceid()),
        compileOptions: Array(
            sequence(state: CInt(0)) { index in
                defer { index += 1 }
                return sqlite3_compileoption_get(index).map { String(cString: $0) }
            }),
        threadingMode: ThreadingMode(rawValue: sqlite3_threadsafe()) ?? .serialized)

    /// The version as a number: 3040001 for 3.40.1.
    ///
    /// Source: <https://www.sqlite.org/c3ref/libversion.html>
    public let versionNumber: Int

    /// The version, such as "3.40.1".
    public let version: String

    /// The date and the hash of the sources that the library was built from.
    public let sourceID: String

    /// The options that the library was compiled with, without `SQLITE_`, such as "ENABLE_FTS5".
    ///
    /// Source: <https://www.sqlite.org/compile.html>
    public let compileOptions: [String]

    /// Whether several threads may use the library at the same time.
    public let threadingMode: ThreadingMode

    /// The defects of this version that can lose data, as far as Strata knows.
    ///
    /// They are found by the version number. A distribution that fixes a defect without a new version number is not recognized.
    public let defects: [SQLiteDefect]

    init(versionNumber: Int, version: String, sourceID: String, compileOptions: [String], threadingMode: ThreadingMode) {
        self.versionNumber = versionNumber
        self.version = version
        self.sourceID = sourceID
        self.compileOptions = compileOptions
        self.threadingMode = threadingMode
        defects = SQLiteDefect.known.filter { $0.affects(version: versionNumber) }
        resetsLogDuringCheckpoints = SQLiteDefect.walReset.affects(version: versionNumber)
    }

    /// Whether a commit may reset the write-ahead log while a checkpoint copies it: see ``SQLiteDefect/walReset``.
    let resetsLogDuringCheckpoints: Bool

    /// The version: "SQLite 3.40.1".
    public var description: String { "SQLite \(version)" }
}
