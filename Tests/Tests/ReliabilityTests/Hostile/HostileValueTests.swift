import Foundation
import Strata
import Testing

/// Returns a string that distinguishes values.
private func describe(_ value: some DatabaseValueConvertible) -> String {
    switch value {
    case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
    case let date as NSDate: "\(date.timeIntervalSinceReferenceDate)"
    case let data as Data: data.base64EncodedString()
    case let text as any StringProtocol: "\(Array(text.utf8))"
    case let value as DatabaseValue: "\(value)"
    default: "\(value)"
    }
}

/// Whatever a column holds, each type reads the same from it by each call: the same value, or an error.
@Suite("Hostile values", .timeLimit(.minutes(60)))
struct HostileValueTests {
    private enum Letter: String, Codable, DatabaseValueConvertible { case a, b }
    private enum Level: Int8, Codable, DatabaseValueConvertible { case low = 1, high = 127 }
    private struct List: Codable, DatabaseValueConvertible { var values: [Int] }

    private struct Record<Value: Codable>: Codable, FetchableRecord { var v: Value }

    /// Reads the column `v` of the only row of some SQL, by one call.
    private typealias Call = (name: String, read: (Database, String) throws -> String?)

    /// Reads a value as a type by all calls that can throw.
    private struct Reader {
        let type: String
        private(set) var calls: [Call]

        init<T: DatabaseValueConvertible>(_ type: T.Type) {
            self.type = "\(type)"
            calls = Self.calls(type)
        }

        init<T: DatabaseValueConvertible & Codable>(codable type: T.Type) {
            self.type = "\(type)"
            calls =
                Self.calls(type) + [
                    ("Codable", { try Record<T>.fetchOne($0, sql: $1).map { describe($0.v) } }),
                    ("Codable, all", { try Record<T>.fetchAll($0, sql: $1).first.map { describe($0.v) } }),
                    ("Codable, from a row", { try Row.fetchOne($0, sql: $1).map { describe(try Record<T>(row: $0).v) } }),
                    ("Codable, optional", { try Record<T?>.fetchOne($0, sql: $1).flatMap { $0.v.map(describe) } }),
                ]
        }

        /// With sets, of which only hashable types have some.
        init<T: DatabaseValueConvertible & Hashable>(hashable type: T.Type) {
            self.init(type)
            addSets(of: type)
        }

        init<T: DatabaseValueConvertible & Codable & Hashable>(hashableCodable type: T.Type) {
            self.init(codable: type)
            addSets(of: type)
        }

        private mutating func addSets<T: DatabaseValueConvertible & Hashable>(of type: T.Type) {
            calls += [
                ("fetchSet", { try T.fetchSet($0, sql: $1).first.map(describe) }),
                ("fetchSet, optional", { try T?.fetchSet($0, sql: $1).first.flatMap { $0.map(describe) } }),
            ]
        }

        private static func calls<T: DatabaseValueConvertible>(_ type: T.Type) -> [Call] {
            [
                ("fetchOne", { try T.fetchOne($0, sql: $1).map(describe) }),
                ("fetchAll", { try T.fetchAll($0, sql: $1).first.map(describe) }),
                ("fetchAll, optional", { try T?.fetchAll($0, sql: $1).first.flatMap { $0.map(describe) } }),
                ("fetchCursor", { try T.fetchCursor($0, sql: $1).next().map(describe) }),
                (
                    "decode(forKey:), of the cursor's row",
                    {
                        let rows = try Row.fetchCursor($0, sql: $1)
                        return try rows.next().map { describe(try $0.decode(T.self, forKey: "v")) }
                    }
                ),
                ("decode(atIndex:)", { try Row.fetchOne($0, sql: $1).map { describe(try $0.decode(T.self, atIndex: 0)) } }),
                (
                    "decodeIfPresent",
                    { try Row.fetchOne($0, sql: $1).flatMap { try $0.decodeIfPresent(T.self, forKey: "v").map(describe) } }
                ),
                (
                    "decodeIfPresent(atIndex:)",
                    { try Row.fetchOne($0, sql: $1).flatMap { try $0.decodeIfPresent(T.self, atIndex: 0).map(describe) } }
                ),
                (
                    "fromDatabaseValue",
                    {
                        guard let value = try DatabaseValue.fetchAll($0, sql: $1).first else { return nil }
                        guard let result = T.fromDatabaseValue(value) ?? T.fromOtherStorageClass(value) else {
                            if value.isNull { return nil }
                            throw TestError()
                        }
                        return describe(result)
                    }
                ),
            ]
        }
    }

