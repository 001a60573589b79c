import QueryInterface

// Binding what a record encodes to the parameters of its plan's statement. Most records have the columns of the record before,
// in the same order: then each value is bound as soon as it is set. Otherwise all are bound at the end.
//
// Texts are not copied, which makes an insertion a fifth faster. That is safe because
// - a text of more than 15 bytes has its bytes in memory of its own, which its slot retains, or in the program itself,
// - the bytes of a shorter one, which may be held in the string's own two words, are copied into the slot, where values of fixed
//   size, such as dates, write theirs at once,
// - the statement is the plan's own: nobody else can run it. It is never started without all its parameters being bound to the
//   slots of the record that is written, so that a slot that has changed since, or is no more, is never read.

extension ContainerStorage {
    /// Sets a slot, and binds its value.
    ///
    /// - Parameters:
    ///   - value: nil is NULL.
    ///   - slot: the slot.
    ///   - sqliteStatement: the plan's statement.
    ///   - parameter: the index of a parameter, from 1; 0 for a column that the statement does not need.
    /// - Returns: whether it was bound.
    @inlinable
    @inline(__always)
    static func setAndBind<Value: StatementBinding>(
        _ value: Value?, slot: UnsafeMutablePointer<Slot>, to sqliteStatement: SQLiteStatement, at parameter: CInt
    ) throws -> Bool {
        guard let value else {
            slot.pointee.value = .null
            return parameter == 0 || DatabaseValue.null.bind(to: sqliteStatement, at: parameter) == 0
        }
        let room = slot.room
        if let shortBinding = value.shortBinding(in: room) {
            slot.pointee.shortBinding = shortBinding
            return parameter == 0 || shortBinding.bindBorrowed(from: room, to: sqliteStatement, at: parameter) == 0
        }
        let dbValue = try value.bindingValue()
        let isBound = parameter == 0 || dbValue.bindBorrowed(to: sqliteStatement, at: parameter, room: room) == 0
        slot.pointee.value = dbValue
        return isBound
    }

    /// Sets a slot, whose value is bound later.
    @inlinable
    @inline(__always)
    static func set<Value: StatementBinding>(_ value: Value?, slot: UnsafeMutablePointer<Slot>) throws {
        if let shortBinding = value?.shortBinding(in: slot.room) {
            slot.pointee.shortBinding = shortBinding
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
    /// Where the slot's bytes are.
    @inlinable
    @inline(__always)
    var room: UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(self) + MemoryLayout<ContainerStorage.Slot>.offset(of: \.bytes)!
    }
}
