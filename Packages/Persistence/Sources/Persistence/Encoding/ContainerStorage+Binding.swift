import QueryInterface

// Binds the values that a record encodes to the parameters of its plan's statement. Most records have the same columns as the previous
// record, in the same order: then each value is bound as soon as it is set. Otherwise all values are bound at the end.
//
// Strings are not copied, which makes an insertion a fifth faster. That is safe because
// - a string of more than 15 bytes has its bytes in separate memory, which its slot retains, or in the program itself,
// - the bytes of a shorter string, which may be stored in the string's own two words, and of values of fixed size, such as dates, are a
//   short binding, which is stored in the slot,
// - only the plan can run its statement. Before each run, all parameters are bound to the slots of the written record, so the statement
//   never reads a slot that has changed since or was deallocated,
// - a statement for several records has parameters for each of them. Their group keeps the memory of each record until the statement has run
//   (see `RecordGroup.swift`). So nobody else has the only reference to it, which changes would need.

extension ContainerStorage {
    /// Sets the next column if it is the expected one, and binds its value to the plan's statement.
    ///
    /// - Parameters:
    ///   - value: the value; nil for NULL.
    ///   - slot: the slot of the column; nil if it is not the expected one.
    /// - Returns: whether the column was the expected one.
    @inlinable
    @inline(__always)
    func setExpected<Value: StatementBinding>(_ value: Value?, slot: UnsafeMutablePointer<Slot>?) throws -> Bool {
        guard let slot else { return false }
        if let statement = state.pointee.statement {
            if !(try Self.setAndBind(value, slot: slot, to: statement)) { state.pointee.statement = nil }
        } else {
            try Self.set(value, slot: slot)
        }
        state.pointee.position &+= 1
        return true
    }

    /// Sets a slot, and binds its value.
    ///
    /// - Parameters:
    ///   - value: the value; nil for NULL.
    ///   - slot: the slot, whose parameter may be 0 for a column that the statement does not need.
    ///   - sqliteStatement: the plan's statement.
    /// - Returns: whether the value was bound.
    @inlinable
    @inline(__always)
    static func setAndBind<Value: StatementBinding>(
        _ value: Value?, slot: UnsafeMutablePointer<Slot>, to sqliteStatement: SQLiteStatement
    ) throws -> Bool {
        let parameter = slot.pointee.parameter
        guard let value else {
            slot.pointee.value = .null
            return parameter == 0 || DatabaseValue.null.bind(to: sqliteStatement, at: parameter) == 0
        }
        if let shortBinding = value.shortBinding() { return slot.setAndBind(shortBinding, to: sqliteStatement) }
        let dbValue = try value.bindingValue()
        if let shortBinding = dbValue.shortBinding() { return slot.setAndBind(shortBinding, to: sqliteStatement) }
        let isBound = parameter == 0 || dbValue.bindBorrowed(to: sqliteStatement, at: parameter) == 0
        slot.pointee.value = dbValue
        return isBound
    }

    /// Sets a slot. Its value is bound later.
    @inlinable
    @inline(__always)
    static func set<Value: StatementBinding>(_ value: Value?, slot: UnsafeMutablePointer<Slot>) throws {
        if let shortBinding = value?.shortBinding() {
            slot.pointee.shortBinding = shortBinding
            slot.pointee.isShort = true
        } else {
            slot.pointee.value = try value?.bindingValue() ?? .null
        }
    }

    /// Binds the values of all slots to the parameters of a plan.
    func bindAll(to plan: RecordPlan) throws {
        for index in 0..<state.pointee.position {
            let parameter = plan.parameters[index]
            if parameter > 0 {
                try plan.statement.bind(state.pointee.slots[index].value, at: Int(parameter))
            }
        }
    }
}

extension UnsafeMutablePointer<ContainerStorage.Slot> {
    /// Sets the slot to a short value, and binds its bytes, which stay in the slot.
    @inlinable
    @inline(__always)
    func setAndBind(_ shortBinding: ShortBinding, to sqliteStatement: SQLiteStatement) -> Bool {
        pointee.isShort = true
        let memory = UnsafeMutableRawPointer(self) + MemoryLayout<ContainerStorage.Slot>.offset(of: \.shortBinding)!
        return memory.assumingMemoryBound(to: ShortBinding.self)
            .bindBorrowed(shortBinding, to: sqliteStatement, at: pointee.parameter) == 0
    }
}
