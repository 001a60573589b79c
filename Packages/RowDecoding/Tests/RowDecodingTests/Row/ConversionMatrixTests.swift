import Foundation
import RowDecoding
import Testing

/// All storage classes read as all types, through the calls that throw: each gives a value or an error, and nothing stops.
struct ConversionMatrixTests {
    enum Grape: String, CaseIterable, DatabaseValueConvertible { case chardonnay, merlot, riesling }
    enum Color: Int, DatabaseValueConvertible, StatementColumnConvertible { case red, white, rose }

    static let columns = [
        "NULL",
        "0", "1", "-1", "255", "256", "9223372036854775807", "-9223372036854775808",
        "0.0", "-1.9", "1e18", "1e300", "9e999", "-9e999",
        "''", "'abc'", "'12'", "'2024-02-30'", "'2024-02-29 12:00:00'", "'merlot'", "'http://example.com'", "'not a url %%'",
        "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'", "CAST(x'61ff' AS TEXT)", "'a' || char(0) || 'b'",
        "x''", "x'61'", "x'ff'", "zeroblob(16)", "zeroblob(10000)",
    ]

    struct ReadType: Sendable, CustomTestStringConvertible {
        let type: any (DatabaseValueConvertible & SendableMetatype).Type
        var testDescription: String { "\(type)" }
    }

    private static let valueTypes: [any (DatabaseValueConvertible & SendableMetatype).Type] = [
        Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
        Float.self, Double.self, CGFloat.self, Decimal.self, String.self, Data.self, Date.self, DatabaseDateComponents.self, UUID.self,
        URL.self, Grape.self, Color.self, DatabaseValue.self, NSNull.self, NSNumber.self, NSDecimalNumber.self, NSString.self,
        NSData.self, NSDate.self, NSURL.self, NSUUID.self,
    ]

    static let types = valueTypes.map(ReadType.init)

    /// What a call gives: a value in words, or no value.
    private static func outcome<Value>(_ value: () throws -> Value) -> String? {
        do {
            return "\(try value())"
        } catch let error as RowDecodingError {
            #expect(error.value != nil)
            #expect(error.columnIndex == 0)
            #expect(error.sql != nil)
            return nil
        } catch {
            Issue.record("unexpected error: \(error)")
            return nil
        }
    }

    @Test(arguments: columns, types)
    func `Every storage class reads as every type, or throws, on every path alike`(_ column: String, _ type: ReadType) throws {
        try DatabaseQueue().writeWithoutTransaction { db in try check(type.type, column, in: db) }
    }

    private func check<Value: DatabaseValueConvertible>(_ type: Value.Type, _ column: String, in db: Database) throws {
        let sql = "SELECT \(column) AS x"
        let rows = try Row.fetchCursor(db, sql: sql)
        let row = try #require(try rows.next())
        let copy = row.copy()
        let adapted = try #require(try Row.fetchOne(db, sql: sql, adapter: RenameColumnAdapter { $0 + "y" }))

        let expected = Self.outcome { try copy.decode(Value.self, atIndex: 0) }
        let outcomes: [String?] = [
            Self.outcome { try row.decode(Value.self, atIndex: 0) },
            Self.outcome { try row.decode(Value.self, forKey: "x") },
            Self.outcome { try copy.decode(Value.self, forKey: "X") },
            Self.outcome { try adapted.decode(Value.self, forKey: "xy") },
            Self.outcome { try Value.fetchAll(db, sql: sql)[0] },
            Self.outcome { try #require(try Value.fetchCursor(db, sql: sql).next()) },
        ]
        #expect(outcomes == Array(repeating: expected, count: 6))
        // Optionals are nil for NULL, and throw for what their type throws for.
        let optional = Self.outcome { try row.decode(Value?.self, forKey: "x").map { "\($0)" } ?? "nil" }
        #expect(optional == (expected ?? (row.hasNull(atIndex: 0) ? "nil" : nil)))
        let present = Self.outcome { try row.decodeIfPresent(Value.self, atIndex: 0).map { "\($0)" } ?? "nil" }
        #expect(present == optional)
        let first = Self.outcome { try Value.fetchOne(db, sql: sql).map { "\($0)" } ?? "nil" }
        #expect(first == optional)
    }
}
