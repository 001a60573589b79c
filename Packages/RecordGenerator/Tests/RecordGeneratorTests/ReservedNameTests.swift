import Foundation
import Testing

@testable import RecordGenerator

/// The lists of names that generated code avoids, compared with what the protocols of records and values have.
@Suite struct ReservedNameTests {
    private let packages = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// The static members or the associated types of protocols, according to the lists of public symbols.
    private func members(_ kinds: Set<String>, of protocols: Set<String>) throws -> Set<String> {
        var members: Set<String> = []
        for package in try FileManager.default.contentsOfDirectory(atPath: packages.path) {
            let file = packages.appendingPathComponent("\(package)/PublicSymbols.txt")
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            // "TableRecord: static var all: …"
            for line in text.split(separator: "\n") {
                let words = line.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).map(String.init)
                guard let owner = words.first, protocols.contains(owner), let index = words.firstIndex(where: kinds.contains) else {
                    continue
                }
                let name = words[(index + 1)...].first { !["func", "var", "let"].contains($0) } ?? ""
                if !name.hasPrefix("_") { members.insert(name) }
            }
        }
        return members
    }

    private static let recordProtocols: Set<String> = [
        "TableRecord", "FetchableRecord", "EncodableRecord", "MutablePersistableRecord", "PersistableRecord",
    ]

    private static let valueProtocols: Set<String> = [
        "DatabaseValueConvertible", "StatementBinding", "StatementColumnConvertible",
    ]

    @Test
    func `Records are not named like associated types, which hide them`() throws {
        let members = try members(["associatedtype", "typealias"], of: Self.recordProtocols.union(Self.valueProtocols))
        #expect(!members.isEmpty)
        #expect(members.subtracting(SwiftName.reservedTypes) == [])
    }

    @Test
    func `Associations are not named like static members of records`() throws {
        let members = try members(["static"], of: Self.recordProtocols)
        #expect(members.contains("hasMany"))
        #expect(Set(members.map { $0.lowercased() }).subtracting(RecordGenerator.reservedStatics) == [])
    }

    @Test
    func `Cases are not named like static members of values`() throws {
        let members = try members(["static"], of: Self.valueProtocols)
        #expect(members.contains("fromDatabaseValue"))
        #expect(members.subtracting(SwiftName.reservedCases) == [])
    }

    // MARK: - Generated code

    private static let schema = """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE player (
            id INTEGER PRIMARY KEY, team_id INTEGER REFERENCES team, score REAL, photo BLOB, isCaptain BOOLEAN, token UUID, tags JSON,
            joined DATETIME DEFAULT CURRENT_TIMESTAMP, state TEXT CHECK (state IN ('active')), level INTEGER CHECK (level IN (1, 2)), extra
        );
        CREATE TABLE pair (a INTEGER NOT NULL, b INTEGER NOT NULL, due DATETIME, PRIMARY KEY (a, b));
        CREATE VIEW recent AS SELECT joined FROM player;
        """

    private static let settings = "column player.tags json [String]\ncolumn player.token lowercase UUID"

    private static let queries = """
        -- name: best
        SELECT id, score, tags FROM player WHERE token = :token AND joined > :since AND tags IN (:tags);
        -- name: remove
        DELETE FROM team WHERE id = :id;
        """

    /// The code of the enum of queries, with migrations.
    private func namespaceCode(_ settings: String) throws -> String {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.file("Migrations"), withIntermediateDirectories: true)
        try Data(Self.schema.utf8).write(to: folder.file("Migrations/1.sql"))
        let migrations = try #require(try MigrationFolder(path: folder.file("Migrations").path))
        return try QueryGenerator.namespaceCode(
            RecordSettings(settings, file: "schema.records"), module: "Strata", schema: SourceText("", file: "schema.sql"),
            migrations: migrations)
    }

    @Test
    func `Records and structs are not named like types that generated code uses`() throws {
        var generated = ""
        for settings in [Self.settings, Self.settings + "\npublic"] {
            generated += try code(for: Self.schema, settings: settings) + namespaceCode(settings)
            generated += try QuerySample.code(Self.queries, schema: Self.schema, settings: settings)
        }
        // Without strings, comments and modules.
        for pattern in [#""{3}\n(?s:.*?)"{3}"#, #""(\\.|[^"\\\n])*""#, "//.*", "import .*"] {
            generated = try generated.replacing(Regex(pattern), with: "")
        }
        // Records, structs of rows and enums of values: all others are the same for each schema.
        let own: Set = ["Team", "Player", "Pair", "Recent", "State", "Level", "BestRow", "Queries"]
        let used = Set(generated.matches(of: #/\b[A-Z]\w*/#).map { String($0.output) }).subtracting(own)
        #expect(used.symmetricDifference(SwiftName.usedTypes) == [])
        for name in used {
            #expect(SwiftName.type(name) == "\(name)Record")
            let expected = "another type is named \(name)"
            for line in ["table team \(name)", "queries \(name)"] {
                let error = #expect(throws: RecordSettingsError.self) { try RecordSettings(line, file: "schema.records") }
                #expect(error?.message == expected)
            }
            let sql = "-- name: a\n-- @struct \(name)\nSELECT 1"
            #expect(QuerySample.diagnostics(sql) == ["Queries.sql:2:12: error: \(expected)"])
        }
    }

    @Test
    func `Queries and their structs are not named like the members of their enum`() throws {
        let members = try namespaceCode("").matches(of: #/static (?:func|var|let) (\w+)/#).map { String($0.1) }
        #expect(Set(members) == ["check", "migrator", "schema"])
        for name in members {
            #expect(try QuerySample.code("-- name: \(name)\nSELECT 1").contains("static func \(name)Query() -> "))
            #expect(
                QuerySample.diagnostics("-- name: a\n-- @struct \(name)\nSELECT 1")
                    == ["Queries.sql:2:12: error: \(name) can't be the name of a type"])
        }
    }

    @Test(arguments: ["class", "some", "each", "self", "init", "protocol", "func"])
    func `Keywords are not the names of structs, enums and records`(_ name: String) throws {
        let expected = "\(name) can't be the name of a type"
        #expect(QuerySample.diagnostics("-- name: a\n-- @struct \(name)\nSELECT 1") == ["Queries.sql:2:12: error: \(expected)"])
        for line in ["table team \(name)", "queries \(name)"] {
            let error = #expect(throws: RecordSettingsError.self) { try RecordSettings(line, file: "schema.records") }
            #expect(error?.message == expected)
        }
    }

    @Test
    func `Structs of rows have names that no other struct, query or type has`() throws {
        func structs(_ files: String..., settings: String = "") throws -> [String] {
            try QuerySample.code(files.enumerated().map { ("\($0).sql", $1) }, settings: settings).flatMap { code in
                code.matches(of: #/    struct (\w+):/#).map { String($0.1) }
            }
        }
        // A name in a comment comes first, wherever it is.
        let best = "-- name: best\nSELECT 1 AS a, 2 AS b;"
        try #expect(structs(best, "-- name: other\n-- @struct BestRow\nSELECT 1") == ["BestRow2", "BestRow"])
        try #expect(structs("-- name: other\n-- @struct BestRow\nSELECT 1;\n\(best)") == ["BestRow", "BestRow2"])
        // The capital of ß is SS.
        try #expect(structs("-- name: ßx\nSELECT 1 AS a, 2 AS b;\n-- name: sSx\nSELECT 1 AS a, 2 AS b") == ["SSxRow", "SSxRow2"])
        try #expect(structs(best, settings: "table team BestRow") == ["BestRow2"])
        try #expect(structs(best, settings: "function best 1 BestRow") == ["BestRow2"])
        #expect(
            QuerySample.diagnostics("-- name: best\nSELECT 1;\n-- name: other\n-- @struct best\nSELECT 1")
                == ["Queries.sql:4:12: error: best is already the name of the query in line 1"])
        let error = #expect(throws: RecordSettingsError.self) { try RecordSettings("table a X\ntable b X", file: "schema.records") }
        #expect(error?.description == "schema.records:2: error: line 1 already names a record X")
    }
}
