// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// A stand-in for the module Metrics of swift-metrics, with the declarations that guides use: the package can't be fetched here.

/// What the metrics recorded, for tests.
public final class RecordedMetrics: @unchecked Sendable {
    public static let shared = RecordedMetrics()
    private let lock = NSLock()
    private var records: [(label: String, dimensions: [(String, String)], value: Double)] = []

    public var all: [(label: String, dimensions: [(String, String)], value: Double)] { lock.withLock { records } }

    fileprivate func add(_ label: String, _ dimensions: [(String, String)], _ value: Double) {
        lock.withLock { records.append((label, dimensions, value)) }
    }
}

public class Recorder {
    private let label: String
    private let dimensions: [(String, String)]

    public init(label: String, dimensions: [(String, String)] = [], aggregate: Bool = true) {
        (self.label, self.dimensions) = (label, dimensions)
    }

    public func record<DataType: BinaryInteger>(_ value: DataType) { RecordedMetrics.shared.add(label, dimensions, Double(value)) }
    public func record<DataType: BinaryFloatingPoint>(_ value: DataType) { RecordedMetrics.shared.add(label, dimensions, Double(value)) }
}

public final class Gauge: Recorder {
    public init(label: String, dimensions: [(String, String)] = []) {
        super.init(label: label, dimensions: dimensions, aggregate: false)
    }
}

public final class Counter {
    private let label: String
    private let dimensions: [(String, String)]

    public init(label: String, dimensions: [(String, String)] = []) { (self.label, self.dimensions) = (label, dimensions) }

    public func increment() { RecordedMetrics.shared.add(label, dimensions, 1) }
}
