import QueryInterface

// Supporting callbacks costs as much as writing a small record: an around callback gets a copy of the record, update callbacks get the
// names of the columns, and the record is encoded again because a callback may have changed it. Most record types implement few callbacks,
// or none.
//
// A type can't report which callbacks it implements, but they are the same for all its records. Each default implementation therefore
// records, when it is called, that the type does not implement this callback.

/// Callbacks that can be skipped, together with the work that supports them.
@usableFromInline
struct RecordCallbacks: OptionSet {
    @usableFromInline let rawValue: UInt16

    @inlinable
    init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    @inlinable static var willSave: Self { Self(rawValue: 1 << 0) }
    @inlinable static var aroundSave: Self { Self(rawValue: 1 << 1) }
    @inlinable static var willInsert: Self { Self(rawValue: 1 << 2) }
    @inlinable static var aroundInsert: Self { Self(rawValue: 1 << 3) }
    @inlinable static var willUpdate: Self { Self(rawValue: 1 << 4) }
    @inlinable static var aroundUpdate: Self { Self(rawValue: 1 << 5) }
    @inlinable static var aroundDelete: Self { Self(rawValue: 1 << 6) }
    @inlinable static var didInsert: Self { Self(rawValue: 1 << 7) }
    @inlinable static var didSave: Self { Self(rawValue: 1 << 8) }

    @inlinable static var ofInsertions: Self { [.willInsert, .aroundInsert] }
    @inlinable static var ofUpdates: Self { [.willUpdate, .aroundUpdate] }
    /// The callbacks of an insertion that get the connection.
    @inlinable static var aroundInsertions: Self { [.willSave, .aroundSave, .willInsert, .aroundInsert] }
    /// The callbacks that get the row ID of an insertion.
    @inlinable static var afterInsertions: Self { [.didInsert, .didSave] }
}

extension RecordPlans {
    /// Returns whether the record type is known to implement none of the given callbacks.
    @inlinable
    func leavesOut(_ callbacks: RecordCallbacks) -> Bool {
        state.pointee.leftOut.isSuperset(of: callbacks)
    }

    /// Records that a record type does not implement a callback. The callbacks' default implementations call this method.
    @inline(never)
    @inlinable
    static func note<Record: TableRecord>(_ callback: RecordCallbacks, isLeftOutBy type: Record.Type, in db: Database) {
        plans(for: type, in: db).state.pointee.leftOut.insert(callback)
    }
}

extension WrittenRecord {
    /// Records in the container's memory that a record type does not implement a callback, which gets no connection. The plans look there
    /// before they form groups.
    @inlinable
    func note(_ callback: RecordCallbacks, isLeftOutBy type: Any.Type) {
        container.contents.note(callback, isLeftOutBy: ObjectIdentifier(type))
    }
}

extension ContainerStorage {
    @inlinable
    func note(_ callback: RecordCallbacks, isLeftOutBy type: ObjectIdentifier) {
        if state.pointee.notedType != type {
            state.pointee.notedType = type
            state.pointee.noted = []
        }
        state.pointee.noted.insert(callback)
    }
}

extension RecordPlans {
    /// Takes over what the callbacks of the last written record have noted.
    func takeNotes() {
        guard let contents = state.pointee.contents, contents.state.pointee.notedType == ObjectIdentifier(state.pointee.recordType)
        else { return }
        state.pointee.leftOut.formUnion(contents.state.pointee.noted)
    }
}
