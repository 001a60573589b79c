extension Database {
    /// Checks that the database has the tables, indexes, triggers and views of some SQL. Others may exist, too.
    ///
    /// ```swift
    /// try db.checkSchema("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
    /// ```
    ///
    /// Differences in white space, comments, quotes and case don't count.
    ///
    /// - Parameter sql: SQL that creates the schema. It runs in a temporary database.
    /// - Throws: `SQLITE_SCHEMA`. The message names what the database lacks, and shows the first lines of the difference in what it has.
    ///   The advice names the parts that have lost combining characters, in code that an earlier version generated from files with SQL.
    public func checkSchema(_ sql: String) throws {
        let expected = try SchemaSnapshot(sql: sql, like: self)
        let actual = try SchemaSnapshot(self)
        if actual.contains(expected) { return }
        let damaged = expected.objectsThatLostCharacters(in: actual)
        let lack = damaged.isEmpty ? expected.descriptionOfObjects(missingIn: actual) : nil
        let names = Set(expected.objects.map { SchemaName($0.name) })
        let found = Set(actual.objects.map { SchemaName($0.name) })
        // Whole statements of what is missing would hide the rest.
        let compared = lack == nil ? expected : expected.filtered { found.contains(SchemaName($0.name)) }
        let difference = SchemaDifference(from: compared, to: actual.filtered { names.contains(SchemaName($0.name)) })
        let message =
            (damaged.isEmpty ? "migrate the database first: " : "")
            + (lack.map { "it lacks \($0)" } ?? "its schema is not the expected one")
        throw DatabaseError(
            resultCode: .SQLITE_SCHEMA, message: ([message] + difference.firstLines).joined(separator: "\n"),
            advice: damaged.isEmpty
                ? nil
                : "Code that an earlier version of Strata generated has lost combining characters in \(damaged.joined(separator: ", ")). "
                    + "Write a migration that repairs this, as CHANGELOG.md shows.")
    }
}

extension SchemaSnapshot {
    /// Names the objects that another schema lacks: `the tables player and team, the index team_on_name`; nil if it has all of them.
    fileprivate func descriptionOfObjects(missingIn other: SchemaSnapshot) -> String? {
        let kinds = [("table", "tables"), ("view", "views"), ("index", "indexes"), ("trigger", "triggers")]
        let lists = kinds.compactMap { type, plural -> String? in
            let found = Set(other.objects.lazy.filter { $0.type == type }.map { SchemaName($0.name) })
            let names = objects.filter { $0.type == type && !found.contains(SchemaName($0.name)) }.map(\.name)
            guard let last = names.last else { return nil }
            if names.count == 1 { return "the \(type) \(last)" }
            let shown = names.count > 6 ? names.prefix(5) : names.dropLast()
            let rest = names.count > 6 ? "\(names.count - 5) other \(plural)" : last
            return "the \(plural) \(shown.joined(separator: ", ")) and \(rest)"
        }
        return lists.isEmpty ? nil : lists.joined(separator: ", ")
    }
}

extension SchemaDifference {
    /// The greatest number of lines of a difference in a message.
    private static let maximumLineCount = 20

    /// The first lines of the description, and how many more there are.
    fileprivate var firstLines: [String] {
        let all = description.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.isEmpty { return [] }
        let rest = all.count - Self.maximumLineCount
        return all.prefix(Self.maximumLineCount) + (rest > 0 ? ["… and \(rest) more lines"] : [])
    }
}
