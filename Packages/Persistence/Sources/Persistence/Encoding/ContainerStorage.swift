import QueryInterface

// The memory of a persistence container. Records of one type write the same columns in the same order, again and again: the
// memory is used for one record after the other, and a column that comes where it came before costs one comparison of names.
//
// The pointers are safe because this class owns them, and because every container asks whether it holds the only reference
// before it writes: a container that someone has kept is copied first. A container binds values to a plan's statement only while
// the record that it was made for is being encoded: the encoding knows its memory, and the memory its encoding, by pointers that
// each of them clears in the other when it goes.

/// Where an encoding notes its memory, on the stack: nil when there is none any more. The container may have another one by its
/// end, as a record can put a container that it has kept in its place, and keep the first.
@usableFromInline typealias EncodingMemory = UnsafeMutablePointer<Unmanaged<ContainerStorage>?>

/// The columns and values that a record has encoded.
@usableFromInline
final class ContainerStorage {
    @usableFromInline let state: OwnedMemory<State>

    /// State that upper layers keep with a container from one record to the next.
    @usableFromInline let attachments = Attachments()

    @usableFromInline
    struct State {
        /// The columns of this record, followed by the previous record's columns that this record has not yet set.
        @usableFromInline var slots: UnsafeMutablePointer<Slot>
        /// The number of slots that hold a name.
        @usableFromInline var count = 0
        /// The number of columns that were written for this record.
        @usableFromInline var position = 0
        /// The number that stands for the names of all slots in their order, see `ShapeNumbers`; 0 while they have none. Whatever
        /// changes the names sets it to 0, so that it is right wherever the memory goes: to other plans, and to other connections.
        @usableFromInline var shape = 0
        /// Whether a value could not be stored.
        @usableFromInline var hasFailed = false
        /// The statement whose parameters the values are bound to while they are set; nil when they are bound later.
        @usableFromInline var statement: SQLiteStatement?
        /// For each slot the parameter that takes its value, as a plan has them.
        @usableFromInline var parameters: UnsafePointer<CInt>?
        /// Whether all values were bound while they were set.
        @usableFromInline var isBound = false
        /// Where the encoding under way has noted its memory, nil when a record is not being encoded for a plan.
        @usableFromInline var encoding: EncodingMemory?
        /// The encoding under way, if it leaves out values.
        @usableFromInline var partialEncoding: UnsafeMutablePointer<PartialEncoding>?
        /// How many columns are set when a snapshot is taken, before the next one is.
        var snapshotPosition: Int?
        var snapshot: ContainerStorage?
        var capacity: Int
        var failures: [Int: any Error] = [:]
    }

    /// A column and its value.
    @usableFromInline
    struct Slot {
        @usableFromInline let name: String
        /// The value, unless the bytes stand for it.
        @usableFromInline var storedValue = DatabaseValue.null
        /// What the bytes stand for, if they stand for the value.
        @usableFromInline var shortBinding: ShortBinding?
        /// The bytes of a short value, or of a text that has no memory of its own.
        @usableFromInline var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

        @inlinable
        init(name: String) {
            self.name = name
        }

        @inlinable
        var value: DatabaseValue {
            get { shortBinding == nil ? storedValue : valueOfBytes }
            set {
                storedValue = newValue
                shortBinding = nil
            }
        }

        @usableFromInline
        var valueOfBytes: DatabaseValue {
            withUnsafeBytes(of: bytes) { shortBinding?.databaseValue(from: $0.baseAddress!) ?? storedValue }
        }
    }

    @usableFromInline
    init(capacity: Int = 16) {
        state = OwnedMemory(State(slots: .allocate(capacity: capacity), capacity: capacity))
    }

    deinit {
        state.pointee.encoding?.pointee = nil
        forgetPartialEncoding()
        state.pointee.slots.deinitialize(count: state.pointee.count)
        state.pointee.slots.deallocate()
    }

    /// A copy of the columns that were written.
    ///
    /// From here on, who writes to the original may not be the one whose values a plan's statement waits for: they are all bound
    /// at the end.
    @usableFromInline
    func copy() -> ContainerStorage {
        completeValues()
        state.pointee.statement = nil
        let copy = ContainerStorage(capacity: max(state.pointee.position, 1))
        for index in 0..<state.pointee.position {
            (copy.state.pointee.slots + index).initialize(to: state.pointee.slots[index])
        }
        copy.state.pointee.count = state.pointee.position
        copy.state.pointee.position = state.pointee.position
        if state.pointee.position == state.pointee.count { copy.state.pointee.shape = state.pointee.shape }
        copy.state.pointee.failures = state.pointee.failures
        copy.state.pointee.hasFailed = state.pointee.hasFailed
        copy.state.pointee.snapshotPosition = state.pointee.snapshotPosition
        copy.state.pointee.snapshot = state.pointee.snapshot
        return copy
    }

