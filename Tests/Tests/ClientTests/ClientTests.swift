import Foundation
import Testing

// Packages that depend on Strata in the ways that users do: each is built and run by SwiftPM.

/// Whether the tests run that compile all of Strata once more: in .ci/run and `make soak`.
private let compilesAll = ProcessInfo.processInfo.environment["STRATA_CLIENTS"] != nil

/// A package that depends on the repository by its URL, as most clients do.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct ClientTests {
    @Test
    func `A client depends on each library by URL and version`() async throws {
        let repository = try await TaggedRepository()
        let packages = Repository.root.appendingPathComponent("Packages").path
        let libraries = try FileManager.default.contentsOfDirectory(atPath: packages)
            .filter { FileManager.default.fileExists(atPath: "\(packages)/\($0)/Package.swift") }
        #expect(libraries.contains("SQLiteDriver") && libraries.contains("Strata"))
        let products = libraries.map { ".product(name: \"\($0)\", package: \"strata\")" }.joined(separator: ", ")
        let client = try Client(
            dependency: #".package(url: "\#(repository.url)", exact: "0.0.1")"#,
            targets: """
                .target(name: "Library", dependencies: [\(products)]),
                .target(name: "Other"),
                """,
            sources: ["Sources/Library/Library.swift": "", "Sources/Other/Other.swift": "public let other = 1"])
        // SwiftPM plans all targets, and compiles one.
        let result = try await client.swift("build", "--target", "Other")
        #expect(result.isSuccess && !result.error.contains("warning:"), "\(result)")
        #expect(client.compiledModules() == ["Other"])
    }

    @Test(.enabled(if: compilesAll))
    func `A client of the driver by URL and version compiles no other layer`() async throws {
        let repository = try await TaggedRepository()
        let client = try Client(
            dependency: #".package(url: "\#(repository.url)", exact: "0.0.1")"#,
            targets: #".executableTarget(name: "Client", dependencies: [.product(name: "SQLiteDriver", package: "strata")])"#,
            sources: [
                "Sources/Client/main.swift": """
                import SQLiteDriver

                print(try DatabaseQueue().read { db in try db.makeStatement(sql: "SELECT 42").columnCount })
                """
            ])
        #expect(try await client.run("Client") == "1\n")
        #expect(client.compiledModules() == ["SQLiteShims", "SQLiteDriver", "Client"])
    }

    @Test(.enabled(if: compilesAll))
    func `A client by URL and version uses RowDecoding, then Strata, then records that follow its schema.sql`() async throws {
        let repository = try await TaggedRepository()
        let dependency = #".package(url: "\#(repository.url)", exact: "0.0.1")"#
        let client = try Client(
            dependency: dependency,
            targets: """
                .executableTarget(name: "Rows", dependencies: [.product(name: "RowDecoding", package: "strata")]),
                .executableTarget(name: "Records", dependencies: [.product(name: "Strata", package: "strata")]),
                """,
            sources: [
                "Sources/Rows/main.swift": """
                import RowDecoding

                let queue = try DatabaseQueue()
                let rows = try queue.read { db in
                    try Row.fetchAll(db, sql: "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, NULL").map { row in
                        let a: Int = row["a"], b: String? = row["b"]
                        return "\\(a) \\(b ?? "-")"
                    }
                }
                print(rows, try queue.read { db in try Int.fetchOne(db, sql: "SELECT 42") } ?? 0)
                """,
                "Sources/Records/main.swift": """
                import Strata

                struct Player: Codable, FetchableRecord, MutablePersistableRecord {
                    var id: Int64?
                    var name: String

                    mutating func didInsert(_ inserted: InsertionSuccess) {
                        id = inserted.rowID
                    }
                }

                let queue = try DatabaseQueue()
                let players = try queue.write { db in
                    try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
                    for name in ["Arthur", "Barbara"] {
                        var player = Player(id: nil, name: name)
                        try player.insert(db)
                    }
                    return try Player.fetchAll(db)
                }
                print(players.map { "\\($0.id ?? 0) \\($0.name)" })
                """,
            ])
        #expect(try await client.run("Rows") == "[\"1 x\", \"2 -\"] 42\n")
        // Before the other product is asked for.
        #expect(
            client.compiledModules() == ["SQLiteShims", "SQLiteDriver", "ValueConversion", "RowDecoding", "Rows"])
        #expect(try await client.run("Records") == "[\"1 Arthur\", \"2 Barbara\"]\n")

        // The plugin compiles its tool before anything else, so it comes last.
        try client.add(
            dependency: dependency,
            targets: """
                .executableTarget(
                    name: "App", dependencies: [.product(name: "Strata", package: "strata")],
                    plugins: [.plugin(name: "RecordsFromSchema", package: "strata")]),
                .executableTarget(
                    name: "MainActorApp", dependencies: [.product(name: "Strata", package: "strata")],
                    swiftSettings: [.unsafeFlags([\(Self.mainActorFlags)])],
                    plugins: [.plugin(name: "RecordsFromSchema", package: "strata")]),
                """,
            sources: [
                "Sources/App/schema.sql": Self.schema,
                "Sources/MainActorApp/schema.sql": Self.schema,
                "Sources/MainActorApp/main.swift": Self.mainActorApp,
                "Sources/App/main.swift": """
                import Strata

                struct AuthorWithBooks: Decodable, FetchableRecord {
                    var author: Author
                    var book: [Book]
                }

                try DatabaseQueue().write { db in
                    try db.create(table: "author") { t in
                        t.autoIncrementedPrimaryKey("id")
                        t.column("name", .text).notNull()
                    }
                    try db.create(table: "book") { t in
                        t.autoIncrementedPrimaryKey("id")
                        t.column("author_id", .integer).notNull().references("author")
                        t.column("title", .text).notNull()
                    }
                    var author = Author(id: nil, name: "Ursula")
                    try author.insert(db)
                    for title in ["The Dispossessed", "The Telling"] {
                        var book = Book(id: nil, authorId: author.id!, title: title)
                        try book.insert(db)
                    }
                    let shelf = try Author.including(all: Author.book).asRequest(of: AuthorWithBooks.self).fetchAll(db)
                    print(shelf.map { "\\($0.author.name): \\($0.book.map(\\.title).joined(separator: ", "))" })
                    print(try Book.joining(required: Book.author.filter { $0.name == "Ursula" }).fetchCount(db))
                }
                """,
            ])
        #expect(try await client.run("App") == "[\"Ursula: The Dispossessed, The Telling\"]\n2\n")
        #expect(client.compiledModules().isDisjoint(with: ["StrataTool", "StrataCommand"]))
        #expect(try await client.run("MainActorApp") == "[\"The Dispossessed\"] [\"Ursula: 1\"] [0, 1, 2]\n")

        try client.folder.write("CREATE TABLE author (id INTEGER PRIMARY KEY, first_name TEXT NOT NULL);", to: "Sources/App/schema.sql")
        try client.folder.write("table author Writer", to: "Sources/App/schema.records")
        try client.folder.write("print(Writer(id: 1, firstName: \"Ursula\").firstName)", to: "Sources/App/main.swift")
        #expect(try await client.run("App") == "Ursula\n")

        // Adding a file of queries, and changing it, needs no clean build. A second folder may have files of the same names.
        try client.folder.write("-- name: names\nSELECT first_name FROM author WHERE id IN (:ids);", to: "Sources/App/Names.sql")
        try client.folder.write("CREATE TABLE entry (id INTEGER PRIMARY KEY, name TEXT NOT NULL);", to: "Sources/App/Archive/schema.sql")
        try client.folder.write("queries ArchiveQueries", to: "Sources/App/Archive/schema.records")
        try client.folder.write("-- name: names\nSELECT name FROM entry;", to: "Sources/App/Archive/Names.sql")
        try client.folder.write(
            """
            import Strata

            try DatabaseQueue().write { db in
                try db.execute(sql: "CREATE TABLE author (id INTEGER PRIMARY KEY, first_name TEXT NOT NULL)")
                var writer = Writer(id: nil, firstName: "Ursula")
                try writer.insert(db)
                print(try Queries.names(ids: [1, 2]).fetch(db))
                try db.execute(sql: ArchiveQueries.schema)
                print(try ArchiveQueries.names().fetch(db))
            }
            """, to: "Sources/App/main.swift")
        #expect(try await client.run("App") == "[\"Ursula\"]\n[]\n")
        try client.folder.write("-- name: names\nSELECT upper(first_name) FROM author WHERE id IN (:ids);", to: "Sources/App/Names.sql")
        #expect(try await client.run("App") == "[\"URSULA\"]\n[]\n")
        try client.folder.write("-- name: names\nSELECT firstname FROM author WHERE id IN (:ids);", to: "Sources/App/Names.sql")
        let mistake = try await client.swift("build")
        let message = "Sources/App/Names.sql:2:8: error: no such column: firstname. Did you mean first_name?"
        #expect(mistake.output.contains(message), "\(mistake)")
        try client.folder.write("-- name: names\nSELECT first_name FROM author WHERE id IN (:ids);", to: "Sources/App/Names.sql")

        try client.folder.write("table author Writer\ntable writer Author", to: "Sources/App/schema.records")
        let failure = try await client.swift("build")
        #expect(failure.output.contains("Sources/App/schema.records:2: error: there is no table or view writer"), "\(failure)")
        try client.folder.write("table author Author", to: "Sources/App/schema.records")

        let result = try await client.swift("package", "--allow-writing-to-package-directory", "generate-records")
        #expect(result.isSuccess, "\(result)")
        for (file, text) in [
            ("AppSchemaRecords.swift", "struct Author: Codable"), ("Archive/ArchiveSchemaRecords.swift", "struct Entry: Codable"),
            ("AppNames.sql.swift", "static func names(ids: [Int64]) -> SQLQuery<String, [String]> {"),
            ("Archive/ArchiveNames.sql.swift", "static func names() -> SQLQuery<String, [String]> {"),
            ("AppQueries+Schema.swift", "enum Queries {"), ("Archive/ArchiveQueries+Schema.swift", "enum ArchiveQueries {"),
        ] {
            let code = try String(contentsOf: client.folder.url.appendingPathComponent("Sources/App/\(file)"), encoding: .utf8)
            #expect(code.contains(text), "\(file): \(code)")
        }
        let files = #""Archive/Names.sql", "Archive/schema.records", "Archive/schema.sql", "Names.sql", "schema.records", "schema.sql""#
        #expect(result.output.contains("the target App has exclude: [\(files)]"), "\(result)")

        // Without the build-tool plugin: files that the manifest excludes, which SwiftPM does not warn of, and a file of the program's own.
        try client.add(
            dependency: dependency,
            targets: """
                .executableTarget(
                    name: "App", dependencies: [.product(name: "Strata", package: "strata")],
                    exclude: [\(files)])
                """,
            sources: [
                "Sources/App/main.swift": "print(Author(id: 1, firstName: own).firstName, Entry(name: own).name)",
                "Sources/App/Model/Records.swift": "let own = \"Ursula\"",
            ])
        let excluded = try await client.swift("package", "--allow-writing-to-package-directory", "generate-records")
        #expect(excluded.isSuccess && !excluded.output.contains("exclude:"), "\(excluded)")
        #expect(try await client.run("App") == "Ursula Ursula\n")
    }

    private static let schema = """
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL);
        """

    /// The options of a module whose declarations are isolated to the main actor, as in new applications in Xcode.
    private static let mainActorFlags: String = {
        #if compiler(>=6.2)
            let flags = [
                "-default-isolation", "MainActor", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
                "-enable-upcoming-feature", "InferIsolatedConformances",
            ]
            return flags.map { "\"\($0)\"" }.joined(separator: ", ")
        #else
            return ""
        #endif
    }()

    /// A program with a model on the main actor, with generated records, and with records as in the guides.
    private static let mainActorApp = """
        import Strata

        nonisolated struct Reader: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
            var id: Int64?
            var name: String
            var bookId: Int64?

            enum Columns {
                static let name = TypedColumn<String>(CodingKeys.name, of: Reader.self)
            }

            static let book = belongsTo(Book.self)

            mutating func didInsert(_ inserted: InsertionSuccess) {
                id = inserted.rowID
            }
        }

        nonisolated struct Shelf: Decodable, FetchableRecord {
            var author: Author
            var book: [Book]
        }

        nonisolated extension DerivableRequest<Reader> {
            func named(_ name: String) -> Self { filter { $0.name == name } }
        }

        final class Library {
            let queue: DatabaseQueue
            var counts: [Int] = []
            var minimum: Int64 = 1

            init() throws {
                queue = try DatabaseQueue()
                var migrator = DatabaseMigrator()
                migrator.registerMigration("tables") { db in
                    try db.execute(sql: "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
                    try db.create(table: "book") { t in
                        t.autoIncrementedPrimaryKey("id")
                        t.column("author_id", .integer).notNull().references("author")
                        t.column("title", .text).notNull()
                    }
                    try db.create(table: "reader") { t in
                        t.autoIncrementedPrimaryKey("id")
                        t.column("name", .text).notNull()
                        t.belongsTo("book")
                    }
                }
                try migrator.migrate(queue)
            }

            func add(_ title: String, reader name: String) async throws {
                try await queue.write { db in
                    var author = try Author.filter { $0.name == "Ursula" }.fetchOne(db) ?? Author(id: nil, name: "Ursula")
                    try author.save(db)
                    var book = Book(id: nil, authorId: author.id!, title: title)
                    try book.insert(db)
                    var reader = Reader(id: nil, name: name, bookId: book.id)
                    try reader.insert(db)
                }
            }

            func titles(reader name: String) async throws -> [String] {
                let minimum = minimum
                return try await queue.read { db in
                    try Book.filter { $0.id >= minimum }
                        .filter(ids: Reader.all().named(name).fetchAll(db).compactMap(\\.bookId)).fetchAll(db).map(\\.title)
                }
            }

            func shelves() throws -> [String] {
                try queue.read { db in try Author.including(all: Author.book).asRequest(of: Shelf.self).fetchAll(db) }
                    .map { "\\($0.author.name): \\($0.book.count)" }
            }

            func watch() -> AnyDatabaseCancellable {
                ValueObservation.tracking { db in try Reader.fetchCount(db) }
                    .start(in: queue, scheduling: .immediate, onError: { print($0) }, onChange: { self.counts.append($0) })
            }

            func next() async throws {
                for try await count in ValueObservation.tracking(Reader.all().fetchCount).values(in: queue) where count > 0 { return }
            }
        }

        let library = try Library()
        let cancellable = library.watch()
        try await library.add("The Dispossessed", reader: "Craig")
        let shelves = try library.shelves()
        try await library.next()
        while library.counts.last != 1 { await Task.yield() }
        try await library.add("The Telling", reader: "Diane")
        while library.counts.last != 2 { await Task.yield() }
        print(try await library.titles(reader: "Craig"), shelves, library.counts)
        """
}

