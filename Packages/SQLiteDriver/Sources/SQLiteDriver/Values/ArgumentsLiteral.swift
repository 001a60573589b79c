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

    /// Binds each element to the parameter at its position: see ``StatementArguments/Contents/bind(to:room:)``.
    @inline(__always)
    func bind(to sqliteStatement: SQLiteStatement, room: UnsafeMutableRawPointer) -> CInt {
        Self.withElements(of: array) { elements in
            for index in elements.indices {
                let code = elements[index].bind(
                    to: sqliteStatement, at: CInt(truncatingIfNeeded: index + 1), room: room + 16 &* index)
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
