import DatabaseFiles
import Foundation
import Testing

struct ServingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test
    func `At the end, uses end, new ones are refused, and files are closed`() async throws {
        let files = try DatabaseFolder.ofTexts(folder)
        for name in ["a", "b", "c"] { try files.insert(name, name) }
        let kept = try await files.lease("c")
        let (hasBegun, mayEnd) = (Semaphore("the use has begun"), Semaphore("the use may end"))
        let use = Task {
            try await files.use("a") { lease in
                hasBegun.signal()
                await mayEnd.signalled()
                // A part of what has begun.
                try await lease.write { try $0.execute(sql: "INSERT INTO t VALUES ('last')") }
                try await files.write("a") { _ in }
            }
        }
        await hasBegun.signalled()
        files.shutDown()
        let run = Task { try await files.run(gracePeriod: .seconds(3600)) }
        await yieldTask(until: "the shutdown") { files.status().isShuttingDown }
        await #expect(throws: DatabaseUnavailableError(reason: .shuttingDown)) { try await files.read("d") { _ in } }
        mayEnd.signal()
        try await use.value
        try await run.value
        #expect(files.status().openCount == 0)
        await #expect(throws: (any Error).self) { try await kept.read { _ in } }
        let names = try folder.fileNames().sorted()
        #expect(names == ["a.sqlite", "b.sqlite", "c.sqlite"])
        #expect(try DatabaseFolder.ofTexts(folder).texts("a") == ["a", "last"])
    }

    @Test
    func `After the grace period, statements are interrupted`() async throws {
        let files = try DatabaseFolder.ofTexts(folder)
        try files.insert("1", "a")
        let hasBegun = Semaphore("the access has begun")
        let access = Task {
            try await files.write("a") { db in
                try db.execute(sql: "INSERT INTO t VALUES ('lost')")
                hasBegun.signal()
                while true { _ = try db.integer("SELECT count(*) FROM t") }
            }
        }
        await hasBegun.signalled()
        let run = Task { try await files.run(gracePeriod: .milliseconds(10)) }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        await #expect(throws: DatabaseError.self) { try await access.value }
        #expect(files.status().openCount == 0)
        #expect(try DatabaseFolder.ofTexts(folder).texts("a") == ["1"])
    }

    @Test
    func `Monitors learn of accesses, also of those whose file can't be opened`() async throws {
        struct Monitor: DatabaseMonitor {
            let reports: Collector<DatabaseAccessReport>
            func accessDidEnd(_ access: DatabaseAccessReport) { reports.append(access) }
        }
        let reports = Collector<DatabaseAccessReport>()
        var configuration = DatabaseFolder.defaultConfiguration
        configuration.monitors = [Monitor(reports: reports)]
        let files = try DatabaseFolder(path: folder.path, configuration: configuration)
        try await files.write("a", creating: true) { _ in }
        await #expect(throws: DatabaseFileError.self) { try await files.read("b") { _ in } }
        _ = #expect(throws: DatabaseFileError.self) { try files.write("c") { _ in } }
        files.asyncRead("d") { _ in }
        await reports.wait(count: 4)
        let lines = reports.all.map { "\($0.kind) \($0.databaseName) \($0.errorType ?? "-")" }
        #expect(
            lines == [
                "write a.sqlite -", "read b.sqlite DatabaseFileError", "writeWithoutTransaction c.sqlite DatabaseFileError",
                "read d.sqlite DatabaseFileError",
            ])
        #expect(reports.all[1].duration == nil)
    }

    @Test
    func `The results of all files come in the order of their names, and can be resumed`() async throws {
        let files = try DatabaseFolder.ofTexts(folder, openCount: 3)
        for number in 10..<30 { try files.insert("\(number)", "n\(number)") }
        try Data("no database, but long enough to look at".utf8).write(to: folder.file("n15.sqlite"))
        let results = files.results(atATime: 5) { lease in try await lease.read { try $0.texts("SELECT text FROM t") } }
        var names: [String] = []
        for try await file in results {
            names.append(file.name)
            switch file.result {
            case .success(let texts): #expect(texts == [String(file.name.dropFirst())])
            case .failure(let error): #expect(file.name == "n15", "\(error)")
            }
            if names.count == 8 { break }
        }
        for try await file in files.results(after: names.last, { $0.name }) { names.append(file.name) }
        #expect(try names == files.names() && names.count == 20)
        // Given names, in their order.
        var some: [String] = []
        for try await file in files.results(of: ["n20", "n10", "n12"], after: "n20", { $0.name }) { some.append(file.name) }
        #expect(some == ["n10", "n12"])
    }

    @Test
    func `The uses of a loop that is left are cancelled`() async throws {
        let files = try DatabaseFolder.ofTexts(folder)
        for name in ["a", "b"] { try files.insert(name, name) }
        let ends = Collector<Bool>()
        let hasBegun = Semaphore("the second file is used")
        for try await file in files.results({ lease in
            if lease.name == "a" { return await hasBegun.signalled() }
            hasBegun.signal()
            // Ends by cancellation only.
            do { try await Task.sleep(for: .seconds(3600)) } catch { ends.append(Task.isCancelled) }
        }) {
            #expect(file.name == "a")
            break
        }
        #expect(await ends.wait(count: 1) == [true])
    }
}
