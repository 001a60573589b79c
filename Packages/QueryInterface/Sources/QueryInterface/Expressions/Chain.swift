import RowDecoding

/// A list that often has one value, which is stored inline, without an allocation.
enum Chain<Element: Sendable>: Sendable, Sequence {
    case empty
    case one(Element)
    /// Two values or more.
    case several([Element])

    init() {
        self = .empty
    }

    init(_ elements: some Sequence<Element>) {
        self = .empty
        append(contentsOf: elements)
    }

    var isEmpty: Bool {
        if case .empty = self { true } else { false }
    }

    var count: Int {
        switch self {
        case .empty: 0
        case .one: 1
        case .several(let elements): elements.count
        }
    }

    /// The value, if there is exactly one.
    var only: Element? {
        if case .one(let element) = self { element } else { nil }
    }

    /// The values, in the order in which they were appended.
    var elements: [Element] {
        switch self {
        case .empty: []
        case .one(let element): [element]
        case .several(let elements): elements
        }
    }

    func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

    mutating func append(_ element: Element) {
        switch self {
        case .empty: self = .one(element)
        case .one(let first): self = .several([first, element])
        case .several(var elements):
            // This releases the second reference to the array, so that it can grow in place.
            self = .empty
            elements.append(element)
            self = .several(elements)
        }
    }

    mutating func append(contentsOf elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }
}
