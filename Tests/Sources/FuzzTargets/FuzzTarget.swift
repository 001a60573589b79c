import Strata

/// What a fuzzer varies, and what must hold for each input.
///
/// An input is wrong for a target if it makes the program stop, or if ``run(_:)`` throws.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// Values of all storage classes, as each type, and as Codable records.
    case rows
    /// JSON in columns.
    case json
    case dates
    case decimals
    /// Values and names in SQL.
    case interpolation
    /// Full-text patterns of what users type.
    case patterns
    case csv

    /// Checks one input.
    public func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        switch self {
        case .rows: try checkRows(&input)
        case .json: try checkJSON(&input)
        case .dates: try checkDates(&input)
        case .decimals: try checkDecimals(&input)
        case .interpolation: try checkInterpolation(&input)
        case .patterns: try checkPatterns(&input)
        case .csv: try checkCSV(&input)
        }
    }
}

/// What does not hold for an input.
struct FuzzFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Returns the result of a call as a string: two calls that should do the same have the same string.
///
/// All errors are alike, as their messages name the called function.
func outcome<T>(_ call: () throws -> T) -> String {
    do { return "\(try call())" } catch { return "an error" }
}

func expectEqual(_ a: String, _ b: String, _ what: @autoclosure () -> String) throws {
    if a != b { throw FuzzFailure("\(what()): \(a), and \(b)") }
}
