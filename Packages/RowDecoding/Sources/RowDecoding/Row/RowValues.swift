import ValueConversion

/// The values of a copied row, in the order of the statement's columns.
///
/// They are one allocation, which the rows of the scopes share. They never change once they are made, so that rows on other threads
/// may share them too.
@usableFromInline
final class RowValues: ManagedBuffer<Int, DatabaseValue> {
    /// Makes values.
    ///
    /// - Parameters:
    ///   - count: how many there are.
    ///   - value: makes the value of an index.
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

    /// The value of an index, which must be one of them.
    @inlinable
    subscript(index: Int) -> DatabaseValue {
        withUnsafeMutablePointers { count, elements in
            precondition(index >= 0 && index < count.pointee)
            return elements[index]
        }
    }
}
