import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The arguments of a statement that come from an array literal.
///
/// Programs that run a statement repeatedly write its arguments as literals, which arrive as arrays of existentials. To call an
/// existential's method, Swift copies it through the witness tables of its type, twice for each element. That takes longer than
/// binding the value. The literal is therefore kept as it is, and its elements are read in place, if ``ExistentialWords`` can read
/// all of them.
///
/// `@unchecked Sendable`: ``canHold(_:)`` accepts only elements whose types are Sendable.
struct ArgumentsLiteral: @unchecked Sendable {
    private let array: [(any StatementBinding)?]

    /// - Parameter array: a literal for which ``canHold(_:)`` returns true.
    init(_ array: [(any StatementBinding)?]) {
        self.array = array
    }

    static func canHold(_ array: [(any StatementBinding)?]) -> Bool {
        ExistentialWords.areReadable && withElements(of: array) { $0.allSatisfy(\.isReadable) }
    }

    var count: Int { array.count }

    var values: [StatementArguments.Argument] { array.map { StatementArguments.Argument($0) } }

    /// Binds each element to the parameter at its position: see ``StatementArguments/Contents/bind(to:)``.
    @inline(__always)
    func bind(to parameters: BorrowingParameters) -> CInt {
        Self.withElements(of: array) { elements in
            for index in elements.indices {
                let code = elements[index].bind(to: parameters, at: index)
                if code != SQLITE_OK { return code }
            }
            return SQLITE_OK
        }
    }

    @inline(__always)
    private static func withElements<Result>(
        of array: [(any StatementBinding)?], _ body: (LazyMapSequence<Range<Int>, ExistentialWords>) -> Result
    ) -> Result {
        array.withUnsafeBytes { bytes in
            let stride = MemoryLayout<(any StatementBinding)?>.stride
            return body((0..<array.count).lazy.map { ExistentialWords(start: bytes.baseAddress! + stride &* $0) })
        }
    }
}

// MARK: - Elements

/// The words of an `(any StatementBinding)?`, read in place.
///
/// Swift can't look into an existential without copying it. Where Swift's ABI is stable, the layout of an existential is a part of
/// it, and other platforms have the same one: three words for the value, or for a reference to a larger value; the type, which is 0
/// if the optional is nil; and the conformance.
///
/// Nothing relies on this layout unless ``areReadable`` has verified it in the running process.
///
/// Source: <https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeLayout.rst#existential-container-layout>
struct ExistentialWords {
    /// The address of an initialized `(any StatementBinding)?`, which must not move.
    let start: UnsafeRawPointer

    /// The word that holds the type.
    @inline(__always)
    private var type: UInt { start.load(fromByteOffset: 3 * MemoryLayout<UInt>.size, as: UInt.self) }

    @inline(__always)
    private func holds(_ type: Any.Type) -> Bool { self.type == UInt(bitPattern: ObjectIdentifier(type)) }

    /// The value, in place.
    @inline(__always)
    private func value<Value: ~Copyable>(as type: Value.Type) -> UnsafePointer<Value> { start.assumingMemoryBound(to: type) }

    /// Whether the element is nil, or of a type whose values are stored in place, are Sendable, and can always be bound.
    ///
    /// The most frequent types come last, because the compiled code compares them in reverse order.
    @inline(__always)
    var isReadable: Bool {
        holds(Data.self) || holds(Bool.self) || holds(Double.self) || holds(Int64.self) || holds(Int.self) || type == 0
            || holds(String.self)
    }

    /// Binds the value, and borrows its text.
    ///
    /// - Precondition: ``isReadable``.
    @inline(__always)
    func bind(to parameters: BorrowingParameters, at index: Int) -> CInt {
        if holds(String.self) { return value(as: Text.self).pointee.bind(to: parameters, at: index) }
        let (sqliteStatement, parameter) = (parameters.sqliteStatement, CInt(truncatingIfNeeded: index + 1))
        if type == 0 { return sqlite3_bind_null(sqliteStatement, parameter) }
        if holds(Int.self) { return value(as: Int.self).pointee.bind(to: sqliteStatement, at: parameter) }
        if holds(Int64.self) { return value(as: Int64.self).pointee.bind(to: sqliteStatement, at: parameter) }
        if holds(Double.self) { return value(as: Double.self).pointee.bind(to: sqliteStatement, at: parameter) }
        if holds(Bool.self) { return value(as: Bool.self).pointee.bind(to: sqliteStatement, at: parameter) }
        return value(as: Data.self).pointee.bind(to: sqliteStatement, at: parameter)
    }
}

/// A text that can't be copied, so that calling its methods neither retains nor releases its memory.
private struct Text: ~Copyable {
    private let string: String

    @inline(__always)
    func bind(to parameters: BorrowingParameters, at index: Int) -> CInt { parameters.bind(string, at: index) }
}

// MARK: - Whether the layout is as described

extension ExistentialWords {
    /// Whether existentials have the layout that this type reads. Each process checks it once, with values of all types.
    static let areReadable: Bool = {
        guard MemoryLayout<(any StatementBinding)?>.size == 5 * MemoryLayout<UInt>.size else { return false }
        let none: (any StatementBinding)? = nil
        return isFound(none, type: 0) && isFound("short") && isFound(String(repeating: "long ", count: 20)) && isFound(-2)
            && isFound(Int64.min) && isFound(-0.1) && isFound(true) && isFound(false) && isFound(Data([1, 2, 3]))
            && isFound(Data(repeating: 4, count: 100)) && isFound(Data(repeating: 5, count: 100)[20..<60])
    }()

    private static func isFound<Value: StatementBinding & Equatable>(_ value: Value) -> Bool {
        let existential: (any StatementBinding)? = value
        return isFound(existential, type: UInt(bitPattern: ObjectIdentifier(Value.self)))
            && MemoryLayout<Value>.size <= 3 * MemoryLayout<UInt>.size
            && withUnsafeBytes(of: existential) { words in
                withUnsafeBytes(of: value) { $0.elementsEqual(words.prefix(MemoryLayout<Value>.size)) }
            }
    }

    private static func isFound(_ existential: (any StatementBinding)?, type: UInt) -> Bool {
        withUnsafeBytes(of: existential) { ExistentialWords(start: $0.baseAddress!).type == type }
    }
}
