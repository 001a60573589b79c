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

    /// Waits for a file. A thread that others may need is replaced meanwhile.
    static func wait(_ body: () -> Void) {
        if let threads = isOpening ? openings : SharedThreads.ofThread { threads.whileBlocked(body) } else { body() }
    }

    static func close(_ work: @escaping @Sendable () -> Void) {
        closings.run(on: DispatchQueue(label: "Strata.files.closing"), .unspecified, work)
    }
}
