import Strata
import Testing

@Suite("Transaction observers as GRDB's users write them")
struct ObserverTests {
    private final class Observer: TransactionObserver {
        let tables: Set<String>
        var changeCount = 0
        var commitCount = 0

        init(_ tables: String...) { self.tables = Set(tables) }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { tables.contains(eventKind.tableName) }
        func databaseDidChange() { changeCount += 1 }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) { commitCount += 1 }
        func databaseDidRollback(_ db: Database) {}
    }

    @Test
    func `Each call of notifyChanges is one change for an observer of its tables`() throws {
        let queue = try makeDatabase()
        let (players, schema) = (Observer("player", "team"), Observer("sqlite_master"))
        queue.add(transactionObserver: players, extent: .databaseLifetime)
        queue.add(transactionObserver: schema, extent: .databaseLifetime)
        try queue.write { db throws in
            try db.notifyChanges(in: Player.all())
            #expect((players.changeCount, schema.changeCount) == (1, 0))
            try db.notifyChanges(in: Table("PLAYER"))
            #expect((players.changeCount, schema.changeCount) == (2, 0))
            try db.notifyChanges(in: Table("sqlite_master"))
            #expect((players.changeCount, schema.changeCount) == (2, 1))
            try db.notifyChanges(in: .fullDatabase)
            #expect((players.changeCount, schema.changeCount) == (3, 2))
        }
        #expect((players.commitCount, schema.commitCount) == (1, 1))
        try queue.read { try $0.notifyChanges(in: Player.filter(key: 1)) }
        #expect((players.changeCount, players.commitCount) == (4, 2))
    }
}
