import Strata

extension Queries.MigrationSteps {
    /// Removes white space before the names of authors: `ltrim` of SQL removes only spaces.
    static func trimNames(_ db: Database) throws {
        for row in try Row.fetchAll(db, sql: "SELECT id, name FROM author") {
            let name = try row.decode(String.self, forKey: "name")
            let trimmed = name.trimmingPrefix(while: \.isWhitespace)
            if trimmed == name { continue }
            try db.execute(
                sql: "UPDATE author SET name = ? WHERE id = ?", arguments: [String(trimmed), row.decode(Int64.self, forKey: "id")])
        }
    }
}
