import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The positional arguments of a statement.
///
/// Programs that run a statement again and again write its arguments as literals, which come as arrays of existentials. These are
/// slow to go through: looking at an element copies it by way of its type's witness tables, which takes longer than binding it.
/// So a literal is kept as it is, and read where it is, if all of its values are of types that ``LiteralElement`` knows.
enum PositionalArguments {
    case values([StatementArguments.Argument])
    case literal([(any StatementBinding)?])

    init(literal elements: [(any StatementBinding)?]) {
        let isKnown = LiteralElement.withAll(of: elements) { $0.allSatisfy(\.isKnown) }
        self = isKnown ? .literal(elements) : .values(elements.map { StatementArguments.Argument($0) })
    }

    var count: Int {
        switch self {
        case .values(let values): values.count
        case .literal(let elements): elements.count
        }
    }

    var values: [StatementArguments.Argument] {
        switch self {
        case .values(let values): values
        case .literal(let elements): elements.map { StatementArguments.Argument($0) }
        }
    }

    /// The error of the first argument that can't be stored.
    var failure: (any Error)? {
        guard case .values(let values) = self else { return nil }
        for case .failure(let error) in values { return error }
        return nil
    }

    /// Binds each argument to the parameter of its place. Texts are borrowed: they must stay until other ones are bound.
    ///
    /// - Parameter room: memory for 16 bytes for each argument, which must stay as long.
    /// - Returns: a result code of SQLite.
    func bind(to sqliteStatement: SQLiteStatement, room: UnsafeMutableRawPointer) -> CInt {
        switch self {
        case .values(let values):
            for index in values.indices {
                guard case .value(let value) = values[index] else { continue }
                let code = value.bindBorrowed(to: sqliteStatement, at: CInt(index + 1), room: room + 16 * index)
                if code != SQLITE_OK { return code }
            }
            return SQLITE_OK
        case .literal(let elements):
            return LiteralElement.withAll(of: elements) { elements in
                for index in elements.indices {
                    let code = elements.bind(index, to: sqliteStatement, room: room)
                    if code != SQLITE_OK { return code }
                }
                return SQLITE_OK
            }
        }
    }
}

// The types of the values that a literal is kept for are Sendable.
extension PositionalArguments: @unchecked Sendable {}

// MARK: - Literals

/// An element of a literal, as it lies in memory: room for a value, or for a reference to one that has more than three words, then
/// its type, which is nil where the element is, then the type's conformance.
///
/// Source: <https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeLayout.rst#existential-container-layout>
private struct LiteralElement {
    let value: (UInt, UInt, UInt)
    let type: UnsafeRawPointer?
    let conformance: UnsafeRawPointer?

    static func withAll<Result>(
        of elements: [(any StatementBinding)?], _ body: (UnsafeBufferPointer<LiteralElement>) -> Result
    ) -> Result {
        precondition(MemoryLayout<(any StatementBinding)?>.stride == MemoryLayout<LiteralElement>.stride)
        return elements.withUnsafeBytes { body($0.assumingMemoryBound(to: LiteralElement.self)) }
    }

    @inline(__always)
    fileprivate func `is`(_ type: Any.Type) -> Bool { self.type == unsafeBitCast(type, to: UnsafeRawPointer.self) }

    /// Whether it is nil, or of a type that has its values in place, is Sendable, and can always be stored.
    var isKnown: Bool {
        type == nil || self.is(String.self) || self.is(Int.self) || self.is(Int64.self) || self.is(Double.self)
            || self.is(Bool.self) || self.is(Data.self)
    }
}

extension UnsafeBufferPointer<LiteralElement> {
    /// Binds an element of a known type, whose text is borrowed.
    @inline(__always)
    fileprivate func bind(_ index: Int, to sqliteStatement: SQLiteStatement, room: UnsafeMutableRawPointer) -> CInt {
        let element = baseAddress! + index
        let parameter = CInt(truncatingIfNeeded: index + 1)
        func value<Value>(as type: Value.Type) -> Value { UnsafeRawPointer(element).assumingMemoryBound(to: type).pointee }
        if element.pointee.type == nil { return sqlite3_bind_null(sqliteStatement, parameter) }
        if element.pointee.is(String.self) {
            return Statement.bindBorrowedText(value(as: String.self), room: room + 16 * index, to: sqliteStatement, at: parameter)
        }
        if element.pointee.is(Int.self) { return value(as: Int.self).bind(to: sqliteStatement, at: parameter) }
        if element.pointee.is(Int64.self) { return value(as: Int64.self).bind(to: sqliteStatement, at: parameter) }
        if element.pointee.is(Double.self) { return value(as: Double.self).bind(to: sqliteStatement, at: parameter) }
        if element.pointee.is(Bool.self) { return value(as: Bool.self).bind(to: sqliteStatement, at: parameter) }
        return value(as: Data.self).bind(to: sqliteStatement, at: parameter)
    }
}
