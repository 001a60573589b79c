/// The difference between two lists: what was deleted, inserted, moved and updated.
///
/// Elements have identities. An element of the new list is the same as the element of the previous list with its identity, even at another
/// position or with different content. If several elements have the same identity, the first of the new list is the same as the first of
/// the previous list, and so on.
///
/// ```swift
/// list.apply(changes)       // in one go, or step by step:
///
/// for deletion in changes.deletions.reversed() { … }   // offsets in the previous list
/// for move in changes.moves { … }            // from the previous list to the new one
/// for insertion in changes.insertions { … }            // offsets in the new list
/// for update in changes.updates { … }                  // offsets in the new list
/// ```
///
/// As in the batch updates of user interfaces, the deleted and the moved elements are first removed from the previous list. Then the
/// inserted and the moved elements are inserted in the order of their offsets.
public struct ListChanges<Element: Sendable>: Sendable {
    /// An element that was deleted or inserted.
    public struct Change: Sendable {
        /// The offset of the element: in the previous list if it was deleted, and in the new one if it was inserted.
        public let offset: Int

        /// The element.
        public let element: Element
    }

    /// An element that was moved.
    public struct Move: Sendable {
        /// The offset of the element in the previous list.
        public let previousOffset: Int

        /// The offset of the element in the new list.
        public let offset: Int

        /// The element in the new list.
        public let element: Element
    }

    /// An element whose content has changed.
    public struct Update: Sendable {
        /// The offset of the element in the new list.
        public let offset: Int

        /// The element, as it was in the previous list.
        public let previousElement: Element

        /// The element in the new list.
        public let element: Element
    }

    /// The new list.
    public let elements: [Element]

    /// The elements that are no longer in the list, in the order of the previous list.
    public let deletions: [Change]

    /// The new elements, in the order of the new list.
    public let insertions: [Change]

    /// The elements whose order has changed, in the order of the new list. The number of moves is not always the smallest possible.
    public let moves: [Move]

    /// The elements whose content has changed, whether they have moved or not, in the order of the new list.
    public let updates: [Update]

    /// Whether the lists are equal.
    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }
}

extension ListChanges {
    /// Compares two lists.
    ///
    /// - Parameters:
    ///   - previous: the list before the changes.
    ///   - elements: the list after them.
    ///   - id: returns the identity of an element.
    ///   - isEqual: returns whether two elements of the same identity have the same content.
    /// - Complexity: O(n), with n the length of both lists.
    init(
        from previous: [Element], to elements: [Element], id: (Element) -> some Hashable, isEqual: (Element, Element) -> Bool
    ) {
        let pairs = Self.pairs(previous.map(id), elements.map(id))
        let isStaying = Self.stayingElements(pairs, previousCount: previous.count)
        var isKept = [Bool](repeating: false, count: previous.count)
        var insertions: [Change] = []
        var moves: [Move] = []
        var updates: [Update] = []
        for (offset, element) in elements.enumerated() {
            guard let previousOffset = pairs[offset] else {
                insertions.append(Change(offset: offset, element: element))
                continue
            }
            isKept[previousOffset] = true
            if !isStaying[previousOffset] {
                moves.append(Move(previousOffset: previousOffset, offset: offset, element: element))
            }
            if !isEqual(previous[previousOffset], element) {
                updates.append(Update(offset: offset, previousElement: previous[previousOffset], element: element))
            }
        }
        self.elements = elements
        self.deletions = previous.enumerated().compactMap { isKept[$0] ? nil : Change(offset: $0, element: $1) }
        self.insertions = insertions
        self.moves = moves
        self.updates = updates
    }

    /// Returns, for each element of the new list, its offset in the previous list, or nil if it is new.
    private static func pairs<ID: Hashable>(_ previous: [ID], _ new: [ID]) -> [Int?] {
        // Elements with the same identity form a chain, from the first to the last.
        var first = [ID: Int](minimumCapacity: previous.count)
        var following = [Int?](repeating: nil, count: previous.count)
        for (offset, id) in previous.enumerated().reversed() {
            following[offset] = first.updateValue(offset, forKey: id)
        }
        return new.map { id in
            guard let offset = first[id] else { return nil }
            first[id] = following[offset]
            return offset
        }
    }

    /// Returns, for each element of the previous list, whether it stays in place: these elements have the same order in both lists.
    ///
    /// The lists are read side by side. Where they differ, either the element of the previous list has moved down, or the element of the
    /// new list has moved up: the shorter move counts.
    private static func stayingElements(_ pairs: [Int?], previousCount: Int) -> [Bool] {
        // The elements that are in both lists, by their position among them.
        let new = pairs.compactMap { $0 }
        var places = [Int](repeating: -1, count: previousCount)
        for (place, offset) in new.enumerated() { places[offset] = place }
        let previous = places.indices.filter { places[$0] >= 0 }
        var previousPlaces = [Int](repeating: 0, count: previousCount)
        for (place, offset) in previous.enumerated() { previousPlaces[offset] = place }

        var isStaying = [Bool](repeating: false, count: previousCount)
        var hasMoved = isStaying
        var next = 0
        for (place, offset) in new.enumerated() where !hasMoved[offset] {
            while next < previous.count, hasMoved[previous[next]] { next += 1 }
            guard next < previous.count else { break }
            let expected = previous[next]
            let wayUp = previousPlaces[offset] - next
            if wayUp > 0, wayUp <= places[expected] - place {
                // The elements that were expected before this one come later.
                for skipped in previous[next..<(next + wayUp)] { hasMoved[skipped] = true }
                next += wayUp
            }
            if previous[next] == offset {
                isStaying[offset] = true
                next += 1
            } else {
                hasMoved[offset] = true
            }
        }
        return isStaying
    }
}

extension Array where Element: Sendable {
    /// Applies changes to the list that they were computed from, which becomes the new list.
    ///
    /// - Complexity: O(n).
    public mutating func apply(_ changes: ListChanges<Element>) {
        var isLeaving = [Bool](repeating: false, count: count)
        for deletion in changes.deletions { isLeaving[deletion.offset] = true }
        for move in changes.moves { isLeaving[move.previousOffset] = true }
        var staying = enumerated().lazy.filter { !isLeaving[$0.offset] }.map(\.element).makeIterator()
        var insertions = changes.insertions.makeIterator()
        var moves = changes.moves.makeIterator()
        var insertion = insertions.next()
        var move = moves.next()
        var result: [Element] = []
        let count = count - changes.deletions.count + changes.insertions.count
        result.reserveCapacity(count)
        for offset in 0..<count {
            if let next = insertion, next.offset == offset {
                result.append(next.element)
                insertion = insertions.next()
            } else if let next = move, next.offset == offset {
                result.append(next.element)
                move = moves.next()
            } else if let element = staying.next() {
                result.append(element)
            }
        }
        for update in changes.updates { result[update.offset] = update.element }
        self = result
    }
}

extension ListChanges: Equatable where Element: Equatable {}
extension ListChanges.Change: Equatable where Element: Equatable {}
extension ListChanges.Move: Equatable where Element: Equatable {}
extension ListChanges.Update: Equatable where Element: Equatable {}
