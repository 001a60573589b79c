import Foundation

/// How the strings of a column become the values that are stored.
///
/// ```swift
/// // id,created,amount
/// // E621E1F8-C36C-495A-93FC-0C247A3E6E5F,2026-11-23T08:30:00Z,12.50
/// try db.load(
///     .csv(.file(url)), into: "payment",
///     options: LoadOptions(columns: [
///         "id": .uuid, "created": .date.null("n/a"), "amount": .fixedPoint(digits: 2),
///     ]))
/// ```
///
/// It reads what ``DumpedColumn`` writes. Fields that are NULL in the format stay NULL. A text of another kind is an error of its record.
public struct LoadedColumn: Sendable {
    /// The name of the kind, for errors.
    private let kind: String

    /// The declared type of the column in a table that the load creates.
    let type: Database.ColumnType?

    /// The strings that stand for NULL.
    private var nulls: Set<String> = []

    /// Returns the value of a text, or nil if the text is of another kind. Without it, texts become values as in other columns.
    private let convert: (@Sendable (String) throws -> DatabaseValue?)?

    private init(
        _ kind: String, type: Database.ColumnType?, nulls: Set<String> = [], _ convert: (@Sendable (String) throws -> DatabaseValue?)?
    ) {
        (self.kind, self.type, self.nulls, self.convert) = (kind, type, nulls, convert)
    }

    /// A column that is loaded as without conversion, with texts that stand for NULL.
    ///
    /// - Parameter texts: the texts, also where they are in quotes.
    public static func null(_ texts: String...) -> LoadedColumn {
        LoadedColumn("", type: nil, nulls: Set(texts), nil)
    }

    /// A UUID, stored as 16 bytes.
    public static let uuid = LoadedColumn("a UUID", type: .uuid) { try UUID(uuidString: $0)?.bindingValue() }

    /// A UUID, stored as a string: `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
    public static let uuidText = LoadedColumn("a UUID", type: .uuidText) { text in
        UUID(uuidString: text).map { DatabaseValue(storage: .string($0.uuidString)) }
    }

    /// A date such as `2026-11-23T08:30:00Z`, stored as dates are by default: `2026-11-23 08:30:00.000`, in UTC.
    public static let date = LoadedColumn("a date", type: .datetime) { try date($0)?.bindingValue() }

    /// A date such as `2026-11-23T08:30:00Z`, stored as a number of seconds since 1970: an integer, or a REAL if there are milliseconds.
    public static let dateInSeconds = LoadedColumn("a date", type: .numeric) { text in
        // A date is stored by its distance to 2001: the distance to 1970 needs to be rounded again.
        guard let seconds = date(text).map({ ($0.timeIntervalSince1970 * 1000).rounded() / 1000 }) else { return nil }
        return DatabaseValue(storage: Int64(exactly: seconds).map { .int64($0) } ?? .double(seconds))
    }

    /// A date such as `2026-11-23T08:30:00.250Z`, stored as an integer number of milliseconds since 1970.
    public static let dateInMilliseconds = LoadedColumn("a date", type: .integer) { text in
        guard let seconds = date(text)?.timeIntervalSince1970 else { return nil }
        return Int64(exactly: (seconds * 1000).rounded()).map { DatabaseValue(storage: .int64($0)) }
    }

    /// A decimal number, stored as an integer number of cents or other fractions of a unit: `12.50` is stored as 1250 for two digits.
    ///
    /// A number with more digits after the point is an error, unless they are zeros.
    ///
    /// - Parameter digits: the number of digits after the point, from 0 to 18.
    public static func fixedPoint(digits: Int) -> LoadedColumn {
        precondition((0...18).contains(digits), "A fixed-point number has 0 to 18 digits after the point.")
        return LoadedColumn("a number with \(digits.counted("digit")) after the point", type: .integer) { text in
            // A number with an exponent has none afterwards, and is refused.
            guard case .int64(let integer)? = try? DecimalNumber("\(text)e\(digits)")?.value(for: .integer).storage else { return nil }
            return DatabaseValue(storage: .int64(integer))
        }
    }

