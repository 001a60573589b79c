import Foundation
import QueryInterface

// Compares the values that two records encoded. Records of one type usually have the same columns in the same places, and most of their
// values are the same, bit by bit.

extension ContainerStorage {
    /// Returns a bit for the position of each column whose value differs from that of another record, or which the other record lacks.
    ///
    /// - Returns: nil if there are more columns than bits.
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

    /// Returns whether the value of a column differs from that of another record, where a missing column counts as NULL.
    func isChanged(_ index: Int, from original: ContainerStorage) -> Bool {
        let slot = state.pointee.slots + index
        var other = original.state.pointee.slots + index
        if index >= original.state.pointee.position || slot.pointee.name != other.pointee.name {
            guard let found = original.index(of: slot.pointee.name) else { return !UncopiedValue(slot.pointee.value).isNullOrNaN }
            other = original.state.pointee.slots + found
        }
        return !Self.areAlike(slot, other)
    }

    /// Returns whether all bits of the names and values of two slots are the same. If they are not, the values can still be equal.
    private static func haveSameBits(_ slot: UnsafeMutablePointer<Slot>, _ other: UnsafeMutablePointer<Slot>) -> Bool {
        guard slot.pointee.name == other.pointee.name, slot.pointee.isShort == other.pointee.isShort else { return false }
        if slot.pointee.isShort { return slot.pointee.shortBinding == other.pointee.shortBinding }
        return withUnsafeBytes(of: &slot.pointee.storedValue) { bytes in
            withUnsafeBytes(of: &other.pointee.storedValue) { memcmp(bytes.baseAddress!, $0.baseAddress!, bytes.count) == 0 }
        }
    }

    /// Returns whether SQLite stores the values of two slots as equal values.
    private static func areAlike(_ slot: UnsafeMutablePointer<Slot>, _ other: UnsafeMutablePointer<Slot>) -> Bool {
        if !slot.pointee.isShort, !other.pointee.isShort {
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

/// A noncopyable value, so that comparing it neither retains nor releases it.
private struct UncopiedValue: ~Copyable {
    private let value: DatabaseValue

    init(_ value: DatabaseValue) {
        self.value = value
    }

    /// Returns whether SQLite stores the two values as equal values. SQLite stores NaN as NULL.
    func isAlike(_ other: borrowing UncopiedValue) -> Bool {
        value == other.value || (isNullOrNaN && other.isNullOrNaN)
    }

    var isNullOrNaN: Bool {
        switch value.storage {
        case .null: true
        case .double(let number): number.isNaN
        case .int64, .string, .blob: false
        }
    }
}
