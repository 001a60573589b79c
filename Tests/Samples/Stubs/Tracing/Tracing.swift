// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// A stand-in for the module Tracing of swift-distributed-tracing, with the declarations that guides use: the package can't be fetched here.

public struct ServiceContext: Sendable {
    @TaskLocal public static var current: ServiceContext?
    public static var topLevel: ServiceContext { ServiceContext() }

    /// For tests.
    public var name = ""

    public init(name: String = "") { self.name = name }
}

public protocol TracerInstant: Comparable, Hashable, Sendable {
    var nanosecondsSinceEpoch: UInt64 { get }
}

public struct DefaultTracerClock {
    public struct Timestamp: TracerInstant {
        public let nanosecondsSinceEpoch: UInt64

        public init(nanosecondsSinceEpoch: UInt64) { self.nanosecondsSinceEpoch = nanosecondsSinceEpoch }

        public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool { lhs.nanosecondsSinceEpoch < rhs.nanosecondsSinceEpoch }
    }

    public static var now: Timestamp { Timestamp(nanosecondsSinceEpoch: UInt64(Date().timeIntervalSince1970 * 1e9)) }
}

public enum SpanKind: Sendable { case server, client, producer, consumer, `internal` }

public enum SpanAttribute: Sendable, Equatable, ExpressibleByStringLiteral {
    case string(String)

    public init(stringLiteral value: String) { self = .string(value) }
}

public struct SpanAttributes: Sendable {
    private var attributes: [String: SpanAttribute] = [:]

    public init() {}

    public subscript(_ name: String) -> SpanAttribute? {
        get { attributes[name] }
        set { attributes[name] = newValue }
    }
}

public struct SpanStatus: Sendable {
    public enum Code: Sendable { case ok, error }
    public let code: Code
    public let message: String?

    public init(code: Code, message: String? = nil) { (self.code, self.message) = (code, message) }
}

public protocol Span: Sendable {
    var attributes: SpanAttributes { get nonmutating set }
    func setStatus(_ status: SpanStatus)
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant)
}

public func startSpan<Instant: TracerInstant>(
    _ operationName: String, at instant: @autoclosure () -> Instant, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
    ofKind kind: SpanKind = .internal, function: String = #function, file fileID: String = #fileID, line: UInt = #line
) -> any Span {
    RecordedSpan(operationName, context(), kind, instant().nanosecondsSinceEpoch)
}

/// A span, for tests.
public final class RecordedSpan: Span, @unchecked Sendable {
    public nonisolated(unsafe) private(set) static var all: [RecordedSpan] = []
    private static let lock = NSLock()
    private let lock = NSLock()
    public let name: String
    public let context: ServiceContext
    public let kind: SpanKind
    public let start: UInt64
    public private(set) var duration: UInt64 = 0
    public private(set) var status: SpanStatus?
    private var stored = SpanAttributes()

    fileprivate init(_ name: String, _ context: ServiceContext, _ kind: SpanKind, _ start: UInt64) {
        (self.name, self.context, self.kind, self.start) = (name, context, kind, start)
    }

    public var attributes: SpanAttributes {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }

    public func setStatus(_ status: SpanStatus) { lock.withLock { self.status = status } }

    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let end = instant().nanosecondsSinceEpoch
        lock.withLock { duration = end - start }
        Self.lock.withLock { Self.all.append(self) }
    }
}
