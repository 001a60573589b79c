import Foundation
import Strata

private let dateQueue = openFuzzDatabase()

/// Decodes a string as a date: the date is written and read back, and SQLite's functions agree where they read the string, too.
func checkDates(_ input: inout FuzzInput) throws {
    let text = input.remainingText()
    guard let date = Date.fromDatabaseValue(text.databaseValue) else { return }
    guard let written = try? date.bindingValue() else {
        // A text with a time zone can have a date out of the years 0000 to 9999 in UTC.
        let years = -62_167_219_200.0..<253_402_300_800
        if years.contains(date.timeIntervalSince1970) { throw FuzzFailure("\(text) can't be written") }
        return
    }
    guard let again = Date.fromDatabaseValue(written) else { throw FuzzFailure("\(text) is written as \(written)") }
    guard abs(again.timeIntervalSince(date)) < 0.001 else { throw FuzzFailure("\(text) is written as \(written), which is \(again)") }

    // SQLite counts days from noon of a day 4713 years before the common era, and reads some strings as such a number.
    guard text.utf8.dropFirst(4).first == UInt8(ascii: "-") else { return }
    let julianDay = try dateQueue.get().read { try Double.fetchOne($0, sql: "SELECT julianday(?)", arguments: [text]) }
    if let julianDay, abs((julianDay - 2_440_587.5) * 86_400 - date.timeIntervalSince1970) > 0.002 {
        throw FuzzFailure("\(text) is \(date), and for SQLite the day \(julianDay)")
    }
}

/// Decodes a string as a decimal number: the number is the same as by Foundation, if Foundation can read the string, and is written and
/// read back.
func checkDecimals(_ input: inout FuzzInput) throws {
    let text = input.remainingText()
    guard let decimal = Decimal.fromDatabaseValue(text.databaseValue) else { return }
    if let foundation = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), foundation != decimal {
        throw FuzzFailure("\(text) is \(decimal), and for Foundation \(foundation)")
    }
    let written = decimal.databaseValue
    guard let again = Decimal.fromDatabaseValue(written), again == decimal else {
        throw FuzzFailure("\(text) is \(decimal), and is written as \(written)")
    }
}
