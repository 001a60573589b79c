import CValueConversion

// Expressions contain expressions, requests contain requests, and programs can nest them to any depth. If freeing a value freed the
// values inside it by recursion, deep nesting would overflow the stack of the thread.

/// A reference to a value that can contain other such references, to any depth.
///
/// The nested values are freed one after the other, not by recursion: a thread needs no more stack for a million of them than for a
/// few. A value may contain others in arrays, closures or other types, as long as there is a box at each level.
///
/// - Complexity: creating and freeing a box are O(1), apart from its value.
package final class NestedBox<Value: Sendable>: @unchecked Sendable {
    // Sendable: the value changes only in `deinit`, when nothing else refers to the box.
    private var content: Value?

    /// Creates a reference to a value.
    package init(_ value: Value) {
        content = value
    }

    /// The value.
    package var value: Value { content! }

    deinit {
        FlatRelease.releaseContent(of: self)
    }
}

extension NestedBox: FlatlyReleased {
    func releaseContent() {
        content = nil
    }

    func takeContent() -> Any {
        defer { content = nil }
        return content as Any
    }
}

// MARK: - Releasing

/// An object whose content may contain similar objects, to any depth.
protocol FlatlyReleased: AnyObject {
    func releaseContent()

    /// Removes the content from the object, and returns it.
    func takeContent() -> Any
}

/// Frees values without recursion.
enum FlatRelease {
    /// Frees the content of an object that is being freed: now or, if the thread is freeing deeply nested values, after the outermost one.
    static func releaseContent(of object: some FlatlyReleased) {
        var object: any FlatlyReleased = object
        let result = withUnsafeMutablePointer(to: &object) { object in
            strata_release({ $0?.assumingMemoryBound(to: (any FlatlyReleased).self).pointee.releaseContent() }, object)
        }
        if result == 0 { addPending(object.takeContent()) }
        if result == 2, strata_release_pending().pointee != nil { releasePending() }
    }

    /// The waiting values of this thread. The memory is allocated from the first one until all are freed.
    private static var pending: UnsafeMutablePointer<[Any]>? {
        strata_release_pending().pointee?.assumingMemoryBound(to: [Any].self)
    }

    @inline(never)
    private static func addPending(_ value: Any) {
        if let pending {
            pending.pointee.append(value)
            return
        }
        let pending = UnsafeMutablePointer<[Any]>.allocate(capacity: 1)
        pending.initialize(to: [value])
        strata_release_pending().pointee = UnsafeMutableRawPointer(pending)
    }

    @inline(never)
    private static func releasePending() {
        guard let pending else { return }
        let value = UnsafeMutablePointer<Any>.allocate(capacity: 1)
        // A freed value adds the values below it, if they are too deep for the stack. It is therefore removed from the array first.
        while !pending.pointee.isEmpty {
            value.initialize(to: pending.pointee.removeLast())
            _ = strata_release({ $0?.assumingMemoryBound(to: Any.self).deinitialize(count: 1) }, value)
        }
        value.deallocate()
        strata_release_pending().pointee = nil
        pending.deinitialize(count: 1)
        pending.deallocate()
    }
}
