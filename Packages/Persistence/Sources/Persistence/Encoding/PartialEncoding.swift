import QueryInterface

// Leaving out the values that nobody asks for. A deletion needs a record's primary key alone, and keeping the other values for it,
// each text a reference to count, takes longer than all else that is done in Swift for the deletion.
//
// A record may look at what it has set, though, or keep the container. Then the values are there after all: the record is encoded
// once more, aside, up to where it was.

/// The encoding of a record from which values are left out. It lives on the stack, for as long as the record's method runs.
@usableFromInline
struct PartialEncoding {
    @usableFromInline let record: UnsafeRawPointer
    @usableFromInline let recordType: any EncodableRecord.Type

    /// The memory that lacks values, nil when there is none any more. It may no longer be that of the container: a record can put
    /// another container in its place, and keep the first.
    @usableFromInline var contents: Unmanaged<ContainerStorage>?

    @inlinable
    init<Record: EncodableRecord>(_ record: UnsafePointer<Record>) {
        self.record = UnsafeRawPointer(record)
        recordType = Record.self
    }

    /// What the record encodes until it has set some columns, each of them once.
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
    /// Has the record leave out the values that the statement of its plan does not need, if its columns are expected to be those of
    /// the record before.
    @inlinable
    @inline(__always)
    func begin(_ contents: ContainerStorage) {
        guard contents.state.pointee.statement != nil else { return }
        contents.state.pointee.partialEncoding = self
        pointee.contents = .passUnretained(contents)
    }

    /// Ends it. Who has kept the container finds all values in it.
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
    /// Sets the values that were left out, before somebody looks at them.
    func completeValues() {
        guard let encoding = state.pointee.partialEncoding else { return }
        forgetPartialEncoding()
        let values = encoding.pointee.values(ofFirst: state.pointee.position)
        for index in 0..<min(state.pointee.position, values.state.pointee.position) {
            let slot = values.state.pointee.slots[index]
            guard slot.name._hasSameBits(as: state.pointee.slots[index].name) else { continue }
            state.pointee.slots[index].value = slot.value
            state.pointee.failures[index] = values.state.pointee.failures[index]
        }
        state.pointee.hasFailed = !state.pointee.failures.isEmpty
        // What is set from here on is not left out, and bound at the end.
        state.pointee.statement = nil
    }

    /// The memory is about to go, or to be complete.
    func forgetPartialEncoding() {
        state.pointee.partialEncoding?.pointee.contents = nil
        state.pointee.partialEncoding = nil
    }
}

extension PersistenceContainer {
    /// Whether the next column is the expected one, and its value is not needed.
    ///
    /// One function for values of all types, which are not looked at: code that is not run needs no room in the processor's cache.
    @inline(never)
    @usableFromInline
    mutating func leavesOut(_ column: String) -> Bool {
        guard isUnique() else { return false }
        let state = contents.state.pointer
        let position = state.pointee.position
        guard position < state.pointee.count, state.pointee.slots[position].name._hasSameBits(as: column),
            state.pointee.parameters.unsafelyUnwrapped[position] == RecordPlan.leftOut
        else { return false }
        state.pointee.position = position &+ 1
        return true
    }
}
