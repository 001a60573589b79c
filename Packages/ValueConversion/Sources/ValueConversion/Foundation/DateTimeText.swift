import Foundation
import SQLiteDriver

/// A date, a time of day, or both, as SQLite's date functions read and write them.
///
/// The text is one of
///
///     YYYY-MM-DD
///     YYYY-MM-DD HH:MM           HH:MM
///     YYYY-MM-DD HH:MM:SS        HH:MM:SS
///     YYYY-MM-DD HH:MM:SS.SSS    HH:MM:SS.SSS
///
/// where `T` can stand for the space between date and time, where a second's fraction has any number of digits, and where a
/// time can be followed by its zone: `Z`, `+HH:MM` or `-HH:MM`, after spaces or none. Of what SQLite reads besides, years before
/// 0, the hour 24, and days after the end of a month (its February 30 is March 1 or 2) are not taken over.
///
/// Source: <https://www.sqlite.org/lang_datefunc.html#time_values>
struct DateTimeText {
    /// Which of the formats it is.
    var format: DatabaseDateComponents.Format

    /// January 1, 0000 in a format without date.
    var date = GregorianDate(year: 0, month: 1, day: 1)

    /// 0 to 23.
    var hour = 0
    /// 0 to 59.
    var minute = 0
    /// 0 to 59.
    var second = 0
    /// 0 to 999,999,999.
    var nanosecond = 0

    /// The number of seconds by which the time's zone is before UTC, or nil where the text does not tell.
    var secondsFromGMT: Int?
}

// MARK: - Reading

extension DateTimeText {
    /// Reads a text, to its last byte.
    init?(_ bytes: UnsafeRawBufferPointer) {
        if let text = Self(complete: bytes) {
            self = text
            return
        }
        var reader = Reader(bytes: bytes)
        self.init(format: .YMD)
        let hasDate = bytes.count >= 10 && bytes[4] == UInt8(ascii: "-")
        if hasDate {
            guard reader.readDate(into: &date) else { return nil }
            if reader.isAtEnd { return }
            guard reader.skip(UInt8(ascii: " ")) || reader.skip(UInt8(ascii: "T")) else { return nil }
        }
        guard let precision = reader.readTime(into: &self), reader.readZone(into: &secondsFromGMT), reader.isAtEnd else {
            return nil
        }
        format =
            switch precision {
            case .minute: hasDate ? .YMD_HM : .HM
            case .second: hasDate ? .YMD_HMS : .HMS
            case .fraction: hasDate ? .YMD_HMSS : .HMSS
            }
    }

    /// Reads a text of the format `YYYY-MM-DD HH:MM:SS.SSS`, in which dates are written, eight bytes at a time: half the work
    /// that reading digit by digit is.
    ///
    /// - Returns: nil for any other text, and for a date or a time that there is not.
    private init?(complete bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.maximumByteCount else { return nil }
        // Texts begin at the lowest byte of a number, whatever the machine's order of bytes. The last two share a byte.
        let date = EightCharacters(bytes, at: 0, digits: 0x00_30_30_00_30_30_30_30, others: 0x2D_00_00_2D_00_00_00_00)
        let time = EightCharacters(bytes, at: 8, digits: 0x30_30_00_30_30_00_30_30, others: 0x00_00_3A_00_00_20_00_00)
        let second = EightCharacters(bytes, at: 15, digits: 0x30_30_30_00_30_30_00_30, others: 0x00_00_00_2E_00_00_3A_00)
        guard let date, let time, let second else { return nil }
        self.init(format: .YMD_HMSS)
        self.date = GregorianDate(year: date.number(at: 0) * 100 + date.number(at: 2), month: date.number(at: 5), day: time.number(at: 0))
        hour = time.number(at: 3)
        minute = time.number(at: 6)
        self.second = second.number(at: 2)
        nanosecond = (second.number(at: 5) * 10 + second.digit(at: 7)) * 1_000_000
        guard self.date.isValid, hour < 24, minute < 60, self.second < 60 else { return nil }
    }

    /// Eight characters of a text whose digits have known places.
    private struct EightCharacters {
        /// The values of the digits, each in its byte.
        private let digits: UInt64
        /// In the byte of each digit that another one follows, the number of both.
        private let numbers: UInt64

        /// - Parameters:
        ///   - digits: "0" in the bytes of digits.
        ///   - others: the characters of the other bytes.
        /// - Returns: nil when the text has other characters.
        @inline(__always)
        init?(_ bytes: UnsafeRawBufferPointer, at offset: Int, digits: UInt64, others: UInt64) {
            let text = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let values = text ^ (digits | others)
            // Digits are under 10 now, which 6 more do not carry into the upper half of a byte, and others are 0, which 15 do not.
            // What carries into the next byte has set the upper half of its own.
            let ceilings = (digits >> 3 & 0x06_06_06_06_06_06_06_06) | (~(digits >> 4) & 0x01_01_01_01_01_01_01_01) * 15
            guard (values | (values &+ ceilings)) & 0xF0_F0_F0_F0_F0_F0_F0_F0 == 0 else { return nil }
            self.digits = values
            numbers = values &* 10 &+ values >> 8
        }

        /// The number of the two digits from a byte on.
        @inline(__always)
        func number(at index: Int) -> Int { Int(truncatingIfNeeded: numbers >> (8 * index) & 0xFF) }

        @inline(__always)
        func digit(at index: Int) -> Int { Int(truncatingIfNeeded: digits >> (8 * index) & 0xFF) }
    }

    private enum TimePrecision {
        case minute, second, fraction
    }

