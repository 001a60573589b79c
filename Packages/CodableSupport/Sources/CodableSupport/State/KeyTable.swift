import Persistence

// Most coding keys are enums that the compiler synthesizes, of one byte. A key of one byte can't hold a reference, so its byte identifies
// it in all records. Finding a column by that byte is faster than by the key's name, which would be created, compared and released for each
// property of each record.

/// What a coder knows about the keys of one type. Each entry is completed when its key is first used.
final class KeyTable<Entry: KeyEntry> {
    /// Valid as long as this object, which is retained while the state codes records.
    let entries: KeyEntries<Entry>

    /// - Returns: nil if a key is not one byte.
    init?<Key: CodingKey>(_ type: Key.Type) {
        guard MemoryLayout<Key>.size == 1 else { return nil }
        entries = KeyEntries()
    }

    deinit {
        entries.free()
    }
}

/// What a coder knows about a key.
protocol KeyEntry {
    /// An entry that knows nothing.
    init()
}

/// The entries, by the bytes of the keys.
struct KeyEntries<Entry: KeyEntry> {
    /// The number of keys that have entries.
    private static var capacity: Int { 64 }

    private let first: UnsafeMutablePointer<Entry>

    fileprivate init() {
        first = .allocate(capacity: Self.capacity)
        first.initialize(repeating: Entry(), count: Self.capacity)
    }

    fileprivate func free() {
        first.deinitialize(count: Self.capacity)
        first.deallocate()
    }

    /// Returns the entry of a key, or nil if the key's byte exceeds the capacity.
    @inline(__always)
    subscript<Key: CodingKey>(key: Key) -> UnsafeMutablePointer<Entry>? {
        // This loads a byte, while `withUnsafeBytes(of:)` would be a call.
        let number = Int(unsafeBitCast(key, to: UInt8.self))
        return number < Self.capacity ? first + number : nil
    }
}
