/// The views that don't compile, and the tables with triggers that don't compile. It shows whether a change has broken any.
struct SchemaHealth {
    private struct Object: Hashable {
        let schemaID: DatabaseSchemaID
        let name: String
    }

    private let schemaIDs: [DatabaseSchemaID]
    private let broken: Set<Object>

    /// Checks a database of the connection, and its temporary views and triggers.
    init(_ db: Database, schemaID: DatabaseSchemaID) throws {
        schemaIDs = schemaID == .temp ? [.temp] : [schemaID, .temp]
        broken = Set(try Self.brokenObjects(db, schemaIDs).keys)
    }

    /// Throws if a view or a trigger is broken that was not broken before.
    func check(_ db: Database) throws {
        let newlyBroken = try Self.brokenObjects(db, schemaIDs).filter { !broken.contains($0.key) }
        guard let (object, reason) = newlyBroken.min(by: { $0.key.name < $1.key.name }) else { return }
        throw DatabaseError(
            code: .SQLITE_ERROR, message: "\(object.name) would no longer work: \(reason)",
            advice: "Drop the view or the trigger first, and create another one after.")
    }

    private static func brokenObjects(_ db: Database, _ schemaIDs: [DatabaseSchemaID]) throws -> [Object: String] {
        var reasons: [Object: String] = [:]
        try db.withoutRecordingChanges {
            for schemaID in schemaIDs {
                let names = try db.names(
                    "SELECT name FROM \(schemaID.schemaTableName) WHERE type = 'view'")
                for name in names {
                    reasons[Object(schemaID: schemaID, name: "the view \(name)")] = db.reasonNotToCompile(
                        ["SELECT 1 FROM \(schemaID.name.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)"])
                }
            }
            // A temporary trigger may belong to a table of another database: SQLite compiles it with the statements on that table.
            let tables = try Set(
                schemaIDs.flatMap { try db.names("SELECT DISTINCT tbl_name FROM \($0.schemaTableName) WHERE type = 'trigger'") })
            for name in tables {
                for schemaID in schemaIDs where try db.locateTable(name, in: schemaID.name) != nil {
                    let sql = "\(schemaID.name.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)"
                    guard let columns = try? db.columns(in: name, in: schemaID.name) else { continue }
                    let assignments = columns.filter { !$0.isGenerated }.map {
                        "\($0.name.quotedDatabaseIdentifier) = \($0.name.quotedDatabaseIdentifier)"
                    }
                    reasons[Object(schemaID: schemaID, name: "a trigger of \(name)")] = db.reasonNotToCompile([
                        "INSERT INTO \(sql) DEFAULT VALUES", "DELETE FROM \(sql)",
                        "UPDATE \(sql) SET \(assignments.joined(separator: ", "))",
                    ])
                }
            }
        }
        return reasons
    }
}

extension Database {
    fileprivate func names(_ sql: String) throws -> [String] {
        let statement = try makeStatement(sql: sql)
        var names: [String] = []
        while try statement.step() { names.append(statement.string(at: 0) ?? "") }
        return names
    }

    /// Returns the error message of the first statement that does not compile, or nil if all of them compile.
    fileprivate func reasonNotToCompile(_ statements: [String]) -> String? {
        for sql in statements {
            do {
                _ = try makeStatement(sql: sql)
            } catch {
                return (error as? DatabaseError)?.message ?? "\(error)"
            }
        }
        return nil
    }
}
