import RowDecoding

/// A list that often has one value, which is stored inline, without an allocation.
struct Chain<Element: Sendable>: Sendable, Sequence {
    private var first: Element?
    private var others: [Element] = []

    init() {}

    init(_ elements: some Sequence<Element>) {
        append(contentsOf: elements)
    }

    var isEmpty: Bool { first == nil }

    var count: Int { first == nil ? 0 : others.count + 1 }

    /// The value, if there is exactly one.
    var only: Element? { others.isEmpty ? first : nil }

    /// The values, in the order in which they were appended.
    var elements: [Element] { first.map { [$0] + others } ?? [] }

    func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }

    mutating func append(contentsOf elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }
}
