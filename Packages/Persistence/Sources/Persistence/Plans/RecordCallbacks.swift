import QueryInterface

// The work for callbacks costs as much as writing a small record: the copy that an around callback gets, the names of the columns,
// and encoding the record anew since a callback may have changed it. Most record types have few callbacks, or none.
//
// Which callbacks a type leaves out is not known beforehand, but is the same for all records of the type: the default
// implementations note it when they are first called.

/// Callbacks that can be left out, together with what is done for them.
@usableFromInline
struct RecordCallbacks: OptionSet {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    @inlinable static var willSave: Self { Self(rawValue: 1 << 0) }
    @inlinable static var aroundSave: Self { Self(rawValue: 1 << 1) }
    @inlinable static var willInsert: Self { Self(rawValue: 1 << 2) }
    @inlinable static var aroundInsert: Self { Self(rawValue: 1 << 3) }
    @inlinable static var willUpdate: Self { Self(rawValue: 1 << 4) }
    @inlinable static var aroundUpdate: Self { Self(rawValue: 1 << 5) }
    @inlinable static var aroundDelete: Self { Self(rawValue: 1 << 6) }

    @inlinable static var ofInsertions: Self { [.willInsert, .aroundInsert] }
    @inlinable static var ofUpdates: Self { [.willUpdate, .aroundUpdate] }
}

extension RecordPlans {
    /// Returns whether the record type is known to leave out all of some callbacks.
    @inlinable
    func leavesOut(_ callbacks: RecordCallbacks) -> Bool {
        state.pointee.leftOut.isSuperset(of: callbacks)
    }

    /// Notes that a record type leaves out a callback. Default implementations of callbacks call it.
    @inline(never)
    @inlinable
    static func note<Record: TableRecord>(_ callback: RecordCallbacks, isLeftOutBy type: Record.Type, in db: Database) {
        plans(for: type, in: db).state.pointee.leftOut.insert(callback)
    }
}
