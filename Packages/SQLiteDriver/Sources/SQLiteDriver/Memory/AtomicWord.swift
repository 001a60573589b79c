import CSQLiteShims

/// A word that any thread reads and writes.
///
/// `@unchecked Sendable`: the accesses are atomic.
@frozen
@usableFromInline
struct AtomicWord: ~Copyable, @unchecked Sendable {
    @usableFromInline let memory: OwnedMemory<UInt>

    init(_ value: UInt = 0) {
        memory = OwnedMemory(value)
    }

    @inlinable var value: UInt {
        get { strata_atomic_load(memory.pointer) }
        nonmutating set { strata_atomic_store(memory.pointer, newValue) }
    }
}
