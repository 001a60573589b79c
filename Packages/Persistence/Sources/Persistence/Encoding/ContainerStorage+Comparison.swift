import Foundation
import QueryInterface

// Comparing what two records have encoded. Records of one type have the same columns in the same places, as a rule, and most of
// their values are the same, bit by bit.

extension ContainerStorage {
    /// The columns whose values are not those of another record, by their positions as bits: those that the other one does not have
    /// are among them.
    ///
    /// - Returns: nil when there are more columns than bits.
    func changes(from original: ContainerStorage) -> UInt64? {
        let (count, originalCount) = (state.pointee.position, original.state.pointee.position)
        guard count <= UInt64.bitWidth else { return nil }
        let (slots, originalSlots) = (state.pointee.slots, original.state.pointee.slots)
        var changes: UInt64 = 0
        for index in 0..<count {
            if index < originalCount, Self.haveSameBits(slots + index, originalSlots + index) { continue }
            if isChanged(index, from: original) { changes |= 1 << UInt64(index) }
        }
        return changes
    }

    /// Returns whether the value of a column differs from that of another record.
    func isChanged(_ index: Int, from original: ContainerStorage) -> Bool {
        let slot = state.pointee.slots + index
        var other = original.state.pointee.slots + index
        if index >= original.state.pointee.position || !slot.pointee.name._hasSameBits(as: other.pointee.name) {
            guard let found = original.index(of: slot.pointee.name) else { return true }
            other = original.state.pointee.slots + found
        }
        return !Self.areAlike(slot, other)
    }

    /// Whether the columns and the values of two slots are surely the same, because all their bits are. False says nothing.
    private static func haveSameBits(_ slot: UnsafeMutablePointer<Slot>, _ other: UnsafeMutablePointer<Slot>) -> Bool {
        guard slot.pointee.name._hasSameBits(as: other.pointee.name), slot.pointee.shortBinding == other.pointee.shortBinding else {
            return false
        }
        if let count = slot.pointee.shortBinding?.count { return haveSameBytes(slot, other, count) }
        return withUnsafeBytes(of: &slot.pointee.storedValue) { bytes in
            withUnsafeBytes(of: &other.pointee.storedValue) { memcmp(bytes.baseAddress!, $0.baseAddress!, bytes.count) == 0 }
        }
    }

    /// A function of its own, so that the compiler keeps this comparison apart from the one above, whose count it knows: that takes a
    /// few instructions, and no call.
    @inline(never)
    private static func haveSameBytes(_ slot: UnsafeMutablePointer<Slot>, _ other: UnsafeMutablePointer<Slot>, _ count: Int) -> Bool {
        withUnsafeBytes(of: &slot.pointee.bytes) { bytes in
            withUnsafeBytes(of: &other.pointee.bytes) { memcmp(bytes.baseAddress!, $0.baseAddress!, count) == 0 }
        }
    }

    /// Returns whether SQLite stores the values of two slots as equal values.
    private static func areAlike(_ slot: UnsafeMutablePointer<Slot>, _ other: UnsafeMutablePointer<Slot>) -> Bool {
        if slot.pointee.shortBinding == nil, other.pointee.shortBinding == nil {
            return slot.storedValue.withMemoryRebound(to: UncopiedValue.self, capacity: 1) { value in
                other.storedValue.withMemoryRebound(to: UncopiedValue.self, capacity: 1) { value.pointee.isAlike($0.pointee) }
            }
        }
        return UncopiedValue(slot.pointee.value).isAlike(UncopiedValue(other.pointee.value))
    }
}

extension UnsafeMutablePointer<ContainerStorage.Slot> {
    fileprivate var storedValue: UnsafePointer<DatabaseValue> {
        let offset = MemoryLayout<ContainerStorage.Slot>.offset(of: \.storedValue)!
        return (UnsafeRawPointer(self) + offset).assumingMemoryBound(to: DatabaseValue.self)
    }
}

/// A value that can't be copied, and so is neither retained nor released to be compared.
private struct UncopiedValue: ~Copyable {
    private let value: DatabaseValue

    init(_ value: DatabaseValue) {
        self.value = value
    }

    /// Returns whether SQLite stores equal values. SQLite stores NaN as NULL.
    func isAlike(_ other: borrowing UncopiedValue) -> Bool {
        value == other.value || (isNullOrNaN && other.isNullOrNaN)
    }

    private var isNullOrNaN: Bool {
        switch value.storage {
        case .null: true
        case .double(let number): number.isNaN
        case .int64, .string, .blob: false
        }
    }
}
