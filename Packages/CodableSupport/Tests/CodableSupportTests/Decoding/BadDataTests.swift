import CodableSupport
import Foundation
import Testing

@Suite struct BadDataTests {
    struct Player: Codable, FetchableRecord {
        var id: Int
        var name: String
        var tags: [String]
        var home: Home?
        struct Home: Codable { var street: String }
    }

    @Test
    func `A value of another kind is an error that names column, type, columns and SQL`() {
        let error = #expect(throws: RowDecodingError.self) { try decode(Player.self, "SELECT 'one' AS id, 'Arthur' AS name") }
        #expect(error?.column == "id")
        #expect(error?.value == "one".databaseValue)
        #expect(
            error.map { "\($0)" } == """
                could not decode Int from column 0 "id": its value is TEXT - columns: [id name] \
                - SQL: `SELECT 'one' AS id, 'Arthur' AS name`
                """)
    }

    @Test(arguments: [
        "SELECT NULL AS id, 'a' AS name, '[]' AS tags", "SELECT 1 AS id, NULL AS name, '[]' AS tags",
        "SELECT 1 AS id, 'a' AS name, NULL AS tags",
    ])
    func `NULL is an error where a value must be`(_ sql: String) {
        let error = #expect(throws: RowDecodingError.self) { try decode(Player.self, sql) }
        #expect(error?.value == .null)
        #expect("\(error!)".contains("its value is NULL"))
    }

    @Test(arguments: [
        ("SELECT 1 AS id", "name", "String"), ("SELECT 1 AS id, 'a' AS name", "tags", "Array<String>"),
        ("SELECT 'a' AS name", "id", "Int"),
    ])
    func `A missing column is an error that names it, and the type that was asked for`(_ sql: String, _ column: String, _ type: String) {
        let error = #expect(throws: RowDecodingError.self) { try decode(Player.self, sql) }
        #expect(error?.column == column)
        #expect(error?.value == nil)
        #expect(error?.typeName == type)
    }

    @Test(arguments: ["[1, 2", "{}", "", "[\"a\", 5]", "null", "[null]"])
    func `Malformed JSON is an error that names the column and the columns of the row`(json: String) throws {
        let error = #expect(throws: DecodingError.self) {
            try decode(Player.self, "SELECT 1 AS id, 'Arthur' AS name, '\(json)' AS tags")
        }
        let context =
            switch try #require(error) {
            case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
                context
            @unknown default: DecodingError.Context(codingPath: [], debugDescription: "")
            }
        #expect(context.codingPath.first?.stringValue == "tags")
        #expect(context.debugDescription.contains("its value is TEXT - columns: [id name tags]"))
        #expect(context.underlyingError == nil)
    }

    @Test
    func `An error in optional JSON is one, too`() {
        let sql = "SELECT 1 AS id, 'a' AS name, '[]' AS tags, "
        #expect(throws: DecodingError.self) { try decode(Player.self, sql + "'{}' AS home") }
        #expect(throws: DecodingError.self) { try decode(Player.self, sql + "'' AS home") }
        let error = #expect(throws: RowDecodingError.self) { try decode(Player.self, sql + "7 AS home") }
        #expect(error?.typeName == "Home")
        #expect(error?.value == 7.databaseValue)
    }

    @Test
    func `The error of a single value that a type refuses names column, columns and SQL, once`() {
        enum Color: String, Codable { case red }
        struct Box<Value: Codable>: Codable {
            var value: Value
            init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
        }
        struct Painted: Decodable, FetchableRecord { var color: Color }
        struct Boxed: Decodable, FetchableRecord { var color: Box<Box<Color>> }
        struct Listed: Decodable, FetchableRecord { var color: Box<[Color]> }
        struct Optional: Decodable, FetchableRecord { var color: Color? }
        func check(_ type: (some FetchableRecord).Type, _ sql: String, path: Int) {
            let error = #expect(throws: DecodingError.self) { try decode(type, sql) }
            guard case .dataCorrupted(let context) = error else {
                Issue.record("The error is another one.")
                return
            }
            #expect(context.codingPath.count == path && context.codingPath.first?.stringValue == "color")
            let text = context.debugDescription
            #expect(text.contains("\"color\": its value is TEXT"), "\(text)")
            #expect(text.hasPrefix("The value is not one that the type accepts - "), "\(text)")
            #expect(text.hasSuffix("SQL: `\(sql)`"), "\(text)")
            #expect(text.components(separatedBy: "- columns: ").count == 2, "\(text)")
        }
        for _ in 1...2 {
            check(Painted.self, "SELECT 1 AS id, 'blue' AS color", path: 1)
            check(Boxed.self, "SELECT 1 AS id, 'blue' AS color", path: 1)
            check(Optional.self, "SELECT 1 AS id, 'blue' AS color", path: 1)
            check(Listed.self, #"SELECT '["red","blue"]' AS color"#, path: 2)
        }
    }

    private enum Color: String, Codable, FetchableRecord { case red }

    private struct Team: Decodable, FetchableRecord {
        var id: Int
        var first: Color
        var range: ClosedRange<Int>
        var numbers: [Int8]
        var nested: Color

        enum CodingKeys: CodingKey { case id, first, range, numbers, nested }
        enum NestedKeys: CodingKey { case color }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            first = try Color(from: container.superDecoder(forKey: .first))
            range = try container.decode(ClosedRange<Int>.self, forKey: .range)
            numbers = try container.decode([Int8].self, forKey: .numbers)
            nested = try container.nestedContainer(keyedBy: NestedKeys.self, forKey: .nested).decode(Color.self, forKey: .color)
            if id == 7777 {
                throw DecodingError.dataCorruptedError(forKey: .id, in: container, debugDescription: "the team must not be this one")
            }
        }
    }

    private struct Wrapper: Decodable, FetchableRecord {
        var color: Color
        init(from decoder: any Decoder) throws { color = try decoder.singleValueContainer().decode(Color.self) }
    }

    @Test(arguments: [false, true])
    func `The values in messages of Swift and Foundation are shown only when arguments are public`(isPublic: Bool) throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = isPublic
        let queue = try DatabaseQueue(configuration: configuration)
        func check(_ type: (some FetchableRecord).Type, _ values: [String: any DatabaseValueConvertible]) {
            let row: [String: any DatabaseValueConvertible] = [
                "id": 1, "first": "red", "range": "[1,2]", "numbers": "[3]", "nested": #"{"color":"red"}"#,
            ]
            let all = row.merging(values) { $1 }.sorted { $0.key < $1.key }
            let sql = "SELECT " + all.map { "? AS \($0.key)" }.joined(separator: ", ")
            // Records of one row, of a cursor's rows, and of copies.
            let errors = try? queue.read { db in
                let arguments = StatementArguments(all.map { $0.value as (any StatementBinding)? })
                return [
                    #expect(throws: DecodingError.self) { try type.fetchOne(db, sql: sql, arguments: arguments) },
                    #expect(throws: DecodingError.self) { try type.fetchAll(db, sql: sql, arguments: arguments) },
                    #expect(throws: DecodingError.self) {
                        try Row.fetchAll(db, sql: sql, arguments: arguments).map { try type.init(row: $0) }
                    },
                ]
            }
            for error in errors ?? [] {
                let text = error.map { "\($0)" } ?? ""
                #expect(text.contains("7777") == isPublic, "\(text)")
            }
        }
        check(Team.self, ["first": "7777"])
        check(Team.self, ["range": "[7777,1]"])
        check(Team.self, ["numbers": "[7777]"])
        check(Team.self, ["numbers": "[7777"])
        check(Team.self, ["nested": #"{"color":"7777"}"#])
        check(Color.self, ["color": "7777", "a": "7777"])
        check(Wrapper.self, ["a": "7777"])
    }

    @Test
    func `The messages of a program are kept`() throws {
        let sql = #"SELECT 7777 AS id, 'red' AS first, '[1,2]' AS range, '[3]' AS numbers, '{"color":"red"}' AS nested"#
        let error = #expect(throws: DecodingError.self) { try decode(Team.self, sql) }
        #expect(error.map { "\($0)" }?.contains("the team must not be this one") == true)
    }

    @Test(arguments: [false, true])
    func `The error of a value that can't be encoded contains its type, or the value when arguments are public`(isPublic: Bool) throws {
        struct Secret: Codable { var name: String, ratio = Double.infinity }
        struct Player: CodableRecord { var secret: Secret }
        struct Document: CodableRecord {
            static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .text }
            var data = Data([0xFF])
        }
        var configuration = Configuration()
        configuration.publicStatementArguments = isPublic
        try DatabaseQueue(configuration: configuration).write { db in
            try db.execute(sql: "CREATE TABLE player (secret); CREATE TABLE document (data)")
            let player = Player(secret: Secret(name: "Arthur"))
            for _ in 1...2 {
                guard case .invalidValue(let value, _) = #expect(throws: EncodingError.self, performing: { try player.insert(db) }) else {
                    return
                }
                #expect(value as? Double == (isPublic ? .infinity : nil))
                #expect((value as? Any.Type == Double.self) == !isPublic)
            }
            guard case .invalidValue(let value, _) = #expect(throws: EncodingError.self, performing: { try Document().insert(db) }) else {
                return
            }
            #expect(value as? Any.Type == Data.self)
        }
    }

    @Test(arguments: [
        "NULL", "0", "-1", "9223372036854775807", "1e300", "-1e300", "9e999", "0.5", "''", "'text'", "'1'", "x''", "x'00'", "x'ff'",
        "x'0102030405060708090a0b0c0d0e0f10'", "'2009-02-13'", "'99999-99-99'", "'[1]'", "'{\"a\":1}'", "'\u{0}'", "char(0)",
        "zeroblob(1000)", "'https://example.com'", "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'",
    ])
    func `Whatever is in the database, the worst that happens is an error`(value: String) throws {
        enum Kind: String, Codable { case a }
        enum Level: Int8, Codable { case a = 1 }
        struct Box<Value: Codable>: Codable, FetchableRecord { var value: Value }
        func check<Value: Codable>(_ type: Value.Type) {
            // No trap, and the error is one that can be read.
            for sql in ["SELECT \(value) AS value", "SELECT \(value) AS other"] {
                let results = [Result { _ = try decode(Box<Value>.self, sql) }, Result { _ = try decode(Box<Value?>.self, sql) }]
                for case .failure(let error) in results {
                    #expect(!"\(error)".isEmpty)
                }
            }
        }
        check(Bool.self)
        check(Int.self)
        check(Int8.self)
        check(UInt16.self)
        check(Int32.self)
        check(UInt64.self)
        check(Float.self)
        check(Double.self)
        check(String.self)
        check(Data.self)
        check(Date.self)
        check(UUID.self)
        check(URL.self)
        check(Decimal.self)
        check(Kind.self)
        check(Level.self)
        check([Int].self)
        check([String: Int].self)
        check(Box<Int>.self)
    }

    @Test
    func `Numbers out of range are errors`() {
        struct Small: Decodable, FetchableRecord { var value: Int8 }
        struct Unsigned: Decodable, FetchableRecord { var value: UInt }
        for value in ["128", "-129", "1e300"] {
            #expect(throws: RowDecodingError.self) { try decode(Small.self, "SELECT \(value) AS value") }
        }
        #expect(throws: RowDecodingError.self) { try decode(Unsigned.self, "SELECT -1 AS value") }
    }

    @Test
    func `Values that can't be stored are errors`() throws {
        struct Bad: CodableRecord {
            var unsigned: UInt64 = 0
            var decimal: Decimal = 0
            var date = Date(timeIntervalSince1970: 0)
            var list: [Double] = []
        }
        try withDatabase("CREATE TABLE bad (unsigned, decimal, date, list)") { db throws in
            for _ in 1...2 {
                #expect(throws: (any Error).self) { try Bad(unsigned: UInt64(Int64.max) + 1).insert(db) }
                #expect(throws: (any Error).self) { try Bad(decimal: .nan).insert(db) }
                #expect(throws: (any Error).self) { try Bad(date: .distantFuture.addingTimeInterval(1e12)).insert(db) }
                #expect(throws: EncodingError.self) { try Bad(list: [.infinity]).insert(db) }
                try Bad().insert(db)
            }
            #expect(try Bad.fetchCount(db) == 2)
        }
    }

    @Test
    func `A row can't be read as an array, nor a value as a row`() {
        struct List: Decodable, FetchableRecord {
            init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
        }
        #expect(throws: DecodingError.self) { try decode(List.self, "SELECT 1 AS a") }
    }

    @Test
    func `An error that a record throws itself comes through, and the next row is read`() throws {
        struct Failure: Error {}
        struct Picky: Decodable, FetchableRecord {
            var score: Int
            enum CodingKeys: CodingKey { case score }
            init(from decoder: any Decoder) throws {
                score = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .score)
                if score < 0 { throw Failure() }
            }
        }
        try withDatabase("CREATE TABLE t (score); INSERT INTO t VALUES (1), (-1), (2)") { db throws in
            let sql = "SELECT * FROM t"
            #expect(throws: Failure.self) { try Picky.fetchAll(db, sql: sql) }
            #expect(try Picky.fetchOne(db, sql: sql)?.score == 1)
            let rows = try Row.fetchCursor(db, sql: sql)
            var scores: [Int?] = []
            while let row = try rows.next() { scores.append(try? Picky(row: row).score) }
            #expect(scores == [1, nil, 2])
        }
    }

    /// Foundation stops the program that prints a date that is not a number, also as a part of an error.
    @Test
    func `The errors of a date that is not a number can be printed`() {
        struct Single: Encodable, PersistableRecord {
            static let databaseTableName = "t"
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(Date(timeIntervalSinceReferenceDate: .nan))
            }
        }
        struct List: Encodable, PersistableRecord {
            static let databaseTableName = "t"
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(Date(timeIntervalSinceReferenceDate: .nan))
            }
        }
        struct Event: Encodable, PersistableRecord {
            static let databaseTableName = "t"
            var date = Date(timeIntervalSinceReferenceDate: .nan)
        }
        let single = #expect(throws: EncodingError.self) { try DatabaseQueue().write { try Single().insert($0) } }
        #expect(single.map { "\($0)" }?.contains("A record can't be encoded as one value.") == true)
        let list = #expect(throws: EncodingError.self) { try DatabaseQueue().write { try List().insert($0) } }
        #expect(list.map { "\($0)" }?.contains("A record can't be encoded as an array.") == true)
        let event = #expect(throws: (any Error).self) { try DatabaseQueue().write { try Event().insert($0) } }
        #expect(event.map { "\($0)" }?.isEmpty == false)
    }
}

