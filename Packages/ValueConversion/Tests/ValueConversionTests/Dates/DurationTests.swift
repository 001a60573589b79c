import Testing
import ValueConversion

@Suite struct DurationTests {
    let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    private func roundTrip(_ duration: Duration) throws -> Duration? {
        let value = try database.databaseValue(boundBy: duration)
        #expect(value == duration.databaseValue)
        return try database.value(of: "?", arguments: [value], as: Duration.self)
    }

    @Test(arguments: [
        (Duration.zero, 0.0), (.milliseconds(1500), 1.5), (.milliseconds(-1500), -1.5), (.nanoseconds(1), 1e-9),
        (.milliseconds(100), 0.1), (.seconds(1) + .milliseconds(100), 1.1), (.seconds(Int64.max), 0x1p63),
        (Duration(secondsComponent: 0, attosecondsComponent: 1), 1e-18),
    ])
    func `A duration is stored in seconds`(_ duration: Duration, _ seconds: Double) throws {
        #expect(duration.databaseValue.storage == .double(seconds))
        #expect(try duration.bindingValue().storage == .double(seconds))
    }

    @Test(arguments: [
        Duration.zero, .seconds(1), .seconds(-1), .milliseconds(100), .milliseconds(1100), .milliseconds(-1100), .microseconds(333_333),
        .nanoseconds(1), .nanoseconds(-1), .nanoseconds(999_999_999), .seconds(86_400) + .nanoseconds(1),
        .seconds(8_000_000) + .nanoseconds(123_456_789), .seconds(8_000_000_000) + .microseconds(123_457),
        .seconds(9_007_199_254_740_991), Duration(secondsComponent: 0, attosecondsComponent: 1),
        Duration(secondsComponent: 0, attosecondsComponent: -5), Duration(secondsComponent: 0, attosecondsComponent: 123_456_789_000),
    ])
    func `Common durations survive`(_ duration: Duration) throws {
        #expect(try roundTrip(duration) == duration)
    }

    @Test
    func `Random durations survive with their documented precision`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let nanoseconds = Duration.nanoseconds(Int64.random(in: -8_300_000_000_000_000...8_300_000_000_000_000, using: &generator))
            #expect(Duration.fromDatabaseValue(nanoseconds.databaseValue) == nanoseconds)
            let microseconds = Duration.microseconds(Int64.random(in: -8_500_000_000_000_000...8_500_000_000_000_000, using: &generator))
            let read = Duration.fromDatabaseValue(microseconds.databaseValue)
            #expect(read == microseconds)
        }
    }

    @Test
    func `Fractions below the precision are rounded`() throws {
        let duration = Duration(secondsComponent: 1, attosecondsComponent: 1)
        #expect(try roundTrip(duration) == .seconds(1))
        #expect(try roundTrip(.seconds(Int64.max)) != nil)
        #expect(try roundTrip(.seconds(Int64.min)) == .seconds(Int64.min))
        // The longest durations don't trap.
        let longest = Duration.seconds(Int64.max) * 18
        #expect(try roundTrip(longest) != nil)
        #expect(try roundTrip(.zero - longest) != nil)
    }

    @Test
    func `Durations are read from numbers and strings`() throws {
        #expect(try database.value(of: "90", as: Duration.self) == .seconds(90))
        #expect(try database.value(of: "9223372036854775807", as: Duration.self) == .seconds(Int64.max))
        #expect(try database.value(of: "'1.5'", as: Duration.self) == .milliseconds(1500))
        #expect(try database.value(of: "'[4,16713023705161793536]'", as: Duration.self) == .milliseconds(90_500))
        #expect(
            try database.value(of: "'[-1,18446744073709551615]'", as: Duration.self)
                == Duration(secondsComponent: 0, attosecondsComponent: -1))
        #expect(
            try database.value(of: "'[-1,0]'", as: Duration.self)
                == Duration(secondsComponent: -18, attosecondsComponent: -446_744_073_709_551_616))
        for expression in [
            "NULL", "9e999", "-9e999", "'nan'", "'inf'", "''", "'[]'", "'[1]'", "'[a,b]'", "'[9223372036854775807,0]'", "x'00'", "1.8e20",
        ] {
            #expect(try database.value(of: expression, as: Duration.self) == nil, "\(expression)")
        }
    }
}
