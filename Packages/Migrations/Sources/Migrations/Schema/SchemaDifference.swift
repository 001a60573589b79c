/// The changes from one schema to another.
///
/// ```swift
/// print(try migrator.dryRun(db).difference)
/// //   CREATE TABLE player (
/// //       id INTEGER PRIMARY KEY,
/// // -     name TEXT
/// // +     name TEXT NOT NULL,
/// // +     score INTEGER
/// //   );
/// ```
///
/// Only the tables, indexes, triggers and views that differ are shown. Differences in white space, comments, quotes and case don't count. A
/// synchronized full-text table is compared by its declaration, and not by its triggers.
public struct SchemaDifference: Sendable {
    /// A line of SQL, and whether it was added or removed.
    public struct Line: Hashable, Sendable {
        /// Whether a line was added, removed, or neither.
        public enum Kind: Sendable {
            /// The line is in both schemas.
            case unchanged
            /// The line is only in the schema before the changes.
            case removed
            /// The line is only in the schema after the changes.
            case added
        }

        /// Whether the line was added, removed, or neither.
        public let kind: Kind

        /// The SQL.
        public let sql: String
    }

    /// The lines of the objects that differ.
    public let lines: [Line]

    /// A digest of the changes. The same changes have the same digest, regardless of the rest of the database.
    public let digest: String

    /// Whether the schemas differ.
    public var isMeaningful: Bool { !lines.isEmpty }

    init(from before: SchemaSnapshot, to after: SchemaSnapshot) {
        let meaningsBefore = Set(before.meanings)
        let meaningsAfter = Set(after.meanings)
        let removed = zip(before.objects, before.meanings).filter { !meaningsAfter.contains($0.1) }
        let added = zip(after.objects, after.meanings).filter { !meaningsBefore.contains($0.1) }

        // The removed and changed objects, in the order of the old schema, and then the new objects, in the order of the new schema.
        var lines: [Line] = []
        var rest = added.map(\.0)
        for (object, _) in removed {
            if let index = rest.firstIndex(where: { $0.type == object.type && $0.name.isEqualIgnoringASCIICase(to: object.name) }) {
                lines += Self.compare(SchemaText.lines(of: object.sql), SchemaText.lines(of: rest.remove(at: index).sql))
            } else {
                lines += SchemaText.lines(of: object.sql).map { Line(kind: .removed, sql: $0) }
            }
        }
        lines += rest.flatMap { SchemaText.lines(of: $0.sql).map { Line(kind: .added, sql: $0) } }
        self.lines = lines

        digest =
            Self.hash(removed.map { "- \($0.1.text)" }.sorted() + added.map { "+ \($0.1.text)" }.sorted())
            + (before.hasSameSynchronization(as: after) ? "" : Self.synchronizationMark)
    }

    /// Ends the digest of changes that create, change or drop triggers of synchronized full-text tables. Earlier versions included the SQL of
    /// the triggers in the hash.
    private static let synchronizationMark = "-synchronized"

    /// Returns whether a stored digest is the one of the same changes, which were made again.
    ///
    /// The digest of an earlier version, with the SQL of its triggers, can't be compared: it counts as the same.
    static func matches(_ stored: String, _ digest: String) -> Bool {
        if stored.hasSuffix(synchronizationMark) {
            return stored.dropLast(synchronizationMark.count) == digest.prefix(stored.count - synchronizationMark.count)
        }
        return stored == digest || digest.hasSuffix(synchronizationMark)
    }

    /// Returns the lines of two statements. Lines in their longest common subsequence are unchanged. Commas at the end of a line don't count.
    private static func compare(_ before: [String], _ after: [String]) -> [Line] {
        func key(_ line: String) -> ExactString { ExactString(line.hasSuffix(",") ? String(line.dropLast()) : line) }
        let difference = after.map(key).difference(from: before.map(key))
        var removals: Set<Int> = []
        var insertions: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removals.insert(offset)
            case .insert(let offset, _, _): insertions.insert(offset)
            }
        }
        var lines: [Line] = []
        var old = 0
        var new = 0
        while old < before.count || new < after.count {
            if old < before.count, removals.contains(old) {
                lines.append(Line(kind: .removed, sql: before[old]))
                old += 1
            } else if new < after.count, insertions.contains(new) {
                lines.append(Line(kind: .added, sql: after[new]))
                new += 1
            } else {
                lines.append(Line(kind: .unchanged, sql: after[new]))
                old += 1
                new += 1
            }
        }
        return lines
    }

    /// Returns the FNV-1a hash of some strings, in hexadecimal digits.
    private static func hash(_ texts: [String]) -> String {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in texts.joined(separator: "\n").utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension SchemaDifference: CustomStringConvertible {
    /// The lines, each after "- ", "+ " or two spaces.
    public var description: String {
        lines.map { line in
            switch line.kind {
            case .unchanged: "  \(line.sql)"
            case .removed: "- \(line.sql)"
            case .added: "+ \(line.sql)"
            }
        }.joined(separator: "\n")
    }
}
