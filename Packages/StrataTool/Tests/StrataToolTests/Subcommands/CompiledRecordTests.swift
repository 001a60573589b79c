import Foundation
import RecordGenerator
import Strata
import Testing

/// Generated records, compiled with the modules that these tests were built with, and run: each row is fetched and inserted into an empty
/// copy, and the dumps of both are the same.
///
/// Databases in a folder that STRATA_DATABASES names are copied, too.
@Suite(.serialized) struct CompiledRecordTests {
    @Test
    func `Records of 100 odd tables compile without warnings, and copy each row as it is`() throws {
        let folder = try TemporaryFolder()
        let file = try Maker.library.makeDatabase(named: "odd.sqlite", in: folder, sql: OddDatabase.sql)
        try copy(file, in: folder) { records in
            #expect(records.filter { $0.kind != .view }.count == OddDatabase.tableCount)
            #expect(records.filter { $0.kind == .view }.count == 3)
        }
    }

    private static let environment = ProcessInfo.processInfo.environment

    /// The seeds of random schemas: `make soak` tries more, and larger ones.
    private static let seeds: [UInt64] = {
        let first = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 1
        let count = environment["STRATA_INPUTS"].flatMap { UInt64($0) } ?? 1
        return (0..<count).map { first &+ $0 }
    }()

