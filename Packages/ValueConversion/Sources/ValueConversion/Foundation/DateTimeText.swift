import Foundation
import SQLiteDriver

/// A date, a time of day, or both, as SQLite's date functions read and write them.
///
/// The text has one of these formats:
///
///     YYYY-MM-DD
///     YYYY-MM-DD HH:MM           HH:MM
///     YYYY-MM-DD HH:MM:SS        HH:MM:SS
///     YYYY-MM-DD HH:MM:SS.SSS    HH:MM:SS.SSS
///
/// The separator between date and time can also be a `T`, and the fraction of a second has any number of digits. A time zone can follow the
/// time, with or without spaces before it: `Z`, `+HH:MM` or `-HH:MM`. Unlike SQLite, this type does not accept years before 0, the hour 24,
/// and days after the end of a month (SQLite reads February 30 as March 1 or 2).
///
/// Its parts, and those of a ``GregorianDate``, are inlined where a date is read or written, and stay in registers: a quarter fewer
/// instructions.
///
/// Source: <https://www.sqlite.org/lang_datefunc.html#time_values>
struct DateTimeText {
    /// The format of the text.
    var format: DatabaseDateComponents.Format

    /// The date; January 1, 0000 in a format without date.
    var date = GregorianDate(year: 0, month: 1, day: 1)

    /// The hour, 0 to 23.
    var hour = 0
    /// The minute, 0 to 59.
    var minute = 0
    /// The second, 0 to 59.
    var second = 0
    /// The nanosecond, 0 to 999,999,999.
    var nanosecond = 0

    /// The offset of the time zone from UTC, in seconds; nil when the text has no time zone.
    var secondsFromGMT: Int?
}

// MARK: - Reading

extension DateTimeText {
    /// Reads a whole text.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer) {
        if let text = Self(complete: bytes) ?? Self(anyFormat: bytes) { self = text } else { return nil }
    }

    /// Reads a text of any of the formats.
    @inline(never)
    private init?(anyFormat bytes: UnsafeRawBufferPointer) {
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

    /// Reads a string of the format `YYYY-MM-DD HH:MM:SS.SSS`, in which dates are written. It reads eight bytes at a time, which is half
    /// the work of reading digit by digit.
    ///
    /// - Returns: nil for any other text, and for a date or a time that does not exist.
    @inline(__always)
    private init?(complete bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.maximumByteCount else { return nil }
        // Strings are loaded in little-endian order on all machines: the first character is the lowest byte. The last two loads overlap by
        // one byte.
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

    /// Eight characters of a string whose digits are at known positions.
    private struct EightCharacters {
        /// The value of each digit, in the digit's byte.
        private let digits: UInt64
        /// The two-digit numbers: the byte of each digit that is followed by another digit contains the number of both.
        private let numbers: UInt64

        /// - Parameters:
        ///   - digits: "0" in the bytes of digits.
        ///   - others: the characters of the other bytes.
        /// - Returns: nil when the text has other characters.
        @inline(__always)
        init?(_ bytes: UnsafeRawBufferPointer, at offset: Int, digits: UInt64, others: UInt64) {
            // The compiler reads all eight bytes with one load.
            var text: UInt64 = 0
            for index in 0..<8 { text |= UInt64(bytes[offset + index]) << (8 * index) }
            let values = text ^ (digits | others)
            // Valid digits are under 10 now, so adding 6 does not carry into the upper half of the byte. Other valid characters are 0, so
            // adding 15 does not carry either. A byte that carries into the next one already has bits set in its own upper half.
            let ceilings = (digits >> 3 & 0x06_06_06_06_06_06_06_06) | (~(digits >> 4) & 0x01_01_01_01_01_01_01_01) * 15
            guard (values | (values &+ ceilings)) & 0xF0_F0_F0_F0_F0_F0_F0_F0 == 0 else { return nil }
            self.digits = values
            numbers = values &* 10 &+ values >> 8
        }

        /// Returns the number of the two digits that start at a byte.
        @inline(__always)
        func number(at index: Int) -> Int { Int(truncatingIfNeeded: numbers >> (8 * index) & 0xFF) }

        @inline(__always)
        func digit(at index: Int) -> Int { Int(truncatingIfNeeded: digits >> (8 * index) & 0xFF) }
    }

    private enum TimePrecision {
        case minute, second, fraction
    }

    /// Small methods are always inlined, because a call for each pair of digits would take longer than reading the digits.
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

        /// Reads the digits of the fraction of a second, at least one. Digits after the ninth are ignored.
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
            // SQLite's time zones, and the world's, are at most 14 hours from UTC.
            guard isEast || skip(UInt8(ascii: "-")),
                let hours = readTwoDigits(upTo: 14),
                skip(UInt8(ascii: ":")),
                let minutes = readTwoDigits(upTo: 59)
            else { return false }
            secondsFromGMT = (isEast ? 60 : -60) * (hours * 60 + minutes)
            return true
        }
    }

    // MARK: - Writing

    /// The number of bytes of the longest text.
    private static let maximumByteCount = 23

    /// The text without the time zone.
    ///
    /// It is three numbers of eight bytes: the first character is the lowest byte. Other formats are parts of the longest
    /// one.
    @inline(__always)
    var shortBinding: ShortBinding {
        let year = Self.digits(date.year / 100) | Self.digits(date.year % 100) << 16
        let date = year | Self.digits(self.date.month) << 40 | 0x2D_00_00_2D << 32
        let time = Self.digits(self.date.day) | Self.digits(hour) << 24 | Self.digits(minute) << 48 | 0x3A_00_00_20 << 16
        let millisecond = nanosecond / 1_000_000
        let fraction = UInt64(0x30 + UInt8(truncatingIfNeeded: millisecond / 100)) | Self.digits(millisecond % 100) << 8
        let second = 0x3A | Self.digits(self.second) << 8 | 0x2E << 24 | fraction << 32
        return switch format {
        case .YMD: .text(date, time & 0xFF_FF, 0, count: 10)
        case .YMD_HM: .text(date, time, 0, count: 16)
        case .YMD_HMS: .text(date, time, second & 0xFF_FF_FF, count: 19)
        case .YMD_HMSS: .text(date, time, second, count: Self.maximumByteCount)
        case .HM: .text(time >> 24, 0, 0, count: 5)
        case .HMS: .text(time >> 24 | second << 40, 0, 0, count: 8)
        case .HMSS: .text(time >> 24 | second << 40, second >> 24, 0, count: 12)
        }
    }

    /// The two digits of a number from 0 to 99.
    @inline(__always)
    private static func digits(_ number: Int) -> UInt64 {
        let number = UInt64(truncatingIfNeeded: number)
        return 0x30_30 | number / 10 | (number % 10) << 8
    }
}

extension ShortBinding {
    /// A string whose first character is the lowest byte of the first number.
    @inline(__always)
    fileprivate static func text(_ first: UInt64, _ second: UInt64, _ third: UInt64, count: Int) -> ShortBinding {
        .text((first.littleEndian, second.littleEndian, third.littleEndian, 0), count: count)
    }
}
