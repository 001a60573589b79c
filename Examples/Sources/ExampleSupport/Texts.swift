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

// MARK: - Texts in a terminal

extension String {
    /// The text with spaces in place of newlines, and with other control characters escaped.
    var inOneLine: String {
        split(whereSeparator: \.isNewline).joined(separator: " ").withoutControlCharacters
    }

    /// The text with control characters and invisible characters escaped as in Swift: `\n`, `\u{1B}`.
    var withoutControlCharacters: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                switch scalar.properties.generalCategory {
                // Some emoji contain the zero-width joiner.
                case .format where scalar == "\u{200D}":
                    text.unicodeScalars.append(scalar)
                // The category "format" contains the marks that change the direction of writing.
                case .control, .lineSeparator, .paragraphSeparator, .format:
                    text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                default:
                    text.unicodeScalars.append(scalar)
                }
            }
        }
    }

    /// The width of the text in columns of a terminal.
    var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    var withoutSpacesAtEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension Character {
    /// The width of the character in columns of a terminal: two for East Asian scripts and emoji, one for others.
    ///
    /// Source: approximately the ranges of <https://www.unicode.org/Public/UCD/latest/ucd/EastAsianWidth.txt>.
    var displayWidth: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        if scalar.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: return 0
            default: return 1
            }
        }
    }
}
