/// Memory that its owner frees: a value behind a pointer.
///
/// It replaces stored properties of classes that inlined code reads and writes: Swift checks such properties for exclusive access at each
/// use, which costs more than reading most columns.
///
/// A copy of ``pointer`` must not be used after the owner is deallocated, and the value must be used on one thread at a time.
@frozen
@usableFromInline
package struct OwnedMemory<Value>: ~Copyable {
    /// The address of the value.
    @usableFromInline package let pointer: UnsafeMutablePointer<Value>

    /// Allocates memory for a value.
    @inlinable
    package init(_ value: consuming Value) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: value)
    }

    deinit {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }

    /// The value.
    @inlinable
    package var pointee: Value {
        @inline(__always)
        unsafeAddress { UnsafePointer(pointer) }
        @inline(__always)
        nonmutating unsafeMutableAddress { pointer }
    }
}
