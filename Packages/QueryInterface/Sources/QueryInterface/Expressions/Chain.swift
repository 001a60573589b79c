import RowDecoding

/// A list of values that is cheap to copy and append to: a copy shares the existing values, and appending takes constant time.
///
/// Requests are built step by step, and each step leaves the original request unchanged.
struct Chain<Element: Sendable>: Sendable, Sequence {
    private struct Link: Sendable {
        let element: Element
        let previous: NestedBox<Link>?
    }

    // Most chains have one value. It is stored inline, without an allocation.
    private var first: Element?
    private var last: NestedBox<Link>?
    private(set) var count = 0

    init() {}

    init(_ elements: some Sequence<Element>) {
        append(contentsOf: elements)
    }

    var isEmpty: Bool { count == 0 }

    /// The value, if there is exactly one.
    var only: Element? { count == 1 ? first : nil }

    /// The values, in the order in which they were appended.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values.
    var elements: [Element] {
        guard let first else { return [] }
        var elements: [Element] = []
        elements.reserveCapacity(count)
        var next = last
        while let link = next {
            elements.append(link.value.element)
            next = link.value.previous
        }
        elements.append(first)
        elements.reverse()
        return elements
    }

    func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

    mutating func append(_ element: Element) {
        if count == 0 { first = element } else { last = NestedBox(Link(element: element, previous: last)) }
        count += 1
    }

    mutating func append(contentsOf elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }
}
