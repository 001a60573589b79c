import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The arguments of a statement, as a literal has given them.
///
/// Programs that run a statement again and again write its arguments as literals, which come as arrays of existentials. A literal is kept
/// as it is, and its elements bind themselves where they are, if all of them are of types whose values can go to other threads and can
/// always be stored: to make other arguments of them would take longer than binding them.
///
/// `@unchecked Sendable`: the types of the elements, which ``canHold(_:)`` has looked at, are Sendable.
struct ArgumentsLiteral: @unchecked Sendable {
    private let array: [(any StatementBinding)?]

    /// - Parameter array: a literal that ``canHold(_:)``.
    init(_ array: [(any StatementBinding)?]) {
        self.array = array
    }

    static func canHold(_ array: [(any StatementBinding)?]) -> Bool {
        array.withUnsafeBufferPointer { elements in
            for index in elements.indices {
                if let isKnown = elements[index]?.isOfKnownType, !isKnown { return false }
            }
            return true
        }
    }

    var count: Int { array.count }

    var values: [StatementArguments.Argument] { array.map { StatementArguments.Argument($0) } }

    /// Binds each element to the parameter of its place, see ``StatementArguments/Contents/bind(to:room:)``.
    @inline(__always)
    func bind(to sqliteStatement: SQLiteStatement, room: UnsafeMutableRawPointer) -> CInt {
        array.withUnsafeBufferPointer { elements in
            for index in elements.indices {
                let parameter = CInt(truncatingIfNeeded: index + 1)
                // Called on the element itself, in the array, which would be copied to be looked at.
                let code =
                    elements[index]?.bindBorrowed(to: sqliteStatement, at: parameter, room: room + 16 &* index)
                    ?? sqlite3_bind_null(sqliteStatement, parameter)
                if code != SQLITE_OK { return code }
            }
            return SQLITE_OK
        }
    }
}

extension StatementBinding {
    /// Whether the type is Sendable, and has its values where an argument is, none of which is refused.
    ///
    /// The types that are frequent come first.
    fileprivate var isOfKnownType: Bool {
        Self.self == String.self || Self.self == Int.self || Self.self == Int64.self || Self.self == Double.self || Self.self == Bool.self
            || Self.self == Data.self
    }
}
