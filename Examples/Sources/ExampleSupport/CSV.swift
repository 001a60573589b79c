import Dumps
import Foundation

/// A record of a CSV file.
public struct CSVRow {
    let record: CSVRecord
    let place: String

    /// Returns the field of a column, or nil if it is empty.
    public subscript(_ column: String) -> String? {
        guard let field = record[column], !field.isEmpty else { return nil }
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
    var reader = try CSVReader(.file(package.appendingPathComponent("Data/\(name).csv")))
    guard let columns = reader.header else { throw ExampleError("\(name).csv is empty") }
    var rows: [CSVRow] = []
    while let record = try reader.next() {
        let place = "\(name).csv, line \(record.line)"
        guard record.fields.count == columns.count else {
            throw ExampleError("\(place): it has \(record.fields.count) fields instead of \(columns.count)")
        }
        rows.append(CSVRow(record: record, place: place))
    }
    return rows
}
