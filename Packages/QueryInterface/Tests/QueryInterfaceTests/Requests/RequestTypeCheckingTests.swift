import Foundation
import QueryInterface
import Testing

/// Closures as users write them, with columns, numbers, strings and nil. This file tests that they compile, and fast: with one overload
/// too many, each of these closures would take the compiler seconds.
@Suite struct RequestTypeCheckingTests {
    private struct Player: TableRecord {
        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
            static let score = Column("score")
            static let best = Column("best")
            static let info = JSONColumn("info")
        }

        static let friends = hasMany(Player.self, key: "friends", using: ForeignKey(["best"], to: ["id"]))
    }

    private static let creation = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, best INTEGER, info TEXT);
        INSERT INTO player VALUES (1, 'a', 10, 2, NULL), (2, 'b', NULL, 1, '{"x":1}');
        """

    @Test
    func `Closures with several operators and literals`() throws {
        try withDatabase(Self.creation) { db throws in
            let minimum: Int? = 5
            func run(_ request: QueryInterfaceRequest<Player>) throws { _ = try request.fetchCount(db) }
            try run(Player.filter { $0.score == 1 && $0.best > 2 || $0.name == nil })
            try run(Player.filter { !($0.score >= 10 && $0.best < 5) || $0.name.like("a%") || $0.id == 3 })
            try run(Player.filter { $0.score > minimum && [1, 2, 3].contains($0.id) && (1...10).contains($0.best) && $0.name == "a" })
            try run(Player.filter { ($0.score ?? 0) + ($0.best ?? 0) > 10 && length($0.name) + 1 < 5 })
            try run(Player.filter { $0.info["x"] == 1 || $0.info["y"] == nil && -$0.score < 0 })
            try run(Player.select { [$0.id, ($0.score + $0.best * 2).forKey("total"), ($0.name ?? "none").forKey("name")] })
            try run(Player.select { [max($0.score) - min($0.score) + 1, average($0.best) * 2.5, count(distinct: $0.name)] })
            try run(Player.annotated { ($0.score * 2 + $0.best - 1).forKey("n") })
            try run(Player.annotated { [($0.score == nil).forKey("none"), ($0.score + 1 > $0.best).forKey("up")] })
            try run(Player.all().group { [$0.name, $0.score % 10 + 1] }.having { max($0.score) - min($0.score) > 10 && count($0.id) >= 2 })
            try run(Player.all().group { $0.score / 10 * 10 }.having { sum($0.score) > 100 || average($0.best) < 2.5 || count($0.id) == 0 })
            try run(Player.order { [$0.score.desc, ($0.best + 1).ascNullsLast, length($0.name) * -1] })
            try run(Player.order { ($0.score + $0.best) * 2 - 1 })
            try run(Player.having(Player.friends.count + 1 > 2 && Player.friends.max(Column("score")) != nil))
            try run(Player.having(Player.friends.isEmpty || Player.friends.sum(Column("score")) * 2 >= 10 + Player.friends.count))
            try run(Player.filter { $0.score > 1 && Player.friends.count * 2 >= $0.best - 1 || (Player.friends.max($0.score) ?? 0) < 5 })
            try run(Player.select { [(Player.friends.count + $0.score * 2).forKey("n"), abs(Player.friends.min($0.best) - 1)] })
            try run(
                Player.joining(
                    optional: Player.association(to: Player.self) { $0["id"] == $1["best"] + 1 && $0["score"] > $1["score"] * 2 - 1 }))
            try Player.updateAll(db) { [$0.score.set(to: $0.score + $0.best * 2 - 1), $0.best += 1, $0.name.set(to: nil)] }
            try Player.filter { $0.score > 1 }.updateAll(db) { $0.best.set(to: ($0.best ?? 0) + 1) }
            #expect(try Player.filter { $0.best == 3 || $0.name != nil }.fetchCount(db) == 0)
        }
    }
}
