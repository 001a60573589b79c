// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A stand-in for the module ServiceLifecycle of swift-service-lifecycle, with the declarations that guides use: the package can't be fetched
// here.

public protocol Service: Sendable {
    func run() async throws
}

/// The request for a graceful shutdown, for tests.
public enum GracefulShutdown {
    @TaskLocal public static var handlers: Handlers?

    public final class Handlers: @unchecked Sendable {
        private var handlers: [@Sendable () -> Void] = []

        public init() {}

        fileprivate func add(_ handler: @escaping @Sendable () -> Void) { handlers.append(handler) }
        public func shutDown() { for handler in handlers { handler() } }
    }
}

public func withGracefulShutdownHandler<T>(
    isolation: isolated (any Actor)? = #isolation, operation: () async throws -> T,
    onGracefulShutdown handler: @Sendable @escaping () -> Void
) async rethrows -> T {
    GracefulShutdown.handlers?.add(handler)
    return try await operation()
}
