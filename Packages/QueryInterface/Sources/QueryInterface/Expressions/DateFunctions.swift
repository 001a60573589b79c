import RowDecoding

// Source: <https://www.sqlite.org/lang_datefunc.html>

/// A change that SQLite's date functions make to a date.
///
/// ```swift
/// // datetime("createdAt", 'start of month', '+1 months')
/// dateTime(Column("createdAt"), .startOfMonth, .month(1))
/// ```
public enum SQLDateModifier: Hashable, Sendable {
    /// Adds days.
    case day(Int)
    /// Adds hours.
    case hour(Int)
    /// Adds minutes.
    case minute(Int)
    /// Adds seconds, with their fraction.
    case second(Double)
    /// Adds months. A day that the month does not have becomes one of the next month.
    case month(Int)
    /// Adds years.
    case year(Int)
    /// Goes back to the beginning of the day.
    case startOfDay
    /// Goes back to the beginning of the month.
    case startOfMonth
    /// Goes back to the beginning of the year.
    case startOfYear
    /// Goes on to a day of the week, from 0 for Sunday to 6, unless it is that day.
    case weekday(Int)
    /// Takes the number before it for seconds since 1970, and not for a Julian day.
    case unixEpoch
    /// Takes the time for one in UTC, and turns it into the local time of the machine.
    case localTime
    /// Takes the time for a local one of the machine, and turns it into UTC.
    case utc
}

extension SQLDateModifier: SQLExpressible {
    /// The text that SQLite knows the modifier by.
    public var sqlExpression: SQLExpression { text.sqlExpression }

    private var text: String {
        switch self {
        case .day(let count): Self.signed(count, "days")
        case .hour(let count): Self.signed(count, "hours")
        case .minute(let count): Self.signed(count, "minutes")
        case .second(let count): count < 0 ? "\(count) seconds" : "+\(count) seconds"
        case .month(let count): Self.signed(count, "months")
        case .year(let count): Self.signed(count, "years")
        case .startOfDay: "start of day"
        case .startOfMonth: "start of month"
        case .startOfYear: "start of year"
        case .weekday(let day): "weekday \(day)"
        case .unixEpoch: "unixepoch"
        case .localTime: "localtime"
        case .utc: "utc"
        }
    }

    private static func signed(_ count: Int, _ unit: String) -> String {
        count < 0 ? "\(count) \(unit)" : "+\(count) \(unit)"
    }
}

private func call(_ name: String, _ arguments: [any SQLExpressible], _ modifiers: [SQLDateModifier]) -> SQLExpression {
    SQLExpression(
        FunctionNode(name: name, arguments: arguments.map(\.sqlExpression) + modifiers.map(\.sqlExpression)))
}

/// The date and the time as a text, such as '2024-02-29 18:30:00': `datetime("createdAt", '+1 days')`.
///
/// - Parameters:
///   - value: a date in a format that SQLite knows, or a number.
///   - modifiers: applied from left to right.
/// - Returns: an expression that is NULL for what is no date.
public func dateTime(_ value: some SQLExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("datetime", [value], modifiers)
}

/// The date as a text, such as '2024-02-29': `date("createdAt", '+1 days')`.
///
/// - Parameters:
///   - value: a date in a format that SQLite knows, or a number.
///   - modifiers: applied from left to right.
/// - Returns: an expression that is NULL for what is no date.
public func date(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("date", [value], modifiers)
}

/// The time as a text, such as '18:30:00': `time("createdAt", '+1 hours')`.
///
/// - Parameters:
///   - value: a date in a format that SQLite knows, or a number.
///   - modifiers: applied from left to right.
/// - Returns: an expression that is NULL for what is no date.
public func time(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("time", [value], modifiers)
}

/// The Julian day, the number of days since noon in Greenwich on November 24, 4714 B.C.: `julianday("createdAt")`.
///
/// ```swift
/// // julianday("endDate") - julianday("startDate")
/// let days = julianDay(Column("endDate")) - julianDay(Column("startDate"))
/// ```
///
/// - Parameters:
///   - value: a date in a format that SQLite knows, or a number.
///   - modifiers: applied from left to right.
/// - Returns: an expression that is NULL for what is no date.
public func julianDay(_ value: some SQLExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("julianday", [value], modifiers)
}

/// The date in a format: `strftime('%Y-%m', "createdAt")`.
///
/// ```swift
/// // SELECT strftime('%Y', "createdAt"), count(*) FROM "player" GROUP BY strftime('%Y', "createdAt")
/// let year = strftime("%Y", Column("createdAt"))
/// Player.select(year, count(AllColumns())).group(year)
/// ```
///
/// - Parameters:
///   - format: a text with substitutions, which are those of SQLite.
///   - value: a date in a format that SQLite knows, or a number.
///   - modifiers: applied from left to right.
/// - Returns: an expression that is NULL for what is no date.
public func strftime(
    _ format: some SQLExpressible, _ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...
) -> SQLExpression {
    call("strftime", [format, value], modifiers)
}
