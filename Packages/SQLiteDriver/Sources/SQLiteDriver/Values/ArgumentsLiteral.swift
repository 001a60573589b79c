import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The arguments of a statement, as a literal has given them.
///
/// Programs that run a statement again and again write its arguments as literals, which come as arrays of existentials. The ways of
/// the language with these are slow: it looks at an element by copying it through its type's witness tables, and destroys the array by
/// way of the runtime, and each of both takes longer than binding all of it. So a literal is kept as it is, and read and emptied where
/// it is, if all of its values are of types that `Existential` knows.
struct ArgumentsLiteral {
    private var array: [(any StatementBinding)?]

    /// - Parameter array: a literal that ``canHold(_:)``.
    init(_ array: [(any StatementBinding)?]) {
        self.array = array
    }

    static func canHold(_ array: [(any StatementBinding)?]) -> Bool {
        withElements(of: array) { $0.allSatisfy(\.isKnown) }
    }

    var count: Int { array.count }

    var values: [StatementArguments.Argument] { array.map { StatementArguments.Argument($0) } }

    /// Binds each element to the parameter of its place, see ``PositionalArguments/bind(to:room:)``.
    @inline(__always)
    func bind(to sqliteStatement: SQLiteStatement, room: UnsafeMutableRawPointer) -> CInt {
        Self.withElements(of: array) { elements in
            for index in elements.indices {
                let code = elements.bind(index, to: sqliteStatement, room: room)
                if code != SQLITE_OK { return code }
            }
            return SQLITE_OK
        }
    }

    /// Destroys the elements, unless somebody else has them, too.
    @inline(__always)
    mutating func removeAll() {
        // Without Objective-C, an array is a reference to its storage, and nothing else.
        #if !canImport(ObjectiveC)
            precondition(MemoryLayout<[Existential]>.size == MemoryLayout<AnyObject>.size)
            withUnsafeMutableBytes(of: &array) { bytes in
                guard isKnownUniquelyReferenced(&bytes.assumingMemoryBound(to: AnyObject.self)[0]) else { return }
                let array = bytes.assumingMemoryBound(to: [Existential].self)
                array[0].withUnsafeMutableBufferPointer { UnsafeBufferPointer($0).destroyValues() }
                // To the array, these are elements that need not be destroyed.
                array[0].removeAll(keepingCapacity: true)
            }
        #endif
    }

    @inline(__always)
    private static func withElements<Result>(
        of array: [(any StatementBinding)?], _ body: (UnsafeBufferPointer<Existential>) -> Result
    ) -> Result {
        precondition(MemoryLayout<(any StatementBinding)?>.stride == MemoryLayout<Existential>.stride)
        return array.withUnsafeBufferPointer { elements in
            let start = UnsafeRawPointer(elements.baseAddress)?.assumingMemoryBound(to: Existential.self)
            return body(UnsafeBufferPointer(start: start, count: elements.count))
        }
    }
}

// The types of the values are Sendable.
extension ArgumentsLiteral: @unchecked Sendable {}

// MARK: - Elements

/// An element of a literal, as it lies in memory: room for a value, or for a reference to one that has more than three words, then
/// its type, which is nil where the element is, then the type's conformance.
///
/// Source: <https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeLayout.rst#existential-container-layout>
private struct Existential {
    let value: (UInt, UInt, UInt)
    let type: UnsafeRawPointer?
    let conformance: UnsafeRawPointer?

    @inline(__always)
    func `is`(_ type: Any.Type) -> Bool { self.type == unsafeBitCast(type, to: UnsafeRawPointer.self) }

    /// Whether it is nil, or of a type that has its values in place, is Sendable, and can always be stored.
    ///
    /// The types that are frequent come last: the compiler looks at them in the opposite order.
    @inline(__always)
    var isKnown: Bool {
        self.is(Data.self) || self.is(Bool.self) || self.is(Double.self) || self.is(Int64.self) || self.is(Int.self)
            || type == nil || self.is(String.self)
    }
}

/// A text that can be looked at, but not copied, and so is neither retained nor released.
private struct Text: ~Copyable {
    private let string: String

    @inline(__always)
    func bind(room: UnsafeMutableRawPointer, to sqliteStatement: SQLiteStatement, at parameter: CInt) -> CInt {
        string.bindBorrowed(to: sqliteStatement, at: parameter, room: room)
    }
}

extension UnsafeBufferPointer<Existential> {
    /// Binds an element of a known type, whose text is borrowed.
    @inline(__always)
    fileprivate func bind(_ index: Int, to sqliteStatement: SQLiteStatement, room: UnsafeMutableRawPointer) -> CInt {
        let element = baseAddress! + index
        let parameter = CInt(truncatingIfNeeded: index + 1)
        func value<Value: ~Copyable>(as type: Value.Type) -> UnsafePointer<Value> {
            UnsafeRawPointer(element).assumingMemoryBound(to: type)
        }
        if element.pointee.type == nil { return sqlite3_bind_null(sqliteStatement, parameter) }
        if element.pointee.is(String.self) {
            return value(as: Text.self).pointee.bind(room: room + 16 &* index, to: sqliteStatement, at: parameter)
        }
        if element.pointee.is(Int.self) { return value(as: Int.self).pointee.bind(to: sqliteStatement, at: parameter) }
        if element.pointee.is(Int64.self) { return value(as: Int64.self).pointee.bind(to: sqliteStatement, at: parameter) }
        if element.pointee.is(Double.self) { return value(as: Double.self).pointee.bind(to: sqliteStatement, at: parameter) }
        if element.pointee.is(Bool.self) { return value(as: Bool.self).pointee.bind(to: sqliteStatement, at: parameter) }
        return value(as: Data.self).pointee.bind(to: sqliteStatement, at: parameter)
    }

    /// Destroys the values of elements of known types, of which two have something to destroy.
    @inline(__always)
    fileprivate func destroyValues() {
        for index in indices {
            let element = baseAddress! + index
            let value = UnsafeMutableRawPointer(mutating: element)
            if element.pointee.is(String.self) {
                _ = value.assumingMemoryBound(to: String.self).move()
            } else if element.pointee.is(Data.self) {
                _ = value.assumingMemoryBound(to: Data.self).move()
            }
        }
    }
}