    /// What is small is always inlined: a call for each pair of digits would take longer than reading it.
    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        @inline(__always)
        mutating func skip(_ character: UInt8) -> Bool {
            guard position < bytes.count, bytes[position] == character else { return false }
            position += 1
            return true
        }

        /// Reads a number of two digits.
        ///
        /// - Returns: a number up to `maximum`, or nil.
        @inline(__always)
        mutating func readTwoDigits(upTo maximum: Int) -> Int? {
            guard position + 2 <= bytes.count else { return nil }
            let tens = bytes[position] &- UInt8(ascii: "0")
            let ones = bytes[position + 1] &- UInt8(ascii: "0")
            guard tens < 10, ones < 10 else { return nil }
            position += 2
            let number = Int(tens &* 10 &+ ones)
            return number <= maximum ? number : nil
        }

        @inline(__always)
        mutating func readDate(into date: inout GregorianDate) -> Bool {
            guard let century = readTwoDigits(upTo: 99),
                let yearOfCentury = readTwoDigits(upTo: 99),
                skip(UInt8(ascii: "-")),
                let month = readTwoDigits(upTo: 12),
                skip(UInt8(ascii: "-")),
                let day = readTwoDigits(upTo: 31)
            else { return false }
            date = GregorianDate(year: century * 100 + yearOfCentury, month: month, day: day)
            return date.isValid
        }

        @inline(__always)
        mutating func readTime(into text: inout DateTimeText) -> TimePrecision? {
            guard let hour = readTwoDigits(upTo: 23), skip(UInt8(ascii: ":")), let minute = readTwoDigits(upTo: 59) else {
                return nil
            }
            text.hour = hour
            text.minute = minute
            guard skip(UInt8(ascii: ":")) else { return .minute }
            guard let second = readTwoDigits(upTo: 59) else { return nil }
            text.second = second
            guard skip(UInt8(ascii: ".")) else { return .second }
            guard let nanosecond = readFraction() else { return nil }
            text.nanosecond = nanosecond
            return .fraction
        }

        /// Reads the digits of a second's fraction: at least one, of which those after the ninth count for nothing.
        mutating func readFraction() -> Int? {
            let start = position
            var nanosecond = 0
            var unit = 100_000_000
            while position < bytes.count {
                let digit = bytes[position] &- UInt8(ascii: "0")
                guard digit < 10 else { break }
                nanosecond += Int(digit) * unit
                unit /= 10
                position += 1
            }
            return position > start ? nanosecond : nil
        }

        /// Reads a time zone, if there is one.
        mutating func readZone(into secondsFromGMT: inout Int?) -> Bool {
            if isAtEnd { return true }
            while skip(UInt8(ascii: " ")) {}
            if skip(UInt8(ascii: "Z")) || skip(UInt8(ascii: "z")) {
                secondsFromGMT = 0
                return true
            }
            let isEast = skip(UInt8(ascii: "+"))
            // 14 hours is where SQLite's zones end, and the world's.
            guard isEast || skip(UInt8(ascii: "-")),
                let hours = readTwoDigits(upTo: 14),
                skip(UInt8(ascii: ":")),
                let minutes = readTwoDigits(upTo: 59)
            else { return false }
            secondsFromGMT = (isEast ? 60 : -60) * (hours * 60 + minutes)
            return true
        }
    }
}

// MARK: - Writing

extension DateTimeText {
    /// The number of bytes of the longest text.
    static let maximumByteCount = 23

    /// Writes the text, without the zone.
    ///
    /// - Parameter buffer: has room for ``maximumByteCount`` bytes, of which the first ones are initialized.
    /// - Returns: the number of bytes that were written.
    func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var writer = Writer(buffer: buffer)
        if format.hasDate {
            writer.writeTwoDigits(date.year / 100)
            writer.writeTwoDigits(date.year % 100)
            writer.write(UInt8(ascii: "-"))
            writer.writeTwoDigits(date.month)
            writer.write(UInt8(ascii: "-"))
            writer.writeTwoDigits(date.day)
            if format == .YMD { return writer.count }
            writer.write(UInt8(ascii: " "))
        }
        writer.writeTwoDigits(hour)
        writer.write(UInt8(ascii: ":"))
        writer.writeTwoDigits(minute)
        guard format.hasSecond else { return writer.count }
        writer.write(UInt8(ascii: ":"))
        writer.writeTwoDigits(second)
        guard format.hasFraction else { return writer.count }
        writer.write(UInt8(ascii: "."))
        let millisecond = nanosecond / 1_000_000
        writer.write(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: millisecond / 100))
        writer.writeTwoDigits(millisecond % 100)
        return writer.count
    }

    private struct Writer {
        let buffer: UnsafeMutableBufferPointer<UInt8>
        var count = 0

        mutating func write(_ character: UInt8) {
            buffer.initializeElement(at: count, to: character)
            count += 1
        }

        /// Writes a number from 0 to 99.
        mutating func writeTwoDigits(_ number: Int) {
            let number = UInt8(truncatingIfNeeded: number)
            write(UInt8(ascii: "0") + number / 10)
            write(UInt8(ascii: "0") + number % 10)
        }
    }

    /// The text as a value.
    var databaseValue: DatabaseValue { DatabaseValue(storage: .string(string)) }

    /// The text.
    var string: String {
        String(unsafeUninitializedCapacity: Self.maximumByteCount) { write(to: $0) }
    }

    /// Binds the text, without making a string.
    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.maximumByteCount) { buffer in
            let count = write(to: buffer)
            return Statement.bindText(UnsafeRawBufferPointer(start: buffer.baseAddress, count: count), to: sqliteStatement, at: index)
        }
    }
}
