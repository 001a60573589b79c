#if os(Linux)
    import DatabaseFiles
    import Foundation
    import Testing

    /// Prints what many files cost: `STRATA_FILE_FIGURES=10000` is the number of files, of which 300 are in use.
    @Suite(.enabled(if: ProcessInfo.processInfo.environment["STRATA_FILE_FIGURES"] != nil, "prints figures"))
    struct FileFigureTests {
        @Test
        func `The costs of many files`() async throws {
            let count = ProcessInfo.processInfo.environment["STRATA_FILE_FIGURES"].flatMap { Int($0) } ?? 10_000
            let used = min(300, count)
            let folder = try TemporaryFolder()
            // 20 tables.
            let schema = (1...20).map { "CREATE TABLE IF NOT EXISTS t\($0) (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c REAL, d BLOB);" }
                .joined()
            let template = folder.path("n0.sqlite")
            let queue = try DatabaseQueue(path: template)
            try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA page_size = 1024") }
            try await queue.write { db in
                try db.execute(sql: schema)
                try db.execute(sql: "INSERT INTO t1 (a) VALUES ('x')")
            }
            try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
            try queue.close()
            for number in 1..<count {
                try FileManager.default.copyItem(atPath: template, toPath: folder.path("n\(number).sqlite"))
            }

            var configuration = DatabaseFolder.defaultConfiguration
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -500") }
            var options = DatabaseFolder.Options()
            options.maximumOpenCount = 300
            let files = try DatabaseFolder(path: folder.path, configuration: configuration, options: options) { db in
                _ = try db.read { try $0.integer("SELECT count(*) FROM t1") }
            }
            let before = Usage()
            let threads = Locked(0)
            try await Self.forEach(0..<used) { number in
                try await files.write("n\(number)") { try $0.execute(sql: "UPDATE t1 SET a = 'y'") }
                _ = try await files.read("n\(number)") { try $0.integer("SELECT count(*) FROM t1") }
                let current = Usage().threads
                threads.withLock { $0 = max($0, current) }
            }
            let after = Usage()
            print("\(used) open files, \(count) in all")
            print("descriptors for each:", Double(after.descriptors - before.descriptors) / Double(used))
            print("MB for each:", Double(after.kilobytes - before.kilobytes) / 1024 / Double(used))
            print("threads at most:", threads.value, "before:", before.threads)

            // Reads of open files, while others are opened in between.
            for share in [0, 10] {
                let clock = ContinuousClock()
                let (times, openings) = (Locked<[Duration]>([]), Locked<[Duration]>([]))
                let begin = clock.now
                threads.value = 0
                try await Self.forEach(0..<8000) { number in
                    let isOpening = share > 0 && number.isMultiple(of: share)
                    let start = clock.now
                    let name = isOpening ? "n\(used + number % (count - used))" : "n\(used / 2 + number % (used / 4))"
                    _ = try await files.read(name) { try $0.integer("SELECT id FROM t1 WHERE id = 1") }
                    let current = Usage().threads
                    threads.withLock { $0 = max($0, current) }
                    let time = start.duration(to: clock.now)
                    if isOpening { openings.withLock { $0.append(time) } } else { times.withLock { $0.append(time) } }
                }
                let seconds = begin.duration(to: clock.now) / .seconds(1)
                print("threads at most:", threads.value)
                print(
                    "one opening in \(share) reads: \(Int(8000 / seconds)) a second, reads \(Self.figures(times.value)), openings \(Self.figures(openings.value))"
                )
            }

            // The same reads of one pool.
            let pool = try DatabasePool(path: template, configuration: configuration)
            let clock = ContinuousClock()
            let begin = clock.now
            try await Self.forEach(0..<8000) { _ in _ = try await pool.read { try $0.integer("SELECT id FROM t1 WHERE id = 1") } }
            print("one pool: \(Int(8000 / (begin.duration(to: clock.now) / .seconds(1)))) a second")
            print("now: \(files.status()), threads: \(Usage().threads)")
        }

        private static func forEach(_ numbers: Range<Int>, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<64 {
                    group.addTask { for number in numbers where number % 64 == task { try await body(number) } }
                }
                try await group.waitForAll()
            }
        }

        private static func figures(_ times: [Duration]) -> String {
            let sorted = times.sorted()
            guard !sorted.isEmpty else { return "-" }
            return [0.5, 0.99, 0.999].map { "p\($0 * 100) \(sorted[Int(Double(sorted.count - 1) * $0)] / .milliseconds(1)) ms" }
                .joined(separator: ", ")
        }

        private struct Usage {
            let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
            let kilobytes: Int = {
                let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
                let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
                return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
            }()
        }
    }
#endif