    private static func makeReaders() -> [Reader] {
        [
            Reader(hashableCodable: Bool.self), Reader(hashableCodable: Int.self), Reader(hashableCodable: Int8.self),
            Reader(hashableCodable: Int16.self), Reader(hashableCodable: Int32.self), Reader(hashableCodable: Int64.self),
            Reader(hashableCodable: UInt.self), Reader(hashableCodable: UInt8.self), Reader(hashableCodable: UInt16.self),
            Reader(hashableCodable: UInt32.self), Reader(hashableCodable: UInt64.self), Reader(hashableCodable: Double.self),
            Reader(hashableCodable: Float.self), Reader(hashableCodable: CGFloat.self), Reader(hashableCodable: String.self),
            Reader(hashableCodable: Data.self), Reader(hashableCodable: Date.self), Reader(hashableCodable: UUID.self),
            Reader(hashableCodable: URL.self), Reader(hashableCodable: Decimal.self), Reader(hashableCodable: Duration.self),
            Reader(hashableCodable: DatabaseDateComponents.self), Reader(hashableCodable: DatabaseValue.self),
            Reader(hashableCodable: Letter.self), Reader(hashableCodable: Level.self), Reader(codable: List.self),
            Reader(hashable: Substring.self), Reader(hashable: NSNull.self), Reader(hashable: NSNumber.self),
            Reader(hashable: NSString.self), Reader(hashable: NSData.self), Reader(hashable: NSDate.self), Reader(hashable: NSURL.self),
            Reader(hashable: NSUUID.self),
        ]
    }

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func `Each type reads each value the same by each call, or throws`(_ encoding: String) throws {
        let (seed, count) = HostileValues.run("hostile values, \(encoding)", quickCount: 20)
        var random = SeededGenerator(seed: seed)
        let queue = try DatabaseQueue()
        let readers = Self.makeReaders()
        var reads = 0
        var values = 0
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE t (v)")
            // UTF-16 differs in strings only: a third of the values will do.
            let edges = HostileValues.edges.enumerated().filter { encoding == "UTF-8" || $0.offset % 3 == 0 }.map(\.element)
            for literal in edges + (0..<count).map({ _ in HostileValues.random(&random) }) {
                values += 1
                try db.execute(sql: "DELETE FROM t; INSERT INTO t VALUES (\(literal))")
                let isNull = try Bool.fetchOne(db, sql: "SELECT v IS NULL FROM t")
                for reader in readers {
                    var first: String?
                    for call in reader.calls {
                        reads += 1
                        var outcome: String
                        do {
                            outcome = try call.read(db, "SELECT v FROM t") ?? "NULL"
                        } catch {
                            // The error describes the value, too.
                            outcome = "\(error)".isEmpty ? "an error without a description" : "error"
                        }
                        // Only optional results read NULL.
                        if isNull == true, outcome == "error" { outcome = "NULL" }
                        if first == nil { first = outcome }
                        #expect(outcome == first, "\(literal) as \(reader.type) by \(call.name), seed \(seed)")
                    }
                }
            }
        }
        print("hostile values, \(encoding): \(values) values, \(reads) reads")
    }

    @Test
    func `Each value that a type has read can be written, and reads the same again`() throws {
        func check<T: DatabaseValueConvertible>(_ type: T.Type, _ literal: String, _ db: Database) throws {
            guard let value = try? T.fetchOne(db, sql: "SELECT \(literal)") else { return }
            let again: T?
            do {
                again = try T.fetchOne(db, sql: "SELECT ?", arguments: [value])
            } catch {
                // An error, for example for a date after the year 9999.
                _ = "\(error)"
                return
            }
            // Dates and times are stored in milliseconds, and durations as real numbers.
            if value is Date || value is NSDate || value is DatabaseDateComponents || value is Duration { return }
            #expect(again.map { describe($0) } == describe(value), "\(literal) as \(type)")
        }
        try DatabaseQueue().write { db in
            for literal in HostileValues.edges {
                try check(Bool.self, literal, db)
                try check(Int.self, literal, db)
                try check(UInt64.self, literal, db)
                try check(Double.self, literal, db)
                try check(Float.self, literal, db)
                try check(String.self, literal, db)
                try check(Data.self, literal, db)
                try check(Date.self, literal, db)
                try check(UUID.self, literal, db)
                try check(URL.self, literal, db)
                try check(Decimal.self, literal, db)
                try check(Duration.self, literal, db)
                try check(DatabaseDateComponents.self, literal, db)
                try check(NSNumber.self, literal, db)
                try check(NSDate.self, literal, db)
                try check(DatabaseValue.self, literal, db)
            }
        }
    }
}
