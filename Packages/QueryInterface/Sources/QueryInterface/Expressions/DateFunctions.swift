import RowDecoding

// Source: <https://www.sqlite.org/lang_datefunc.html>

/// A modifier of SQLite's date functions.
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
    /// Adds seconds, which may have a fraction.
    case second(Double)
    /// Adds months. If the month does not have the day, the date overflows into the next month.
    case month(Int)
    /// Adds years.
    case year(Int)
    /// Moves back to the beginning of the day.
    case startOfDay
    /// Moves back to the beginning of the month.
    case startOfMonth
    /// Moves back to the beginning of the year.
    case startOfYear
    /// Moves forward to a day of the week, unless the date is on that day. 0 is Sunday, and 6 is Saturday.
    case weekday(Int)
    /// Interprets the number before it as seconds since 1970, and not as a Julian day.
    case unixEpoch
    /// Interprets the time as UTC, and converts it to the local time of the machine.
    case localTime
    /// Interprets the time as the local time of the machine, and converts it to UTC.
    case utc
}

extension SQLDateModifier: SQLExpressible {
    /// The modifier as a string for SQLite.
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
    .call(name, arguments.map(\.sqlExpression) + modifiers.map(\.sqlExpression))
}

/// Returns the date and the time as a string, such as '2024-02-29 18:30:00': `datetime("createdAt", '+1 days')`.
///
/// - Parameters:
///   - value: a date in a format that SQLite supports, or a number.
///   - modifiers: modifiers, applied from left to right.
/// - Returns: an expression, whose value is NULL if `value` is not a date.
public func dateTime(_ value: any SQLExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("datetime", [value], modifiers)
}

/// Returns the date as a string, such as '2024-02-29': `date("createdAt", '+1 days')`.
///
/// - Parameters:
///   - value: a date in a format that SQLite supports, or a number.
///   - modifiers: modifiers, applied from left to right.
/// - Returns: an expression, whose value is NULL if `value` is not a date.
public func date(_ value: any SQLOperand, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("date", [value], modifiers)
}

/// Returns the time as a string, such as '18:30:00': `time("createdAt", '+1 hours')`.
///
/// - Parameters:
///   - value: a date in a format that SQLite supports, or a number.
///   - modifiers: modifiers, applied from left to right.
/// - Returns: an expression, whose value is NULL if `value` is not a date.
public func time(_ value: any SQLOperand, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("time", [value], modifiers)
}

/// Returns the Julian day, the number of days since noon in Greenwich on November 24, 4714 B.C.: `julianday("createdAt")`.
///
/// ```swift
/// // julianday("endDate") - julianday("startDate")
/// let days = julianDay(Column("endDate")) - julianDay(Column("startDate"))
/// ```
///
/// - Parameters:
///   - value: a date in a format that SQLite supports, or a number.
///   - modifiers: modifiers, applied from left to right.
/// - Returns: an expression, whose value is NULL if `value` is not a date.
public func julianDay(_ value: any SQLExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    call("julianday", [value], modifiers)
}

/// Formats a date: `strftime('%Y-%m', "createdAt")`.
///
/// ```swift
/// // SELECT strftime('%Y', "createdAt"), count(*) FROM "player"
/// // GROUP BY strftime('%Y', "createdAt")
/// let year = strftime("%Y", Column("createdAt"))
/// Player.select(year, count(AllColumns())).group(year)
/// ```
///
/// - Parameters:
///   - format: the format, with the substitutions of SQLite.
///   - value: a date in a format that SQLite supports, or a number.
///   - modifiers: modifiers, applied from left to right.
/// - Returns: an expression, whose value is NULL if `value` is not a date.
public func strftime(
    _ format: any SQLExpressible, _ value: any SQLOperand, _ modifiers: SQLDateModifier...
) -> SQLExpression {
    call("strftime", [format, value], modifiers)
}
