import Foundation

// Expressions contain expressions, requests contain requests, and programs can nest them to any depth. If freeing a value freed the
// values inside it by recursion, deep nesting would overflow the stack of the thread.

/// A reference to a value that can contain other such references, to any depth.
///
/// The nested values are freed one after the other, not by recursion: a thread needs no more stack for a million of them than for a
/// few. A value may contain others in arrays, closures or other types, as long as there is a box at each level.
///
/// ```swift
/// struct Link: Sendable {
///     let text: String
///     let previous: NestedBox<Link>?
/// }
/// ```
///
/// - Complexity: creating and freeing a box are O(1), apart from its value.
public final class NestedBox<Value: Sendable>: @unchecked Sendable {
    // Sendable: the value changes only in `deinit`, when nothing else refers to the box.
    private var content: Value?

    /// Creates a reference to a value.
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
    /// The greatest number of boxes that are freed by recursion.
    private static let maximumDepth = 64

    private struct State {
        var depth = 0
        /// The values to free after the outermost value of the thread.
        var pending: [Any] = []
    }

    /// The state of each thread. It is created when the thread first frees a value, and freed when the thread ends.
    ///
    /// It is a POSIX thread-specific value, because Swift has no thread-local variables. The pointer is never passed to another thread, and
    /// never used after the destructor: a value that a later destructor frees creates a new state.
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

    /// Frees a value, either now or after the values around it.
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
        // Freeing a value appends values inside it that are nested too deeply for recursion.
        while !state.pointee.pending.isEmpty { _ = state.pointee.pending.removeLast() }
        state.pointee.depth = 0
        state.pointee.pending = []
    }
}
