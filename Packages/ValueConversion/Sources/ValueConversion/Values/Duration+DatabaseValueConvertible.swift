import SQLiteDriver

/// A duration is stored in seconds, so that SQL can compare, add and average durations.
///
/// ```swift
/// // INSERT INTO "track" ("title", "length") VALUES ('So What', 545.5)
/// try Track(title: "So What", length: .milliseconds(545_500)).insert(db)
/// // SELECT * FROM "track" WHERE "length" > 600.0
/// let long = try Track.filter { $0.length > Duration.seconds(600) }.fetchAll(db)
/// ```
///
/// Whole nanoseconds survive in durations of up to 97 days, and whole microseconds in durations of up to 272 years:
/// see `databaseSeconds`.
extension Duration: DatabaseValueConvertible, StatementColumnConvertible {
    /// The seconds as a REAL.
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(databaseSeconds)) }

    /// Reads seconds from a REAL, an INTEGER, or a TEXT with a number, and the TEXT that Swift's own encoding of durations has left in
    /// columns of Codable records, such as `[4,16713023705161793536]`.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Duration? {
        switch dbValue.storage {
        case .int64(let seconds): .seconds(seconds)
        case .double(let seconds): Duration(databaseSeconds: seconds)
        case .string(let text): Duration(databaseText: text)
        case .null, .blob: nil
        }
    }

    /// Reads seconds from a REAL, an INTEGER, or a TEXT with a number, and the TEXT of Swift's own encoding of durations.
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Duration? {
        let value = statement.unprotectedValue(atUnchecked: index)
        return switch value.storage {
        case .integer: value.int64.map { .seconds($0) }
        case .real: value.double.flatMap { Duration(databaseSeconds: $0) }
        case .text: statement.string(atUnchecked: index).flatMap { Duration(databaseText: $0) }
        case .null, .blob: nil
        }
    }

    /// Creates the duration that was stored as a number of seconds.
    ///
    /// Many durations have the same nearest `Double`. The result is the duration with the fewest decimals, because most stored durations
    /// are decimal fractions.
    ///
    /// - Returns: nil for infinities, and for numbers that are out of range.
    init?(databaseSeconds: Double) {
        // Beyond this limit, a duration does not fit into its 128 bits of attoseconds.
        guard databaseSeconds.magnitude < 1.7e20 else { return nil }
        let whole = databaseSeconds.rounded(.towardZero)
        guard let seconds = Int64(truncatingIfInRange: whole), whole.magnitude < 0x1p53 else {
            self = .seconds(databaseSeconds)
            return
        }
        // This is exact, because both numbers have the same exponent or the fraction has fewer bits.
        let fraction = databaseSeconds - whole
        for unit in [1e3, 1e6, 1e9] {
            if let nanoseconds = Self.nanoseconds(databaseSeconds, whole, fraction, unit) {
                self = .seconds(seconds) + .nanoseconds(nanoseconds)
                return
            }
        }
        self = .seconds(seconds) + Duration(secondsComponent: 0, attosecondsComponent: Self.attoseconds(databaseSeconds, fraction))
    }

    /// Returns the nanoseconds of a fraction of a number of seconds, if it is a whole number of units.
    ///
    /// This is a function, and not part of the loop: the compiler unrolled the loop in varying order, so that two builds of the same code
    /// differed, and each build with a plugin's tool compiled this layer again.
    @inline(never)
    private static func nanoseconds(_ seconds: Double, _ whole: Double, _ fraction: Double, _ unit: Double) -> Int64? {
        let count = (fraction * unit).rounded()
        return whole + count / unit == seconds ? Int64(count) * Int64(1e9 / unit) : nil
    }

    /// Returns the attoseconds of a fraction of a number of seconds, with as many decimals as the number has.
    private static func attoseconds(_ seconds: Double, _ fraction: Double) -> Int64 {
        // Numbers below 1 have all their digits in their fraction.
        let unit = max(seconds.ulp, 1e-18)
        var scale = 1e10
        while scale < 1e18 {
            let digits = (fraction * scale).rounded()
            if abs(digits / scale - fraction) <= unit / 4 { return Int64(digits) * Int64(1e18 / scale) }
            scale *= 10
        }
        return Int64((fraction * 1e18).rounded())
    }

    /// Reads the encoding of Swift's `Duration`: an array of the upper and the lower half of its 128 bits of attoseconds. A column of TEXT
    /// affinity, which programs created for that encoding, converts seconds to TEXT.
    private init?(databaseText text: String) {
        guard text.utf8.count <= 64 else { return nil }
        guard text.hasPrefix("["), text.hasSuffix("]") else {
            guard let seconds = Double(text) else { return nil }
            self.init(databaseSeconds: seconds)
            return
        }
        let numbers = text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " } }
        guard numbers.count == 2, let high = Int64(numbers[0]), let low = UInt64(numbers[1]) else { return nil }
        // The magnitude of the number in two's complement.
        let isNegative = high < 0
        let magnitudeLow = isNegative ? ~low &+ 1 : low
        let magnitudeHigh = isNegative ? ~UInt64(bitPattern: high) &+ (low == 0 ? 1 : 0) : UInt64(high)
        let attosecondsPerSecond: UInt64 = 1_000_000_000_000_000_000
        // The quotient does not fit into 64 bits otherwise.
        guard magnitudeHigh < attosecondsPerSecond else { return nil }
        let (seconds, attoseconds) = attosecondsPerSecond.dividingFullWidth((magnitudeHigh, magnitudeLow))
        guard let seconds = Int64(exactly: seconds) else { return nil }
        let sign: Int64 = isNegative ? -1 : 1
        self.init(secondsComponent: sign * seconds, attosecondsComponent: sign * Int64(attoseconds))
    }
}
