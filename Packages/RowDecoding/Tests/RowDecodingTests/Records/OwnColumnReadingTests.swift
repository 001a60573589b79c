import RowDecoding
import Testing

/// Types that read columns in a way of their own, in each spelling that programs use: it is their way that reads, in all fetches.
///
/// Each of them reads a number and doubles it, where `fromDatabaseValue` leaves it as it is.
struct OwnColumnReadingTests {
    /// An initializer that can't fail.
    struct Certain: DatabaseValueConvertible, StatementColumnConvertible, Hashable {
        var number: Int64

        init(number: Int64) { self.number = number }

        init(sqliteStatement: SQLiteStatement, index: CInt) {
            number = 2 * (DatabaseValue(sqliteStatement: sqliteStatement, index: index).int64 ?? 0)
        }

        var databaseValue: DatabaseValue { number.databaseValue }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { dbValue.int64.map { Self(number: $0) } }
    }

    /// An initializer that can fail.
    struct Failable: DatabaseValueConvertible, StatementColumnConvertible, Hashable {
        var number: Int64

        init(number: Int64) { self.number = number }

        init?(sqliteStatement: SQLiteStatement, index: Int32) {
            guard let number = DatabaseValue(sqliteStatement: sqliteStatement, index: index).int64 else { return nil }
            self.number = 2 * number
        }

        var databaseValue: DatabaseValue { number.databaseValue }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { dbValue.int64.map { Self(number: $0) } }
    }

    /// The driver's statement.
    struct ByStatement: DatabaseValueConvertible, StatementColumnConvertible, Hashable {
        var number: Int64

        var databaseValue: DatabaseValue { number.databaseValue }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { dbValue.int64.map { Self(number: $0) } }

        static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Self? {
            statement.int64(at: index).map { Self(number: 2 * $0) }
        }
    }

    /// A raw value, and an initializer that can't fail.
    struct CertainRaw: RawRepresentable, DatabaseValueConvertible, StatementColumnConvertible, Hashable {
        var rawValue: Int64

        init(rawValue: Int64) { self.rawValue = rawValue }

        init(sqliteStatement: SQLiteStatement, index: CInt) {
            rawValue = 2 * (DatabaseValue(sqliteStatement: sqliteStatement, index: index).int64 ?? 0)
        }
    }

    /// A raw value, and an initializer that can fail.
    enum FailableRaw: Int64, DatabaseValueConvertible, StatementColumnConvertible {
        case one = 1
        case two, three, four

        init?(sqliteStatement: SQLiteStatement, index: CInt) {
            guard let number = DatabaseValue(sqliteStatement: sqliteStatement, index: index).int64 else { return nil }
            self.init(rawValue: 2 * number)
        }
    }

    /// A raw value, and the driver's statement.
    enum RawByStatement: Int64, DatabaseValueConvertible, StatementColumnConvertible {
        case one = 1
        case two, three, four

        static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Self? {
            statement.int64(at: index).flatMap { Self(rawValue: 2 * $0) }
        }
    }

    /// A class, whose initializer is required.
    final class Reference: DatabaseValueConvertible, StatementColumnConvertible, Hashable {
        let number: Int64

        init(number: Int64) { self.number = number }

        init(sqliteStatement: SQLiteStatement, index: CInt) {
            number = 2 * (DatabaseValue(sqliteStatement: sqliteStatement, index: index).int64 ?? 0)
        }

        var databaseValue: DatabaseValue { number.databaseValue }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Reference? { dbValue.int64.map { Reference(number: $0) } }

