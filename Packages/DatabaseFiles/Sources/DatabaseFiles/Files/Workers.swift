import Dispatch

/// The threads for work that blocks: opening and closing files. The threads of the cooperative pool are not used for it, and the number of
/// files does not decide the number of threads.
enum Workers {
    /// The threads of the accesses to all files.
    static let accesses = SharedThreads(count: 32)
    /// The threads that open, migrate and delete files.
    private static let openings = SharedThreads(count: 12)
    /// The threads that close files. They are others, so that an opening never waits for a close.
    private static let closings = SharedThreads(count: 4)

    static func open(_ work: @escaping @Sendable () -> Void) {
        openings.run(on: DispatchQueue(label: "Strata.files.opening")) {
            // Another file that a preparation asks for must not wait for the one that is being prepared.
            DatabaseFolder.$isInsideLease.withValue(true) { $isOpening.withValue(true) { work() } }
        }
    }

    /// Whether this thread opens a file.
    @TaskLocal private static var isOpening = false

    /// Waits for the result of something that calls back once. A thread that others may need is replaced meanwhile.
    static func wait<T: Sendable>(_ begin: (@escaping @Sendable (Result<T, any Error>) -> Void) -> Void) throws -> T {
        let result = Guarded<Result<T, any Error>?>(nil)
        let hasEnded = DispatchSemaphore(value: 0)
        begin { ended in
            result.withLock { $0 = ended }
            hasEnded.signal()
        }
        if let threads = isOpening ? openings : SharedThreads.ofThread { threads.whileBlocked { hasEnded.wait() } } else { hasEnded.wait() }
        // Never nil here. It is taken, because the request may keep the closure, which must not keep a file open.
        return try (result.withLock { $0.take() } ?? .failure(CancellationError())).get()
    }

    static func close(_ work: @escaping @Sendable () -> Void) {
        closings.run(on: DispatchQueue(label: "Strata.files.closing"), .unspecified, work)
    }
}
