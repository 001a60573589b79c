import Foundation
import Migrations
import Testing

@testable import RecordGenerator

/// Random folders of migrations of four other tools, which lead to what the tools lead to, before and after their release, and in merged
/// branches.
///
/// `STRATA_FOLDERS` sets their number, and `STRATA_SEED` the first seed.
@Suite struct RandomFolderTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["STRATA_FOLDERS"].flatMap { Int($0) } ?? 15
    private static let seed = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(arguments: RandomFolder.Tool.allCases)
    func `The migrations of a tool lead to the schema and the rows of their up parts, in its order`(_ tool: RandomFolder.Tool) throws {
        var disordered = 0
        for seed in Self.seed..<(Self.seed + UInt64(Self.count)) {
            var folder = RandomFolder(tool, seed: seed)
            let expected = try folder.expected()
            let files = folder.files()
            let read = MigrationFolder(files, lock: nil)
            if !folder.isOrderedByName {
                // The tool's order is not the one of names.
                disordered += 1
                #expect(read.changes.contains { !$0.isWarning && $0.message.contains("by its number") }, "\(tool), seed \(seed)")
                continue
            }
            #expect(read.changes.isEmpty, "\(tool), seed \(seed): \(read.changes)")
            #expect(try read.migrated().read { try $0.content() } == expected, "\(tool), seed \(seed)")
            let lines = Set(files.flatMap { $0.text.utf8.split(separator: 0x0A).map { Array($0) } })
            #expect(read.files.allSatisfy { $0.text.utf8.split(separator: 0x0A).allSatisfy { lines.contains(Array($0)) } })

            // Each release adds lines, and changes nothing for those before.
            var lock: String?
            for number in 1...folder.migrations.count {
                let names = Set(folder.migrations.prefix(number).map(\.name))
                let present = files.filter { file in names.contains { MigrationFile.identifier(file).hasPrefix($0) } }
                let released = MigrationFolder(present, lock: lock.map { SourceText($0, file: "migrations.lock") })
                #expect(released.changes.isEmpty, "\(tool), seed \(seed): \(released.changes)")
                #expect(released.files.map(\.text) == read.files.prefix(number).map(\.text), "\(tool), seed \(seed)")
                #expect(released.lockText.hasPrefix(lock ?? ""))
                lock = released.lockText
            }
            #expect(lock?.split(separator: "\n").count == folder.migrations.count)
        }
        #expect(disordered > 0 && disordered < Self.count)
    }

    @Test
    func `Branches that release migrations lead to the same tables after they were merged`() throws {
        var lost = 0
        for seed in Self.seed..<(Self.seed + UInt64(Self.count)) {
            var random = QueryRandom(seed: seed)
            // Each migration makes a table, so that its place does not matter.
            let all = (0..<(3 + random.below(6))).map { number in
                SourceText("CREATE TABLE t\(number) (x);", file: "Migrations/\(String(1000 + number).dropFirst())_\(number).sql")
            }
            let base = random.below(3)
            var branches: [[SourceText]] = [[], []]
            for file in all.dropFirst(base) { branches[random.below(2)].append(file) }
            func folder(_ files: [SourceText], _ lock: String?) -> MigrationFolder {
                MigrationFolder(files, lock: lock.map { SourceText($0, file: "migrations.lock") })
            }
            let start = folder(Array(all.prefix(base)), nil).lockText
            let released = branches.map { folder(all.prefix(base) + $0, start) }
            let added = released.map { String($0.lockText.dropFirst(start.utf8.count)) }
            #expect(released.allSatisfy { $0.changes.isEmpty && $0.lockText.hasPrefix(start) })
            for lines in [added, added.reversed()] {
                let merged = folder(all, start + lines.joined())
                #expect(!merged.changes.contains { !$0.isWarning }, "seed \(seed): \(merged.changes)")
                #expect(merged.lockText == start + lines.joined())
                #expect(merged.changes.isEmpty == (merged.migrations.map(\.identifier) == all.map(MigrationFile.identifier)))
                let expected = try merged.migrated().read { try $0.content() }
                for branch in released {
                    let queue = try branch.migrated()
                    try merged.migrator.migrate(queue)
                    #expect(try queue.read { try $0.content() } == expected)
                }
            }
            // The lock of one branch, where the lines of the other were lost.
            let taken = folder(all, released[0].lockText)
            let last = branches[0].last?.file ?? all[..<base].last?.file ?? ""
            let isAmbiguous = branches[1].contains { $0.file < last }
            lost += isAmbiguous ? 1 : 0
            #expect(taken.changes.contains { !$0.isWarning } == isAmbiguous, "seed \(seed): \(taken.changes)")
        }
        #expect(lost > Self.count / 4)
    }
}

/// Migrations, each with the statements of its up and down parts, and their files as a tool expects them.
struct RandomFolder {
    enum Tool: CaseIterable {
        case goose, dbmate, sqlMigrate, golangMigrate
    }

    struct Migration {
        var name: String
        var up: [String]
        var down: [String]
    }

    private let tool: Tool
    private var random: QueryRandom
    private(set) var migrations: [Migration] = []

