import CSQLite
import Foundation

// Dates as an expert writes them by hand: "YYYY-MM-DD HH:MM:SS.SSS" by integer arithmetic, without a formatter, a calendar or
// a string in between. The algorithms of days: <https://howardhinnant.github.io/date_algorithms.html>.

/// The date that 23 bytes of text stand for.
@inline(__always)
func readDate(_ statement: OpaquePointer, _ index: CInt) -> Date {
    guard let bytes = sqlite3_column_text(statement, index), sqlite3_column_bytes(statement, index) == 23 else {
        fail("a column holds no date")
    }
    func digits(_ offset: Int, _ count: Int) -> Int {
        (offset..<(offset + count)).reduce(0) { $0 * 10 + Int(bytes[$1] &- UInt8(ascii: "0")) }
    }
    let (year, month, day) = (digits(0, 4), digits(5, 2), digits(8, 2))
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    let milliseconds = ((days * 24 + digits(11, 2)) * 60 + digits(14, 2)) * 60_000 + digits(17, 2) * 1_000 + digits(20, 3)
    return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
}

/// Binds a date as 23 bytes of text, which are not copied, and are not read after the body.
@inline(__always)
func withBound(_ date: Date, _ statement: OpaquePointer, _ index: CInt, _ body: () -> Void) {
    let milliseconds = Int((date.timeIntervalSince1970 * 1_000).rounded())
    let days = milliseconds >= 0 ? milliseconds / 86_400_000 : (milliseconds - 86_399_999) / 86_400_000
    let time = milliseconds - days * 86_400_000
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 23) { buffer in
        func write(_ number: Int, _ offset: Int, _ count: Int) {
            var number = number
            for place in stride(from: offset + count - 1, through: offset, by: -1) {
                buffer[place] = CChar(48 + number % 10)
                number /= 10
            }
        }
        write(year, 0, 4)
        write(month, 5, 2)
        write(day, 8, 2)
        write(time / 3_600_000, 11, 2)
        write(time / 60_000 % 60, 14, 2)
        write(time / 1_000 % 60, 17, 2)
        write(time % 1_000, 20, 3)
        (buffer[4], buffer[7], buffer[10]) = (CChar(UInt8(ascii: "-")), CChar(UInt8(ascii: "-")), CChar(UInt8(ascii: " ")))
        (buffer[13], buffer[16], buffer[19]) = (CChar(UInt8(ascii: ":")), CChar(UInt8(ascii: ":")), CChar(UInt8(ascii: ".")))
        sqlite3_bind_text(statement, index, buffer.baseAddress, 23, nil)
        body()
    }
}

/// The UUID of a column.
@inline(__always)
func readUUID(_ statement: OpaquePointer, _ index: CInt) -> UUID {
    guard let bytes = sqlite3_column_blob(statement, index), sqlite3_column_bytes(statement, index) == 16 else {
        fail("a column holds no UUID")
    }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
}

/// Binds a UUID as 16 bytes, which are not copied, and are not looked at after the body.
@inline(__always)
func withBound(_ uuid: UUID, _ statement: OpaquePointer, _ index: CInt, _ body: () -> Void) {
    withUnsafeBytes(of: uuid.uuid) {
        _ = sqlite3_bind_blob(statement, index, $0.baseAddress, 16, nil)
        body()
    }
}
