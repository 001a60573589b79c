import Foundation
import Strata
import Testing

/// A folder that is removed with the last reference to this object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { "\(path)/\(name)" }
}

/// A record with no code of its own.
struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var score: Int

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension Player {
    static let arthur = Player(id: 1, name: "Arthur", score: 100)
    static let barbara = Player(id: 2, name: "Barbara", score: 200)
    static let craig = Player(id: 3, name: "Craig", score: 300)

    static let creation = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL)"

    /// Makes the table, with three players in it.
    static func makeTable(_ db: Database) throws {
        try db.execute(sql: creation)
        for player in [arthur, barbara, craig] {
            var player = player
            try player.insert(db)
        }
    }
}

/// The same, read and written by hand.
struct HandWrittenPlayer: Hashable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"

    var id: Int64
    var name: String
    var score: Int

    init(id: Int64, name: String, score: Int) {
        self.id = id
        self.name = name
        self.score = score
    }

    init(row: Row) throws {
        id = try row.decode(forKey: "id")
        name = try row.decode(forKey: "name")
        score = try row.decode(forKey: "score")
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["score"] = score
    }
}

struct TestError: Error, Equatable {}

/// Lets tests hand over what Swift would not let them: they know that one thread uses it at a time.
final class Box<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}

/// Expects an error of a result code, primary or extended, and returns it.
@discardableResult
func expectError<Result>(
    _ code: ResultCode, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) -> DatabaseError? {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation, performing: body)
    if let error {
        #expect(code ~= error.extendedResultCode, "\(error)", sourceLocation: sourceLocation)
    }
    return error
}

/// Expects that other connections can write at once: no lock was left behind.
func expectUnlocked(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) {
    var configuration = Configuration()
    configuration.busyMode = .immediateError
    #expect(throws: Never.self, sourceLocation: sourceLocation) {
        try DatabaseQueue(path: path, configuration: configuration).inTransaction(.exclusive) { _ in .commit }
    }
}

extension ExitTest.Result {
    /// What the process wrote to standard error before it ended.
    var message: String { String(decoding: standardErrorContent, as: UTF8.self) }
}