        static func == (lhs: Reference, rhs: Reference) -> Bool { lhs.number == rhs.number }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    /// Reads 1, 2, and NULL where the type has a value for that, on all ways that fetches have.
    private func check<Value: DatabaseValueConvertible & StatementColumnConvertible & Hashable>(
        _ type: Value.Type, _ two: Value, _ four: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withDatabase { db throws in
            let sql = "SELECT 1 AS x UNION ALL SELECT 2"
            func expect(_ values: [Value?], sourceLocation: SourceLocation = sourceLocation) {
                #expect(values == [two, four], "\(type)", sourceLocation: sourceLocation)
            }
            expect(try Value.fetchAll(db, sql: sql))
            expect(try Value?.fetchAll(db, sql: sql))
            expect(try Value.fetchAll(db.makeStatement(sql: sql)))
            expect(try SQLRequest<Value>(sql: sql).fetchAll(db))
            #expect(try Value.fetchSet(db, sql: sql) == [two, four], sourceLocation: sourceLocation)
            #expect(try Value.fetchOne(db, sql: sql) == two, sourceLocation: sourceLocation)
            let values = try Value.fetchCursor(db, sql: sql)
            expect([try values.next(), try values.next()])
            expect(try Array(Row.fetchCursor(db, sql: sql).map { $0["x"] as Value }))
            expect(try Array(Row.fetchCursor(db, sql: sql).map { $0[0] as Value? }))
            expect(try Array(Row.fetchCursor(db, sql: sql).map { try $0.decode(Value.self, forKey: "x") }))
            expect(try Array(Row.fetchCursor(db, sql: sql).map { try $0.decodeIfPresent(Value.self, atIndex: 0) }))
            let adapter = RenameColumnAdapter { $0 + "1" }
            expect(try Array(Row.fetchCursor(db, sql: sql, adapter: adapter).map { $0["x1"] as Value }))
            expect(
                try Array(
                    Row.fetchCursor(db, sql: sql).map { row in row.position(ofColumn: "x").flatMap { row.value(Value.self, at: $0) } }))
        }
    }

    /// Reads NULL on all ways that fetches have.
    private func checkNull<Value: DatabaseValueConvertible & StatementColumnConvertible & Hashable>(
        _ type: Value.Type, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withDatabase { db throws in
            let sql = "SELECT NULL AS x"
            #expect(try Value.fetchOne(db, sql: sql) == nil, sourceLocation: sourceLocation)
            #expect(try Value?.fetchAll(db, sql: sql) == [nil], sourceLocation: sourceLocation)
            #expect(try SQLRequest<Value?>(sql: sql).fetchAll(db) == [nil], sourceLocation: sourceLocation)
            #expect(throws: (any Error).self, sourceLocation: sourceLocation) { try Value.fetchAll(db, sql: sql) }
            let row = try Row.fetchCursor(db, sql: sql)
            let values = try Array(row.map { try ($0["x"] as Value?, $0.decodeIfPresent(Value.self, atIndex: 0)) })
            #expect(values.count == 1 && values[0] == (nil, nil), sourceLocation: sourceLocation)
            let statement = try db.makeStatement(sql: sql)
            #expect(try statement.step(), sourceLocation: sourceLocation)
            #expect(Value?(sqliteStatement: statement.sqliteStatement, index: 0) == .some(nil), sourceLocation: sourceLocation)
        }
    }

    @Test
    func `NULL never reaches a type's own way of reading a column`() throws {
        try checkNull(Certain.self)
        try checkNull(Failable.self)
        try checkNull(CertainRaw.self)
        try checkNull(FailableRaw.self)
        try checkNull(Reference.self)
    }

    @Test
    func `A type's own way of reading a column is used`() throws {
        try check(Certain.self, Certain(number: 2), Certain(number: 4))
        try check(Failable.self, Failable(number: 2), Failable(number: 4))
        try check(ByStatement.self, ByStatement(number: 2), ByStatement(number: 4))
        try check(CertainRaw.self, CertainRaw(rawValue: 2), CertainRaw(rawValue: 4))
        try check(FailableRaw.self, .two, .four)
        try check(RawByStatement.self, .two, .four)
        try check(Reference.self, Reference(number: 2), Reference(number: 4))
    }
}
