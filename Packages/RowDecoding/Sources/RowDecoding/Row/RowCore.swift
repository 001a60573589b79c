import ValueConversion

// The hot part of a row, behind a pointer: a stored property of a class, read and written from inlined code, would be
// checked for exclusive access at each use, and that costs more than reading most columns.
//
// It is safe because the `RowColumns` of one row, or of rows that stay together, own it; they are not Sendable, and no reference into it
// leaves this file.

/// The state of a row that is read straight from a statement.
@usableFromInline
struct RowCore {
    /// The statement whose current row this is; nil for a row that was copied, or that is no more.
    @usableFromInline var statement: Unmanaged<Statement>?

    /// The number of columns that can be read by index without looking at the row's layout: 0 when there is one.
    @usableFromInline var directColumnCount = 0

    /// Which hint the next lookup by name tries first.
    @usableFromInline var position = 0

    @usableFromInline var hintCount = 0

    /// How many hints there is room for.
    private var hintRoom = 0

    @usableFromInline var hints: UnsafeMutablePointer<ColumnHint>?

    /// What the layers above keep with the rows of a statement, or with copied rows.
    @usableFromInline var attachments: Attachments?

    /// The rows of the scopes that were asked for, in the order of the layout's scopes.
    var scopeRows: [Row?] = []

    /// The columns of the copies of this row, and of those that come after it in the same run.
    var columnsOfCopies: RowColumns?

    /// How many lookups of a row are remembered.
    static let hintCapacity = 128

    /// The column of a name, where the row before was asked for the same name at this place: programs ask all rows for the
    /// same columns in the same order.
    ///
    /// - Returns: ``ColumnPosition/unknown`` when the hint is of no use.
    @inlinable
    mutating func hintedColumn(_ name: String) -> ColumnPosition {
        let index = position
        guard index < hintCount, let hint = hints?.advanced(by: index), hint.pointee.name._hasSameBits(as: name) else {
            return .unknown
        }
        position = index &+ 1
        return hint.pointee.column
    }

    /// Finds a name among the hints, and goes on from there.
    mutating func rememberedColumn(_ name: String) -> ColumnPosition {
        for index in 0..<hintCount where hints![index].name == name {
            position = index + 1
            return hints![index].column
        }
        return .unknown
    }

    /// Remembers a lookup at the end of the hints, if that is where the row is.
    ///
    /// - Parameter room: how many lookups there is to be room for, if this is the first one.
    mutating func remember(_ name: String, column: ColumnPosition, room: Int = hintCapacity) {
        let hints: UnsafeMutablePointer<ColumnHint>
        if let existing = self.hints {
            guard position == hintCount, hintCount < hintRoom else { return }
            hints = existing
        } else {
            guard position == 0, room > 0 else { return }
            hintRoom = min(room, Self.hintCapacity)
            hints = .allocate(capacity: hintRoom)
            self.hints = hints
        }
        (hints + hintCount).initialize(to: ColumnHint(name: name, column: column))
        hintCount += 1
        position = hintCount
    }

    mutating func forgetHints() {
        hints?.deinitialize(count: hintCount)
        hints?.deallocate()
        hints = nil
        hintCount = 0
        position = 0
    }
}

/// A name that a row was asked for, and its column.
@usableFromInline
struct ColumnHint {
    @usableFromInline let name: String
    @usableFromInline let column: ColumnPosition
}

extension String {
    /// Whether both texts are surely the same, because all their bits are: small texts are held in those bits, and larger ones
    /// are shared. False says nothing.
    @inlinable
    @inline(__always)
    public func _hasSameBits(as other: String) -> Bool {
        guard MemoryLayout<String>.size == 16 else { return self == other }
        let lhs = unsafeBitCast(self, to: (UInt64, UInt64).self)
        let rhs = unsafeBitCast(other, to: (UInt64, UInt64).self)
        return lhs.0 == rhs.0 && lhs.1 == rhs.1
    }
}
