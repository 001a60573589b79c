import Foundation

/// Runs a closure on a thread with a stack of 512 KB, which is what the threads of queues have on some platforms.
func onSmallStack<Result>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
    let box = ResultBox<Result>()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        box.result = Swift.Result { try body() }
        done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
    return try box.result!.get()
}

/// `@unchecked Sendable`: the semaphore orders the write before the read.
private final class ResultBox<Value>: @unchecked Sendable {
    var result: Result<Value, any Error>?
}
