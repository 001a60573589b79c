import Persistence

// Most coding keys are enums that the compiler synthesizes, of one byte. A key of one byte can't hold a reference, so its byte identifies
// it in all rows. Finding a column by that byte is faster than by the key's name, which would be created, compared and released for each
// property of each record.

/// The columns of the keys of one type in the rows of a fetch. Each column is added when it is first requested.
final class KeyColumns {
    /// Valid as long as this object, which is retained while the state decodes records.
    let list: KeyColumnList

    /// The number of keys whose columns are cached.
    fileprivate static let capacity = 64

    /// - Returns: nil if a key is not one byte.
    init?<Key: CodingKey>(_ type: Key.Type) {
        guard MemoryLayout<Key>.size == 1 else { return nil }
        list = KeyColumnList(capacity: Self.capacity)
    }

    deinit {
        list.columns.deallocate()
    }
}

/// The cached column of a key.
struct KeyColumn {
    /// The position of the key's column in the rows.
    var position = ColumnPosition.unknown

    /// Whether dates are read from the column without a strategy; false until this is first checked.
    var hasPlainDates = false
}

/// The columns, by the bytes of the keys.
struct KeyColumnList {
    fileprivate let columns: UnsafeMutablePointer<KeyColumn>

    fileprivate init(capacity: Int) {
        columns = .allocate(capacity: capacity)
        columns.initialize(repeating: KeyColumn(), count: capacity)
    }

    /// Returns the cached column of a key, or nil if the key's byte exceeds the capacity.
    @inline(__always)
    func column<Key: CodingKey>(of key: Key) -> UnsafeMutablePointer<KeyColumn>? {
        // This loads a byte, while `withUnsafeBytes(of:)` would be a call.
        let number = Int(unsafeBitCast(key, to: UInt8.self))
        return number < KeyColumns.capacity ? columns + number : nil
    }
}
