import Foundation

/// A record of a CSV file.
public struct CSVRow {
    let fields: [String: String]
    let place: String

    /// Returns the field of a column, or nil if it is empty.
    public subscript(_ column: String) -> String? {
        guard let field = fields[column], !field.isEmpty else { return nil }
        return field
    }

    /// Returns the field of a column, which must not be empty.
    public func text(_ column: String) throws -> String {
        guard let text = self[column] else { throw ExampleError("\(place): there is no \(column)") }
        return text
    }

    /// Returns the field of a column as an integer.
    public func integer(_ column: String) throws -> Int {
        guard let integer = Int(try text(column)) else { throw ExampleError("\(place): \(column) is not a whole number") }
        return integer
    }

    /// Returns the field of a column as a number.
    public func number(_ column: String) throws -> Double {
        guard let number = Double(try text(column)) else { throw ExampleError("\(place): \(column) is not a number") }
        return number
    }

    /// Returns the field of a column as a date.
    public func date(_ column: String) throws -> Date {
        guard let date = ISO8601DateFormatter().date(from: try text(column)) else {
            throw ExampleError("\(place): \(column) is not a date")
        }
        return date
    }
}

/// Reads a CSV file from the folder Examples/Data. Its first line contains the names of the columns.
///
/// - Parameter name: the name of the file, without extension.
public func readCSV(_ name: String) throws -> [CSVRow] {
    // Remove Sources/ExampleSupport/CSV.swift from the path of this file, so that the current folder does not matter.
    let package = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let file = package.appendingPathComponent("Data/\(name).csv")
    let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline).map(fields)
    guard let columns = lines.first else { throw ExampleError("\(name).csv is empty") }
    return try lines.enumerated().dropFirst().map { index, fields in
        let place = "\(name).csv, line \(index + 1)"
        guard fields.count == columns.count else {
            throw ExampleError("\(place): it has \(fields.count) fields instead of \(columns.count)")
        }
        return CSVRow(fields: Dictionary(zip(columns, fields), uniquingKeysWith: { $1 }), place: place)
    }
}

/// Returns the fields of a line. A field in double quotes can contain commas, and doubled double quotes.
private func fields(_ line: Substring) -> [String] {
    var fields = [""]
    var isQuoted = false
    var previous: Character?
    for character in line {
        if character == "\"" {
            // Two double quotes in a quoted field stand for one.
            if !isQuoted, previous == "\"" { fields[fields.count - 1].append("\"") }
            isQuoted.toggle()
        } else if character == ",", !isQuoted {
            fields.append("")
        } else {
            fields[fields.count - 1].append(character)
        }
        previous = character
    }
    return fields
}
