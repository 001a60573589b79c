/// A cache of recently used values, by their keys.
///
/// It has two generations. When the young one is full, it replaces the old one, whose unused values are dropped. The cache thus drops the
/// least recently used values, and a lookup costs at most two hash table lookups.
@usableFromInline
package struct RecentCache<Key: Hashable, Value> {
    /// The number of values in a generation.
    @usableFromInline let capacity: Int

    @usableFromInline var young: [Key: Value] = [:]
    @usableFromInline var old: [Key: Value] = [:]

    /// The value that was used last. Programs often look up the same value repeatedly, and comparing keys is faster than hashing a key.
    @usableFromInline var last: (key: Key, value: Value)?

    /// Creates an empty cache.
    ///
    /// - Parameter capacity: the number of values in a generation. The cache keeps at most twice as many.
    @inlinable
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of values.
    ///
    /// - Complexity: O(n).
    package var count: Int { young.keys.count + old.keys.count { young[$0] == nil } }

    /// The value of a key. Setting nil removes it.
    ///
    /// - Complexity: O(1).
    @inlinable
    package subscript(key: Key) -> Value? {
        // A call that is not specialized asks for the types' metadata, each time.
        @inline(__always) mutating get {
            // Not bound to a name, which would copy the key.
            if last?.key == key { return last?.value }
            if let value = young[key] {
                last = (key, value)
                return value
            }
            guard let value = old[key] else { return nil }
            self[key] = value
            return value
        }
        set {
            if young.count >= capacity, young[key] == nil {
                old = young
                young = [:]
            }
            young[key] = newValue
            if newValue == nil { old[key] = nil }
            last = newValue.map { (key, $0) }
        }
    }

    /// Removes all values.
    package mutating func removeAll() {
        last = nil
        young = [:]
        old = [:]
    }
}
