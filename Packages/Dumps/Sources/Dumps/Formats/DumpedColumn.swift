import Foundation

/// How the values of a column are written for other programs and for people: as text instead of the form in which they are stored.
///
/// ```swift
/// // id,created,amount
/// // E621E1F8-C36C-495A-93FC-0C247A3E6E5F,2026-11-23T08:30:00Z,12.50
/// try db.dumpSQL(
///     "SELECT id, created, amount FROM payment",
///     format: .csv(columns: [
///         "id": .uuid, "created": .date, "amount": .fixedPoint(digits: 2),
///     ]))
/// ```
///
/// NULL stays NULL. A value that is not of the expected kind is an error, so that no customer gets it by mistake. Such a dump is meant to be
/// read by others: loading it does not restore the stored values.
public struct DumpedColumn: Sendable {
    /// The name of the kind, for errors.
    private let kind: String

    /// Returns the text of a value other than NULL, or nil if the value is of another kind.
    private let text: @Sendable (DatabaseValue) throws -> String?

    private init(_ kind: String, _ text: @escaping @Sendable (DatabaseValue) throws -> String?) {
        (self.kind, self.text) = (kind, text)
    }

    /// A UUID, stored as 16 bytes or as a string: `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
    public static let uuid = DumpedColumn("a UUID") { UUID.fromDatabaseValue($0)?.uuidString }

    /// A date, stored as a string, or as a number of seconds since 1970: `2026-11-23T08:30:00Z`, with milliseconds if there are any.
    public static let date = DumpedColumn("a date") { Date.fromDatabaseValue($0).flatMap(iso8601) }

    /// A date, stored as a number of milliseconds since 1970: `2026-11-23T08:30:00.250Z`, without milliseconds if there are none.
    public static let dateInMilliseconds = DumpedColumn("a number of milliseconds") { value in
        Double.fromDatabaseValue(value).flatMap { iso8601(Date(timeIntervalSince1970: $0 / 1000)) }
    }

    /// An integer number of cents or other fractions of a unit: 1250 is written as `12.50` for two digits.
    ///
    /// - Parameter digits: the number of digits after the point, from 0 to 18.
    public static func fixedPoint(digits: Int) -> DumpedColumn {
        precondition((0...18).contains(digits), "A fixed-point number has 0 to 18 digits after the point.")
        return DumpedColumn("an integer") { value in
            guard case .int64(let number) = value.storage else { return nil }
            return number.fixedPointText(digits: digits)
        }
    }

    /// A text of your own.
    ///
    /// - Parameter text: returns the text of a value other than NULL, or nil for a value that the column must not contain.
    public static func text(_ text: @escaping @Sendable (DatabaseValue) throws -> String?) -> DumpedColumn {
        DumpedColumn("a value that the format accepts", text)
    }

    private static func iso8601(_ date: Date) -> String? {
        // "YYYY-MM-DD HH:MM:SS.SSS", in UTC.
        guard let text = String.fromDatabaseValue((try? date.bindingValue()) ?? .null), text.utf8.count == 23 else { return nil }
        let day = text.prefix(10)
        let time = text.dropFirst(11)
        return "\(day)T\(time.hasSuffix(".000") ? time.dropLast(4) : time)Z"
    }

    /// Returns the text of a value; nil for NULL.
    ///
    /// - Throws: ``DatabaseError`` with the code `SQLITE_MISMATCH` for a value of another kind.
    func text(_ value: DatabaseValue, column: String) throws -> String? {
        if value.isNull { return nil }
        if let text = try text(value) { return text }
        throw DatabaseError(
            resultCode: .SQLITE_MISMATCH,
            message: "the column \(column.debugDescription) is dumped as \(kind), but has another value: \(value.storageClassName)")
    }
}

/// The strings of a dump's columns.
struct DumpedColumns {
    /// The columns of the statement that are written as text.
    private let columns: [Int: (name: String, column: DumpedColumn)]

    /// - Throws: ``DatabaseError`` with the code `SQLITE_MISUSE` if the statement lacks one of the columns: a misspelt name must not give away
    ///   the stored values.
    init(_ columns: [String: DumpedColumn], of statement: Statement) throws {
        let names = statement.columnNames
        var found: [Int: (name: String, column: DumpedColumn)] = [:]
        for (name, column) in columns {
            let indexes = names.indices.filter { names[$0].isEqualIgnoringASCIICase(to: name) }
            if indexes.isEmpty {
                throw DatabaseError.misuse(
                    "the dump has no column \(name.debugDescription)", sql: statement.sql,
                    advice: "The columns are \(names.joined(separator: ", ")).")
            }
            for index in indexes { found[index] = (names[index], column) }
        }
        self.columns = found
    }

    /// Returns the text of a value that is written as text, or nil for other columns.
    func text(_ value: DatabaseValue, at index: Int) throws -> String? {
        guard let (name, column) = columns[index] else { return nil }
        return try column.text(value, column: name)
    }
}
