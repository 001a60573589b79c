import Foundation
import Testing

/// What the compiler says about code that uses Strata: it type-checks long conditions in a short time, and names mistakes.
@Suite(.timeLimit(.minutes(10)))
struct CompilerTests {
    /// Type-checks a file with the modules that this test was built with.
    ///
    /// - Returns: the errors and warnings in the file, in the compiler's order.
    private func diagnostics(of file: URL, _ options: String...) async throws -> [(line: Int, column: Int, text: String)] {
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
        let diagnostics = result.error.split(separator: "\n").compactMap { line -> (Int, Int, String)? in
            guard line.hasPrefix(file.path + ":") else { return nil }
            let parts = line.dropFirst(file.path.count + 1).split(separator: ":", maxSplits: 3).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard parts.count == 4, parts[2] == "error" || parts[2] == "warning", let number = Int(parts[0]), let column = Int(parts[1])
            else { return nil }
            return (number, column, parts[3])
        }
        // A compiler that fails for another reason must fail the test.
        #expect(result.isSuccess || !diagnostics.isEmpty, "\(result)")
        return diagnostics
    }

    @Test
    func `No condition takes the compiler longer than half a second`() async throws {
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
            "argument type 'Person' does not conform to expected type 'SQLExpressible'"
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

    @Test
    func `The compiler names a mistake in a condition`() async throws {
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

    @Test
    func `A cursor that lacks a requirement of its form does not compile`() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            import Strata
            class Base { let _statement: Statement; init(_ s: Statement) { _statement = s }; typealias Element = Int }
            final class A: DatabaseCursor { typealias Element = Int }
            final class B: DatabaseCursor { typealias Element = Int; var statement: Statement { fatalError() } }
            final class C: DatabaseCursor { func next() throws -> Int? { nil } }
            final class D: Base, DatabaseCursor { func _element(sqliteStatement: SQLiteStatement) throws -> Int { 1 } }
            final class E: Base, DatabaseCursor { var _isDone = false }
            final class F: Base, DatabaseCursor {
                var _isDone = false
                func _element(sqliteStatement: SQLiteStatement) throws -> Int { 1 }
            }
            """, to: "Cursors.swift")
        let errors = try await diagnostics(of: folder.url.appendingPathComponent("Cursors.swift")).map(\.text)
        let refused = ["A", "B", "C", "D", "E", "F"].filter { name in
            errors.contains { $0.hasPrefix("type '\(name)' does not conform to protocol") }
        }
        #expect(refused == ["A", "B", "C", "D", "E"], "\(errors)")
    }

    /// Long conditions with one mistake each: the code at which the compiler must report it, and the message.
    static let longMistakes: [(code: String, place: String, error: String)] = [
        (
            #"$0.state == "queued" && $0.priority > 3 && $0.runAt <= now && $0.attempts < 5 && $0.queue == "mail" && $0.lockedUntill == nil"#,
            "lockedUntill", "type 'Job.Columns' has no member 'lockedUntill'"
        ),
        (
            #"$0.stat == "queued" && $0.priority > 3 && $0.runAt <= now && $0.attempts < 5 && $0.queue == "mail" && $0.lockedUntil == nil"#,
            "stat", "type 'Job.Columns' has no member 'stat'"
        ),
        (
            #"$0.state == "queued" && $0.priority > 3 && $0.runnAt <= now"#,
            "runnAt", "type 'Job.Columns' has no member 'runnAt'"
        ),
        (
            #"$0.state == "a" || $0.state == "b" || $0.state == "c" || $0.state == "d" || $0.sate == "e" || $0.state == "f" || $0.state == "g" || $0.state == nil"#,
            "sate", "type 'Job.Columns' has no member 'sate'"
        ),
        (
            #"($0.state == "queued" || $0.state == "failed") && ($0.lockedUntil == nil || $0.lockdUntil < now) && $0.attempts < limit"#,
            "lockdUntil", "type 'Job.Columns' has no member 'lockdUntil'"
        ),
        (
            #"$0.priority * 2 + $0.atempts * 3 - $0.id % 7 < 100"#,
            "atempts", "type 'Job.Columns' has no member 'atempts'"
        ),
        (
            #"$0.id % 10 == limit % 10 && $0.quue == "mail" && $0.attempts < limit && $0.runAt < now"#,
            "quue", "type 'Job.Columns' has no member 'quue'"
        ),
        (
            #"!($0.state == "failed") && !($0.priorty < 3 && $0.attempts > 1) && $0.queue != nil"#,
            "priorty", "type 'Job.Columns' has no member 'priorty'"
        ),
        (
            #"["a", "b"].contains($0.state) && (1...5).contains($0.prio) && $0.attempts < 3 && $0.queue == "x""#,
            "prio", "type 'Job.Columns' has no member 'prio'"
        ),
        (
            #"$0.state == "a" && length($0.que) > 3 && $0.attempts < limit && $0.runAt < now"#,
            "que", "type 'Job.Columns' has no member 'que'"
        ),
        (
            #"($0.priority ?? 0) + ($0.atempts ?? 0) * 2 >= minimum ?? 0 && $0.queue != nil && $0.state == "x""#,
            "atempts", "type 'Job.Columns' has no member 'atempts'"
        ),
        (
            #"$0.payload["a"] == 1 && $0.paylod["b"] != "x" && $0.payload["c"] > limit * 2"#,
            "paylod", "type 'Job.Columns' has no member 'paylod'"
        ),
        (
            #"$0.state == "queued" && $0.priority > limt && $0.runAt <= now && $0.attempts < 5"#,
            "limt", "cannot find 'limt' in scope"
        ),
        (
            #"$0.state == "queued" && $0.queue == person.nmae && $0.runAt <= now && $0.attempts < 5 && $0.priority > 3"#,
            "nmae", "value of type 'Person' has no member 'nmae'"
        ),
        (
            #"$0.state == "queued" && lenght($0.queue) > 3 && $0.runAt <= now && $0.attempts < 5"#,
            "lenght", "cannot find 'lenght' in scope"
        ),
        (
            #"$0.state == "queued" && $0.queue.lik("m%") && $0.attempts < 5 && $0.priority > 3"#,
            "lik", "value of type 'Column' has no member 'lik'"
        ),
        (
            #"$0.state == "queued" && $0.queue == person && $0.runAt <= now && $0.attempts < 5 && $0.priority > 3"#,
            "person", "argument type 'Person' does not conform to expected type 'SQLSpecificExpressible'"
        ),
        (
            #"$0.priority > 3 && $0.attempts + person < 5 && $0.queue == "mail""#,
            "person", "argument type 'Person' does not conform to expected type 'SQLOperand'"
        ),
        (
            #"$0.runAt >= now.timeIntervalSince1970 - 86400 * 7 && $0.runAt < now.timeIntervalSince1970s + 60 * 60 && $0.state == "x""#,
            "timeIntervalSince1970s", "value of type 'Date' has no member 'timeIntervalSince1970s'"
        ),
        (
            #"$0.state == State.quued && $0.priority > 3 && $0.attempts < 5"#,
            "quued", "type 'State' has no member 'quued'"
        ),
    ]

    /// The same for columns that know the type of their values.
    static let typedMistakes: [(code: String, place: String, error: String)] = [
        (#"$0.priority > "high""#, "> \"high\"", otherType(">")),
        (#"$0.state == "queued""#, "== \"queued\"", otherType("==")),
        (#"3.5 > $0.priority"#, "> $0.priority", otherType(">")),
        (#"$0.priority < minimum && $0.state == .queued"#, "< minimum", otherType("<")),
        (#"$0.priority < limit && $0.state == 3"#, "== 3", otherType("==")),
        (#"$0.priority < $0.state"#, "< $0.state", otherType("<")),
        (#"$0.state == .queud"#, "queud", "cannot infer contextual base in reference to member 'queud'"),
        (
            #"!($0.state == .queud) && $0.attempts < limit && $0.priority > 3"#,
            "queud", "cannot infer contextual base in reference to member 'queud'"
        ),
        (
            #"$0.state == .queued && $0.priority > "high" && $0.runAt <= now && $0.attempts < 5 && $0.queue == "mail" && $0.lockedUntil == nil"#,
            "> \"high\"", otherType(">")
        ),
        (
            #"$0.priority > 3 && ($0.state == .queued || $0.queue > 12 || $0.lockedUntil == nil) && $0.runAt < now"#,
            "> 12", otherType(">")
        ),
        (
            #"$0.state == .queued && ["a"].contains($0.priority) && $0.runAt <= now && $0.attempts < 5"#,
            "\"a\"", "cannot convert value of type 'String' to expected element type 'Int'"
        ),
        (
            #"("a"..."b").contains($0.priority) && $0.attempts < 5 && $0.state != .failed"#,
            "contains", "instance method 'contains' requires that 'TypedColumn<Int64>' conform to 'Collection'"
        ),
        (
            #"$0.state == .queued && $0.queue == $0.priority && $0.attempts < 5"#,
            "== $0.priority", otherType("==")
        ),
        (
            #"$0.state == .queued && $0.priority > person && $0.runAt <= now && $0.attempts < 5"#,
            "> person", otherType(">")
        ),
        (
            #"$0.state == .queued && $0.priority > 3 && $0.runAt <= now && $0.attempts < 5 && $0.queue == "mail" && $0.lockedUntill == nil"#,
            "lockedUntill", "type 'TypedJob.Columns' has no member 'lockedUntill'"
        ),
        (
            #"$0.priority * 2 + $0.atempts * 3 - $0.id % 7 < 100"#,
            "atempts", "type 'TypedJob.Columns' has no member 'atempts'"
        ),
        (
            #"$0.state == State.quued && $0.priority > 3 && $0.attempts < 5"#,
            "quued", "type 'State' has no member 'quued'"
        ),
    ]

    private static func otherType(_ operation: String) -> String {
        "'\(operation)' is unavailable: the column has values of another type: convert the operand, or use the column's sqlExpression"
    }

    /// Templates, and whether they compile: the SQL of a limit, a key or a packed list depends on the value.
    static let templates: [(code: String, compiles: Bool)] = [
        ("RequestTemplate { (score: Place<Int64>) in Player.filter { $0.score > score } }(5).fetchOne(db)", true),
        (
            "RequestTemplate { (name: Place<String?>) in Player.filter { $0.name == name && $0.score != 3 } }(nil).limit(5).fetchAll(db)",
            true
        ),
        ("RequestTemplate { (a: Place<Int>, b: Place<Int>) in Player.filter { [a, b].contains($0.age) || $0.age == b } }(1, 2)", true),
        ("RequestTemplate { (score: Place<Int64>) in Player.filter { $0.score > score } }(\"high\")", false),
        ("RequestTemplate { (score: Place<Int64>) in Player.filter { $0.score > score } }(nil)", false),
        ("RequestTemplate { (score: Place<Int64>) in Player.filter { $0.score > score } }(1, 2)", false),
        ("RequestTemplate { (score: Place<String>) in Player.filter { $0.score > score } }", false),
        ("RequestTemplate { (score: Place<Int64>) in Player.filter { $0.score > score && $0.name == score } }", false),
        ("RequestTemplate { (count: Place<Int>) in Player.all().limit(count) }", false),
        ("RequestTemplate { (count: Place<Int>) in Player.all().limit(1, offset: count) }", false),
        ("RequestTemplate { (id: Place<Int64>) in Player.filter(key: id) }", false),
        ("RequestTemplate { (id: Place<Int64>) in Player.filter(keys: [id]) }", false),
        ("RequestTemplate { (ids: Place<[Int64]>) in Player.all() }", false),
        ("RequestTemplate { (score: Place<Int>) in score > 3 ? Player.all() : Player.none() }", false),
    ]

    @Test
    func `A place compiles where the SQL holds for each value, with columns and values of its type`() async throws {
        let folder = try TemporaryFolder()
        let declarations = """
            import Strata
            struct Player: TableRecord, FetchableRecord {
                enum Columns {
                    static let name = TypedColumn<String>("name")
                    static let score = TypedColumn<Int64>("score")
                    static let age = Column("age")
                }
                init(row: Row) {}
            }
            func requireSendable(_ template: some Sendable) {}
            func f() { requireSendable(RequestTemplate { (score: Place<Int64>) in Player.filter { $0.score > score } }) }

            """
        let lines = Self.templates.enumerated().map { "func t\($0)(_ db: Database) throws { _ = try \($1.code) }" }
        try folder.write(declarations + lines.joined(separator: "\n"), to: "Templates.swift")
        let errors = try await diagnostics(of: folder.url.appendingPathComponent("Templates.swift"))
            .filter { !$0.text.hasPrefix("no calls to throwing functions") }
        let firstLine = declarations.split(separator: "\n", omittingEmptySubsequences: false).count
        #expect(!errors.contains { $0.line < firstLine }, "\(errors)")
        for (index, template) in Self.templates.enumerated() {
            let found = errors.filter { $0.line == firstLine + index }
            #expect(found.isEmpty == template.compiles, "\(template.code): \(found)")
        }
    }

    @Test
    func `The compiler finds the mistake in a condition of several terms, and does not give up`() async throws {
        try await findMistakes(Self.longMistakes, in: "Job")
    }

    @Test
    func `The compiler refuses a value of another type than the column's, names it, and does not give up`() async throws {
        try await findMistakes(Self.typedMistakes, in: "TypedJob")
    }

    /// Checks that the compiler finds one mistake in each condition on the columns of a record.
    private func findMistakes(_ mistakes: [(code: String, place: String, error: String)], in record: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("LongMistakes.swift")
        let declarations = """
            import Foundation
            import Strata
            struct Person { var name = "Arthur" }
            enum State: String, DatabaseValueConvertible { case queued, failed }
            struct Job: TableRecord {
                enum Columns {
                    static let id = Column("id")
                    static let queue = Column("queue")
                    static let state = Column("state")
                    static let priority = Column("priority")
                    static let attempts = Column("attempts")
                    static let runAt = Column("runAt")
                    static let lockedUntil = Column("lockedUntil")
                    static let payload = JSONColumn("payload")
                }
            }
            struct TypedJob: TableRecord {
                enum Columns {
                    static let id = TypedColumn<Int64>("id", of: TypedJob.self)
                    static let queue = TypedColumn<String>("queue", of: TypedJob.self)
                    static let state = TypedColumn<State>("state", of: TypedJob.self)
                    static let priority = TypedColumn<Int64>("priority", of: TypedJob.self)
                    static let attempts = TypedColumn<Int>("attempts", of: TypedJob.self)
                    static let runAt = TypedColumn<Date>("runAt", of: TypedJob.self)
                    static let lockedUntil = TypedColumn<Date>("lockedUntil", of: TypedJob.self)
                }
            }

            """
        let firstLine = declarations.split(separator: "\n", omittingEmptySubsequences: false).count
        let lines = mistakes.enumerated().map { index, mistake in
            "func mistake\(index)(_ person: Person, _ now: Date, _ limit: Int, _ minimum: Int?) "
                + "{ _ = \(record).filter { \(mistake.code) } }"
        }
        try folder.write(declarations + lines.joined(separator: "\n"), to: "LongMistakes.swift")
        // The compiler gives up after a number of attempts to find types. A smaller number than its own leaves room, and is the same on
        // each machine, unlike time.
        let diagnostics = try await diagnostics(of: file, "-Xfrontend", "-solver-scope-threshold=500000")
        for (index, mistake) in mistakes.enumerated() {
            let found = diagnostics.filter { $0.line == firstLine + index }
            #expect(found.map(\.text) == [mistake.error], "\(mistake.code)")
            let place = found.first.map { lines[index].utf8.dropFirst($0.column - 1) }
            #expect(place.map { String(Substring($0)).hasPrefix(mistake.place) } == true, "\(mistake.code)")
        }
    }
}
