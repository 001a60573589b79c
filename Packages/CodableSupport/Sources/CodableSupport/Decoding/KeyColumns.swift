import Persistence

// Most coding keys are enumerations that the compiler makes, of one byte. No key that small can refer to anything: its byte is all that
// there is to it, and what it stood for in one row, it stands for in the next. By that byte its column is found, where otherwise its
// name would be made, compared and released, for each property of each record.

/// The columns that the keys of one type stand for in the rows of a fetch, as far as they have been asked for.
final class KeyColumns {
    /// The columns, by the keys' numbers. Who has the pointer relies on this object being kept, as it is while the state decodes records.
    let pointer: UnsafeMutablePointer<KeyColumn>

    /// How many keys are remembered.
    fileprivate static let capacity = 64

    /// - Returns: nil for keys that are not told apart by a byte.
    init?<Key: CodingKey>(_ type: Key.Type) {
        guard MemoryLayout<Key>.size == 1 else { return nil }
        pointer = .allocate(capacity: Self.capacity)
        pointer.initialize(repeating: KeyColumn(), count: Self.capacity)
    }

    deinit {
        pointer.deallocate()
    }
}

/// What is known of a key.
struct KeyColumn {
    /// Where the rows have the key's column.
    var position = ColumnPosition.unknown

    /// Whether dates are read from the column without a strategy; false when this was not asked.
    var hasPlainDates = false
}

extension UnsafeMutablePointer<KeyColumn> {
    /// What is known of a key, or nil for one that is not remembered.
    @inline(__always)
    func column<Key: CodingKey>(of key: Key) -> Self? {
        // `withUnsafeBytes(of:)` is a call here, and this is the load of a byte.
        let number = Int(unsafeBitCast(key, to: UInt8.self))
        return number < KeyColumns.capacity ? self + number : nil
    }
}
