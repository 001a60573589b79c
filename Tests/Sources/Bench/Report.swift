import Foundation

/// How measurements are printed.
enum Report {
    /// Tables for people.
    static func tables(_ measurements: [Measurement], _ findings: [(probe: Probe, figures: [Figure])]) -> String {
        var tables: [String] = []
        if !measurements.isEmpty { tables.append(table(of: measurements)) }
        if !findings.isEmpty { tables.append(table(of: findings)) }
        return tables.joined(separator: "\n\n")
    }

    private static func table(of measurements: [Measurement]) -> String {
        let rows = measurements.map { measurement in
            [
                measurement.workload.name,
                String(format: "%.2f ms", measurement.byHand.median),
                String(format: "%.2f ms", measurement.throughStrata.median),
                String(format: "%.2f", measurement.ratios.median),
                String(format: "%.2f–%.2f", measurement.ratios.min() ?? 0, measurement.ratios.max() ?? 0),
                String(format: "%.2f", measurement.workload.limit) + (measurement.ratios.median > measurement.workload.limit ? " !" : ""),
                measurement.workload.summary,
            ]
        }
        return layOut(
            ["workload", "C API", "Strata", "ratio", "spread", "at most", "what"], rows, numbers: 1...4)
    }

    private static func table(of findings: [(probe: Probe, figures: [Figure])]) -> String {
        let rows = findings.flatMap { probe, figures in
            figures.map { figure in
                let limit =
                    figure.atMost.map { String(format: "at most %g", $0) } ?? figure.atLeast.map { String(format: "at least %g", $0) }
                return [
                    probe.name, String(format: "%.2f", figure.value), figure.unit, (limit ?? "") + (figure.isKept ? "" : " !"), figure.name,
                ]
            }
        }
        return layOut(["probe", "value", "unit", "limit", "what"], rows, numbers: 1...1)
    }

    private static func layOut(_ header: [String], _ rows: [[String]], numbers: ClosedRange<Int>) -> String {
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            cells.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                // Numbers end where their column ends; words begin where it begins.
                return numbers.contains(column) ? padding + cell : cell + padding
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
        let atMost: Double
    }

    private struct Finding: Encodable {
        let probe: String
        let figures: [Figure]
    }

    private struct Everything: Encodable {
        let workloads: [Entry]
        let probes: [Finding]
    }

    /// All numbers, for machines.
    static func json(_ measurements: [Measurement], _ findings: [(probe: Probe, figures: [Figure])]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let entries = measurements.map {
            Entry(
                workload: $0.workload.name, byHandMilliseconds: $0.byHand, throughStrataMilliseconds: $0.throughStrata,
                medianRatio: $0.ratios.median, atMost: $0.workload.limit)
        }
        let everything = Everything(
            workloads: entries, probes: findings.map { Finding(probe: $0.probe.name, figures: $0.figures) })
        return String(decoding: try encoder.encode(everything), as: UTF8.self)
    }
}