    @Test(arguments: seeds)
    func `Records of random schemas with hostile names compile without warnings, and copy each row as it is`(_ seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let database = HostileDatabase(seed: seed, tableCount: Self.seeds.count > 1 ? 60 : 30)
        let file = try Maker.library.makeDatabase(named: "hostile.sqlite", in: folder, sql: database.sql)
        let options: [String] = (seed % 2 == 0 ? ["--public"] : []) + (seed % 3 == 0 ? ["--singular"] : [])
        try copy(file, in: folder, options: options) { records in #expect(!records.isEmpty) }
    }

    private static let shipped: [String] = {
        guard let folder = environment["STRATA_DATABASES"] else { return [] }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".sqlite") }.sorted().map { "\(folder)/\($0)" }
    }()

    @Test(arguments: shipped)
    func `Records of databases that others have made copy each row as it is`(_ path: String) throws {
        try copy(URL(fileURLWithPath: path), in: TemporaryFolder()) { records in #expect(!records.isEmpty) }
    }

    @Test
    func `Generated code is formatted as swift format formats it`() throws {
        let folder = try TemporaryFolder()
        let file = try Maker.library.makeDatabase(named: "odd.sqlite", in: folder, sql: OddDatabase.sql)
        try checkFormat(of: strata("swift", file.path).output, in: folder)
    }

    private func checkFormat(of code: String, in folder: TemporaryFolder) throws {
        try Data(code.utf8).write(to: folder.file("Records.swift"))
        let configuration = repository.appendingPathComponent(".swift-format").path
        try launch(["swift", "format", "-i", "--configuration", configuration, "Records.swift"], in: folder)
        let formatted = try String(contentsOf: folder.file("Records.swift"), encoding: .utf8)
        let different = zip(code.components(separatedBy: "\n"), formatted.components(separatedBy: "\n")).first { $0 != $1 }
        let isSame = code == formatted
        #expect(isSame, "\(different.map { "\($0.0)\n\($0.1)" } ?? "")")
    }

    @Test
    func `Enums, JSON, UUIDs and own types are read from any selection, and other values are errors`() throws {
        let folder = try TemporaryFolder()
        for (text, name) in [(WorkDatabase.sql, "work.sql"), (WorkDatabase.settings, "work.records"), (WorkDatabase.program, "main.swift")]
        {
            try Data(text.utf8).write(to: folder.file(name))
        }
        let generated = strata("swift", "--sql", folder.file("work.sql").path, "--settings", folder.file("work.records").path)
        try #require(generated.status == 0, "\(generated)")
        try Data(generated.output.utf8).write(to: folder.file("Records.swift"))
        try compile(in: folder)
        try launch(["./copy"], in: folder)
        try checkFormat(of: generated.output, in: folder)
    }

    @Test
    func `Queries compile without warnings, and fetch, change and observe rows`() throws {
        let folder = try TemporaryFolder()
        for (text, name) in [
            (QueryProgram.schema, "schema.sql"), (QueryProgram.settings, "schema.records"), (QueryProgram.queries, "Queries.sql"),
            (QueryProgram.program, "main.swift"),
        ] {
            try Data(text.utf8).write(to: folder.file(name))
        }
        for arguments in [
            [
                "swift", "--sql", folder.file("schema.sql").path, "--settings", folder.file("schema.records").path, "--output",
                folder.file("Records.swift").path,
            ],
            ["queries", folder.url.path, "--output", folder.url.path],
        ] {
            let generated = strata(arguments)
            try #require(generated.status == 0 && generated.errors.isEmpty, "\(generated)")
        }
        let files = ["Records.swift", "Queries+Schema.swift", "Queries.sql.swift", "main.swift"]
        try compile(files, in: folder)
        try launch(["./copy"], in: folder)
        try checkFormat(of: String(contentsOf: folder.file("Queries.sql.swift"), encoding: .utf8), in: folder)
        // Declarations can be public.
        #expect(strata("queries", folder.url.path, "--output", folder.url.path, "--public").status == 0)
        #expect(
            strata(
                "swift", "--sql", folder.file("schema.sql").path, "--settings", folder.file("schema.records").path, "--public", "--output",
                folder.file("Records.swift").path
            ).status == 0)
        try compile(files, in: folder)
        try launch(["./copy"], in: folder)
    }

    @Test
    func `Queries compile without warnings whose names are those that generated code uses`() throws {
        let folder = try TemporaryFolder()
        func generate() throws -> String {
            for arguments in [
                ["swift", "--sql", folder.path("schema.sql"), "--output", folder.path("Records.swift")],
                ["queries", folder.path, "--output", folder.path, "--write-schema"],
            ] {
                let generated = strata(arguments)
                try #require(generated.status == 0, "\(generated)")
            }
            return try ["Records.swift", "Queries+Schema.swift", "Queries.sql.swift"].map { name in
                try String(contentsOf: folder.file(name), encoding: .utf8)
            }.joined()
        }
        func write(_ schema: String, _ queries: String) throws {
            try FileManager.default.createDirectory(at: folder.file("Migrations"), withIntermediateDirectories: true)
            try? FileManager.default.removeItem(at: folder.file("Migrations/migrations.lock"))
            for (text, name) in [(schema, "Migrations/1.sql"), (schema, "schema.sql"), (queries, "Queries.sql"), ("", "main.swift")] {
                try Data(text.utf8).write(to: folder.file(name))
            }
        }
        try write(QueryProgram.schema, QueryProgram.queries)
        let hostile = HostileQueries(identifiersOf: try generate())
        try write(hostile.schema, hostile.queries)
        _ = try generate()
        try compile(["Records.swift", "Queries+Schema.swift", "Queries.sql.swift", "main.swift"], in: folder)
    }

    // MARK: - Copying

    private func copy(
        _ source: URL, in folder: TemporaryFolder, options: [String] = [], _ check: ([SchemaModel.Table]) -> Void
    ) throws {
        let generated = strata(["swift", source.path] + options)
        try #require(generated.status == 0, "\(generated)")
        try Data(generated.output.utf8).write(to: folder.file("Records.swift"))
        let model = try openQueue(source).read { db in try SchemaModel(db, source: "x", readsValues: false) }
        check(model.tables)
        try Data(program(generated.output).utf8).write(to: folder.file("main.swift"))
        try compile(in: folder)

        // An empty copy. Triggers would do once more what they have done before, and wait for the rows.
        let queue = try openQueue(source)
        let (schema, triggers) = try queue.read { db in
            func sql(_ condition: String) throws -> [String] {
                try String.fetchAll(
                    db,
                    sql: """
                        SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND \(condition)
                        AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY type = 'view', rowid
                        """)
            }
            return (try sql("type <> 'trigger'"), try sql("type = 'trigger'"))
        }
        let copy = folder.file("copy.sqlite")
        let emptyQueue = try openQueue(copy)
        // One by one: SQLite keeps the white space before a semicolon.
        try emptyQueue.writeWithoutTransaction { db in
            for statement in schema { try db.execute(sql: statement) }
        }
        try emptyQueue.close()
        try launch(["./copy", source.path, copy.path], in: folder)
        let copyQueue = try openQueue(copy)
        try copyQueue.writeWithoutTransaction { db in
            for trigger in triggers { try db.execute(sql: trigger) }
        }

        let names = model.tables.filter { $0.kind != .view }.map(\.name)
        func dump(_ queue: DatabaseQueue) throws -> String {
            var text = ""
            try queue.read { db in
                try db.dumpSchema(to: &text)
                try db.dumpTables(names, format: .insert(), to: &text)
            }
            return text
        }
        let dumps = try (dump(queue), dump(copyQueue))
        let different = zip(dumps.0.components(separatedBy: "\n"), dumps.1.components(separatedBy: "\n")).first { $0 != $1 }
        let isSame = dumps.0 == dumps.1
        #expect(isSame, "\(different.map { "\($0.0)\n\($0.1)" } ?? "")")
        let hasRows = dumps.0.contains("INSERT INTO")
        #expect(hasRows)
    }

    private func openQueue(_ file: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.acceptsDoubleQuotedStringLiterals = true
        configuration.foreignKeysEnabled = false
        return try DatabaseQueue(path: file.path, configuration: configuration)
    }

    /// A program that copies the rows of all tables by their records, and fetches the rows of views.
    private func program(_ code: String) -> String {
        var calls: [String] = []
        var type = ""
        // The generated code shows which record belongs to which table, and whether it is written.
        for line in code.components(separatedBy: "\n") {
            let start = "nonisolated extension "
            if line.hasPrefix(start), let name = line.dropFirst(start.count).split(separator: " ").first, name.hasSuffix(":") {
                type = String(name.dropLast())
                calls.append(
                    line.dropFirst("\(start)\(type):".count).contains("PersistableRecord")
                        ? "    try copy(\(type).self)" : "    _ = try \(type).fetchAll(source)")
            }
        }
        return """
            import Foundation
            import Strata

            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            configuration.acceptsDoubleQuotedStringLiterals = true
            let sourceQueue = try DatabaseQueue(path: CommandLine.arguments[1], configuration: configuration)
            let targetQueue = try DatabaseQueue(path: CommandLine.arguments[2], configuration: configuration)

            try sourceQueue.inDatabase { source in try targetQueue.write { target in
                func copy<Record: FetchableRecord & MutablePersistableRecord>(_ type: Record.Type) throws {
                    // In the order of the row IDs, which the copies get, too.
                    let key = try source.primaryKey(Record.databaseTableName)
                    let order = key.tableHasRowID ? [key.rowIDName ?? "rowid"] : key.columns
                    let records = try Record.order(order.map { Column($0) }).fetchAll(source)
                    for record in records {
                        var record = record
                        try record.insert(target)
                    }
                }
            \(calls.joined(separator: "\n"))
            } }
            """
    }

    // MARK: - Programs

    private let repository = (0..<6).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// Compiles the sources of a folder with the modules and object files beside these tests.
    private func compile(_ files: [String] = ["Records.swift", "main.swift"], in folder: TemporaryFolder) throws {
        let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
        let products = (bundle ?? URL(fileURLWithPath: CommandLine.arguments[0])).resolvingSymlinksInPath().deletingLastPathComponent()
        let driver = repository.appendingPathComponent("Packages/SQLiteDriver/Sources")
        // The object files of the command, without its own parts. Build folders have object files of deleted sources, too.
        let list = try String(contentsOf: products.appendingPathComponent("strata.product/Objects.LinkFileList"), encoding: .utf8)
        let objects = list.split(separator: "\n").map { $0.trimmingCharacters(in: ["'", "\""]) }.filter { path in
            !["/StrataTool.build/", "/StrataCommand.build/", "/StrataCommandSupport.build/", "/RecordGenerator.build/"]
                .contains(where: path.contains)
        }
        let moduleMaps =
            [driver.appendingPathComponent("CSQLite/module.modulemap").path]
            + ["CSQLiteShims", "CFullTextSearch"].map { "\(products.path)/\($0).build/module.modulemap" }
            .filter { FileManager.default.fileExists(atPath: $0) }
        try launch(
            [
                "swiftc", "-swift-version", "6", "-warnings-as-errors", "-Onone", "-o", "copy",
            ] + files + [
                "-I",
                products.appendingPathComponent("Modules").path, "-Xcc", "-I\(driver.appendingPathComponent("CSQLiteShims/include").path)",
            ] + moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + objects + ["-lsqlite3"], in: folder)
    }

    /// Runs a program, which must succeed.
    private func launch(_ command: [String], in folder: TemporaryFolder) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = folder.url
        let log = folder.file("log")
        try Data().write(to: log)
        process.standardOutput = try FileHandle(forWritingTo: log)
        process.standardError = process.standardOutput
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: log), as: UTF8.self)
        try #require(
            process.terminationReason == .exit && process.terminationStatus == 0, "\(command.prefix(3)): \(text.suffix(6000))")
    }
}
