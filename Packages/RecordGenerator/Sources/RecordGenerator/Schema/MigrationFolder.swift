import Foundation
import Migrations

/// The migrations of a folder `Migrations` beside `schema.sql`: files with SQL, which run in the order of their names.
///
/// A file `migrations.lock` in the folder has a checksum for each migration that was released. Both are committed.
package struct MigrationFolder {
    /// The name of the file with the checksums.
    static let lockName = "migrations.lock"

    /// The migrations, in order.
    let files: [SourceText]

    /// The file with the checksums; nil if there is none.
    let lock: SourceText?

    /// Reads a folder.
    ///
    /// - Returns: nil if the folder does not exist, or has no migrations.
    init?(path: String) throws {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return nil }
        let scripts = names.filter { $0.hasSuffix(".sql") }.sorted()
        if scripts.isEmpty { return nil }
        files = try scripts.map { try SourceText(path: "\(path)/\($0)") }
        lock = names.contains(Self.lockName) ? try SourceText(path: "\(path)/\(Self.lockName)") : nil
    }

    init(_ files: [SourceText], lock: SourceText?) { (self.files, self.lock) = (files, lock) }

    /// The identifier of a migration: the name of its file, without the ending.
    static func identifier(_ file: SourceText) -> String {
        let name = file.file.split(separator: "/").last.map(String.init) ?? file.file
        return name.hasSuffix(".sql") ? String(name.dropLast(4)) : name
    }

    // MARK: - Checksums

    /// The lines of the file with the checksums. Those of migrations that are in it stay; others are added.
    var lockText: String {
        let known = entries
        return files.map { file in
            let name = Self.identifier(file)
            return "\(name) \(known[name]?.checksum ?? Self.checksum(file))\n"
        }.joined()
    }

    /// The identifiers of the released migrations.
    var released: Set<String> { Set(entries.keys) }

    private var entries: [String: (checksum: String, range: Range<Int>)] {
        guard let lock else { return [:] }
        var entries: [String: (String, Range<Int>)] = [:]
        let bytes = Array(lock.text.utf8)
        for line in bytes.split(separator: 0x0A) {
            let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
            if words.count == 2 { entries[words[0]] = (words[1], line.startIndex..<line.endIndex) }
        }
        return entries
    }

    /// The FNV-1a hash of a file's bytes. Ends of lines count as line feeds.
    private static func checksum(_ file: SourceText) -> String {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in file.text.replacing("\r\n", with: "\n").utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns errors for migrations that have changed since they were released, or are missing.
    var changes: [QueryDiagnostic] {
        let names = Set(files.map(Self.identifier))
        let entries = entries
        var diagnostics: [QueryDiagnostic] = []
        for file in files {
            guard let entry = entries[Self.identifier(file)], entry.checksum != Self.checksum(file) else { continue }
            diagnostics.append(
                file.diagnostic(
                    "this migration has changed since it was released: undo the change, and write another migration. If no database has run it, "
                        + "remove its line from \(Self.lockName)", at: 0..<1))
        }
        if let lock {
            for (name, entry) in entries.sorted(by: { $0.key < $1.key }) where !names.contains(name) {
                diagnostics.append(lock.diagnostic("the released migration \(name) is missing", at: entry.range))
            }
        }
        return diagnostics
    }

    // MARK: - Schema

    /// The SQL of the schema that the migrations lead to.
    ///
    /// SQLite keeps the comments inside a definition, but not those before it: they come from the migrations, by the names of the tables and
    /// views. The last comment counts.
    ///
    /// - Throws: ``QueryErrors``, with the places of the statements that fail.
    func schemaText(_ settings: RecordSettings) throws -> String {
        let queue = try MigrationRehearsal(self, settings).run().queue
        let objects = try queue.writeWithoutTransaction { db in try SchemaObject.all(db) }
        let comments = files.map { CommentedSQL.commentsBeforeTables($0.text).filter { !$0.value.isEmpty } }
            .reduce(into: [:]) { $0.merge($1) { _, last in last } }
        return objects.map { object in
            let lines = ["table", "view"].contains(object.type) ? comments[SchemaName(object.name)] ?? [] : []
            return lines.map { "-- \($0)\n" }.joined() + "\(object.sql);\n"
        }.joined(separator: "\n")
    }

    /// Returns errors if the migrations don't lead to a schema, and the warnings about released migrations.
    ///
    /// - Throws: ``QueryErrors``, with the places of the statements that fail.
    func differences(from script: SourceText, _ settings: RecordSettings) throws -> [QueryDiagnostic] {
        func objects(_ queue: DatabaseQueue) throws -> [SchemaObject] {
            try queue.writeWithoutTransaction { db in
                let derived = try db.derivedSynchronizationObjects()
                return try SchemaObject.all(db).filter { !derived.contains(SchemaName($0.name)) }
            }
        }
        let rehearsal = try MigrationRehearsal(self, settings).run()
        let migrated = try objects(rehearsal.queue)
        let declared = try objects(SchemaScript(script).makeDatabase(settings))
        func meanings(_ objects: [SchemaObject]) -> [SchemaName: String] {
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
                script.diagnostic("\(difference). Write this file again: swift package generate-records --migrations", at: 0..<1)
            }
    }
}

/// A table, index, trigger or view.
private struct SchemaObject {
    var type: String
    var name: String
    var sql: String

    /// The definition in one spelling.
    var meaning: String { SQLTokens(sql).normalized }

    static func all(_ db: Database) throws -> [SchemaObject] {
        let statement = try db.makeStatement(
            sql: """
                SELECT type, name, sql FROM main.sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY type = 'view', rowid
                """)
        var objects: [SchemaObject] = []
        while try statement.step() {
            objects.append(
                SchemaObject(type: statement.string(at: 0) ?? "", name: statement.string(at: 1) ?? "", sql: statement.string(at: 2) ?? ""))
        }
        return objects.filter { !Database.isStrataInternalTable($0.name) }
    }
}
