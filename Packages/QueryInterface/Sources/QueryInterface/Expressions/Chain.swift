import RowDecoding

/// Values in the order in which they were added. Adding one to a copy takes no longer when there are many already, and copies nothing.
///
/// Requests are made step by step, and each step leaves the request that it starts from as it was.
struct Chain<Element: Sendable>: Sendable, Sequence {
    private struct Link: Sendable {
        let element: Element
        let previous: NestedBox<Link>?
    }

    // Most chains have one value, which needs no box.
    private var first: Element?
    private var last: NestedBox<Link>?
    private(set) var count = 0

    init() {}

    init(_ elements: some Sequence<Element>) {
        append(contentsOf: elements)
    }

    var isEmpty: Bool { count == 0 }

    /// The value, if it is the only one.
    var only: Element? { count == 1 ? first : nil }

    /// The values, the first one first.
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
