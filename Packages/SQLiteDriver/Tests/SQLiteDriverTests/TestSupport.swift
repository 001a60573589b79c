import Foundation
import SQLiteDriver
import Testing

extension Configuration {
    /// The configuration, with connections that don't keep the log when the last one is closed, as Apple's SQLite does by default.
    var removingLog: Configuration {
        var configuration = self
        configuration.prepareDatabase { $0.removeLogWhenClosed() }
        return configuration
    }
}

extension DatabaseStatus {
    /// Whether no access runs or waits.
    var isIdle: Bool {
        readers.usedCount == 0 && readers.waitingCount == 0 && !writer.isUsed && writer.waitingCount == 0 && barrier == .none
    }
}

/// Runs a closure on a separate thread, and waits for its end.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let done = Semaphore("the other thread has ended")
    Thread.detachNewThread {
        body()
        done.signal()
    }
    done.wait()
}

/// Runs a closure on a separate thread, and returns whether it ends, instead of deadlocking.
func comesToItsEnd(_ body: @escaping @Sendable () -> Void) async -> Bool {
    let done = Semaphore("the thread has ended")
    Thread.detachNewThread {
        body()
        done.signal()
    }
    return await onAThread { done.isSignalled(within: .seconds(waitLimit)) }
}

/// Ends the process of an exit test that hangs.
func endProcess(after seconds: Int) {
    Thread.detachNewThread {
        sleep(UInt32(seconds))
        print("the process did not end")
        _exit(3)
    }
}

/// Makes writing beyond a size fail, for all files of this process, instead of ending it.
func limitFileSize(_ bytes: Int) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
        let resource = RLIMIT_FSIZE
    #endif
    #expect(getrlimit(resource, &limit) == 0)
    limit.rlim_cur = rlim_t(bytes)
    #expect(setrlimit(resource, &limit) == 0)
}
