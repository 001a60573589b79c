import Foundation
import Testing

@testable import DatabaseObservation

@Suite(.timeLimit(.minutes(20))) struct ListChangesTests {
    struct Item: Identifiable, Equatable, Sendable {
        var id: Int
        var text = ""
    }

    private func changes(_ previous: [Int], _ new: [Int]) -> ListChanges<Item> {
        ListChanges(from: previous.map { Item(id: $0) }, to: new.map { Item(id: $0) }, id: \.id, isEqual: ==)
    }

    @Test
    func `Changes list insertions, deletions, moves and updates`() {
        let previous = [Item(id: 1), Item(id: 2), Item(id: 3), Item(id: 4)]
        let new = [Item(id: 4, text: "new"), Item(id: 1), Item(id: 5), Item(id: 3)]
        let changes = ListChanges(from: previous, to: new, id: \.id, isEqual: ==)
        #expect(changes.deletions == [.init(offset: 1, element: Item(id: 2))])
        #expect(changes.insertions == [.init(offset: 2, element: Item(id: 5))])
        #expect(changes.moves == [.init(previousOffset: 3, offset: 0, element: Item(id: 4, text: "new"))])
        #expect(changes.updates == [.init(offset: 0, previousElement: Item(id: 4), element: Item(id: 4, text: "new"))])
        var list = previous
        list.apply(changes)
        #expect(list == new)
    }

    @Test
    func `One element that moves is one move, up and down`() {
        #expect(changes([1, 2, 3, 4, 5], [2, 3, 4, 5, 1]).moves.map(\.element.id) == [1])
        #expect(changes([1, 2, 3, 4, 5], [5, 1, 2, 3, 4]).moves.map(\.element.id) == [5])
        #expect(changes([1, 2, 3, 4, 5], [1, 4, 2, 3, 5]).moves.map(\.element.id) == [4])
        #expect(changes([1, 2, 3], [1, 2, 3]).isEmpty)
    }

    @Test
    func `Changes reproduce the new list, whatever the lists, even if identities repeat`() {
        var generator = SeededGenerator(seed: 1)
        for round in 0..<3_000 {
            let range = 0..<Int.random(in: 1...20, using: &generator)
            func list() -> [Item] {
                (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                    Item(id: Int.random(in: range, using: &generator), text: Bool.random(using: &generator) ? "a" : "b")
                }
            }
            let previous = list()
            let new = round % 2 == 0 ? list() : previous.shuffled(using: &generator)
            let changes = ListChanges(from: previous, to: new, id: \.id, isEqual: ==)
            var applied = previous
            applied.apply(changes)
            #expect(applied == new, "\(previous) → \(new)")
            #expect(changes.isEmpty == (previous == new))
        }
    }

    @Test(arguments: Kind.allCases)
    func `An observation of changes reproduces the fetched lists`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let names = ValueObservation.tracking { try $0.texts("SELECT name FROM player ORDER BY score, id") }
        var iterator = names.changes { $0 }.values(in: writer).makeAsyncIterator()
        var list: [String] = []
        func next() async throws -> ListChanges<String>? {
            let changes = try await iterator.next()
            if let changes { list.apply(changes) }
            return changes
        }
        #expect(try await next()?.insertions.map(\.element) == ["Arthur", "Barbara"])
        try await writer.execute("UPDATE player SET score = 1 WHERE id = 1")
        #expect(try await next()?.moves.count == 1)
        #expect(list == ["Barbara", "Arthur"])
        // No difference: no value.
        try await writer.execute("UPDATE player SET score = 2 WHERE id = 1")
        try await writer.execute("INSERT INTO player (name) VALUES ('Craig')")
        #expect(try await next()?.insertions.map(\.element) == ["Craig"])
        #expect(list == ["Barbara", "Craig", "Arthur"])
    }

    @Test
    func `Elements with an identity of their own need no closure`() async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(.pool, folder)
        let items = ValueObservation.tracking { db in
            try db.texts("SELECT name FROM player ORDER BY id").enumerated().map { Item(id: $0, text: $1) }
        }
        for try await changes in items.identified(by: "items").changes().values(in: writer) {
            #expect(changes.elements.count == 2 && changes.insertions.count == 2)
            break
        }
    }
}
