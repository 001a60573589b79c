import ValueConversion

/// The values of a copied row, in the order of the statement's columns.
///
/// The values are one allocation, which the rows of the scopes share. They never change, so rows on other threads can share them, too.
@usableFromInline
final class RowValues: ManagedBuffer<Int, DatabaseValue> {
    /// Allocates the values and fills them.
    ///
    /// - Parameters:
    ///   - count: the number of values.
    ///   - value: returns the value at an index.
    @inline(__always)
    static func make(count: Int, _ value: (Int) -> DatabaseValue) -> RowValues {
        let values = unsafeDowncast(create(minimumCapacity: count) { _ in count }, to: RowValues.self)
        values.withUnsafeMutablePointerToElements { elements in
            for index in 0..<count {
                (elements + index).initialize(to: value(index))
            }
        }
        return values
    }

    deinit {
        _ = withUnsafeMutablePointers { count, elements in
            elements.deinitialize(count: count.pointee)
        }
    }

    @usableFromInline var count: Int { withUnsafeMutablePointerToHeader { $0.pointee } }

    var array: [DatabaseValue] { (0..<count).map { self[$0] } }

    /// The value at an index, which must be in range.
    @inlinable
    subscript(index: Int) -> DatabaseValue {
        withUnsafeMutablePointers { count, elements in
            precondition(index >= 0 && index < count.pointee)
            return elements[index]
        }
    }
}
