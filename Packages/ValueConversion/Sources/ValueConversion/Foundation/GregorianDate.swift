/// A date of the Gregorian calendar, which SQLite extends to the years before its introduction.
///
/// The conversions use integer arithmetic. They count years from March, so that the leap day is the last day of a year, and group them in
/// eras of 400 years, which all have the same number of days. Source: "chrono-Compatible Low-Level Date Algorithms",
/// <https://howardhinnant.github.io/date_algorithms.html>.
struct GregorianDate: Equatable {
    /// The year, 0 to 9999.
    var year: Int
    /// The month, 1 to 12.
    var month: Int
    /// The day, 1 to the number of days of the month.
    var day: Int

    /// Whether the day exists, in the years 0 to 9999.
    @inline(__always)
    var isValid: Bool {
        year >= 0 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= Self.dayCount(ofMonth: month, year: year)
    }

    /// Returns the number of days of a month, 1 to 12.
    static func dayCount(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    // MARK: - Day numbers

    /// The number of days from January 1, 0000 to January 1, 10000, where the range of dates ends.
    static let dayLimit = 25 * daysPerEra

    /// The number of days from January 1, 0000 to January 1, 2001, the reference date of `Date`.
    static let referenceDay = 730_851

    private static let daysPerEra = 146_097

    /// The number of days from March 1, -400, where the first era begins, to January 1, 0000.
    private static let leadingDays = daysPerEra - 60

    /// The number of days from January 1, 0000 to this date, which must be valid.
    @inline(__always)
    var dayNumber: Int {
        // Years from March to February, numbered from the year -400, so that no number is negative.
        // Division by constants is fastest for unsigned 32-bit integers.
        let marchYear = UInt32(truncatingIfNeeded: year + (month > 2 ? 400 : 399))
        let monthFromMarch = UInt32(truncatingIfNeeded: month > 2 ? month - 3 : month + 9)
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        let dayOfYear = (153 * monthFromMarch + 2) / 5
        return Int(marchYear * 365 + leapDays + dayOfYear) + day - 1 - Self.leadingDays
    }
}

extension GregorianDate {
    /// Creates the date that is a number of days after January 1, 0000.
    ///
    /// - Parameter dayNumber: a number from 0, less than ``dayLimit``.
    @inline(__always)
    init(dayNumber: Int) {
        let days = UInt32(truncatingIfNeeded: dayNumber + Self.leadingDays)
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        year = Int(era * 400 + yearOfEra) - (monthFromMarch < 10 ? 400 : 399)
    }
}
