// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// A stand-in for the module Logging of swift-log, with the declarations that guides use: the package can't be fetched here.
public struct Logger: Sendable {
    public typealias Metadata = [String: MetadataValue]

    public enum MetadataValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, Sendable, Equatable {
        case string(String)

        public init(stringLiteral value: String) { self = .string(value) }
    }

    public struct Message: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, Sendable, Equatable {
        public let text: String

        public init(stringLiteral value: String) { text = value }
    }

    /// What a test reads: the level, the message and the metadata.
    public typealias Sink = @Sendable (_ level: String, _ message: String, _ metadata: Metadata) -> Void

    private let sink: Sink

    public init(label: String) { sink = { _, _, _ in } }

    /// For tests.
    public init(sink: @escaping Sink) { self.sink = sink }

    public func warning(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil, source: @autoclosure () -> String? = nil,
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) { sink("warning", message().text, metadata() ?? [:]) }

    public func notice(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil, source: @autoclosure () -> String? = nil,
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) { sink("notice", message().text, metadata() ?? [:]) }
}
