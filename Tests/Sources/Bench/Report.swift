import Foundation

/// How measurements are printed.
enum Report {
    /// A table for people.
    static func table(_ measurements: [Measurement]) -> String {
        let header = ["workload", "C API", "Strata", "ratio", "spread", "what"]
        let rows = measurements.map { measurement in
            [
                measurement.workload.name,
                String(format: "%.2f ms", measurement.byHand.median),
                String(format: "%.2f ms", measurement.throughStrata.median),
                String(format: "%.2f", measurement.ratios.median),
                String(format: "%.2f–%.2f", measurement.ratios.min() ?? 0, measurement.ratios.max() ?? 0),
                measurement.workload.summary,
            ]
        }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            cells.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                // Numbers end where their column ends; words begin where it begins.
                return (1...4).contains(column) ? padding + cell : cell + padding
            }.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
        }
        let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
        return ([line(header), rule] + rows.map(line)).joined(separator: "\n")
    }

    private struct Entry: Encodable {
        let workload: String
        let byHandMilliseconds: [Double]
        let throughStrataMilliseconds: [Double]
        let medianRatio: Double
    }

    /// All numbers, for machines.
    static func json(_ measurements: [Measurement]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let entries = measurements.map {
            Entry(
                workload: $0.workload.name, byHandMilliseconds: $0.byHand, throughStrataMilliseconds: $0.throughStrata,
                medianRatio: $0.ratios.median)
        }
        return String(decoding: try encoder.encode(entries), as: UTF8.self)
    }
}
