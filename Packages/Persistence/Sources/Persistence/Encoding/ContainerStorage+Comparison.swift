import QueryInterface

// Compares the values that two records encoded. Records of one type usually have the same columns in the same places.

extension ContainerStorage {
    /// Returns a bit for the position of each column whose value differs in another record, or which the other record lacks.
    ///
    /// - Returns: nil if there are more columns than bits.
    func changes(from original: ContainerStorage) -> UInt64? {
        let count = state.pointee.position
        guard count <= UInt64.bitWidth else { return nil }
        var changes: UInt64 = 0
        for index in 0..<count where isChanged(index, from: original) { changes |= 1 << UInt64(index) }
        return changes
    }

    /// Returns whether the value of a column differs in another record, where a missing column counts as NULL.
    func isChanged(_ index: Int, from original: ContainerStorage) -> Bool {
        // The two slots below are in different memory.
        if self === original { return false }
        let (slots, others) = (state.pointee.slots, original.state.pointee.slots)
        if index < original.state.pointee.position, slots[index].name == others[index].name {
            return !Self.areAlike(&slots[index], &others[index])
        }
        guard let other = original.index(of: slots[index].name) else { return !slots[index].value.isNullOrNaN }
        return !Self.areAlike(&slots[index], &others[other])
    }

    /// Returns whether SQLite stores the values of two slots as equal values. The slots are inout in order not to be copied.
    @inline(__always)
    private static func areAlike(_ slot: inout Slot, _ other: inout Slot) -> Bool {
        if slot.isShort, other.isShort { return slot.shortBinding == other.shortBinding }
        if slot.isShort || other.isShort { return slot.value == other.value }
        return slot.storedValue == other.storedValue || slot.storedValue.isNullOrNaN && other.storedValue.isNullOrNaN
    }
}

extension DatabaseValue {
    /// Whether SQLite stores the value as NULL.
    fileprivate var isNullOrNaN: Bool {
        switch storage {
        case .null: true
        case .double(let number): number.isNaN
        case .int64, .string, .blob: false
        }
    }
}
