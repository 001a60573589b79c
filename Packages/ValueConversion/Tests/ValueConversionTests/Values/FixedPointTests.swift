import Foundation
import Testing
import ValueConversion

@Suite struct FixedPointTests {
    typealias Amount = FixedPoint<Hundredths>

    enum None: FixedPointScale { static let digits = 0 }
    enum Most: FixedPointScale { static let digits = 18 }

    @Test(
        arguments: [
            ("0", 0, "0.00"), ("12.5", 1250, "12.50"), ("+12.50", 1250, "12.50"), ("-0.05", -5, "-0.05"), ("-0", 0, "0.00"),
            ("007.10000", 710, "7.10"), ("92233720368547758.07", .max, "92233720368547758.07"),
            ("-92233720368547758.08", .min, "-92233720368547758.08"),
        ] as [(String, Int64, String)])
    func `Texts are read exactly, and written with all digits`(_ text: String, _ units: Int64, _ description: String) {
        #expect(Amount(text)?.units == units)
        #expect(Amount(units: units).description == description)
        #expect(Amount(description)?.units == units)
        #expect("\(Amount(units: units).decimal)" == Decimal(string: description).map { "\($0)" })
        #expect(Amount(exactly: Amount(units: units).decimal)?.units == units)
    }

    @Test(arguments: [
        "", "-", "+", ".", "1.", ".5", "1.005", "1,5", " 1", "1 ", "1e3", "0x1", "--1", "1.2.3", "٣", "92233720368547758.08", "1\0", "NaN",
        String(repeating: "9", count: 100_000),
    ])
    func `Other texts are not numbers`(_ text: String) {
        #expect(Amount(text) == nil)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Amount].self, from: JSONEncoder().encode([text])) }
    }

    /// A literal would not be optional.
    private func read<Scale>(_ scale: Scale.Type, _ text: String) -> FixedPoint<Scale>? { FixedPoint(text) }

    @Test
    func `Other scales have other digits`() {
        #expect(FixedPoint<None>(units: -12).description == "-12")
        #expect(read(None.self, "12.0")?.units == 12)
        #expect(read(None.self, "12.5") == nil)
        #expect(FixedPoint<Most>(units: .max).description == "9.223372036854775807")
        #expect(read(Most.self, "-9.223372036854775808")?.units == .min)
        #expect(read(TenThousandths.self, "0.12345") == nil)
        #expect(read(Thousandths.self, "1.5")?.units == 1500)
    }

    @Test
    func `Decimals and averages are rounded where that is asked for`() {
        #expect(Amount(exactly: Decimal(string: "1.005")!) == nil)
        #expect(Amount(rounding: Decimal(string: "1.005")!) == "1.01")
        #expect(Amount(rounding: Decimal(string: "-1.005")!) == "-1.01")
        #expect(Amount(rounding: Decimal(string: "1.005")!, .bankers) == "1.00")
        #expect(Amount(rounding: Decimal(string: "1.009")!, .down) == "1.00")
        #expect(Amount(rounding: .nan) == nil)
        #expect(Amount(rounding: .greatestFiniteMagnitude) == nil)
        #expect(Amount(roundingUnits: 12.5) == "0.13")
        #expect(Amount(roundingUnits: .infinity) == nil)
        #expect(Amount(roundingUnits: .nan) == nil)
        #expect(Amount(roundingUnits: 1e19) == nil)
    }

    @Test
    func `Numbers are computed and compared exactly`() throws {
        let tenths = Array(repeating: "0.10" as Amount, count: 10).reduce(.zero, +)
        #expect(tenths == "1.00")
        #expect(tenths * 3 - "0.01" == "2.99")
        #expect(-tenths < .zero)
        #expect(["10.00", "9.00", "-1.00"].map { Amount($0)! }.sorted() == ["-1.00", "9.00", "10.00"])
        let json = try JSONEncoder().encode(["price": "12.50" as Amount])
        #expect(String(decoding: json, as: UTF8.self) == #"{"price":"12.50"}"#)
        #expect(try JSONDecoder().decode([String: Amount].self, from: json) == ["price": "12.50"])
    }

    @Test
    func `SQL adds, compares and orders the units`() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE payment (amount INTEGER NOT NULL) STRICT")
            for text in ["0.10", "0.20", "-10.00", "9.99"] {
                try db.execute(sql: "INSERT INTO payment VALUES (?)", arguments: [Amount(text)])
            }
            let statement = try db.makeStatement(
                sql: "SELECT sum(amount), max(amount), avg(amount), min(amount), 'x' FROM payment")
            #expect(try statement.step())
            #expect(Amount.fromDatabaseValue(statement.databaseValue(at: 0)) == "0.29")
            #expect(Amount.fromStatement(statement, atUncheckedIndex: 1) == "9.99")
            #expect(Amount.fromDatabaseValue(statement.databaseValue(at: 2)) == nil)
            #expect(Double.fromDatabaseValue(statement.databaseValue(at: 2)).flatMap { Amount(roundingUnits: $0) } == "0.07")
            #expect(Amount.fromStatement(statement, atUncheckedIndex: 3) == "-10.00")
            #expect(Amount.fromStatement(statement, atUncheckedIndex: 4) == nil)
            for value: DatabaseValue in [.null, 1.5.databaseValue, "1.50".databaseValue, Data([1]).databaseValue] {
                #expect(Amount.fromDatabaseValue(value) == nil)
            }
        }
    }
}
