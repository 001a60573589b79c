import Foundation
import Testing

/// What the compiler says about code that uses Strata: it type-checks long conditions in a short time, and names mistakes.
@Suite(.timeLimit(.minutes(10)))
struct CompilerTests {
    /// Type-checks a file with the modules that this test was built with.
    ///
    /// - Returns: the errors and warnings in the file, in the compiler's order.
    private func diagnostics(of file: URL, _ options: String...) async throws -> [(line: Int, text: String)] {
        let products = try #require(Bundle.main.executableURL).resolvingSymlinksInPath().deletingLastPathComponent()
        let driver = Repository.root.appendingPathComponent("Packages/SQLiteDriver/Sources")
        // The C targets of the packages, and the system's SQLite. SwiftPM builds plugins' tools apart, in folders with the suffix "-tool".
        let folders = try FileManager.default.contentsOfDirectory(atPath: products.path)
        let moduleMaps =
            folders.filter { $0.hasPrefix("C") && $0.hasSuffix(".build") && !$0.hasSuffix("-tool.build") }
            .map { products.appendingPathComponent("\($0)/module.modulemap") }
            .filter { FileManager.default.fileExists(atPath: $0.path) } + [driver.appendingPathComponent("CSQLite/module.modulemap")]
        let result = try await runCommand(
            ["swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm"]
                + ["-I", products.appendingPathComponent("Modules").path]
                + ["-Xcc", "-I\(driver.appendingPathComponent("CSQLiteShims/include").path)"]
                + moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] } + options + [file.path],
            in: Repository.root, limit: 300)
        let diagnostics = result.error.split(separator: "\n").compactMap { line -> (Int, String)? in
            guard line.hasPrefix(file.path + ":") else { return nil }
            let parts = line.dropFirst(file.path.count + 1).split(separator: ":", maxSplits: 3).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard parts.count == 4, parts[2] == "error" || parts[2] == "warning", let number = Int(parts[0]) else { return nil }
            return (number, parts[3])
        }
        // A compiler that fails for another reason must fail the test.
        #expect(result.isSuccess || !diagnostics.isEmpty, "\(result)")
        return diagnostics
    }

    @Test("No condition takes the compiler longer than half a second")
    func typeCheckingTime() async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("PredicateShapes.swift")
        let slow = try await diagnostics(of: file, "-Xfrontend", "-warn-long-expression-type-checking=500")
        #expect(slow.map { "line \($0.line): \($0.text)" } == [])
    }

    /// Mistakes in conditions, and the compiler's first error for each.
    static let mistakes: [(code: String, error: String)] = [
        // Misspelt columns
        ("Player.filter { $0.scor > 10 }", "type 'Player.Columns' has no member 'scor'"),
        ("Player.all().filter { $0.scor > 10 }", "type 'Player.Columns' has no member 'scor'"),
        (#"Player.filter { $0.score > 10 && $0.nmae == "x" }"#, "type 'Player.Columns' has no member 'nmae'"),
        ("Player.filter { $0.score + $0.bonsu > 10 }", "type 'Player.Columns' has no member 'bonsu'"),
        ("Player.filter { [1, 2].contains($0.idd) }", "type 'Player.Columns' has no member 'idd'"),
        ("Player.filter { (1...10).contains($0.scor) }", "type 'Player.Columns' has no member 'scor'"),
        ("Player.filter { !$0.nme }", "type 'Player.Columns' has no member 'nme'"),
        ("Player.filter { length($0.nme) > 3 }", "type 'Player.Columns' has no member 'nme'"),
        ("Player.all().group { $0.name }.having { max($0.scor) > 10 }", "type 'Player.Columns' has no member 'scor'"),
        // No columns
        ("Team.filter { $0.score > 10 }", "type 'NoColumns' has no member 'score'"),
        ("Player.filter { Columns.score > 10 }", "cannot find 'Columns' in scope"),
        (#"Player.filter { name == "x" }"#, "cannot find 'name' in scope"),
        (
            #"Player.filter { .name == "x" }"#,
            "contextual type for closure argument list expects 1 argument, which cannot be implicitly ignored"
        ),
        // Values of types that are none
        ("Player.filter { $0.name == person }", "argument type 'Person' does not conform to expected type 'SQLSpecificExpressible'"),
        (
            #"Player.filter { $0.score > person && $0.name == "x" }"#,
            "argument type 'Person' does not conform to expected type 'SQLSpecificExpressible'"
        ),
        ("Player.filter { person }", "contextual type for closure argument list expects 1 argument, which cannot be implicitly ignored"),
        ("Player.filter { $0.score.desc }", "cannot convert value of type 'SQLOrdering' to closure result type 'any SQLExpressible'"),
        // Misspelt values, functions and methods
        ("Player.filter { $0.score == limitt }", "cannot find 'limitt' in scope"),
        ("Player.filter { $0.name == person.nmae }", "value of type 'Person' has no member 'nmae'"),
        ("Player.filter { lenght($0.name) > 3 }", "cannot find 'lenght' in scope"),
        (#"Player.filter { $0.name.lik("x%") }"#, "value of type 'Column' has no member 'lik'"),
        (#"Player.filter { $0.name.hasPrefix("x") }"#, "value of type 'Column' has no member 'hasPrefix'"),
        ("Player.filter { $0.name.like() }", "missing argument for parameter #1 in call"),
    ]

    @Test("The compiler names a mistake in a condition")
    func mistakes() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("Mistakes.swift")
        let declarations = """
            import Strata
            struct Person { var name = "Arthur" }
            struct Team: TableRecord {}
            struct Player: TableRecord {
                enum Columns {
                    static let id = Column("id")
                    static let name = Column("name")
                    static let score = Column("score")
                    static let bonus = Column("bonus")
                }
            }

            """
        var source = declarations
        for (index, mistake) in Self.mistakes.enumerated() {
            source += "func mistake\(index)(_ person: Person) { _ = \(mistake.code) }\n"
        }
        try folder.write(source, to: "Mistakes.swift")
        let errors = try await diagnostics(of: file)
        let firstLine = declarations.split(separator: "\n", omittingEmptySubsequences: false).count
        for (index, mistake) in Self.mistakes.enumerated() {
            let error = errors.first { $0.line == firstLine + index }
            #expect(error?.text == mistake.error, "\(mistake.code)")
        }
    }
}
