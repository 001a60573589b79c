import CSQLite
import Foundation
import Strata

/// A measured value, of 4 columns: small, so that there can be many.
struct Sample {
    var id: Int64
    var sensor: Int
    var value: Double
    var label: String

    static let createTable =
        "CREATE TABLE sample (id INTEGER PRIMARY KEY, sensor INTEGER NOT NULL, value REAL NOT NULL, label TEXT NOT NULL)"

    static func fillTable(count: Int) -> String {
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO sample SELECT i, i % 100, i / 8.0, printf('a label of the sample %d', i % 1000) FROM n
        """
    }

    var checksum: Int { Int(id) &+ sensor &+ Int(value * 8) &+ label.utf8.count }

    @inline(__always)
    static func iterate(_ db: Database, _ body: (Sample) -> Void) throws {
        let samples = try Sample.fetchCursor(db, sql: "SELECT * FROM sample")
        while let sample = try samples.next() { body(sample) }
    }

    @inline(__always)
    static func iterateByHand(_ statement: OpaquePointer, _ body: (Sample) -> Void) {
        while sqlite3_step(statement) == SQLITE_ROW { body(Sample(statement)) }
        sqlite3_reset(statement)
    }
}

extension Sample: FetchableRecord {
    init(row: Row) throws {
        self.init(id: row["id"], sensor: row["sensor"], value: row["value"], label: row["label"])
    }
}

extension Sample {
    @inline(__always)
    init(_ statement: OpaquePointer) {
        self.init(
            id: sqlite3_column_int64(statement, 0), sensor: Int(sqlite3_column_int64(statement, 1)),
            value: sqlite3_column_double(statement, 2), label: text(statement, 3)!)
    }
}

/// What a row costs in tables of three sizes.
let rowCost = Probe(name: "row-cost", summary: "a cursor over small and large tables") { rounds in
    let sizes = [1_000, 100_000, 2_000_000]
    let sides = try sizes.map { size in
        let connection = CConnection()
        let queue = try DatabaseQueue()
        for sql in [Sample.createTable, Sample.fillTable(count: size)] {
            connection.execute(sql)
            try queue.write { try $0.execute(sql: sql) }
        }
        return (size: size, connection: connection, queue: queue)
    }
    var byHand: [Int: [Double]] = [:]
    var throughStrata: [Int: [Double]] = [:]
    let clock = ContinuousClock()
    for round in 0...rounds {
        for side in sides {
            // As many rows for each size, so that the fixed cost of a fetch counts for the small one.
            let repetitions = max(1, 200_000 / side.size)
            let statement = side.connection.prepare("SELECT * FROM sample")
            defer { sqlite3_finalize(statement) }
            let hand = clock.measure {
                for _ in 0..<repetitions { Sample.iterateByHand(statement) { keep($0) } }
            }
            let strata = try clock.measure {
                for _ in 0..<repetitions { try side.queue.read { try Sample.iterate($0) { keep($0) } } }
            }
            if round == 0 {
                var sums = (0, 0)
                Sample.iterateByHand(statement) { sums.0 &+= $0.checksum }
                try side.queue.read { try Sample.iterate($0) { sums.1 &+= $0.checksum } }
                guard sums.0 == sums.1 else { fail("the sides of row-cost differ: \(sums)") }
            }
            if round == 0 { continue }
            let rows = Double(repetitions * side.size)
            byHand[side.size, default: []].append(hand.milliseconds * 1e6 / rows)
            throughStrata[side.size, default: []].append(strata.milliseconds * 1e6 / rows)
        }
    }
    var figures: [Figure] = []
    for size in sizes {
        figures.append(Figure(name: "C API, a row of \(size)", value: byHand[size]!.median, unit: "ns"))
        figures.append(Figure(name: "a row of \(size)", value: throughStrata[size]!.median, unit: "ns"))
    }
    // Of each round, so that the machine's speed matters less.
    for size in sizes.dropFirst() {
        let ratio = zip(throughStrata[size]!, throughStrata[sizes[0]]!).map { $0 / $1 }.median
        figures.append(Figure(name: "a row of \(size) to one of \(sizes[0])", value: ratio, unit: "times", atMost: 1.15))
    }
    return figures
}

/// The memory of a cursor over tables of two sizes, each in a process of its own.
///
/// Only anonymous memory counts: the heap and the stacks, where rows and SQLite's pages are. The resident memory has the pages of
/// programs and libraries as well, which the kernel maps sixteen at a time around each one that is touched, and shares with
/// all processes: calling one more function may make it grow by 64 KB.
let cursorMemory = Probe(name: "cursor-memory", summary: "the memory of a process that iterates a cursor, above an empty program") {
    _ in
    let folder = try TemporaryFolder()
    let empty = try MemoryUse.ofChild([])
    return try [20_000, 2_000_000].flatMap { size in
        let path = folder.path("\(size).sqlite")
        try DatabaseQueue(path: path).write { db in
            try db.execute(sql: Sample.createTable)
            try db.execute(sql: Sample.fillTable(count: size))
        }
        let byHand = try MemoryUse.ofChild([path, MemoryUse.byHandOption])
        let throughStrata = try MemoryUse.ofChild([path])
        func figure(_ name: String, _ use: MemoryUse, _ kind: KeyPath<MemoryUse, Double>, atMost limit: Double? = nil) -> Figure {
            Figure(name: name, value: use[keyPath: kind] - empty[keyPath: kind], unit: "MB", atMost: limit)
        }
        return [
            figure("C API, \(size) rows", byHand, \.anonymous),
            figure("\(size) rows", throughStrata, \.anonymous, atMost: 4),
            figure("C API, \(size) rows, resident", byHand, \.resident),
            figure("\(size) rows, resident", throughStrata, \.resident),
        ]
    }
}

/// The memory of a process, in megabytes.
struct MemoryUse {
    /// What of it no file holds.
    var anonymous = 0.0
    /// All of it that is in the machine's memory.
    var resident = 0.0

    /// The option that makes this program a child process of ``cursorMemory``.
    static let option = "--report-memory"

    /// The option that makes the child iterate by hand.
    static let byHandOption = "--by-hand"

    /// In the child: iterates the samples of a file, if one is named, and prints the most memory, in kilobytes, that it was seen to use
    /// meanwhile.
    static func reportAsChild(_ arguments: [String]) throws {
        var most = MemoryUse()
        var count = 0
        func noteSample(_ sample: Sample) {
            count += 1
            if count.isMultiple(of: 10_000) { most.formMaximum(with: current) }
        }
        most.formMaximum(with: current)
        if let path = arguments.first {
            if arguments.contains(byHandOption) {
                iterateByHand(path, noteSample)
            } else {
                try iterateThroughStrata(path, noteSample)
            }
            if count == 0 { fail("no samples") }
        }
        print(most.anonymous, most.resident)
    }

    private static func iterateByHand(_ path: String, _ noteSample: (Sample) -> Void) {
        let connection = CConnection(path: path)
        withExtendedLifetime(connection) {
            Sample.iterateByHand(connection.prepare("SELECT * FROM sample"), noteSample)
        }
    }

    private static func iterateThroughStrata(_ path: String, _ noteSample: (Sample) -> Void) throws {
        var configuration = Configuration()
        configuration.readonly = true
        try DatabaseQueue(path: path, configuration: configuration).read { db in
            try Sample.iterate(db, noteSample)
        }
    }

    private mutating func formMaximum(with other: MemoryUse) {
        anonymous = max(anonymous, other.anonymous)
        resident = max(resident, other.resident)
    }

    /// What this process uses now, in kilobytes.
    private static var current: MemoryUse {
        #if os(Linux)
            // By the C library, which uses less memory for it than the measured amounts.
            guard let file = fopen("/proc/self/status", "r") else { fail("/proc/self/status can't be read") }
            defer { fclose(file) }
            var use = MemoryUse()
            var line = [CChar](repeating: 0, count: 256)
            while fgets(&line, CInt(line.count), file) != nil {
                if strncmp(line, "RssAnon:", 8) == 0 { use.anonymous = Double(atol(Array(line[8...]))) }
                if strncmp(line, "VmRSS:", 6) == 0 { use.resident = Double(atol(Array(line[6...]))) }
            }
            return use
        #else
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return MemoryUse(anonymous: Double(usage.ru_maxrss) / 1024, resident: Double(usage.ru_maxrss) / 1024)
        #endif
    }

    /// Runs this program as a child, and returns the most memory that it has used.
    static func ofChild(_ arguments: [String]) throws -> MemoryUse {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [option] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let kilobytes = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard kilobytes.count == 2, kilobytes[0] > 0 else { fail("the child process has printed \(text)") }
        return MemoryUse(anonymous: kilobytes[0] / 1024, resident: kilobytes[1] / 1024)
    }
}
