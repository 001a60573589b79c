#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A mutual exclusion lock.
///
/// The system knows which thread holds it. On Apple's platforms, a background thread that the main thread waits for gets its priority.
///
/// It is the system's own lock: the driver does not depend on Foundation, which has `NSLock`, or on the newer systems that
/// `Synchronization` requires. Critical sections are a few instructions long. The thread that holds the lock must not lock it again.
///
/// `@unchecked Sendable`: the system's functions are thread-safe, and their memory does not move.
struct Lock: ~Copyable, @unchecked Sendable {
    #if canImport(Darwin)
        private let primitive = OwnedMemory(os_unfair_lock())

        borrowing func withLock<T>(_ body: () throws -> T) rethrows -> T {
            os_unfair_lock_lock(primitive.pointer)
            defer { os_unfair_lock_unlock(primitive.pointer) }
            return try body()
        }
    #else
        private let primitive = OwnedMemory(pthread_mutex_t())

        init() {
            // Neither function fails for a mutex with the default attributes.
            pthread_mutex_init(primitive.pointer, nil)
        }

        deinit { pthread_mutex_destroy(primitive.pointer) }

        borrowing func withLock<T>(_ body: () throws -> T) rethrows -> T {
            pthread_mutex_lock(primitive.pointer)
            defer { pthread_mutex_unlock(primitive.pointer) }
            return try body()
        }
    #endif
}

/// A value that a lock guards.
///
/// Critical sections don't call code of the program, except an observation's reducer, whose lock no other thread waits for.
///
/// `@unchecked Sendable`: the value is only used while the lock is held.
package final class Guarded<Value>: @unchecked Sendable {
    private let lock = Lock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}

/// Lets threads that wait for a processor use this one first.
func yieldProcessor() { _ = sched_yield() }
