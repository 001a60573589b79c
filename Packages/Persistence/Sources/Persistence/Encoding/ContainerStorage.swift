import QueryInterface

// The memory of a persistence container. Records of one type usually write the same columns in the same order, so one record after the
// other uses the same memory, and a column at the same position as before costs one comparison of names.
//
// The pointers are safe because this class owns them, and because every container checks that it holds the only reference before it writes;
// otherwise it copies the memory first. A container binds values to a plan's statement only while the record that it was created for is
// being encoded. The encoding and its memory point to each other, and each clears the other's pointer when it ends.

/// The place on the stack where an encoding records its memory; nil once the memory has left the encoding. The container may have other
/// memory when the encoding ends, because a record can replace its container with one that it kept earlier, and keep the replaced one.
@usableFromInline typealias EncodingMemory = UnsafeMutablePointer<Unmanaged<ContainerStorage>?>

/// The columns and values that a record encoded.
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
        /// The number that stands for the names of all slots in their order (see `LayoutNumbers`); 0 while there is no number. Every change
        /// of the names sets it to 0, so it stays correct when other plans and other connections use the memory.
        @usableFromInline var layout = 0
        /// Whether a value could not be stored.
        @usableFromInline var hasFailed = false
        /// The statement to which values are bound as they are set; nil if they are bound later.
        @usableFromInline var statement: SQLiteStatement?
        /// The number of the plan whose parameters the slots have; 0 for none. Every change of the names sets it to 0.
        @usableFromInline var planNumber = 0
        /// Whether all values were bound as they were set.
        @usableFromInline var isBound = false
        /// The place where the current encoding recorded its memory; nil if no such encoding is in progress.
        @usableFromInline var encoding: EncodingMemory?
        /// The current encoding, if it omits values.
        @usableFromInline var partialEncoding: UnsafeMutablePointer<PartialEncoding>?
        /// The number of set columns at which a snapshot is taken, before the next column is set.
        var snapshotPosition: Int?
        var snapshot: ContainerStorage?
        var capacity: Int
        var failures: [Int: any Error] = [:]
        /// Whether errors may show values: ``Configuration/publicStatementArguments``; false if no connection is known.
        let showsValues: Bool
        /// The columns that were set again: the index of the slot, and the name of the later value.
        var repeatedColumns: [(position: Int, name: String)] = []
        /// The record type that has noted that it does not implement some callbacks, and these callbacks.
        @usableFromInline var notedType: ObjectIdentifier?
        @usableFromInline var noted: RecordCallbacks = []
        /// The number of those columns. It is read for each record, and reading the array would retain it.
        @usableFromInline var repetitionCount = 0
    }

    /// A column and its value.
    @usableFromInline
    struct Slot {
        @usableFromInline let name: String
        /// The index of the plan's parameter that takes the value: see ``RecordPlan/parameters``.
        @usableFromInline var parameter: CInt = 0
        /// The value, unless it is short.
        @usableFromInline var storedValue = DatabaseValue.null
        /// Whether the value is short, such as a date, or a string without memory of its own.
        @usableFromInline var isShort = false
        /// The value, if it is short.
        @usableFromInline var shortBinding = ShortBinding.empty

        @inlinable
        init(name: String) {
            self.name = name
        }

        @inlinable
        var value: DatabaseValue {
            get { isShort ? shortBinding.databaseValue : storedValue }
            set {
                storedValue = newValue
                isShort = false
            }
        }
    }

    @usableFromInline
    init(capacity: Int = 16, showsValues: Bool = false) {
        state = OwnedMemory(State(slots: .allocate(capacity: capacity), capacity: capacity, showsValues: showsValues))
    }

    deinit {
        state.pointee.encoding?.pointee = nil
        forgetPartialEncoding()
        state.pointee.slots.deinitialize(count: state.pointee.count)
        state.pointee.slots.deallocate()
    }

    /// Returns a copy of the written columns.
    ///
    /// From here on, code outside the encoding may write to the original, so its values are all bound at the end.
    @usableFromInline
    func copy() -> ContainerStorage {
        completeValues()
        state.pointee.statement = nil
        let copy = ContainerStorage(capacity: max(state.pointee.position, 1), showsValues: state.pointee.showsValues)
        for index in 0..<state.pointee.position {
            (copy.state.pointee.slots + index).initialize(to: state.pointee.slots[index])
        }
        copy.state.pointee.count = state.pointee.position
        copy.state.pointee.position = state.pointee.position
        if state.pointee.position == state.pointee.count { copy.state.pointee.layout = state.pointee.layout }
        copy.state.pointee.failures = state.pointee.failures
        copy.state.pointee.hasFailed = state.pointee.hasFailed
        copy.state.pointee.snapshotPosition = state.pointee.snapshotPosition
        copy.state.pointee.snapshot = state.pointee.snapshot
        copy.state.pointee.repeatedColumns = state.pointee.repeatedColumns
        copy.state.pointee.repetitionCount = state.pointee.repetitionCount
        return copy
    }

    /// Prepares the memory for the next record.
    ///
    /// - Parameters:
    ///   - plan: the plan that writes the record if it has the layout of the previous record.
    ///   - encoding: the place where the encoding records its memory; nil for an encoding that never has a plan.
    @inlinable
    @inline(__always)
    func begin(_ plan: RecordPlan?, _ encoding: EncodingMemory?) {
        encoding?.pointee = .passUnretained(self)
        state.pointee.encoding = encoding
        state.pointee.position = 0
        state.pointee.isBound = false
        if let plan, plan.layout == state.pointee.layout {
            state.pointee.statement = plan.statement.handle
            if plan.number != state.pointee.planNumber { takeParameters(of: plan) }
        } else {
            state.pointee.statement = nil
        }
        // This is one call: for two calls, the compiler would retain this object for each record.
        if state.pointee.hasFailed || state.pointee.repetitionCount != 0 { forgetFailuresAndRepetitions() }
    }

    /// Stores the parameters of a plan in the slots. Containers usually serve one plan for many records.
    @inline(never)
    @usableFromInline
    func takeParameters(of plan: RecordPlan) {
        precondition(plan.parameters.count == state.pointee.count)
        for (index, parameter) in plan.parameters.enumerated() { state.pointee.slots[index].parameter = parameter }
        state.pointee.planNumber = plan.number
    }

    @inline(never)
    @usableFromInline
    func forgetFailuresAndRepetitions() {
        state.pointee.hasFailed = false
        state.pointee.failures = [:]
        state.pointee.repeatedColumns = []
        state.pointee.repetitionCount = 0
    }

    /// Ends the record, and removes the previous record's columns that this record did not set.
    @inlinable
    @inline(__always)
    func end() {
        if state.pointee.position < state.pointee.count { truncate() }
        state.pointee.isBound = state.pointee.statement != nil
        state.pointee.statement = nil
    }

    /// Detaches this memory from its encoding, while the record's method still runs or after the record replaced the container. Completes
    /// the values; values that are set from here on are not bound.
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
        state.pointee.layout = 0
        state.pointee.planNumber = 0
        state.pointee.statement = nil
    }

    /// Returns the slot of the next column, if the previous record had the same column at this position.
    @inlinable
    @inline(__always)
    func expectedSlot(forColumn name: String) -> UnsafeMutablePointer<Slot>? {
        let slot = state.pointee.slots + state.pointee.position
        guard state.pointee.position < state.pointee.count, slot.pointee.name == name, !state.pointee.hasFailed else {
            return nil
        }
        return slot
    }

    /// Returns the slot of the next column, if it has a place in the layout of the previous record, and its value is needed.
    @inlinable
    @inline(__always)
    func expectedSlot(at place: ColumnPlace) -> UnsafeMutablePointer<Slot>? {
        guard place.layout == state.pointee.layout, place.position == state.pointee.position, state.pointee.partialEncoding == nil
        else { return nil }
        return state.pointee.slots + place.position
    }

    /// Sets a column that is not the expected one: a new column, or a column that is set for the second time.
    @inline(never)
    @usableFromInline
    func set(_ name: String, _ value: Result<DatabaseValue, any Error>) {
        completeValues()
        if state.pointee.snapshotPosition == state.pointee.position { takeSnapshot() }
        // All values are bound later, including the values that were bound so far.
        state.pointee.statement = nil
        let index: Int
        if let existing = self.index(of: name) {
            index = existing
            state.pointee.repeatedColumns.append((existing, name))
            state.pointee.repetitionCount += 1
        } else if state.pointee.position < state.pointee.count,
            state.pointee.slots[state.pointee.position].name.isEqualIgnoringASCIICase(to: name)
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
        (0..<state.pointee.position).first { state.pointee.slots[$0].name.isEqualIgnoringASCIICase(to: name) }
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
        guard let error = failures.min(by: { $0.key < $1.key })?.value else { return }
        throw (error as? DatabaseError)?.showingValues(state.pointee.showsValues) ?? error
    }
}

extension PersistenceContainer {
    /// Returns whether no other container shares this one's memory.
    @inlinable
    mutating func isUnique() -> Bool {
        isKnownUniquelyReferenced(&contents)
    }
}