    /// Prepares the memory for the next record.
    ///
    /// - Parameters:
    ///   - plan: how the record is going to be written, if it turns out to have the shape of the record before.
    ///   - encoding: where the encoding notes its memory; nil for one that has no plan.
    @inlinable
    @inline(__always)
    func begin(_ plan: RecordPlan?, _ encoding: EncodingMemory?) {
        encoding?.pointee = .passUnretained(self)
        state.pointee.encoding = encoding
        state.pointee.position = 0
        state.pointee.isBound = false
        if let plan, plan.shape == state.pointee.shape {
            state.pointee.statement = plan.statement.sqliteStatement
            state.pointee.parameters = plan.parameters
        } else {
            state.pointee.statement = nil
        }
        if state.pointee.hasFailed { forgetFailures() }
    }

    @usableFromInline
    func forgetFailures() {
        state.pointee.hasFailed = false
        state.pointee.failures = [:]
    }

    /// Ends the record, and removes the previous record's columns that this record did not set.
    @inlinable
    @inline(__always)
    func end() {
        if state.pointee.position < state.pointee.count { truncate() }
        state.pointee.isBound = state.pointee.statement != nil
        state.pointee.statement = nil
    }

    /// Ends the encoding of which this was the memory, while the record's method still runs or after a record has put another
    /// container in its place: all values are there, and those that are set from here on are not bound.
    @inline(never)
    @usableFromInline
    func leaveEncoding() {
        completeValues()
        state.pointee.encoding?.pointee = nil
        state.pointee.encoding = nil
        state.pointee.statement = nil
    }

    @usableFromInline
    func truncate() {
        let position = state.pointee.position
        (state.pointee.slots + position).deinitialize(count: state.pointee.count - position)
        state.pointee.count = position
        state.pointee.shape = 0
        state.pointee.statement = nil
    }

    /// The slot of the column that comes next, if it is the one that came next in the record before.
    @inlinable
    @inline(__always)
    func expectedSlot(forColumn name: String) -> UnsafeMutablePointer<Slot>? {
        let slot = state.pointee.slots + state.pointee.position
        guard state.pointee.position < state.pointee.count, slot.pointee.name._hasSameBits(as: name), !state.pointee.hasFailed else {
            return nil
        }
        return slot
    }

    /// Sets an unexpected column: a new column, or a column that is set for the second time.
    @inline(never)
    @usableFromInline
    func set(_ name: String, _ value: Result<DatabaseValue, any Error>) {
        completeValues()
        if state.pointee.snapshotPosition == state.pointee.position { takeSnapshot() }
        // What was bound so far is bound again, later, with all the rest.
        state.pointee.statement = nil
        let index: Int
        if let existing = self.index(of: name) {
            index = existing
        } else if state.pointee.position < state.pointee.count,
            state.pointee.slots[state.pointee.position].name._isEqualIgnoringASCIICase(to: name)
        {
            index = state.pointee.position
            state.pointee.position += 1
        } else {
            truncate()
            index = state.pointee.position
            append(name)
        }
        switch value {
        case .success(let value):
            state.pointee.slots[index].value = value
            state.pointee.failures[index] = nil
        case .failure(let error):
            state.pointee.slots[index].value = .null
            state.pointee.failures[index] = error
        }
        state.pointee.hasFailed = !state.pointee.failures.isEmpty
    }

    private func takeSnapshot() {
        state.pointee.snapshotPosition = nil
        state.pointee.snapshot = copy()
    }

    private func append(_ name: String) {
        if state.pointee.count == state.pointee.capacity {
            let slots = UnsafeMutablePointer<Slot>.allocate(capacity: state.pointee.capacity * 2)
            slots.moveInitialize(from: state.pointee.slots, count: state.pointee.count)
            state.pointee.slots.deallocate()
            state.pointee.slots = slots
            state.pointee.capacity *= 2
        }
        (state.pointee.slots + state.pointee.count).initialize(to: Slot(name: name))
        state.pointee.count += 1
        state.pointee.position = state.pointee.count
    }

    /// Returns the index of a written column, ignoring ASCII case.
    func index(of name: String) -> Int? {
        (0..<state.pointee.position).first { state.pointee.slots[$0].name._isEqualIgnoringASCIICase(to: name) }
    }

    /// Throws the error of the first value that could not be stored.
    @inlinable
    func checkFailures() throws {
        if state.pointee.hasFailed { try throwFailure() }
    }

    /// Throws the error of the first of some values that could not be stored.
    @inline(__always)
    func checkFailures(of slots: [Int]) throws {
        if state.pointee.hasFailed { try throwFailure(of: slots) }
    }

    @inline(never)
    @usableFromInline
    func throwFailure(of slots: [Int]? = nil) throws {
        let failures = state.pointee.failures.filter { slots?.contains($0.key) ?? true }
        if let error = failures.min(by: { $0.key < $1.key })?.value { throw error }
    }
}
