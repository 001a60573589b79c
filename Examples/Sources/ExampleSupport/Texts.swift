@_exported import struct Dumps.TextTable
import Foundation

// MARK: - Numbers and units

/// Formats a number with some digits after the decimal point: `21.6`.
public func decimal(_ number: Double, digits: Int = 1) -> String {
    String(format: "%.\(digits)f", number)
}

/// Formats a date in UTC, without seconds: `1969-07-16 13:32`.
public func utc(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyy-MM-dd HH:mm"
    return formatter.string(from: date)
}

/// Formats a duration in days and hours: `8 d 03 h`.
public func daysAndHours(seconds: Double) -> String {
    let hours = Int((seconds / 3600).rounded())
    return "\(hours / 24) d \(hours % 24 < 10 ? "0" : "")\(hours % 24) h"
}

/// Formats coordinates: `0.674° N  23.473° E`.
///
/// - Parameters:
///   - latitude: the latitude in degrees, positive to the north.
///   - longitude: the longitude in degrees, positive to the east.
public func place(latitude: Double, longitude: Double) -> String {
    func degrees(_ angle: Double, _ directions: (String, String), width: Int) -> String {
        let number = decimal(abs(angle), digits: 3)
        let padding = String(repeating: " ", count: max(0, width - number.count))
        return "\(padding)\(number)° \(angle < 0 ? directions.1 : directions.0)"
    }
    return degrees(latitude, ("N", "S"), width: 6) + " " + degrees(longitude, ("E", "W"), width: 7)
}

// MARK: - Tables

/// Prints a title and a table.
public func show(_ title: String, _ table: TextTable) {
    print("\(title)\n\n\(table)\n")
}
