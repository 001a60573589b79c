import Foundation
import Strata
import Testing

@Suite("JSON columns as GRDB's users write them")
struct JSONTests {
    private static let key = CodingUserInfoKey(rawValue: "context")!

    /// Shows the user info that its decoder and encoder have.
    private struct Tagged: Codable {
        var name: String
        var context: String?

        enum CodingKeys: String, CodingKey { case name, context }

        init(name: String) { self.name = name }

        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
            context = decoder.userInfo[JSONTests.key] as? String
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(encoder.userInfo[JSONTests.key] as? String, forKey: .context)
        }
    }

    private protocol JSONRecord: Codable, FetchableRecord, PersistableRecord {
        init(one: Tagged, many: [Tagged], named: [String: Tagged])
        var one: Tagged { get }
        var many: [Tagged] { get }
        var named: [String: Tagged] { get }
    }

    private struct Record: JSONRecord {
        static let databaseTableName = "record"
        static let databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] = [JSONTests.key: "decoding"]
        static let databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] = [JSONTests.key: "encoding"]

        var one: Tagged
        var many: [Tagged]
        var named: [String: Tagged]
    }

    /// Declares its user infos with the type that they have in GRDB.
    private struct Untyped: JSONRecord {
        static let databaseTableName = "record"
        static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [JSONTests.key: "decoding"] }
        static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [JSONTests.key: "encoding"] }

        var one: Tagged
        var many: [Tagged]
        var named: [String: Tagged]
    }

    /// Declares values of one type.
    private struct Typed: JSONRecord {
        static let databaseTableName = "record"
        static let databaseDecodingUserInfo = [JSONTests.key: "decoding"]
        static let databaseEncodingUserInfo = [JSONTests.key: "encoding"]

        var one: Tagged
        var many: [Tagged]
        var named: [String: Tagged]
    }

    /// Makes its own coders, as an extension of the default ones is written in GRDB.
    private struct Custom: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "record"
        static let databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] = [JSONTests.key: "decoding"]
        static let databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] = [JSONTests.key: "encoding"]

        static func databaseJSONDecoder(for column: String) -> JSONDecoder {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            decoder.userInfo = databaseDecodingUserInfo
            return decoder
        }

        var one: Tagged
    }

    private struct Outer: Decodable, FetchableRecord {
        static let databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] = [JSONTests.key: "outer"]
        var record: Inner
        struct Inner: Decodable { var one: Tagged }
    }

    @Test
    func `JSON columns see the record's user info, whatever the type of its values`() throws {
        func check<T: JSONRecord>(_ type: T.Type) throws {
            try DatabaseQueue().write { db throws in
                try db.execute(sql: "CREATE TABLE record (one TEXT, many TEXT, named TEXT)")
                try T(one: Tagged(name: "a"), many: [Tagged(name: "b")], named: ["x": Tagged(name: "c")]).insert(db)
                let row = try Row.fetchOne(db, sql: "SELECT * FROM record")!
                #expect(row["one"] == #"{"context":"encoding","name":"a"}"#)
                #expect(row["many"] == #"[{"context":"encoding","name":"b"}]"#)
                #expect(row["named"] == #"{"x":{"context":"encoding","name":"c"}}"#)
                let record = try T.fetchOne(db)!
                #expect(record.one.context == "decoding")
                #expect(record.many.map(\.context) == ["decoding"])
                #expect(record.named["x"]?.context == "decoding")
                #expect(try Custom.fetchOne(db)?.one.context == "decoding")
                #expect(T.databaseJSONDecoder(for: "one").userInfo[JSONTests.key] as? String == "decoding")
                #expect(T.databaseJSONEncoder(for: "one").userInfo[JSONTests.key] as? String == "encoding")
                let scoped = try Outer.fetchOne(
                    db, sql: "SELECT 1, one FROM record", adapter: ScopeAdapter(["record": SuffixRowAdapter(fromIndex: 1)]))
                #expect(scoped?.record.one.context == "outer")
            }
        }
        try check(Record.self)
        try check(Untyped.self)
        try check(Typed.self)
    }

    private enum Keys: String, CodingKey { case info, name, list, value }

    private struct Nested: Decodable, FetchableRecord {
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            let info = try container.nestedContainer(keyedBy: Keys.self, forKey: .info)
            if info.contains(.list) {
                var list = try info.nestedUnkeyedContainer(forKey: .list)
                _ = try list.decode(Int.self)
                _ = try list.decode(Int.self)
            }
            _ = try info.decode(String.self, forKey: .name)
        }
    }

    private struct List: Decodable, FetchableRecord {
        init(from decoder: any Decoder) throws {
            var list = try decoder.container(keyedBy: Keys.self).nestedUnkeyedContainer(forKey: .list)
            _ = try list.decode(Int.self)
            _ = try list.nestedContainer(keyedBy: Keys.self).decode(Int.self, forKey: .value)
        }
    }

    @Test
    func `Errors inside nested containers name their path`() throws {
        try DatabaseQueue().write { db throws in
            func path(_ type: (some FetchableRecord).Type, _ sql: String) throws -> String? {
                do {
                    _ = try type.fetchOne(db, sql: sql)
                    return nil
                } catch let error as DecodingError {
                    switch error {
                    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                        .dataCorrupted(let context):
                        return context.codingPath.map(\.stringValue).joined(separator: ".")
                    @unknown default: return nil
                    }
                }
            }
            func check(
                _ type: (some FetchableRecord).Type, _ sql: String, _ expected: String?, sourceLocation: SourceLocation = #_sourceLocation
            ) throws {
                let path = try path(type, sql)
                #expect(path == expected, sourceLocation: sourceLocation)
            }
            try check(Nested.self, #"SELECT '{"name": "a"}' AS info"#, nil)
            try check(Nested.self, #"SELECT '{"name": 1}' AS info"#, "info.name")
            try check(Nested.self, #"SELECT '{"name": null}' AS info"#, "info.name")
            try check(Nested.self, #"SELECT '{}' AS info"#, "info")
            try check(Nested.self, #"SELECT '{"list": [1, "x"], "name": "a"}' AS info"#, "info.list.Index 1")
            try check(Nested.self, #"SELECT '{"list": 1, "name": "a"}' AS info"#, "info.list")
            try check(Nested.self, #"SELECT '[1]' AS info"#, "info")
            try check(Nested.self, #"SELECT '{' AS info"#, "info")
            try check(List.self, #"SELECT '[1, {"value": "x"}]' AS list"#, "list.Index 1.value")
            try check(List.self, #"SELECT '["x"]' AS list"#, "list.Index 0")
            try check(Record.self, #"SELECT '{"name": 1}' AS one, '[]' AS many, '{}' AS named"#, "one.name")
            try check(Record.self, #"SELECT '{"name": ""}' AS one, '[{"name": 1}]' AS many, '{}' AS named"#, "many.Index 0.name")
        }
    }

    private struct Failing: Encodable, EncodableRecord {
        var inUnkeyed: Bool

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            if inUnkeyed {
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(1.0)
                try list.encode(Double.nan)
            } else {
                var info = container.nestedContainer(keyedBy: Keys.self, forKey: .info)
                try info.encode(Double.nan, forKey: .value)
            }
        }
    }

    @Test(arguments: [false, true])
    func `Errors of encoding inside nested containers name their path`(_ inUnkeyed: Bool) throws {
        let error = #expect(throws: EncodingError.self) { _ = try Failing(inUnkeyed: inUnkeyed).databaseDictionary }
        guard case .invalidValue(_, let context)? = error else { return }
        #expect(context.codingPath.map(\.stringValue) == (inUnkeyed ? ["list", "Index 1"] : ["info", "value"]))
    }
}
