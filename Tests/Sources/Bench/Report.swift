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
        if measurements.contains(where: { $0.other != nil }) { return comparison(of: measurements) }
        let rows = measurements.map { measurement in
            let ratios = measurement.ratios(measurement.strata)
            return [
                measurement.workload.name,
                time(measurement.yardstick),
                time(measurement.strata),
                number(ratios.median),
                "\(number(ratios.min()))–\(number(ratios.max()))",
                number(measurement.workload.limit) + (ratios.median > measurement.workload.limit ? " !" : ""),
                instructions(measurement.yardstick),
                instructions(measurement.strata),
                number(measurement.instructionRatio(measurement.strata)),
                number(measurement.ratioWithReturnedMemory),
                measurement.workload.summary,
            ]
        }
        let table = layOut(
            ["workload", "C API", "Strata", "ratio", "spread", "at most", "C API", "Strata", "ratio", "default", "what"], rows,
            numbers: [1, 2, 3, 4, 6, 7, 8, 9])
        let settings = MemorySettings.variables.map { "\($0)=\($1)" }.sorted().joined(separator: " ")
        return "\(table)\n\nBoth sides ran with \(settings), and without for the ratio in the column `default`."
    }

    /// The table for a comparison with Strata of another commit.
    private static func comparison(of measurements: [Measurement]) -> String {
        let rows = measurements.map { measurement in
            let other = measurement.other ?? Measurement.Figures()
            let now = measurement.strata
            let times = zip(now.milliseconds, other.milliseconds).map { $0 / $1 }
            let instructionChange = now.instructions.flatMap { now in other.instructions.map { Double(now) / Double($0) } }
            return [
                measurement.workload.name,
                time(measurement.yardstick), time(other), time(now),
                number(measurement.ratios(other).median), number(measurement.ratios(now).median), number(times.median, places: 3),
                instructions(measurement.yardstick), instructions(other), instructions(now),
                number(measurement.instructionRatio(other)), number(measurement.instructionRatio(now)),
                number(instructionChange, places: 3),
            ]
        }
        let columns = ["C API", "before", "now", "ratio before", "ratio now", "change"]
        return layOut(["workload"] + columns + columns, rows, numbers: Array(1...12))
    }

    private static func time(_ figures: Measurement.Figures) -> String { number(figures.milliseconds.median) + " ms" }

    /// Millions of instructions.
    private static func instructions(_ figures: Measurement.Figures) -> String {
        figures.instructions.map { String(format: "%.2f M", Double($0) / 1e6) } ?? "–"
    }

    private static func number(_ number: Double?, places: Int = 2) -> String {
        number.flatMap { $0.isFinite ? String(format: "%.\(places)f", $0) : nil } ?? "–"
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
        return layOut(["probe", "value", "unit", "limit", "what"], rows, numbers: [1])
    }

    private static func layOut(_ header: [String], _ rows: [[String]], numbers: [Int]) -> String {
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
        let atMost: Double
        let byHand: Measurement.Figures
        let throughStrata: Measurement.Figures
        let before: Measurement.Figures?
        let medianRatio: Double
        let instructionRatio: Double?
        let ratioWithReturnedMemory: Double?
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
                workload: $0.workload.name, atMost: $0.workload.limit, byHand: $0.yardstick, throughStrata: $0.strata, before: $0.other,
                medianRatio: $0.ratios($0.strata).median, instructionRatio: $0.instructionRatio($0.strata),
                ratioWithReturnedMemory: $0.ratioWithReturnedMemory)
        }
        let everything = Everything(
            workloads: entries, probes: findings.map { Finding(probe: $0.probe.name, figures: $0.figures) })
        return String(decoding: try encoder.encode(everything), as: UTF8.self)
    }
}
