/// Memory that its owner frees: a value behind a pointer.
///
/// ```swift
/// final class Counter {
///     private let state = OwnedMemory(0)
///
///     func increment() { state.pointee += 1 }
/// }
/// ```
///
/// It replaces stored properties of classes that inlined code reads and writes: Swift checks those for exclusive access at each use, which
/// costs more than reading most columns.
///
/// A copy of ``pointer`` must not be used after the owner has gone, and the value must be used on one thread at a time.
@frozen
public struct OwnedMemory<Value>: ~Copyable {
    /// Where the value is.
    public let pointer: UnsafeMutablePointer<Value>

    /// Allocates memory for a value.
    @inlinable
    public init(_ value: consuming Value) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: value)
    }

    deinit {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }

    /// The value.
    @inlinable
    public var pointee: Value {
        @inline(__always)
        unsafeAddress { UnsafePointer(pointer) }
        @inline(__always)
        nonmutating unsafeMutableAddress { pointer }
    }
}
