import Foundation
import Testing

@testable import DatabaseFiles

struct DatabaseFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    // MARK: - Creation and preparation

    @Test
    func `A file is created only on request, and prepared whenever it is opened`() throws {
        let prepared = Locked(0)
        let files = try DatabaseFolder(path: folder.path) { db in
            prepared.withLock { $0 += 1 }
            try db.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (text TEXT)") }
        }
        expectFileError(.notFound) { try files.insertText("1", "Zoë", creating: false) }
        #expect(prepared.withLock { $0 } == 0)
        try files.insertText("1", "Zoë", creating: true)
        #expect(try files.path(of: "Zoë") == "\(folder.path)/%5ao%c3%ab.sqlite")
        #expect(FileManager.default.fileExists(atPath: try files.path(of: "Zoë")))
        #expect(try files.texts("Zoë") == ["1"])
        // Once before the file had its name.
        #expect(prepared.withLock { $0 } == 2)
        #expect(try files.names() == ["Zoë"])
        #expect(try files.read("Zoë") { try $0.texts("PRAGMA journal_mode") } == ["wal"])
    }

    @Test
    func `A preparation that fails leaves no new file`() throws {
        let files = try DatabaseFolder(path: folder.path) { db in
            try db.write { try $0.execute(sql: "CREATE TABLE t (a)") }
            throw TestError()
        }
        #expect(throws: TestError.self) { try files.write("a", creating: true) { _ in } }
        #expect(try folder.fileNames() == [])
    }

    @Test
    func `A failure is remembered, and others are not concerned`() async throws {
        let (attempts, isBroken) = (Locked(0), Locked(true))
        var options = DatabaseFolder.Options()
        options.failureTime = .seconds(3600)
        let files = try DatabaseFolder(path: folder.path, options: options) { db in
            guard db.path.hasSuffix("/broken.sqlite"), isBroken.value else { return }
            attempts.increment()
            throw TestError()
        }
        try await files.write("good", creating: true) { _ in }
        for _ in 1...3 { await #expect(throws: TestError.self) { try await files.write("broken", creating: true) { _ in } } }
        #expect(attempts.value == 1)
        #expect(files.status().failedCount == 1)
        try await files.read("good") { _ in }
        isBroken.value = false
        await #expect(throws: TestError.self) { try await files.read("broken") { _ in } }
        files.forgetFailures()
        try await files.read("broken") { _ in }
    }

    @Test
    func `A failure is forgotten after its time`() throws {
        let isBroken = Locked(true)
        var options = DatabaseFolder.Options()
        options.failureTime = .milliseconds(10)
        let files = try DatabaseFolder(path: folder.path, options: options) { _ in if isBroken.value { throw TestError() } }
        #expect(throws: TestError.self) { try files.write("a", creating: true) { _ in } }
        isBroken.value = false
        yieldThread(until: "the file is opened") { (try? files.write("a", creating: true) { _ in }) != nil }
    }

    @Test(arguments: ["-wal", "-journal"])
    func `A new file does not get the log of another one`(_ suffix: String) throws {
        let files = try DatabaseFolder.ofTexts(folder)
        let log = try files.path(of: "a") + suffix
        try Data("the log of a file that was moved".utf8).write(to: URL(fileURLWithPath: log))
        expectFileError(.leftoverLog) { try files.insert("1", "a") }
        #expect(try folder.fileNames() == ["a.sqlite\(suffix)"])
    }

    @Test
    func `Preparations have no limits`() throws {
        var configuration = DatabaseFolder.defaultConfiguration
        configuration.statementTimeLimit = .milliseconds(20)
        configuration.maximumWaitingAccesses = 0
        let slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000) SELECT max(i) FROM n"
        let files = try DatabaseFolder(path: folder.path, configuration: configuration) { db in
            _ = try db.write { try $0.integer(slow) }
        }
        try files.write("a", creating: true) { _ in }
        #expect(throws: DatabaseTimeoutError.self) { try files.read("a") { _ = try $0.integer(slow) } }
    }

    // MARK: - Places

    @Test
    func `The file that was not used for the longest time is closed for another one`() throws {
        let files = try DatabaseFolder.ofTexts(folder, openCount: 2)
        for name in ["a", "b", "a", "c"] {
            try files.insert(name, name)
            // The thread that has opened a file may still refer to it for a moment.
            yieldThread(until: "the end of the use") { files.status().usedCount == 0 }
        }
        files.waitForOpenCount(2)
        #expect(files.status(of: "a") != nil && files.status(of: "b") == nil && files.status(of: "c") != nil)
        #expect(files.status().totalOpenedCount == 3)
        #expect(try files.texts("b") == ["b"])
    }

    @Test
    func `Calls wait for a place in their order, up to a limit and a time`() async throws {
        let files = try DatabaseFolder.ofTexts(folder, openCount: 1) { $0.maximumWaitingCount = 3 }
        for name in ["a", "b", "c", "d", "e"] { try await files.write(name, creating: true) { _ in } }
        let (hasBegun, mayEnd) = (Semaphore("the use has begun"), Semaphore("the use may end"))
        files.asyncRead("a") { _ in
            hasBegun.signal()
            mayEnd.wait()
        }
        await hasBegun.signalled()
        let order = Collector<String>()
        for (number, name) in ["b", "c", "d"].enumerated() {
            files.asyncRead(name) { _ in order.append(name) }
            await yieldTask(until: "a waiting call") { files.status().waitingCount == number + 1 }
        }
        await #expect(throws: DatabaseUnavailableError(reason: .tooManyWaiting(limit: 3))) { try await files.read("e") { _ in } }
        // A call for the open file does not wait for a place.
        async let other: Void = files.write("a") { _ in }
        try await other
        mayEnd.signal()
        #expect(await order.wait(count: 3) == ["b", "c", "d"])
    }

    @Test
    func `A wait for a place has the limit of the access, and ends with its task`() async throws {
        let files = try DatabaseFolder.ofTexts(folder, openCount: 1)
        for name in ["a", "b"] { try await files.write(name, creating: true) { _ in } }
        let (hasBegun, mayEnd) = (Semaphore("the use has begun"), Semaphore("the use may end"))
        files.asyncRead("a") { _ in
            hasBegun.signal()
            mayEnd.wait()
        }
        await hasBegun.signalled()
        let error = await #expect(throws: DatabaseTimeoutError.self) {
            try await files.read("b", timeout: .milliseconds(20)) { _ in }
        }
        #expect(error?.phase == .waitingForConnection && error?.timeout == .milliseconds(20))
        await onAThread {
            _ = #expect(throws: DatabaseTimeoutError.self) { try files.write("b", timeout: .milliseconds(20)) { _ in } }
        }
        let task = Task { try await files.read("b") { _ in } }
        await yieldTask(until: "a waiting call") { files.status().waitingCount == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(files.status().waitingCount == 0)
        mayEnd.signal()
        try await files.read("b") { _ in }
    }

    @Test
    func `A caller that uses a file gets another one beyond the limit, or an error`() async throws {
        let files = try DatabaseFolder.ofTexts(folder, openCount: 2)
        for name in ["a", "b", "c", "d", "e"] { try files.insert(name, name) }
        // As many copies between files at a time as there are places.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let names = number.isMultiple(of: 2) ? ["a", "b"] : ["b", "a"]
                    try await files.use(names[0]) { source in
                        let texts = try await source.read { try $0.texts("SELECT text FROM t LIMIT 1") }
                        try await files.write(names[1]) { try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [texts[0]]) }
                    }
                }
            }
            try await group.waitForAll()
        }
        files.waitForOpenCount(2)
    }

    @Test
    func `A caller that uses twice as many files as there are places gets an error`() throws {
        let files = try DatabaseFolder.ofTexts(folder, openCount: 2)
        for name in ["a", "b", "c", "d", "e"] { try files.insert(name, name) }
        try files.read("a") { _ in try files.read("c") { _ in try files.write("d") { _ in } } }
        // A lease counts until it is released, which may be after the call that has used it.
        yieldThread(until: "the end of the leases") { files.status().usedCount == 0 }
        try files.use("a") { _ in
            try files.use("b") { _ in
                try files.use("c") { _ in try files.use("d") { _ in expectFileError(.allInUse) { try files.read("e") { _ in } } } }
            }
        }
        files.waitForOpenCount(2)
    }

    @Test
    func `Accesses that wait for each other's threads end`() async throws {
        let files = try DatabaseFolder.ofTexts(folder, openCount: 50)
        // As many as there are threads.
        let names = (0..<32).map { "n\($0)" }
        for name in names + ["shared"] { try files.insert(name, name) }
        let (begun, ended, mayEnd) = (Collector<String>(), Collector<String>(), Semaphore("all reads have begun"))
        for name in names {
            files.asyncRead(name) { _ in
                begun.append(name)
                mayEnd.wait()
                ended.append((try? files.insert(name, "shared")) == nil ? "failed" : name)
            }
        }
        await begun.wait(count: names.count)
        // Has its turn, and waits for a thread.
        let write = Task { try await files.write("shared") { try $0.execute(sql: "INSERT INTO t VALUES ('write')") } }
        await yieldTask(until: "the turn of the write") { files.status(of: "shared")?.writer.isUsed == true }
        for _ in names { mayEnd.signal() }
        #expect(await Set(ended.wait(count: names.count)) == Set(names))
        try await write.value
    }

    @Test
    func `Preparations that ask for other files end`() async throws {
        let folders = Locked<DatabaseFolder?>(nil)
        let files = try DatabaseFolder(path: folder.path) { db in
            // More of them than there are threads for openings.
            guard db.path.contains("/first") else { return }
            try folders.value?.write("second", creating: true) { _ in }
        }
        folders.value = files
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<30 { group.addTask { try await files.write("first\(number)", creating: true) { _ in } } }
            try await group.waitForAll()
        }
        folders.value = nil
        #expect(files.status().failedCount == 0)
    }

    @Test
    func `Leases that the program keeps never make calls wait forever`() throws {
        let files = try DatabaseFolder.ofTexts(folder, openCount: 2)
        for name in ["a", "b", "c"] { try files.insert(name, name) }
        var leases: [DatabaseLease] = [try files.lease("a"), try files.lease("b")]
        expectFileError(.allInUse) { try files.read("c") { _ in } }
        #expect(try leases[0].read { try $0.texts("SELECT text FROM t") } == ["a"])
        #expect(try files.lease("a") === leases[0])
        leases.removeFirst()
        #expect(try files.texts("c") == ["c"])
        #expect(files.status(of: "a") == nil)
        #expect(throws: DatabaseError.self) { try leases[0].close() }
    }

    @Test
    func `A waiting call fails when only kept leases are left`() async throws {
        let files = try DatabaseFolder.ofTexts(folder, openCount: 1)
        for name in ["a", "b"] { try files.insert(name, name) }
        let kept = Locked<DatabaseLease?>(nil)
        let waiting = try await files.use("a") { lease in
            kept.withLock { $0 = lease }
            // Not inside the lease.
            let waiting = Task.detached { try await files.read("b") { _ in } }
            await yieldTask(until: "a waiting call") { files.status().waitingCount == 1 }
            return waiting
        }
        await #expect(throws: DatabaseFileError(.allInUse, name: "b")) { try await waiting.value }
        kept.withLock { $0 = nil }
        try await files.read("b") { _ in }
    }

    @Test
    func `The end of an earlier lease does not end a later one`() throws {
        let files = try DatabaseFolder.ofTexts(folder)
        try files.insert("a", "a")
        let earlier: (entry: FileEntry, number: Int) = try {
            let lease = try files.lease("a")
            return (lease.entry, lease.entry.leaseNumber)
        }()
        yieldThread(until: "the end of the earlier lease") { files.status().usedCount == 0 }
        let lease = try files.lease("a")
        // A lease has no references any more when its deinitialization begins: a later one may begin before it tells the table.
        files.table.leaseHasEnded(earlier.entry, number: earlier.number)
        #expect(files.status().usedCount == 1)
        #expect(try lease.read { try $0.texts("SELECT text FROM t") } == ["a"])
    }

    @Test
    func `A callback and a kept closure hold the lease`() async throws {
        let files = try DatabaseFolder.ofTexts(folder, openCount: 1)
        for name in ["a", "b"] { try files.insert(name, name) }
        let leases = Collector<Result<DatabaseLease, any Error>>()
        files.asyncLease("a") { leases.append($0) }
        files.asyncLease("missing") { leases.append($0) }
        #expect(await leases.wait(count: 2).filter { (try? $0.get()) != nil }.count == 1)
        let results = Collector<String>()
        files.asyncWrite("a") {
            try $0.execute(sql: "INSERT INTO t VALUES ('x')")
        } completion: {
            results.append("\($0)")
        }
        files.asyncWrite("c") { _ in
        } completion: { result in
            if case .failure(let error) = result { results.append("\((error as? DatabaseFileError)?.reason as Any)") }
        }
        #expect(await results.wait(count: 2).contains("success()"))
    }

    @Test
    func `Idle files are closed after a time`() throws {
        let files = try DatabaseFolder.ofTexts(folder) { $0.idleTime = .milliseconds(50) }
        try files.insert("1", "a")
        files.waitForOpenCount(0)
        #expect(try folder.fileNames() == ["a.sqlite"])
        #expect(try files.texts("a") == ["1"])
    }

    @Test
    func `Opening one file keeps no other waiting`() async throws {
        let (hasBegun, mayEnd) = (Semaphore("the preparation has begun"), Semaphore("the preparation may end"))
        let files = try DatabaseFolder(path: folder.path) { db in
            guard db.path.hasSuffix("/slow.sqlite") else { return }
            hasBegun.signal()
            mayEnd.wait()
        }
        async let slow: Void = files.write("slow", creating: true) { _ in }
        await hasBegun.signalled()
        for name in ["a", "b"] { try await files.write(name, creating: true) { _ in } }
        #expect(files.status().openingCount == 1)
        mayEnd.signal()
        try await slow
    }

    #if os(Linux)
        @Test
        func `The number of files does not decide the number of threads`() async {
            // The threads of other tests are not counted.
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                let files = try DatabaseFolder.ofTexts(folder, openCount: 80)
                // Accesses have 32 threads, openings 12, closings 4; tasks have one for each core, and times have one.
                let limit = threadCount() + 48 + ProcessInfo.processInfo.activeProcessorCount + 1
                let most = Locked(0)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<80 {
                        group.addTask {
                            for round in 0..<8 {
                                // Every other round opens a file, and closes another one.
                                let name = round.isMultiple(of: 2) ? "used\(task)" : "n\(task)-\(round)"
                                try await files.write(name, creating: true) { try $0.execute(sql: "INSERT INTO t VALUES ('x')") }
                                _ = try await files.read(name) { try $0.texts("SELECT text FROM t") }
                                most.withLock { $0 = max($0, threadCount()) }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                try require(most.value <= limit, "\(most.value) threads")
            }
        }
    #endif

    // MARK: - Paths

    @Test
    func `A function returns the paths of a folder that exists`() throws {
        let files = try DatabaseFolder.ofTexts(folder) {
            $0.relativePath = { name in
                if name == "outside" { return "../x" }
                return "\(name.prefix(1).lowercased())/\(name.lowercased()).db"
            }
        }
        try files.insert("1", "arthur")
        #expect(FileManager.default.fileExists(atPath: folder.path("a/arthur.db")))
        expectFileError(.invalidName) { try files.read("outside") { _ in } }
        try files.use("arthur") { _ in expectFileError(.sameFile) { try files.read("Arthur") { _ in } } }
        expectFileError(.invalidName) { try files.names() }
    }

    @Test
    func `Symbolic links to one file are one file, and hard links are refused`() throws {
        let files = try DatabaseFolder.ofTexts(folder)
        try files.insert("1", "a")
        try FileManager.default.createSymbolicLink(atPath: try files.path(of: "b"), withDestinationPath: try files.path(of: "a"))
        expectFileError(.sameFile) { try files.texts("b") }
        try FileManager.default.linkItem(atPath: try files.path(of: "a"), toPath: try files.path(of: "c"))
        expectFileError(.severalLinks) { try files.texts("c") }
        expectFileError(.severalLinks) { try files.delete("c") }
        #expect(try files.texts("a") == ["1"])
    }

    @Test
    func `A file that others have replaced is opened again`() throws {
        let files = try DatabaseFolder.ofTexts(folder)
        try files.insert("1", "a")
        try files.insert("2", "b")
        let (a, b) = (try files.path(of: "a"), try files.path(of: "b"))
        let copy = try DatabaseQueue(path: folder.path("copy"))
        try files.use("b") { try $0.backup(to: copy) }
        try copy.close()
        _ = rename(folder.path("copy"), a)
        // The log belongs to the previous file.
        expectFileError(.leftoverLog) { try files.texts("a") }
        for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: a + suffix) }
        files.forgetFailures()
        #expect(try files.texts("a") == ["2"])
        try FileManager.default.removeItem(atPath: b)
        expectFileError(.notFound) { try files.texts("b") }
        // SQLite would copy the log into a new file.
        expectFileError(.leftoverLog) { try files.insert("3", "b") }
    }

    #if os(Linux)
        @Test
        func `A file that is replaced while it is opened keeps its new log`() throws {
            let files = try DatabaseFolder.ofTexts(folder)
            let path = try files.path(of: "a")
            let old = try DatabaseQueue(path: path)
            try old.write { try $0.execute(sql: "CREATE TABLE t (text TEXT); INSERT INTO t VALUES ('old')") }
            var begun: (new: DatabaseQueue, texts: Box<Result<[String], any Error>?>, hasRead: Semaphore)?
            try old.inTransaction(.exclusive) { _ in
                let texts = Box<Result<[String], any Error>?>(nil)
                let hasRead = Semaphore("the new file was read")
                Thread.detachNewThread {
                    texts.value = Result { try files.texts("a") }
                    hasRead.signal()
                }
                // It is open then, and waits for its first lock.
                yieldThread(until: "the file is being opened") { openCount(path) == 2 }
                try FileManager.default.removeItem(atPath: path)
                var configuration = Configuration()
                configuration.journalMode = .wal
                let new = try DatabaseQueue(path: path, configuration: configuration)
                try new.write { try $0.execute(sql: "CREATE TABLE t (text TEXT); INSERT INTO t VALUES ('new')") }
                begun = (new, texts, hasRead)
                return .rollback
            }
            let (new, texts, hasRead) = try #require(begun)
            hasRead.wait()
            #expect(try texts.value?.get() == ["new"])
            #expect(try DatabaseQueue(path: path).read { try $0.texts("SELECT text FROM t") } == ["new"])
            try new.close()
        }

        @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/locks"), "needs the list of locks"))
        func `A file that is replaced before it is opened is known as the new one`() throws {
            let files = try DatabaseFolder.ofTexts(folder)
            let (path, newPath) = (try files.path(of: "a"), folder.path("new"))
            for path in [path, newPath] {
                let queue = try DatabaseQueue(path: path)
                try queue.write { try $0.execute(sql: "CREATE TABLE t (text TEXT); INSERT INTO t VALUES ('\(path == newPath)')") }
                try queue.close()
            }
            let (lease, hasOpened) = (Box<Result<DatabaseLease, any Error>?>(nil), Semaphore("the file was opened"))
            // As during the deletion by another process.
            NameLocks(folder: folder.path).withLock(.exclusive, on: path) {
                Thread.detachNewThread {
                    lease.value = Result { try files.lease("a") }
                    hasOpened.signal()
                }
                yieldThread(until: "the opening waits for the lock of the name") { waitsForLock(folder.path(".strata-lock")) }
                #expect(rename(newPath, path) == 0)
            }
            hasOpened.wait()
            #expect(try lease.value?.get().read { try $0.texts("SELECT text FROM t") } == ["true"])
            try FileManager.default.createSymbolicLink(atPath: try files.path(of: "b"), withDestinationPath: path)
            expectFileError(.sameFile) { try files.texts("b") }
        }

        /// Whether somebody waits for a lock of a file.
        private func waitsForLock(_ path: String) -> Bool {
            guard let number = try? FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int else { return false }
            let locks = (try? String(contentsOfFile: "/proc/locks", encoding: .utf8)) ?? ""
            return locks.split(separator: "\n").contains { $0.contains("->") && $0.contains(":\(number) ") }
        }

        private func openCount(_ path: String) -> Int {
            ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [])
                .count { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
        }
    #endif

    @Test
    func `The limits of the process are checked`() throws {
        var options = DatabaseFolder.Options()
        options.maximumOpenCount = .max
        expectFileError(.tooFewDescriptors) { try DatabaseFolder(path: folder.path, options: options) }
        expectFileError(.noFolder) { try DatabaseFolder(path: folder.path("missing")) }
    }
}

extension DatabaseFolder {
    func insertText(_ text: String, _ name: String, creating: Bool) throws {
        try write(name, creating: creating) { try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text]) }
    }
}

#if os(Linux)
    private func threadCount() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0 }
#endif