    init(_ tool: Tool, seed: UInt64) {
        self.tool = tool
        random = QueryRandom(seed: seed)
        // Of six seeds in a row, one has numbers whose order is not the one of names: 10 comes before 2.
        let numbering = Int(seed % 3)
        let count = seed % 6 == 0 ? 10 + random.below(3) : 1 + random.below(12)
        for number in 1...count {
            let prefix = ["\(number)", "\(10_000 + number)".dropFirst() + "", "\(20_240_101_120_000 + number * 7)"][numbering]
            migrations.append(statements(number, name: "\(prefix)_m\(number)x"))
        }
    }

    /// Whether names have the order of numbers.
    var isOrderedByName: Bool { migrations.map(\.name) == migrations.map(\.name).sorted() }

    private mutating func statements(_ number: Int, name: String) -> Migration {
        let table = "t\(number)"
        var up = ["CREATE TABLE \(table) (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'a;b')"]
        var down = ["DROP TABLE \(table)"]
        if random.chance(40) { up.append("INSERT INTO \(table) (name) VALUES ('\n-- +goose Down\n-- migrate:down\n-- +migrate Down\n')") }
        if random.chance(40) {
            up.append("CREATE TRIGGER g\(number) AFTER INSERT ON \(table) BEGIN\n    SELECT 1;\n    SELECT 2;\nEND")
            down.append("DROP TRIGGER IF EXISTS g\(number)")
        }
        if let other = migrations.last, random.chance(40) {
            up.append("ALTER TABLE \(other.up[0].split(separator: " ")[2]) ADD COLUMN c\(number)")
            down.append("DELETE FROM \(table)")
        }
        return Migration(name: name, up: up, down: down.reversed())
    }

    /// The content of a database after the up parts.
    func expected() throws -> [String] {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            for statement in migrations.flatMap(\.up) { try db.execute(sql: statement) }
        }
        return try queue.read { try $0.content() }
    }

    /// The files, in any order.
    mutating func files() -> [SourceText] {
        var files: [SourceText] = []
        for migration in migrations {
            func add(_ name: String, _ text: String) {
                var text = text
                // The ends of lines in strings count.
                if !text.contains("'\n"), random.chance(25) { text = text.replacing("\n", with: "\r\n") }
                if random.chance(15) { text = "\u{FEFF}" + text }
                files.append(SourceText(text, file: "Migrations/\(name).sql"))
            }
            if tool == .golangMigrate {
                add("\(migration.name).up", part(migration.up))
                if random.chance(80) { add("\(migration.name).down", part(migration.down)) }
            } else {
                var parts = ["\(annotation("Up"))\n\(part(migration.up))"]
                if tool == .dbmate || random.chance(80) { parts.append("\(annotation("Down"))\n\(part(migration.down))") }
                if tool == .sqlMigrate, random.chance(20) { parts.reverse() }
                add(migration.name, (random.chance(30) ? "-- About +goose Down and migrate:down.\n\n" : "") + parts.joined())
            }
        }
        return random.chance(50) ? files.reversed() : files
    }

    /// An annotation, in a spelling that the tool reads.
    private mutating func annotation(_ kind: String) -> String {
        switch tool {
        case .goose:
            let word = random.pick([kind, kind.lowercased(), kind.uppercased()])
            return random.pick(["-- +goose \(word)", "--+goose \(word)", "--  +goose  \(word) "])
        case .dbmate:
            return random.pick(["-- ", "--", "--\t"]) + "migrate:\(kind.lowercased())" + random.pick(["", " ", " transaction:true"])
        case .sqlMigrate, .golangMigrate: return "-- +migrate \(kind)" + random.pick(["", " "])
        }
    }

    /// The statements of a part, with comments.
    private mutating func part(_ statements: [String]) -> String {
        var text = ""
        for statement in statements {
            if random.chance(20) { text += random.pick(["\n", "/*\n-- +goose Down\n-- migrate:down\n*/\n", "-- DROP TABLE t1;\n"]) }
            let isWrapped = [.goose, .sqlMigrate].contains(tool) && (statement.contains("BEGIN") || random.chance(20))
            if isWrapped { text += annotation("StatementBegin") + "\n" }
            text += statement + random.pick([";\n", "; -- +goose Down\n", ";\n"])
            if isWrapped { text += annotation("StatementEnd") + "\n" }
        }
        return text
    }
}

extension Database {
    /// The definitions of all objects, in the order of their names, and the rows of all tables but those of migrations.
    fileprivate func content() throws -> [String] {
        let tables = try makeStatement(
            sql:
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'grdb_migrations' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ).rows()
        // Definitions have the ends of lines of their files.
        let definitions = "SELECT replace(sql, char(13), '') FROM sqlite_master WHERE tbl_name <> 'grdb_migrations' ORDER BY name"
        return try makeStatement(sql: definitions).rows()
            + tables.flatMap { try makeStatement(sql: "SELECT * FROM \($0) ORDER BY 1").allRows() }
    }
}

extension Statement {
    fileprivate func allRows() throws -> [String] {
        var rows: [String] = []
        while try step() { rows.append((0..<columnCount).map { "\(databaseValue(at: $0))" }.joined(separator: "|")) }
        return rows
    }
}