    /// A decimal number, written with other characters than a point: `1.234,56`.
    ///
    /// It is stored as an INTEGER if it is one of at most 64 bits, or else as the nearest REAL.
    ///
    /// - Parameters:
    ///   - decimalSeparator: the character before the fraction.
    ///   - groupingSeparator: the character between groups of three digits, which can be omitted; nil if there is none.
    public static func number(decimalSeparator: Character, groupingSeparator: Character? = nil) -> LoadedColumn {
        LoadedColumn("a number", type: .numeric) { text in
            let parts = text.split(separator: decimalSeparator, maxSplits: 1, omittingEmptySubsequences: false)
            guard var whole = parts.first.map(String.init), !text.contains(".") || [decimalSeparator, groupingSeparator].contains(".")
            else { return nil }
            if let groupingSeparator, whole.contains(groupingSeparator) {
                let sign = whole.first == "-" || whole.first == "+" ? String(whole.removeFirst()) : ""
                let groups = whole.split(separator: groupingSeparator, omittingEmptySubsequences: false)
                // A group of another size is a sign of another notation.
                guard groups[0].count <= 3, !groups[0].isEmpty, groups.dropFirst().allSatisfy({ $0.count == 3 }),
                    groups.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) })
                else { return nil }
                whole = sign + groups.joined()
            }
            if parts.count == 2, !parts[1].allSatisfy(\.isASCIIDigit) { return nil }
            return try DecimalNumber(parts.count == 2 ? "\(whole).\(parts[1])" : whole)?.value(for: .numeric)
        }
    }

    /// A truth value, stored as 1 or 0.
    ///
    /// - Parameters:
    ///   - trueTexts: the texts that stand for 1, regardless of the case of ASCII letters.
    ///   - falseTexts: the texts that stand for 0, regardless of the case of ASCII letters.
    public static func boolean(true trueTexts: Set<String> = ["true", "1"], false falseTexts: Set<String> = ["false", "0"]) -> LoadedColumn
    {
        let (trueTexts, falseTexts) = (Set(trueTexts.map(SchemaName.init)), Set(falseTexts.map(SchemaName.init)))
        return LoadedColumn("a truth value", type: .boolean) { text in
            let text = SchemaName(text)
            return trueTexts.contains(text) ? true.databaseValue : falseTexts.contains(text) ? false.databaseValue : nil
        }
    }

    /// A value of your own.
    ///
    /// ```swift
    /// let column = LoadedColumn.value { text in Double(text).map { $0 / 100 } }
    /// ```
    ///
    /// - Parameter value: returns the value to store, or nil for a text that the column must not contain. `DatabaseValue.null` is NULL. An
    ///   error that it throws is an error of the record.
    public static func value(_ value: @escaping @Sendable (String) throws -> (any StatementBinding)?) -> LoadedColumn {
        LoadedColumn("a value that the column accepts", type: nil) { try value($0)?.bindingValue() }
    }

    /// The same column, with texts that stand for NULL.
    ///
    /// - Parameter texts: the texts, also where they are in quotes.
    public func null(_ texts: String...) -> LoadedColumn {
        changed(self) { $0.nulls.formUnion(texts) }
    }

    private static func date(_ text: String) -> Date? { Date.fromDatabaseValue(DatabaseValue(storage: .string(text))) }

    /// Whether texts become values as in other columns, except for those that stand for NULL.
    var isAutomatic: Bool { convert == nil }

    /// Returns whether a text stands for NULL.
    func isNull(_ text: String) -> Bool { nulls.contains(text) }

    /// Returns the value of a text; nil if it becomes a value as in other columns.
    ///
    /// - Throws: ``LoadError`` for a text of another kind.
    func value(_ text: String, line: Int, column: String) throws -> DatabaseValue? {
        if nulls.contains(text) { return .null }
        guard let convert else { return nil }
        do {
            if let value = try convert(text) { return value }
        } catch {
            throw LoadError(line: line, column: column, message: "\(error)", underlyingError: error)
        }
        throw LoadError(line: line, column: column, message: "the text is not \(kind)")
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
