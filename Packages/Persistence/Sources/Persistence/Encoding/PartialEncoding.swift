import QueryInterface

// Omits values that a statement does not need. A deletion needs only the primary key. Storing the other values, and retaining their
// strings, would take longer than all other Swift code of a deletion.
//
// A record may read a value that it has set, or keep the container. The omitted values are then restored by encoding the record
// once more, into another container, up to the current column.

/// The encoding of a record that omits values. It lives on the stack, for as long as the record's method runs.
@usableFromInline
struct PartialEncoding {
    @usableFromInline let record: UnsafeRawPointer
    @usableFromInline let recordType: any EncodableRecord.Type

    /// The memory that lacks values, or nil once its values are complete or it is freed. The current container may have other
    /// memory, because a record can assign another container and keep the first.
    @usableFromInline var contents: Unmanaged<ContainerStorage>?

    @inlinable
    init<Record: EncodableRecord>(_ record: UnsafePointer<Record>) {
        self.record = UnsafeRawPointer(record)
        recordType = Record.self
    }

    /// Encodes the record, and returns the values of its first columns.
    fileprivate func values(ofFirst count: Int) -> ContainerStorage {
        var container = PersistenceContainer()
        container.contents.state.pointee.snapshotPosition = count
        // The same error ends the encoding that waits for the values.
        try? encodeRecord(as: recordType, to: &container)
        return container.contents.state.pointee.snapshot ?? container.contents
    }

    private func encodeRecord<Record: EncodableRecord>(as type: Record.Type, to container: inout PersistenceContainer) throws {
        try record.assumingMemoryBound(to: type).pointee.encode(to: &container)
    }
}

extension UnsafeMutablePointer<PartialEncoding> {
    /// Begins to omit the values that the plan's statement does not need, if the record is expected to have the columns of the previous
    /// record.
    @inlinable
    @inline(__always)
    func begin(_ contents: ContainerStorage) {
        guard contents.state.pointee.statement != nil else { return }
        contents.state.pointee.partialEncoding = self
        pointee.contents = .passUnretained(contents)
    }

    /// Ends the partial encoding. If the program has kept the container, completes its values.
    @inlinable
    @inline(__always)
    func end(_ container: inout PersistenceContainer) {
        if container.contents.state.pointee.partialEncoding == self, container.isUnique() {
            container.contents.state.pointee.partialEncoding = nil
        } else {
            completeKeptValues()
        }
    }

    @inline(never)
    @usableFromInline
    func completeKeptValues() {
        pointee.contents?.takeUnretainedValue().completeValues()
    }
}

extension ContainerStorage {
    /// Sets the omitted values before they are read.
    func completeValues() {
        guard let encoding = state.pointee.partialEncoding else { return }
        forgetPartialEncoding()
        let values = encoding.pointee.values(ofFirst: state.pointee.position)
        for index in 0..<min(state.pointee.position, values.state.pointee.position) {
            let slot = values.state.pointee.slots[index]
            guard slot.name == state.pointee.slots[index].name else { continue }
            state.pointee.slots[index].value = slot.value
            state.pointee.failures[index] = values.state.pointee.failures[index]
        }
        state.pointee.hasFailed = !state.pointee.failures.isEmpty
        // Values that are set from here on are kept, and bound at the end.
        state.pointee.statement = nil
    }

    /// Detaches the memory from the partial encoding, before the memory is freed or completed.
    func forgetPartialEncoding() {
        state.pointee.partialEncoding?.pointee.contents = nil
        state.pointee.partialEncoding = nil
    }
}

extension PersistenceContainer {
    /// Skips the column if it is the expected one and the statement does not need its value. Returns whether it skipped the column.
    ///
    /// This function is not generic over the value, which it ignores. One copy of its code keeps the instruction cache small.
    @inline(never)
    @usableFromInline
    mutating func leavesOut(_ column: String) -> Bool {
        guard isUnique() else { return false }
        let state = contents.state.pointer
        let position = state.pointee.position
        guard position < state.pointee.count, state.pointee.slots[position].name == column,
            state.pointee.slots[position].parameter == RecordPlan.leftOut
        else { return false }
        state.pointee.position = position &+ 1
        return true
    }
}
