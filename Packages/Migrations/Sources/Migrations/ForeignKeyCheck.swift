/// Checks the foreign keys that a migration may have violated: the foreign keys of the tables that it has changed, and the foreign keys
/// that reference these tables. Checking all foreign keys of a large database would take long.
struct ForeignKeyCheck {
    /// The maximum number of violations that an error describes. The descriptions of several rows are equal, unless values are public.
    private static let maximumCount = 10

    /// The tables to check.
    let tables: [DatabaseObjectID]

    /// - Throws: `SQLITE_CONSTRAINT_FOREIGNKEY`, with a message that lists the first violations.
    func run(_ db: Database) throws {
        var sentences: [String] = []
        var count = 0
        for table in tables {
            let violations = try db.foreignKeyViolations(in: table.name, in: table.schemaID.name)
            while let violation = try violations.next() {
                if count == Self.maximumCount {
                    sentences.append("and more")
                    return try fail(sentences)
                }
                count += 1
                let sentence = try violation.failureDescription(db)
                if !sentences.contains(sentence) { sentences.append(sentence) }
            }
        }
        if !sentences.isEmpty { try fail(sentences) }
    }

    private func fail(_ sentences: [String]) throws {
        throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: sentences.joined(separator: "; "))
    }
}
