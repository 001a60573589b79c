import CSQLiteShims

/// A check of a whole database: see ``DatabaseWriter/verify(_:)``.
///
/// A check of your own is a function that returns what it finds:
///
/// ```swift
/// extension DatabaseCheck {
///     static let balances = DatabaseCheck("balances") { db in
///         let statement = try db.makeStatement(
///             sql: "SELECT id FROM account WHERE balance < 0")
///         var findings: [String] = []
///         while try statement.step() {
///             findings.append("account \(statement.int64(at: 0) ?? 0)")
///         }
///         return findings
///     }
/// }
/// ```
public struct DatabaseCheck: Sendable {
    /// The name of the check.
    public let name: String
    /// Whether the check needs the connection that writes.
    let writes: Bool
    private let find: @Sendable (Database) throws -> [String]

    /// - Parameters:
    ///   - name: the name of the check, for findings.
    ///   - writes: whether the check needs the connection that writes. Its changes are rolled back.
    ///   - find: returns a sentence for each finding. An error is a finding, too.
    public init(_ name: String, writes: Bool = false, _ find: @escaping @Sendable (Database) throws -> [String]) {
        self.name = name
        self.writes = writes
        self.find = find
    }

    /// Looks for damage: SQLite's integrity check, and before SQLite 3.44 also its check of R*Tree tables. It reads the whole file, and
    /// compares the indexes with their tables.
    ///
    /// Source: <https://www.sqlite.org/pragma.html#pragma_integrity_check>
    public static let integrity = DatabaseCheck("integrity") { db in
        try db.lines("PRAGMA main.integrity_check") + db.spatialFindings()
    }

    /// Looks for damage, without comparing indexes with their tables: several times as fast as ``integrity``.
    ///
    /// Source: <https://www.sqlite.org/pragma.html#pragma_quick_check>
    public static let quickIntegrity = DatabaseCheck("integrity") { db in
        try db.lines("PRAGMA main.quick_check") + db.spatialFindings()
    }

    /// Looks for rows whose foreign keys refer to no row: at most ten of each table are listed.
    public static let foreignKeys = DatabaseCheck("foreign keys") { try $0.foreignKeyFindings() }

    /// Returns what the check finds.
    ///
    /// - Parameter db: a connection; for a check that writes, the one that writes.
    /// - Throws: `CancellationError` or `SQLITE_INTERRUPT` if the check is interrupted. Other errors are findings.
    public func findings(_ db: Database) throws -> [DatabaseFinding] {
        do {
            return try find(db).map { DatabaseFinding(check: name, message: $0) }
        } catch let error as DatabaseError where error.resultCode != .SQLITE_INTERRUPT {
            let reason =
                error.resultCode == .SQLITE_READONLY
                ? "the check writes, so open the database without readonly" : error.message ?? error.extendedResultCode.errorString
            return [DatabaseFinding(check: name, message: "it can't be checked: \(reason)")]
        }
    }
}

/// A finding of a ``DatabaseCheck``.
public struct DatabaseFinding: Hashable, Sendable, CustomStringConvertible {
    /// The name of the check.
    public let check: String
    /// What it has found.
    public let message: String

    /// The check and its finding.
    public var description: String { "\(check): \(message)" }
}

extension DatabaseWriter {
    /// Checks the whole database, and returns what it finds: nothing for a sound one.
    ///
    /// ```swift
    /// let findings = try pool.verify()
    /// for finding in findings { print(finding) }
    /// // integrity: row 12 missing from index player_name
    /// ```
    ///
    /// Each check takes as long as reading what it checks. Checks that write keep others from writing meanwhile.
    ///
    /// - Parameter checks: the checks. The layers above add theirs: `dateForms`, `fullTextIndexes` and `migrations(_:)`.
    /// - Throws: ``DatabaseError`` if the database can't be accessed. An error of a check is a finding.
    public func verify(_ checks: [DatabaseCheck] = [.integrity, .foreignKeys]) throws -> [DatabaseFinding] {
        try checks.flatMap { check in
            check.writes
                ? try access(AccessRequest(.writeWithoutTransaction, .maintenance)) { try $0.rollingBack { try check.findings($0) } }
                : try access(AccessRequest(.read, .maintenance), check.findings)
        }
    }

    /// Checks the whole database without blocking a thread, and returns what it finds: nothing for a sound one.
    ///
    /// - Parameter checks: the checks: see ``verify(_:)``.
    /// - Throws: ``DatabaseError``, or `CancellationError`.
    public func verify(_ checks: [DatabaseCheck] = [.integrity, .foreignKeys]) async throws -> [DatabaseFinding] {
        var findings: [DatabaseFinding] = []
        for check in checks {
            findings +=
                check.writes
                ? try await access(AccessRequest(.writeWithoutTransaction, .maintenance)) { try $0.rollingBack { try check.findings($0) } }
                : try await access(AccessRequest(.read, .maintenance), check.findings)
        }
        return findings
    }
}

extension Database {
    /// Returns the result of a closure, whose changes are undone.
    fileprivate func rollingBack<T>(_ body: (Database) throws -> T) throws -> T {
        var result: T?
        try inTransaction(.immediate) {
            result = try body(self)
            return .rollback
        }
        return result!
    }

    /// Returns the findings of a PRAGMA that returns "ok" if there are none.
    fileprivate func lines(_ sql: String) throws -> [String] {
        let lines = try values(sql) { ($0.string(at: 0) ?? "").split(separator: "\n").map(String.init) }.joined()
            .filter { !$0.hasPrefix("***") }
        return lines == ["ok"] ? [] : lines
    }

    /// Checks R*Tree tables, which SQLite's integrity check does before 3.44 only in part.
    fileprivate func spatialFindings() throws -> [String] {
        guard Database.sqliteLibVersionNumber < 3_044_000 else { return [] }
        let names = try values("SELECT name, sql FROM main.sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'") {
            row in
            let module = VirtualTableDefinition(row.string(at: 1) ?? "")?.module
            return ["rtree", "rtree_i32", "geopoly"].contains(module) ? row.string(at: 0) : nil
        }
        return try names.flatMap { name in
            let report = try values("SELECT rtreecheck('main', ?)", [name]) { $0.string(at: 0) }.first
            guard let report, report != "ok" else { return [String]() }
            return report.split(separator: "\n").map { "\(name): \($0)" }
        }
    }

    fileprivate func foreignKeyFindings() throws -> [String] {
        let tables = try values(
            "SELECT name FROM main.sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name"
        ) { $0.string(at: 0) }
        var findings: [String] = []
        for table in tables where !Database.isSQLiteInternalTable(table) {
            do {
                let violations = try foreignKeyViolations(in: table, in: "main")
                var count = 0
                while let violation = try violations.next() {
                    count += 1
                    if count > 10 { continue }
                    let rowID = violation.originRowID.map { ", in the row with id \($0)" } ?? ""
                    findings.append(try violation.failureDescription(self) + rowID)
                }
                if count > 10 { findings.append("\(count - 10) more of \(table)") }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                findings.append("\(table) can't be checked: \(error.message ?? error.extendedResultCode.errorString)")
            }
        }
        return findings
    }
}
