import Foundation
import Migrations

/// The migrations of a folder `Migrations` beside `schema.sql`: files with SQL, and steps in Swift between them, which run in the order of
/// their names. The name of a step begins with a number: other files with Swift have nothing to do with it.
///
/// A file `migrations.lock` in the folder has a line for each migration that was released. Both are committed.
package struct MigrationFolder {
    /// The SQL of the migrations, in the order in which they run: the released ones as the lock lists them, and then the others by name.
    ///
    /// The parts of a file that don't run are empty lines. A step in Swift has no SQL.
    let files: [SourceText]

    /// The files that run, in the same order.
    let migrations: [MigrationFile]

    /// The identifiers of down migrations that are not released, and don't run. Earlier versions may have run them.
    let downIdentifiers: [String]

    /// The released migrations.
    let lock: MigrationLock

    /// Errors and warnings about the names, parts and order of the files, and about changes since they were released.
    let changes: [QueryDiagnostic]

    /// Reads a folder.
    ///
    /// - Returns: nil if the folder does not exist, or has no migrations.
    /// - Throws: the error of a folder or a file that can't be read.
    init?(path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        // A folder that can't be read may have migrations.
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        let scripts = names.filter { $0.hasSuffix(".sql") }
        let steps = names.filter { $0.hasSuffix(".swift") && MigrationNumber($0) != nil }
        // Diesel and Prisma have a folder for each migration.
        let folders = names.filter { $0.utf8.first.map { (0x30...0x39).contains($0) } ?? false }.sorted()
        let nested = folders.flatMap { folder in ["up.sql", "migration.sql"].map { "\(folder)/\($0)" } }
            .filter { FileManager.default.fileExists(atPath: "\(path)/\($0)") }
        if scripts.isEmpty, nested.isEmpty { return nil }
        let lock = names.contains(MigrationLock.name) ? try SourceText(path: "\(path)/\(MigrationLock.name)") : nil
        let programs = names.filter { $0.hasSuffix(".go") && !$0.hasSuffix("_test.go") }.sorted()
        func read(_ names: [String]) throws -> [SourceText] { try names.map { try SourceText(path: "\(path)/\($0)") } }
        self.init(try read(scripts + steps), lock: lock, programs: try read(programs), nested: try read(nested))
    }

    /// - Parameters:
    ///   - programs: files of Go, which may be migrations of goose.
    ///   - nested: files in folders, which may be migrations of Diesel or Prisma.
    init(_ files: [SourceText], lock: SourceText?, programs: [SourceText] = [], nested: [SourceText] = []) {
        self.lock = MigrationLock(lock)
        let entries = Dictionary(self.lock.entries.map { ($0.name, $0) }) { first, _ in first }
        let all = files.map { MigrationFile($0, entries) }.sorted { $0.source.file < $1.source.file }
        let byIdentifier = Dictionary(all.map { ($0.identifier, $0) }) { first, _ in first }
        migrations = self.lock.entries.compactMap { byIdentifier[$0.name] } + all.filter { $0.runs && !$0.isReleased }
        self.files = migrations.map(\.script)
        downIdentifiers = all.filter { !$0.runs }.map(\.identifier)
        changes = MigrationChecks(all, migrations, self.lock, programs, nested).diagnostics
    }

    /// The file `migrations.lock`, with the migrations that it lacks.
    var lockText: String { lock.text(adding: migrations.filter { !$0.isReleased }) }

    /// The identifiers of the released migrations.
    var released: Set<String> { Set(migrations.filter(\.isReleased).map(\.identifier)) }

    // MARK: - Schema

    /// The SQL of the schema that the migrations lead to.
    ///
    /// SQLite keeps the comments inside a definition, but not those before it: they come from the migrations, by the names of the tables and
    /// views. The last comment counts.
    ///
    /// - Throws: ``QueryErrors``, with the places of the statements that fail.
    func schemaText(_ settings: RecordSettings) throws -> String {
        let queue = try MigrationRehearsal(self, settings).run().queue
        let objects = try queue.writeWithoutTransaction(SchemaObject.all)
        let comments = files.map { CommentedSQL.commentsBeforeTables($0.text).filter { !$0.value.isEmpty } }
            .reduce(into: [:]) { $0.merge($1) { _, last in last } }
        return objects.map { object in
            let lines = ["table", "view"].contains(object.type) ? comments[SchemaName(object.name)] ?? [] : []
            let words = MigrationDirective.allCases.map(\.rawValue)
            return lines.filter { line in !words.contains(where: line.hasPrefix) }.map { "-- \($0)\n" }.joined() + "\(object.sql);\n"
        }.joined(separator: "\n")
    }

    /// Returns errors if the migrations don't lead to a schema, and the warnings about released migrations.
    ///
    /// - Throws: ``QueryErrors``, with the places of the statements that fail.
    func differences(from script: SourceText, _ settings: RecordSettings) throws -> [QueryDiagnostic] {
        let rehearsal = try MigrationRehearsal(self, settings).run()
        let migrated = try rehearsal.queue.writeWithoutTransaction(SchemaObject.all)
        let declared = try SchemaScript(script).makeDatabase(settings).writeWithoutTransaction(SchemaObject.all)
        func meanings(_ objects: [SchemaObject]) -> [SchemaName: ExactString] {
            Dictionary(objects.map { (SchemaName("\($0.type) \($0.name)"), $0.meaning) }) { first, _ in first }
        }
        let (ours, theirs) = (meanings(migrated), meanings(declared))
        var differences: [String] = []
        for object in declared where ours[SchemaName("\(object.type) \(object.name)")] != object.meaning {
            let isMissing = ours[SchemaName("\(object.type) \(object.name)")] == nil
            differences.append("the migrations \(isMissing ? "don't make" : "make another") \(object.type) \(object.name)")
        }
        for object in migrated where theirs[SchemaName("\(object.type) \(object.name)")] == nil {
            differences.append("the migrations make a \(object.type) \(object.name), which is missing here")
        }
        return rehearsal.warnings
            + differences.map { difference in
                script.diagnostic(
                    "\(difference). Write this file again: "
                        + "swift package --allow-writing-to-package-directory generate-records --migrations", at: 0..<1)
            }
    }
}

/// A table, index, trigger or view.
private struct SchemaObject {
    var type: String
    var name: String
    var sql: String

    /// The definition in one spelling.
    var meaning: ExactString { SQLTokens(sql).normalized }

    /// The objects in an order in which they can be made: views after tables, and then the triggers of views. The triggers that keep full-text
    /// indexes up to date follow from the declarations of these indexes.
    static func all(_ db: Database) throws -> [SchemaObject] {
        let sql = """
            SELECT type, name, sql FROM main.sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
            ORDER BY CASE WHEN type = 'view' THEN 1
                WHEN tbl_name COLLATE NOCASE IN (SELECT name FROM main.sqlite_master WHERE type = 'view') THEN 2 ELSE 0 END, rowid
            """
        let objects = try db.values(sql) { row in
            SchemaObject(type: row.string(at: 0) ?? "", name: row.string(at: 1) ?? "", sql: row.string(at: 2) ?? "")
        }
        let derived = try db.derivedSynchronizationObjects()
        return objects.filter { !Database.isStrataInternalTable($0.name) && !derived.contains(SchemaName($0.name)) }
    }
}
