/// A defect of some versions of SQLite that loses or damages data.
///
/// ``SQLiteLibrary/defects`` lists the defects of the library that the program runs with.
public struct SQLiteDefect: Sendable, Hashable, CustomStringConvertible {
    /// A short name.
    public let name: String

    /// A description in one sentence.
    public let summary: String

    /// The versions that have the defect, as numbers: 3040001 for 3.40.1.
    public let versions: Range<Int>

    /// The versions within that range that fix the defect in a branch of releases. Later versions of the same branch have the fix, too.
    public let backports: [Int]

    /// Strata's protection from the defect.
    public let protection: String

    /// Precautions that a program must take itself.
    public let remainder: String

    /// A page about the defect.
    public let source: String

    /// The versions that fix the defect, such as "3.51.3, 3.50.7 and 3.44.6".
    public var fixedInVersions: String {
        let names = ([versions.upperBound] + backports.sorted(by: >)).map(Self.name(ofVersion:))
        return names.count == 1 ? names[0] : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
    }

    /// Returns whether a version of SQLite has the defect.
    ///
    /// - Parameter version: the version as a number, such as ``SQLiteLibrary/versionNumber``.
    public func affects(version: Int) -> Bool {
        // 3044006 is 3.44.6: the last three digits count the releases of a branch.
        versions.contains(version) && !backports.contains { $0 / 1000 == version / 1000 && version >= $0 }
    }

    /// The name, the summary, and the versions that fix the defect.
    public var description: String { "\(name): \(summary) Fixed in SQLite \(fixedInVersions)." }

    private static func name(ofVersion number: Int) -> String {
        "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
    }
}

extension SQLiteDefect {
    /// All defects that Strata knows.
    public static let known = [walReset, savepointInMemory]

    /// A checkpoint that a commit overtakes.
    public static let walReset = SQLiteDefect(
        name: "WAL-reset bug",
        summary: "A checkpoint that is overtaken by another connection's commit can lose committed changes and damage the database.",
        versions: 3_007_000..<3_051_003, backports: [3_044_006, 3_050_007],
        protection: """
            Strata keeps the write-ahead log from being reset while a connection of a DatabaseQueue or a DatabasePool runs a checkpoint: \
            automatic ones, checkpoint(_:on:), and the PRAGMA wal_checkpoint.
            """,
        remainder: """
            Other programs that open the file, such as the sqlite3 shell or Litestream, run checkpoints without that protection, and so \
            does a program that calls sqlite3_wal_checkpoint, sqlite3_wal_autocheckpoint or sqlite3_wal_hook itself: use a version of \
            SQLite without the defect there.
            """,
        source: "https://www.sqlite.org/wal.html#walresetbug")

    /// A boundary error in the journal of a savepoint.
    public static let savepointInMemory = SQLiteDefect(
        name: "Savepoint journals in memory",
        summary: "Rolling back to a savepoint can damage the database if temporary files are kept in memory.",
        versions: 3_035_000..<3_037_002, backports: [],
        protection: "None.",
        remainder: "Keep PRAGMA temp_store at its default, which keeps these journals in files, or use SQLite 3.37.2 or later.",
        source: "https://www.sqlite.org/howtocorrupt.html#svptbug")
}
