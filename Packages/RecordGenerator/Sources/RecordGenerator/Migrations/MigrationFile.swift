import Migrations
import SQLiteDriver

/// A file of a folder `Migrations`.
struct MigrationFile {
    /// The whole file.
    let source: SourceText

    /// The name of the file, without `.sql` or `.swift`. Databases record it.
    let identifier: String

    /// Whether the file is a step in Swift, which changes rows.
    let isStep: Bool

    /// The number at the beginning of the name.
    let number: MigrationNumber?

    /// The line of `migrations.lock`; nil if the migration is not released.
    let entry: MigrationLock.Entry?

    /// What lines of the file ask for. In a file that a version without such lines has released, they are comments.
    let actions: [MigrationAction]

    private let parts: MigrationParts
    private let misplacedLines: [(message: String, range: Range<Int>)]

    init(_ source: SourceText, _ lock: [String: MigrationLock.Entry]) {
        self.source = source
        identifier = Self.identifier(source)
        isStep = source.file.hasSuffix(".swift")
        number = MigrationNumber(identifier)
        entry = lock[identifier]
        parts = MigrationParts(isStep ? SourceText("", file: source.file) : source)
        let isWhole = entry.map { !$0.isUpPart } ?? false
        let found =
            !isStep && source.text.utf8.contains(0x40)
            ? MigrationAction.all(in: SchemaScript(parts.script(isWhole: isWhole)).parts[0]) : nil
        actions = entry?.hasDirectives ?? true ? found?.actions ?? [] : []
        misplacedLines = found?.problems ?? []
    }

    /// The identifier of a migration: the name of its file, without the ending.
    static func identifier(_ file: SourceText) -> String {
        let name = file.file.split(separator: "/").last.map(String.init) ?? file.file
        return [".sql", ".swift"].first(where: name.hasSuffix).map { String(name.dropLast($0.count)) } ?? name
    }

    /// The name of the function that a step declares: `tags` for `0008-tags.swift`. Nil if the file has only a number.
    var stepFunction: String? {
        let name = identifier.drop { !$0.isLetter }
        return name.isEmpty ? nil : SwiftName.function(String(name))
    }

    var isReleased: Bool { entry != nil }

    /// Whether the migration is a file of golang-migrate, or of another tool with its names, that undoes another one.
    var isDown: Bool { !isStep && identifier.hasSuffix(".down") }

    /// Whether the file runs. A down migration that was released has run wherever the program did, and still runs in new databases.
    var runs: Bool { isReleased || !isDown }

    /// Whether the file has statements that don't run.
    var hasDownPart: Bool { parts.downToken != nil && (entry?.isUpPart ?? true) }

    /// The tool that the file was written for.
    var tool: String? {
        if isStep { return nil }
        if let tool = parts.tool { return tool.rawValue }
        if isDown || identifier.hasSuffix(".up") { return "golang-migrate" }
        return number != nil && identifier.hasPrefix("V") ? "Flyway" : nil
    }

    /// The SQL that runs. A file that was released with its down parts has run them, too.
    var script: SourceText { parts.script(isWhole: entry.map { !$0.isUpPart } ?? false) }

    /// The FNV-1a hash of the whole file's bytes. Ends of lines count as line feeds.
    var checksum: String {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in source.text.replacing("\r\n", with: "\n").utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns an error, or a warning if the migration is released.
    func diagnostic(_ message: String, at range: Range<Int> = 0..<1) -> QueryDiagnostic {
        source.diagnostic(message, at: range, isWarning: isReleased)
    }

    /// The line of `migrations.lock`. Formatters change Swift, so that a step has no checksum.
    var lockLine: String { isStep ? "\(identifier) \(MigrationLock.stepMark)" : "\(identifier) \(checksum)\(hasDownPart ? " up" : "")" }

    /// Returns what is wrong with the parts of the file.
    ///
    /// - Parameter identifiers: those of all files of the folder.
    func diagnostics(_ identifiers: Set<String>) -> [QueryDiagnostic] {
        if isStep {
            return stepFunction == nil ? [diagnostic("a step needs a name, as its function has: \(identifier)-tags.swift")] : []
        }
        if isDown {
            guard isReleased, let first = SQLTokens(source.text).tokens.first else { return [] }
            return [
                diagnostic(
                    "this down migration was released: it still runs, in its place, also in new databases. Undo what it does in a new migration",
                    at: first.range)
            ]
        }
        var diagnostics = parts.problems.map { diagnostic($0.message, at: $0.range) }
        if source.text.utf8.contains(0x40) {
            let problems = SQLDirective.all(in: SQLTokens(script.text)).compactMap { line in line.problem.map { ($0, line.range) } }
            // Lines that don't run are empty, so that places may differ.
            diagnostics += (problems + misplacedLines).map { script.diagnostic($0, at: $1, isWarning: isReleased) }
        }
        if isNamedLikeDown(identifiers) {
            diagnostics.append(
                diagnostic("it is not clear whether this file is a down migration: end its name in .down.sql, or .up.sql, or rename it"))
        }
        if identifier.hasPrefix("R__") {
            diagnostics.append(
                diagnostic("Flyway runs this migration whenever it has changed, which a DatabaseMigrator doesn't: rename it"))
        }
        if let entry, !entry.isUpPart, let token = parts.downToken {
            diagnostics.append(
                diagnostic(
                    "this down part was released: it still runs, also in new databases. Undo what it does in a new migration", at: token))
        }
        return diagnostics
    }

    /// Whether the name looks like one of a down migration, or of its counterpart, in the notation of a tool that is not known here.
    private func isNamedLikeDown(_ identifiers: Set<String>) -> Bool {
        let name = identifier.lowercased()
        let words = name.split(separator: ".").map(String.init)
        let direction = ["up", "down"]
        // Flyway undoes V1__books by U1__books, and refinery runs U1__books as a migration.
        if identifier.hasPrefix("U"), MigrationNumber("V\(identifier.dropFirst())") != nil { return true }
        // 0001.Down.sql, 0001.down.sqlite.sql, down.sql
        if words.count == 1, direction.contains(name) { return true }
        if !identifier.hasSuffix(".up"), words.dropFirst().contains(where: direction.contains) { return true }
        // 0001-down.sql beside 0001-up.sql
        guard let last = name.split(whereSeparator: { "-_".contains($0) }).last, last == "down", name != last else { return false }
        let counterpart = name.dropLast(4) + "up"
        return identifiers.contains { $0.lowercased() == counterpart }
    }
}