/// Other ways to depend on Strata. They compile it again for each test, so they run in `make soak` only.
///
/// One at a time: each keeps all the processor's cores busy.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: compilesAll))
struct OtherClientTests {
    @Test
    func `A package that depends on Strata runs the command`() async throws {
        let client = try Client(
            dependency: ".package(path: \"\(Repository.root.path)\")",
            targets: """
                .executableTarget(
                    name: "Client", dependencies: [.product(name: "SQLiteDriver", package: "\(Repository.root.lastPathComponent)")])
                """,
            sources: ["Sources/Client/main.swift": "import SQLiteDriver"])
        let result = try await client.swift(
            "run", "strata", "sql", "--write", "new.sqlite", "CREATE TABLE t (a); SELECT 42 AS answer", "--format", "list")
        #expect(result.isSuccess && result.output == "answer\n42\n", "\(result)")
    }

    @Test
    func `make install puts a command without Swift's libraries, its manual page and its completions below a prefix`() async throws {
        let folder = try TemporaryFolder()
        let prefix = folder.url.appendingPathComponent("a prefix").path
        let result = try await runCommand(["make", "install", "PREFIX=\(prefix)"], in: Repository.root, limit: 1800)
        #expect(result.isSuccess, "\(result)")
        for file in ["share/man/man1/strata.1", "share/bash-completion/completions/strata", "share/zsh/site-functions/_strata"] {
            #expect(try !String(contentsOfFile: "\(prefix)/\(file)", encoding: .utf8).isEmpty)
        }
        let command = "\(prefix)/bin/strata"
        let rows = try await runCommand(
            ["-i", command, "sql", "--write", "new.sqlite", "CREATE TABLE t (a); SELECT 42 AS answer", "--format", "list"], in: folder.url,
            limit: 60)
        #expect(rows.output == "answer\n42\n", "\(rows)")
        #if os(Linux)
            let libraries = try await runCommand(["ldd", command], in: folder.url, limit: 60)
            #expect(libraries.output.contains("libsqlite3") && !libraries.output.contains("libswift"), "\(libraries)")
            let sections = try await runCommand(["readelf", "--section-headers", command], in: folder.url, limit: 60)
            #expect(!sections.output.contains(".symtab") && !sections.output.contains(".debug_"), "\(sections)")
        #endif
    }

