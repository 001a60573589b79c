import CodableSupport
import Foundation
import Testing

/// Coding keys of one byte find their columns without their names, from the third record on. Here, records encode their keys in another
/// order, several times, or not at all, with values that can't be stored among them.
@Suite struct EncodedColumnTests {
    enum Keys: String, CodingKey, CaseIterable { case a, b, c, d, e }

    /// What a record encodes for a key.
    enum Value: CaseIterable {
        case null, int, short, long, double, bool, date, uuid, json, unstorable

        func encode(_ number: Int, to container: inout KeyedEncodingContainer<Keys>, key: Keys) throws {
            switch self {
            case .null: try container.encodeIfPresent(Int?.none, forKey: key)
            case .int: try container.encode(number, forKey: key)
            case .short: try container.encode("s\(number)", forKey: key)
            case .long: try container.encode("a text that is not stored in place, number \(number)", forKey: key)
            case .double: try container.encodeIfPresent(Double(number) + 0.5, forKey: key)
            case .bool: try container.encode(number.isMultiple(of: 2), forKey: key)
            case .date: try container.encode(Date(timeIntervalSince1970: Double(number)), forKey: key)
            case .uuid: try container.encode(Self.uuid(number), forKey: key)
            case .json: try container.encode([number], forKey: key)
            case .unstorable: try container.encode(UInt64.max - UInt64(number), forKey: key)
            }
        }

        func stored(_ number: Int) -> DatabaseValue {
            switch self {
            case .null, .unstorable: .null
            case .int: number.databaseValue
            case .short: "s\(number)".databaseValue
            case .long: "a text that is not stored in place, number \(number)".databaseValue
            case .double: (Double(number) + 0.5).databaseValue
            case .bool: number.isMultiple(of: 2).databaseValue
            case .date: Date(timeIntervalSince1970: Double(number)).databaseValue
            case .uuid: Self.uuid(number).databaseValue
            case .json: "[\(number)]".databaseValue
            }
        }

        private static func uuid(_ number: Int) -> UUID {
            let (high, low) = (UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number))
            return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, high, low))
        }
    }

    struct Step {
        var key: Keys
        var value: Value
        var number: Int
        /// Whether the key is encoded by the encoder of the superclass.
        var isInSuperclass: Bool
    }

    struct Line: Encodable, PersistableRecord {
        var id: Int64
        var steps: [Step]

        enum IDKey: CodingKey { case id }

        func encode(to encoder: any Encoder) throws {
            var id = encoder.container(keyedBy: IDKey.self)
            try id.encode(self.id, forKey: .id)
            try encodeSteps(to: encoder)
        }

        func encodeSteps(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var superclass = container.superEncoder().container(keyedBy: Keys.self)
            for step in steps {
                if step.isInSuperclass {
                    try step.value.encode(step.number, to: &superclass, key: step.key)
                } else {
                    try step.value.encode(step.number, to: &container, key: step.key)
                }
            }
        }

        /// The values of the columns `a` to `e`; nil if one of them can't be stored.
        var row: [DatabaseValue]? {
            var values: [Keys: Value] = [:]
            var stored: [Keys: DatabaseValue] = [:]
            for step in steps {
                values[step.key] = step.value
                stored[step.key] = step.value.stored(step.number)
            }
            if values.values.contains(.unstorable) { return nil }
            return Keys.allCases.map { stored[$0] ?? .null }
        }
    }

    /// A record of another type with the same keys, in the same table.
    struct OtherLine: Encodable, PersistableRecord {
        static let databaseTableName = "line"
        var line: Line

        func encode(to encoder: any Encoder) throws {
            try line.encodeSteps(to: encoder)
            var id = encoder.container(keyedBy: Line.IDKey.self)
            try id.encode(line.id, forKey: .id)
        }
    }

    private static func steps(_ random: inout SeededGenerator) -> [Step] {
        var keys = Keys.allCases
        // Most records have the keys of the record before.
        switch Int.random(in: 0..<8, using: &random) {
        case 0: keys.shuffle(using: &random)
        case 1: keys.removeAll { _ in Bool.random(using: &random) }
        case 2: keys.append(keys.randomElement(using: &random)!)
        default: break
        }
        let isInSuperclass = Int.random(in: 0..<6, using: &random) == 0
        return keys.map { key in
            let isUnstorable = Int.random(in: 0..<100, using: &random) == 0
            let value = isUnstorable ? Value.unstorable : Value.allCases.dropLast().randomElement(using: &random)!
            return Step(
                key: key, value: value, number: Int.random(in: 0..<60000, using: &random),
                isInSuperclass: isInSuperclass && Bool.random(using: &random))
        }
    }

    @Test
    func `Records whose keys come in another order are written like their values`() throws {
        var random = SeededGenerator(seed: 71)
        try withDatabase("CREATE TABLE line (id INTEGER PRIMARY KEY, a, b, c, d, e)") { db throws in
            var expected: [Int64: [DatabaseValue]] = [:]
            var refusals = 0
            for id in Int64(1)...3000 {
                let line = Line(id: id, steps: Self.steps(&random))
                let isOther = Int.random(in: 0..<4, using: &random) == 0
                func write() throws {
                    // The insertions put the missing columns to NULL, and the others leave them as they are.
                    switch id % 4 {
                    case 0: try isOther ? OtherLine(line: line).upsert(db) : line.upsert(db)
                    case 1:
                        try db.execute(sql: "INSERT INTO line (id) VALUES (?)", arguments: [id])
                        try isOther ? OtherLine(line: line).update(db) : line.update(db)
                    case 2: try isOther ? OtherLine(line: line).save(db) : line.save(db)
                    default: try isOther ? OtherLine(line: line).insert(db) : line.insert(db)
                    }
                }
                if let row = line.row {
                    // An update without columns writes nothing, and is not an error.
                    try write()
                    expected[id] = row
                } else {
                    #expect(throws: DatabaseError.self) { try write() }
                    if id % 4 == 1 { expected[id] = Keys.allCases.map { _ in .null } }
                    refusals += 1
                }
            }
            #expect(refusals > 50)
            try Self.expectRows(expected, db)
        }
    }

    @Test(arguments: [64, 100, 1000])
    func `Batches are written like their values`(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        try withDatabase("CREATE TABLE line (id INTEGER PRIMARY KEY, a, b, c, d, e)") { db throws in
            var lines = (1...count).map { Line(id: Int64($0), steps: Self.steps(&random)) }
            lines.removeAll { $0.row == nil }
            try lines.insertAll(db)
            try Self.expectRows(Dictionary(uniqueKeysWithValues: lines.map { ($0.id, $0.row!) }), db)
        }
    }

    private static func expectRows(_ expected: [Int64: [DatabaseValue]], _ db: Database) throws {
        var found: [Int64: [DatabaseValue]] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT * FROM line") { found[row[0]] = Array(row.databaseValues.dropFirst()) }
        #expect(found.count == expected.count)
        for (id, row) in expected { #expect(found[id] == row, "row \(id)") }
    }
}
