import Foundation
import SQLiteDriver

/// The end of a command before it is complete, because its process received a signal.
///
/// A process that a signal ends immediately leaves files behind: unfinished copies, journals, and the files of WAL mode, which only closing
/// the database removes. Instead, each statement fails from then on, as in a suspended database (``Database/suspend()``), and the command
/// ends as after any error: transactions are rolled back, connections are closed, and files removed. Only then does the signal end the
/// process.
///
/// A program that runs the command without ``handleSignals()`` keeps its own signals.
package enum Interruption {
    private enum State {
        /// Signals are not handled.
        case none
        case running
        case requested(CInt)
        /// The command is complete, and no longer ends early.
        case complete
    }

    private static let state = Guarded(State.none)

    /// Makes the signals that end a process end the command first. Called by the main thread, before it creates others, and before
    /// ``exit(_:)``.
    ///
    /// Signals that the process ignores, as under `nohup`, stay ignored, except SIGPIPE: a program that ignores it for itself, as servers do,
    /// passes that on to the commands that it starts.
    package static func handleSignals() {
        var signals = set(of: [])
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] {
            // A process begins with signals that are ignored, or that end it: the latter handler is null.
            if signal(number, SIG_DFL) == nil || number == SIGPIPE { sigaddset(&signals, number) } else { signal(number, SIG_IGN) }
        }
        // Threads inherit the mask, so that all of these signals wait for the thread below. The signal that ends its waits is for this thread.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var action = sigaction()
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = { _ in }
        #else
            action.__sigaction_handler.sa_handler = { _ in }
        #endif
        sigaction(wakeSignal, &action, nil)
        var wake = set(of: [wakeSignal])
        pthread_sigmask(SIG_UNBLOCK, &wake, nil)
        state.withLock { $0 = .running }
        let waited = signals
        Thread.detachNewThread {
            var wake = set(of: [wakeSignal])
            pthread_sigmask(SIG_BLOCK, &wake, nil)
            var waited = waited
            var number: CInt = 0
            if sigwait(&waited, &number) == 0 { request(number) }
        }
    }

    /// The signal that ends the main thread's wait for a pipe or a terminal. It has a handler, after which calls don't begin again.
    private static let wakeSignal = SIGUSR2

    private static func set(of numbers: [CInt]) -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        return signals
    }

    /// Ends the command early: from now on, its statements fail.
    private static func request(_ number: CInt) {
        let isRunning = state.withLock { state in
            guard case .running = state else { return false }
            state = .requested(number)
            return true
        }
        guard isRunning else { return }
        wakeMainThread()
        // In WAL mode, a suspended database still begins to read. That is interrupted with the next round.
        for _ in 0..<500 {
            Database.suspend()
            usleep(10_000)
        }
        // Something does not end, such as opening a pipe that no process writes to.
        end(by: number)
    }

    /// Ends the main thread's wait for a pipe or a terminal.
    private static func wakeMainThread() {
        // From now on, reading is at the end, and output is lost. A regular file is left alone: no thread waits for it, and closing a
        // descriptor of a database would drop its locks.
        let null = open("/dev/null", O_RDWR)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO] {
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFREG { dup2(null, descriptor) }
        }
        // A call that has begun to wait returns when a handler has run, and Foundation calls it again, with the new descriptor.
        kill(getpid(), wakeSignal)
    }

    /// Ends the command early if nobody reads the pipe that it writes to. Called after a write has failed.
    package static func requestIfPipeIsBroken() {
        if isPipeBroken { kill(getpid(), SIGPIPE) }
    }

    /// Whether a write has failed because nobody reads the pipe. The signal then waits for the thread that wrote.
    private static var isPipeBroken: Bool {
        if case .none = state.withLock({ $0 }) { return false }
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGPIPE) == 1
    }

    /// The signal that ends the command; nil if the command was not interrupted.
    package static var endingSignal: CInt? {
        if case .requested(let number) = state.withLock({ $0 }) { number } else { nil }
    }

    /// Throws if the command is to end early.
    ///
    /// Statements fail without it. It is needed where the end of the input may be due to the interruption, and in loops that run no statements.
    package static func check() throws {
        if endingSignal != nil { throw ToolError("interrupted") }
    }

    /// Lets the command end normally from here on, even if a signal comes: the rest is quick, and can't be undone.
    ///
    /// - Throws: ``ToolError`` if a signal came before.
    package static func complete() throws {
        try state.withLock { state in
            switch state {
            case .running: state = .complete
            case .none, .complete: break
            case .requested: throw ToolError("interrupted")
            }
        }
    }

    /// Ends the process with a status, or by the signal that has ended the command.
    package static func exit(_ status: CInt) -> Never {
        fflush(nil)
        if isPipeBroken { end(by: SIGPIPE) }
        try? complete()
        if let endingSignal { end(by: endingSignal) }
        Foundation.exit(status)
    }

    /// Ends the process by a signal, so that the program that has started it sees the signal.
    private static func end(by number: CInt) -> Never {
        var signals = set(of: [number])
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        kill(getpid(), number)
        Foundation.exit(128 + number)
    }
}
