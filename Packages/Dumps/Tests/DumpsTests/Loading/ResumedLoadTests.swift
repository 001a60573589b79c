import Dumps
import Foundation
import Testing

@Suite("Resumed loads")
struct ResumedLoadTests {
    private let folder: TemporaryFolder
    private let queue: DatabaseQueue

    init() throws {
        folder = try TemporaryFolder()
        queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER, name TEXT NOT NULL)") }
    }

    private func ids() throws -> [Int] { try queue.read { try Int.fetchAll($0, sql: "SELECT id FROM player ORDER BY rowid") } }

    private func positionCount() throws -> Int {
        try queue.read { try $0.tableExists("strata_loads") ? Int.fetchOne($0, sql: "SELECT count(*) FROM strata_loads") ?? 0 : 0 }
    }

    /// Loads portions of 10 records, and stops after some of them.
    private func load(_ text: String, stoppingAfter portions: Int? = nil, _ format: Format = .csv) throws {
        var count = 0
        try format.load(.text(text), queue) { _ in
            count += 1
            if count == portions { throw Stop() }
        }
    }

    enum Format: CaseIterable {
        case csv, csvWithReturns, jsonArray, jsonObjects, jsonLines

        func text(_ ids: ClosedRange<Int>) -> String {
            let objects = ids.map { "{\"id\": \($0), \"name\": \"a\nb\"}".replacing("\n", with: "\\n") }
            switch self {
            case .csv: return csvRows(ids)
            case .csvWithReturns: return csvRows(ids).replacing("\n", with: "\r\n").replacing(", ", with: ",\r\n")
            case .jsonArray: return "\u{FEFF}\n[" + objects.joined(separator: ",\n") + "]\n"
            case .jsonObjects: return objects.joined(separator: " ")
            case .jsonLines: return objects.joined(separator: "\r\n")
            }
        }

        func load(_ source: TextSource, _ queue: DatabaseQueue, _ progress: ((LoadProgress) throws -> Void)? = nil) throws {
            switch self {
            case .csv, .csvWithReturns:
                try queue.load(.csv(source), into: "player", portion: 10, resumableAs: "p", progress: progress)
            case .jsonArray, .jsonObjects:
                try queue.load(.json(source), into: "player", portion: 10, resumableAs: "p", progress: progress)
            case .jsonLines: try queue.load(.jsonLines(source), into: "player", portion: 10, resumableAs: "p", progress: progress)
            }
        }
    }

    @Test(arguments: Format.allCases)
    func `A load that ends early continues after its last portion, and removes its position at the end`(_ format: Format) throws {
        // The fifth portion is the last one.
        for portions in 1...5 {
            try queue.write { try $0.execute(sql: "DELETE FROM player") }
            let text = format.text(1...45)
            #expect(throws: Stop.self) { try load(text, stoppingAfter: portions, format) }
            let count = min(10 * portions, 40)
            try #expect(ids() == Array(1...count))
            try #expect(positionCount() == 1)
            try #expect(queue.read { try $0.interruptedLoad(named: "p", into: "PLAYER")?.rowCount } == count)
            // Again and again.
            if portions < 4 { #expect(throws: Stop.self) { try load(text, stoppingAfter: 1, format) } }
            try load(text, format)
            try #expect(ids() == Array(1...45))
            try #expect(positionCount() == 0)
        }
    }

    @Test(arguments: Format.allCases)
    func `Errors after a resumption name the lines of the whole file`(_ format: Format) throws {
        let text = format.text(1...45)
        let broken = text.replacing(format == .csv || format == .csvWithReturns ? "40," : "\"id\": 40", with: "99999999999999999999,")
        let whole = try DatabaseQueue()
        try whole.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER, name TEXT NOT NULL)") }
        let line = #expect(throws: LoadError.self) { try format.load(.text(broken), whole) }?.line
        #expect(throws: Stop.self) { try load(broken, stoppingAfter: 2, format) }
        let again = #expect(throws: LoadError.self) { try load(broken, format) }?.line
        #expect(again == line)
        #expect(line.map { $0 > (format == .jsonObjects ? 0 : 39) } == true)
    }

    @Test
    func `A file whose loaded part has changed is refused, at each byte`() throws {
        let text = csvRows(1...45)
        #expect(throws: Stop.self) { try load(text, stoppingAfter: 2) }
        let position = try #require(queue.read { try $0.interruptedLoad(named: "p", into: "player") }).byteCount
        for index in "id,name\n".utf8.count..<position {
            var bytes = Array(text.utf8)
            bytes[index] ^= 1
            let changed = TextSource.data(Data(bytes))
            let error = #expect(throws: LoadError.self) { try Format.csv.load(changed, queue) }
            #expect(error?.message == "the file has changed since its first 20 records were loaded")
        }
        for end in [0, 8, position - 1] {
            #expect(throws: LoadError.self) { try Format.csv.load(.data(Data(text.utf8.prefix(end))), queue) }
        }
        try #expect(ids() == Array(1...20))
        // The rest is the rest of the file as it is now: here, with more rows.
        try load(csvRows(1...60))
        try #expect(ids() == Array(1...60))
    }

    @Test
    func `Chunks of any size have the same checksum`() throws {
        let text = csvRows(1...45)
        #expect(throws: Stop.self) { try load(text, stoppingAfter: 3) }
        var random = SeededGenerator(seed: 3)
        var rest = Data(text.utf8)
        let chunks = TextSource.chunks {
            let chunk = rest.prefix(Int.random(in: 1...20, using: &random))
            rest = rest.dropFirst(chunk.count)
            return Data(chunk)
        }
        try Format.csv.load(chunks, queue)
        try #expect(ids() == Array(1...45))
    }

    @Test
    func `Loads of other names and into other tables have positions of their own, and a position can be forgotten`() throws {
        try queue.write { try $0.execute(sql: "CREATE TABLE other (id, name)") }
        #expect(throws: Stop.self) { try load(csvRows(1...45), stoppingAfter: 1) }
        try queue.load(.csv(.text(csvRows(100...101))), into: "other", portion: 1, resumableAs: "p")
        try queue.load(.csv(.text(csvRows(200...201))), into: "player", portion: 1, resumableAs: "q")
        try #expect(ids() == Array(1...10) + [200, 201])
        try queue.write { try $0.forgetLoad(named: "p", into: "player") }
        try #expect(positionCount() == 0)
        try load("id,name\n300,a\n")
        try #expect(ids() == Array(1...10) + [200, 201, 300])
    }

    @Test
    func `Two loads of one name don't insert records twice`() throws {
        let text = csvRows(1...45)
        var hasEnded = false
        let error = #expect(throws: LoadError.self) {
            try queue.load(.csv(.text(text)), into: "player", portion: 10, resumableAs: "p") { progress in
                if !hasEnded, progress.rowCount == 20 {
                    hasEnded = true
                    try load(text)
                }
            }
        }
        #expect(error?.message == "the load \"p\" into player was continued elsewhere")
        try #expect(ids() == Array(1...45))
    }

    @Test
    func `A failing commit stores no position`() throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
                    INSERT INTO parent VALUES (1);
                    """)
        }
        let text = "id,parent\n1,1\n2,1\n3,1\n4,7\n5,1\n"
        let error = #expect(throws: LoadError.self) {
            try queue.load(.csv(.text(text)), into: "child", portion: 2, resumableAs: "c")
        }
        #expect(error?.message == "the rows of the lines from 4 to 5 can't be committed: FOREIGN KEY constraint failed")
        try #expect(queue.read { try Int.fetchAll($0, sql: "SELECT id FROM child") } == [1, 2])
        try #expect(queue.read { try $0.interruptedLoad(named: "c", into: "child")?.recordCount } == 2)
        // In one portion, a row may come later than the one that refers to it.
        try queue.write { try $0.execute(sql: "INSERT INTO parent VALUES (7)") }
        try queue.load(.csv(.text(text)), into: "child", portion: 2, resumableAs: "c")
        try #expect(queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM child") } == 5)
    }

    @Test
    func `The file of rejected records has each of them once, whenever the load ends`() throws {
        // Each fifth record is rejected.
        let text = "id,name\n" + (1...45).map { "\($0),\($0 % 5 == 0 ? "" : "\"a, b\"")\n" }.joined()
        let source = TextSource.text(text)
        for stops in [[1], [2, 1], [1, 1, 1, 1], [4]] {
            try queue.write { try $0.execute(sql: "DELETE FROM player") }
            let url = folder.file("rejects\(stops).csv")
            let options = LoadOptions(rejects: .file(url))
            for (round, stop) in (stops + [nil]).enumerated() {
                // What a portion has written that was not committed.
                if round > 0 {
                    let handle = try FileHandle(forWritingTo: url)
                    try handle.seekToEnd()
                    try handle.write(contentsOf: Data("torn".utf8))
                    try handle.close()
                }
                var count = 0
                let load = {
                    try queue.load(.csv(source), into: "player", options: options, portion: 10, resumableAs: "p") { _ in
                        count += 1
                        if count == stop { throw Stop() }
                    }
                }
                if stop == nil { _ = try load() } else { #expect(throws: Stop.self) { try load() } }
            }
            let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
            #expect(lines.first == "rejected_line,rejected_reason,id,name")
            #expect(
                lines.dropFirst().map(String.init) == (1...9).map { "\(5 * $0 + 1),\"NOT NULL constraint failed: player.name\",\(5 * $0)," }
            )
            try #expect(ids() == (1...45).filter { $0 % 5 != 0 })
        }
    }

    @Test
    func `A file of rejected records that is not the one of the load is refused`() throws {
        let url = folder.file("rejects.csv")
        let text = "id,name\n1,\n2,a\n3,a\n"
        let options = LoadOptions(rejects: .file(url))
        func load(stops: Bool) throws {
            try queue.load(.csv(.text(text)), into: "player", options: options, portion: 1, resumableAs: "p") { _ in
                if stops { throw Stop() }
            }
        }
        try folder.write("mine", to: "rejects.csv")
        #expect(throws: LoadError.self) { try load(stops: true) }
        try #expect(String(contentsOf: url, encoding: .utf8) == "mine")
        try FileManager.default.removeItem(at: url)
        #expect(throws: Stop.self) { try load(stops: true) }
        let rejects = try Data(contentsOf: url)
        try rejects.dropLast().write(to: url)
        #expect(throws: LoadError.self) { try load(stops: false) }
        try FileManager.default.removeItem(at: url)
        #expect(throws: LoadError.self) { try load(stops: false) }
        try #expect(ids().isEmpty)
        try rejects.write(to: url)
        try load(stops: false)
        try #expect(ids() == [2, 3])
        try #expect(Data(contentsOf: url) == rejects)
    }

    @Test
    func `A file that a portion has written before it was killed is written again, and no other file is`() throws {
        let (url, other) = (folder.file("rejects.csv"), folder.file("other.csv"))
        func load(_ url: URL, stops: Bool) throws {
            try queue.load(
                .csv(.text("id,name\n1,a\n2,\n3,a\n")), into: "player", options: LoadOptions(rejects: .file(url)), portion: 1,
                resumableAs: "p"
            ) { _ in
                if stops { throw Stop() }
            }
        }
        #expect(throws: Stop.self) { try load(url, stops: true) }
        #expect(!FileManager.default.fileExists(atPath: url.path))
        // The second portion was killed between its record and its commit.
        try folder.write("rejected_line,rejected_reason,id,name\n3,\"NOT NULL con", to: "rejects.csv")
        try folder.write("mine", to: "other.csv")
        #expect(throws: LoadError.self) { try load(other, stops: false) }
        try #expect(String(contentsOf: other, encoding: .utf8) == "mine")
        try load(url, stops: false)
        try #expect(ids() == [1, 3])
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        #expect(lines.dropFirst() == ["3,\"NOT NULL constraint failed: player.name\",2,"])
    }
}