    @Test
    func `A client of the driver's folder compiles no other layer`() async throws {
        let client = try Client(
            dependency: """
                .package(path: "\(Repository.root.path)/Packages/SQLiteDriver")
                """,
            targets: """
                .executableTarget(name: "Client", dependencies: ["SQLiteDriver"])
                """,
            sources: [
                "Sources/Client/main.swift": """
                import SQLiteDriver

                let queue = try DatabaseQueue()
                try queue.write { db in
                    try db.execute(sql: "CREATE TABLE t(a)")
                    try db.execute(sql: "INSERT INTO t VALUES (?), (?)", arguments: [40, 2])
                }
                let sum = try queue.read { db in
                    let statement = try db.makeStatement(sql: "SELECT sum(a) FROM t")
                    return try statement.step() ? statement.int64(at: 0) : nil
                }
                print("The sum is", sum ?? "missing")
                """
            ])
        #expect(try await client.run("Client") == "The sum is 42\n")
        #expect(client.compiledModules() == ["SQLiteShims", "SQLiteDriver", "Client"])
    }

    @Test(arguments: ["debug", "release"])
    func `The plugin's tool is small, and a build in which nothing changed compiles nothing`(_ configuration: String) async throws {
        let repository = try await TaggedRepository()
        let client = try Client(
            dependency: #".package(url: "\#(repository.url)", exact: "0.0.1")"#,
            targets: """
                .executableTarget(
                    name: "App", dependencies: [.product(name: "Strata", package: "strata")],
                    plugins: [.plugin(name: "RecordsFromSchema", package: "strata")]),
                """,
            sources: [
                "Sources/App/schema.sql": "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);",
                "Sources/App/main.swift": #"print(Author(id: 1, name: "Ursula").name)"#,
            ])
        /// The Swift modules that a build compiles, including modules of tools, and how long it takes.
        func build() async throws -> (modules: Set<String>, toolModules: Set<String>, duration: Duration) {
            let clock = ContinuousClock()
            let start = clock.now
            let result = try await client.swift("build", "-v", "--configuration", configuration)
            let duration = clock.now - start
            try #require(result.isSuccess, "\(result)")
            let commands = result.lines.filter { $0.contains("swiftc -module-name ") && $0.contains("-emit-module-path ") }
            func modules(_ commands: [String]) -> Set<String> {
                Set(commands.compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) })
            }
            return (modules(commands), modules(commands.filter { $0.contains("/Modules-tool/") }), duration)
        }
        let first = try await build()
        #expect(
            first.toolModules == [
                "SQLiteShims", "SQLiteDriver", "Migrations", "StrataCommandSupport", "RecordGenerator", "RecordGeneratorCommand",
            ])
        #expect(first.modules.isSuperset(of: ["Strata", "App"]) && !first.modules.contains("StrataTool"))
        // SwiftPM plans the second build again, and compiles C files for the tool again: see SQLiteShims.
        let second = try await build()
        #expect(second.modules.isSubset(of: ["SQLiteShims"]), "\(second)")
        let third = try await build()
        #expect(third.modules == [] && third.duration < .seconds(2), "\(third)")
        // Another content of the schema compiles the records, and nothing else.
        try client.folder.write("CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);", to: "Sources/App/schema.sql")
        try client.folder.write(#"print(Author(id: 1, name: "Ursula").name ?? "")"#, to: "Sources/App/main.swift")
        #expect(try await build().modules == ["App"])
    }

    @Test
    func `A client of one layer by path is compiled again after a memory layout has changed in a layer below`() async throws {
        let checkout = try await Checkout()
        let client = try Client(
            dependency: """
                .package(path: "\(checkout.url.path)")
                """,
            targets: """
                .executableTarget(name: "Client", dependencies: [.product(name: "ValueConversion", package: "strata")])
                """,
            sources: [
                "Sources/Client/main.swift": """
                import ValueConversion

                // A value in the program's own memory, which the driver copies and reads.
                struct Settings {
                    var configuration = Configuration()
                    var name = "after it"
                }

                var settings = Settings()
                settings.configuration.label = "label"
                settings.configuration.prepareDatabase { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('É')") }
                let queue = try DatabaseQueue(configuration: settings.configuration)
                let text = try queue.read { db in
                    let statement = try db.makeStatement(sql: "SELECT swiftLowercaseString(a) FROM t ORDER BY a COLLATE swiftCompare")
                    return try statement.step() ? statement.databaseValue(at: 0).description : ""
                }
                print(text, settings.configuration.label ?? "", settings.name, MemoryLayout<Configuration>.size)
                """
            ])
        func run() async throws -> Int {
            let words = try await client.run("Client").split(whereSeparator: \.isWhitespace)
            #expect(words.dropLast() == [#""é""#, "label", "after", "it"])
            return try #require(words.last.flatMap { Int($0) })
        }
        let size = try await run()
        try checkout.replace(
            "public struct Configuration: Sendable {",
            with: "public struct Configuration: Sendable {\n    /// New.\n    public var added: (Int, Int, Int) = (1, 2, 3)\n",
            in: "Packages/SQLiteDriver/Sources/SQLiteDriver/Connection/Configuration.swift")
        #expect(try await run() == size + 3 * MemoryLayout<Int>.size)
        #expect(client.compiledModules() == ["SQLiteShims", "SQLiteDriver", "ValueConversion", "Client"])
    }

    @Test
    func `A client with a module named Persistence uses ours by an alias`() async throws {
        // SwiftPM finds what to alias only by the package's identity: the last part of its path, or of its URL.
        let folder = Repository.root.lastPathComponent
        let client = try Client(
            dependency: """
                .package(path: "\(Repository.root.path)")
                """,
            targets: """
                .target(name: "Persistence"),
                .executableTarget(
                    name: "Client",
                    dependencies: [
                        "Persistence",
                        .product(
                            name: "Persistence", package: "\(folder)",
                            moduleAliases: ["Persistence": "StrataPersistence", "ValueConversion": "StrataValueConversion"]),
                    ]
                ),
                """,
            sources: [
                "Sources/Persistence/Store.swift": """
                public struct Store {
                    public var name: String
                    public init(name: String) { self.name = name }
                }
                """,
                "Sources/Client/main.swift": """
                import Persistence
                import StrataPersistence

                extension Store: TableRecord, FetchableRecord, PersistableRecord {
                    public init(row: Row) throws {
                        self.init(name: row["name"])
                    }

                    public func encode(to container: inout PersistenceContainer) throws {
                        container["name"] = name
                    }
                }

                let queue = try DatabaseQueue()
                let names = try queue.write { db in
                    try db.execute(sql: "CREATE TABLE store(name TEXT)")
                    try Store(name: "ours").insert(db)
                    // The functions that the aliased layer registers exist as well.
                    try db.execute(sql: "CREATE INDEX byName ON store(swiftLowercaseString(name), name COLLATE swiftCompare)")
                    return try Store.fetchAll(db).map { $0.name }
                }
                print(names)
                """,
            ])
        #expect(try await client.run("Client") == "[\"ours\"]\n")
    }
}
