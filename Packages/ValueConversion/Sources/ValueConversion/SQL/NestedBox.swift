import Foundation

// Expressions hold expressions, requests hold requests, and a program may nest them as deep as it likes. Freeing the outermost one frees
// the next inside of it, and so on: the stack of a thread ends long before its heap does.

/// A reference to a value that may hold others like it, to any depth.
///
/// The values are freed one after the other, and not one inside of the other: a thread needs no more stack for a million of them than
/// for a few. Whatever a value holds, in arrays, in closures or in other types, counts, as long as there is a box on the way.
///
/// ```swift
/// struct Link: Sendable {
///     let text: String
///     let previous: NestedBox<Link>?
/// }
/// ```
///
/// - Complexity: making and freeing one are O(1), beside what its value takes.
public final class NestedBox<Value: Sendable>: @unchecked Sendable {
    // Sendable: the value changes only when nobody has the box any more.
    private var content: Value?

    /// Makes a reference to a value.
    public init(_ value: Value) {
        content = value
    }

    /// The value.
    public var value: Value { content! }

    deinit {
        FlatRelease.release(&content)
    }
}

/// Frees values without recursion.
@usableFromInline
enum FlatRelease {
    /// How many boxes are freed one inside of the other.
    private static let maximumDepth = 64

    private struct State {
        var depth = 0
        /// What is to be freed when the outermost value of the thread has been.
        var pending: [Any] = []
    }

    /// The state of each thread, made when it first frees a value, and freed when the thread ends.
    ///
    /// It is kept by POSIX, because Swift has no variables of a thread's own. The pointer is given to no other thread, and never used
    /// after the destructor: a value that is freed by a destructor that comes later makes a new state.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let result = pthread_key_create(&key) { freeState($0) }
        if result != 0 { fatalError("pthread_key_create failed with \(result)") }
        return key
    }()

    private static func freeState(_ pointer: UnsafeMutableRawPointer?) {
        guard let state = pointer?.assumingMemoryBound(to: State.self) else { return }
        state.deinitialize(count: 1)
        state.deallocate()
    }

    private static var state: UnsafeMutablePointer<State> {
        if let pointer = pthread_getspecific(key) { return pointer.assumingMemoryBound(to: State.self) }
        let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        state.initialize(to: State())
        let result = pthread_setspecific(key, state)
        if result != 0 { fatalError("pthread_setspecific failed with \(result)") }
        return state
    }

    /// Frees a value: now, or when those around it have been freed.
    @usableFromInline
    static func release<Value>(_ value: inout Value?) {
        let state = state
        guard state.pointee.depth < maximumDepth else {
            if let value { state.pointee.pending.append(value) }
            value = nil
            return
        }
        state.pointee.depth += 1
        value = nil
        state.pointee.depth -= 1
        if state.pointee.depth == 0, !state.pointee.pending.isEmpty { releasePending(state) }
    }

    @inline(never)
    private static func releasePending(_ state: UnsafeMutablePointer<State>) {
        state.pointee.depth = 1
        // A value that is freed adds those below it, where they are too deep for the stack.
        while !state.pointee.pending.isEmpty { _ = state.pointee.pending.removeLast() }
        state.pointee.depth = 0
        state.pointee.pending = []
    }
}