/// The error of a value that is JSON, and that no record decodes.
@Suite struct SingleJSONErrorTests {
    private enum Theme: String, Codable { case dark }

    private struct Settings: Codable, DatabaseValueConvertible {
        var theme: Theme
        var sizes: [Int8]
    }

    private func message<Value: DatabaseValueConvertible>(_ type: Value.Type, _ sql: String, isPublic: Bool = false) throws -> String {
        var configuration = Configuration()
        configuration.publicStatementArguments = isPublic
        return try DatabaseQueue(configuration: configuration).read { db in
            let error = #expect(throws: RowDecodingError.self) { try Value.fetchOne(db, sql: sql) }
            // Without the columns and the SQL, which has the JSON.
            return error.map { "\($0)".components(separatedBy: " - ")[0] + " -" } ?? ""
        }
    }

    @Test
    func `The error of a value has the reason of its JSON, and no part of the value unless it may show it`() throws {
        func expect<Value: DatabaseValueConvertible>(_ type: Value.Type, _ sql: String, _ reason: String) throws {
            let message = try message(type, sql)
            #expect(message.contains(#"column 0 "a": its value is \#(reason)"#), "\(message)")
        }
        let missing = #"SELECT '{"sizes":[]}' AS a"#
        try expect(Settings.self, missing, "TEXT: No value associated with key")
        try expect(DatabaseJSON<Settings>.self, missing, "TEXT: No value associated with key")
        let loud = #"SELECT '{"theme":"loud","sizes":[]}' AS a"#
        try expect(Settings.self, loud, "TEXT: theme: The value is not one that the type accepts")
        try #expect(!message(Settings.self, loud).contains("loud"))
        let shown = try message(Settings.self, loud, isPublic: true)
        #expect(shown.contains("theme: Cannot initialize Theme from invalid String value loud"), "\(shown)")
        try expect(Settings.self, "SELECT '{' AS a", "TEXT: The given data was not valid JSON")
        // The storage class says it all.
        try expect(Settings.self, "SELECT 1 AS a", "INTEGER -")
        try expect(Int.self, "SELECT 'x' AS a", "TEXT -")
    }
}
