import Foundation
import Testing
import Migrations

@testable import RecordGenerator

/// Steps in Swift between files with SQL.
@Suite struct MigrationStepTests {
    private static let first = SourceText("CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT);", file: "Migrations/0007-notes.sql")
    private static let step = SourceText("extension Queries.MigrationSteps {}", file: "Migrations/0008-add_tags.swift")
    private static let last = SourceText("CREATE INDEX byTitle ON note (title);", file: "Migrations/0009-titles.sql")

    private func set(_ files: [SourceText], lock: String? = nil, settings: String = "", queries: String = "SELECT * FROM note") throws
        -> QuerySet
    {
        let folder = MigrationFolder(files, lock: lock.map { SourceText($0, file: "Migrations/migrations.lock") })
        _ = try QueryErrors.check(folder.changes)
        let settings = try RecordSettings(settings, file: "schema.records")
        let script = SourceText(try folder.schemaText(settings), file: "schema.sql")
        return try QuerySet(
            [SourceText("-- name: a\n\(queries)", file: "Queries.sql")], schema: script, settings: settings, migrations: folder)
    }

    private func diagnostics(_ files: [SourceText], lock: String? = nil) -> [String] {
        do {
            return try set(files, lock: lock).warnings.map { String("\($0)".prefix { $0 != "\n" }) }
        } catch let error as QueryErrors {
            return error.diagnostics.map { String("\($0)".prefix { $0 != "\n" }).replacing("Migrations/", with: "") }
        } catch {
            return ["\(error)"]
        }
    }

    @Test
    func `A file with Swift is a step between the files with SQL, and calls the function of its name`() throws {
        let code = try set([Self.last, Self.step, Self.first]).outputs[0].code
        let calls = code.split(separator: "\n").filter {
            $0.contains("migrator.register") || $0.contains("MigrationSteps") || $0.contains("mark")
        }
        #expect(
            calls.map { $0.drop { $0 == " " } } == [
                "migrator.registerMigration(\"0007-notes\") { db in", "migrator.registerStep(\"0008-add_tags\") { db in",
                "try MigrationSteps.addTags(db)", "migrator.registerMigration(\"0009-titles\") { db in", "migrator.markMigrationsAsFiles()",
                "nonisolated enum MigrationSteps {}",
            ])
        #expect(
            try set([Self.last, Self.step, Self.first], settings: "public").outputs[0].code.contains(
                "    public nonisolated enum MigrationSteps {}\n"))
        #expect(try !set([Self.last, Self.first]).outputs[0].code.contains("MigrationSteps"))
    }

    @Test
    func `The lock has a line without a checksum, so that Swift may change`() throws {
        let folder = MigrationFolder([Self.first, Self.step, Self.last], lock: nil)
        let lines = folder.lockText.split(separator: "\n")
        #expect(lines.count == 3 && lines[1] == "0008-add_tags swift" && lines[0].wholeMatch(of: /0007-notes [0-9a-f]{16}/) != nil)
        let changed = SourceText("// Formatted.\n\(Self.step.text)", file: Self.step.file)
        #expect(diagnostics([Self.first, changed, Self.last], lock: folder.lockText) == [])
        // The order of the lock counts.
        let lock = folder.lockText
        let again = MigrationFolder([Self.first, Self.step, Self.last], lock: SourceText(lock, file: "migrations.lock"))
        #expect(again.lockText == lock && again.migrations.map(\.identifier) == ["0007-notes", "0008-add_tags", "0009-titles"])
        let spaced = MigrationFolder([Self.first, SourceText("", file: "Migrations/0008 add tags.swift")], lock: nil)
        let reread = MigrationFolder(
            [Self.first, SourceText("", file: "Migrations/0008 add tags.swift")], lock: SourceText(spaced.lockText, file: "migrations.lock")
        )
        #expect(reread.migrations.map(\.isReleased) == [true, true] && reread.migrations[1].stepFunction == "addTags")
    }

    @Test
    func `A released step that is missing, or comes before released files, is an error`() throws {
        let lock = MigrationFolder([Self.first, Self.step], lock: nil).lockText
        #expect(diagnostics([Self.first], lock: lock) == ["migrations.lock:2:1: error: the released migration 0008-add_tags is missing"])
        let later = MigrationFolder([Self.first, Self.last], lock: nil).lockText
        let errors = diagnostics([Self.first, Self.step, Self.last], lock: later)
        #expect(
            errors.count == 1 && errors[0].hasPrefix("0008-add_tags.swift:1:1: error: 0008-add_tags comes before 0009-titles"), "\(errors)")
    }

    @Test
    func `A file with SQL of the same name is an error, also where one of them is released`() {
        let beside = SourceText("SELECT 1;", file: "Migrations/0008-add_tags.sql")
        let message = "0008-add_tags.swift is beside this file, and both are the same migration: rename one of them"
        #expect(diagnostics([Self.first, Self.step, beside]) == ["0008-add_tags.sql:1:1: error: \(message)"])
        for released in [Self.step, beside] {
            let lock = MigrationFolder([Self.first, released], lock: nil).lockText
            #expect(diagnostics([Self.first, Self.step, beside], lock: lock).contains("0008-add_tags.sql:1:1: error: \(message)"))
        }
        // What was released stays what it is.
        let steps = MigrationFolder([Self.first, Self.step], lock: nil).lockText
        #expect(
            diagnostics([Self.first, beside], lock: steps) == [
                "0008-add_tags.sql:1:1: error: 0008-add_tags was released as a step in Swift: it stays 0008-add_tags.swift"
            ])
        let files = MigrationFolder([Self.first, beside], lock: nil).lockText
        #expect(
            diagnostics([Self.first, Self.step], lock: files) == [
                "0008-add_tags.swift:1:1: error: 0008-add_tags was released as a file with SQL: it stays 0008-add_tags.sql"
            ])
    }

    @Test
    func `Steps need names, each another one`() {
        let nameless = SourceText("", file: "Migrations/0010.swift")
        #expect(
            diagnostics([Self.first, nameless]) == ["0010.swift:1:1: error: a step needs a name, as its function has: 0010-tags.swift"])
        let second = SourceText("", file: "Migrations/0011-addTags.swift")
        #expect(
            diagnostics([Self.first, Self.step, second]) == [
                "0011-addTags.swift:1:1: error: the function addTags is that of the step 0008-add_tags, too: rename this file"
            ])
    }

    @Test
    func `A record with the name of the enum of steps is an error where there are steps`() throws {
        let table = SourceText("CREATE TABLE migrationSteps (id INTEGER PRIMARY KEY);", file: "Migrations/0007-notes.sql")
        let query = "SELECT * FROM migrationSteps"
        #expect {
            try set([table, Self.step], queries: query)
        } throws: { "\($0)".contains("a record is named MigrationSteps, like the enum of steps") }
        #expect(throws: Never.self) { try set([table], queries: query) }
        #expect(throws: Never.self) { try set([table, Self.step], settings: "table migrationSteps Step", queries: query) }
    }

    @Test
    func `Files with Swift whose names don't begin with a number are not steps`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("Migrations"), withIntermediateDirectories: true)
        for (name, text) in [
            ("0007-notes.sql", Self.first.text), ("0008-tags.swift", ""), ("Tagging.swift", ""), ("V2__more.swift", ""),
            ("x0009.swift", ""),
        ] {
            try Data(text.utf8).write(to: folder.file("Migrations/\(name)"))
        }
        let migrations = try #require(try MigrationFolder(path: folder.path("Migrations")))
        #expect(migrations.migrations.map(\.identifier) == ["0007-notes", "0008-tags", "V2__more"])
    }
}
