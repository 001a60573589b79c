import Foundation
import Strata

/// SQL of values that are hard to read.
enum HostileValues {
    /// Values at the edges of what SQLite stores and of what types read.
    static let edges: [String] =
        [
            "NULL", "0", "1", "-1", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "65536", "2147483647", "2147483648",
            "-2147483649", "4294967296", "9007199254740993", "9223372036854775807", "-9223372036854775808", "253402300799", "253402300800",
            "-62167219200", "-62167219201",
            "0.0", "-0.0", "0.5", "-0.5", "1e-320", "4.9e-324", "3.5e38", "1e39", "9.2233720368547750e18", "9.2233720368547758e18",
            "-9.2233720368547758e18", "1.8446744073709552e19", "1e300", "-1e300", "1.7976931348623157e308", "9e999", "-9e999",
            "253402300800.5",
            "''", "' '", "'a'", "'0'", "'1'", "'true'", "'12'", "' 12'", "'12 '", "'+1'", "'1e5'", "'1e400'", "'-1e-400'", "'0x10'",
            "'NaN'",
            "'inf'", "'-'", "'.'", "'1.'", "'1,5'", "'١٢'", "'\(String(repeating: "9", count: 60))'",
            "'0.\(String(repeating: "0", count: 200))1'",
            "'a' || char(0) || 'b'", "char(0)", "'12' || char(0)", "char(65279) || '1'", "char(1114111)", "'👩‍🚀é'",
            "'2024-02-29'", "'2024-02-30'", "'2023-02-29'", "'0000-00-00'", "'0000-01-01'", "'9999-12-31 23:59:59.999'",
            "'9999-12-31T23:59:60Z'", "'-2024-01-01'", "'12024-01-01'", "'2024-01-01 24:00'", "'2024-01-01T00:00:00+99:99'",
            "'2024-01-01 00:00:00.\(String(repeating: "9", count: 100))'", "'12:30'", "'12:60'", "'2024-01-01 '",
            "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'", "'E621E1F8-C36C-495A-93FC-0C247A3E6E5G'", "'{E621E1F8-C36C-495A-93FC-0C247A3E6E5F}'",
            "'http://example.com/a?b=c#d'", "'http://[::1'", "'%zz'",
            "'[]'", "'{}'", "'[1,2'", "'null'", "'\"\\ud800\"'", "'[4,16713023705161793536]'", "'[1,2,3]'", "'{\"a\":1e999}'",
            "'\(String(repeating: "[", count: 600))'",
            "x''", "x'00'", "x'31'", "x'ff'", "x'c3a9'", "x'c3'", "zeroblob(15)", "zeroblob(16)", "zeroblob(17)", "zeroblob(100000)",
        ] + invalidTexts.map { "CAST(x'\($0)' AS TEXT)" } + invalidTexts.map { "x'\($0)'" }

    /// Bytes that are not UTF-8: single continuations, cut sequences, surrogates, overlong forms, numbers above the last scalar.
    private static let invalidTexts = [
        "ff", "80", "c3", "61c3", "c361", "e282", "f09f9880f0", "eda080", "c080", "f4908080", "fffe", "feff0031", "313200ff", "3132c3",
        "323032342d30312d3031ff", "45363231453146382d433336432d343935412d393346432d304332343741334536453546ff", "5b315dff", "31ff",
    ]

    /// Returns SQL of a random value.
    static func random(_ random: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return "NULL"
        case 1: return "\(Int64(bitPattern: random.next()) >> Int.random(in: 0...63, using: &random))"
        case 2:
            let double = Double(bitPattern: random.next())
            return double.isFinite ? String(format: "%.17e", double) : "-9e999"
        case 3: return blob(&random)
        case 4: return "CAST(\(blob(&random)) AS TEXT)"
        case 5, 6:
            // A text that types read, with some of its bytes changed.
            let texts = [
                "2024-02-29 12:30:45.123", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "-123456789.123456789e-12", "http://example.com/?a=b#c",
                "{\"name\":\"a\",\"list\":[1,2.5,null,true]}", "[4,16713023705161793536]", "12:30:45.999",
            ]
            var bytes = Array(texts.randomElement(using: &random)!.utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(bytes.randomElement(using: &random)!, at: index)
                default: if bytes.count > 1 { bytes.remove(at: index) }
                }
            }
            return "CAST(x'\(hexadecimal(bytes))' AS TEXT)"
        case 7:
            return "\(Int64.random(in: -1...1, using: &random) &* Int64.max &+ Int64.random(in: -3...3, using: &random))".asIntegerLiteral
        default: return edges.randomElement(using: &random)!
        }
    }

    private static func blob(_ random: inout SeededGenerator) -> String {
        let count = Int.random(in: 0..<40, using: &random)
        return "x'\(hexadecimal((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }))'"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }

    /// The seed of a run, and how many random inputs it tries: `make soak` tries more.
    static func run(_ name: String, quickCount: Int) -> (seed: UInt64, count: Int) {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        let factor = environment["STRATA_INPUTS"].flatMap { Int($0) } ?? 1
        print("\(name): STRATA_SEED=\(seed)")
        return (seed, quickCount * factor)
    }
}

extension String {
    /// SQL reads the smallest integer as a real number, as its digits are too large without the sign.
    fileprivate var asIntegerLiteral: String { self == "\(Int64.min)" ? "(-9223372036854775807 - 1)" : self }
}
