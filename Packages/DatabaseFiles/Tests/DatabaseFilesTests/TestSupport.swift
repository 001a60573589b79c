import DatabaseFiles
import Foundation
import Testing

extension DatabaseFolder {
    /// A folder whose files have a table of texts.
    static func ofTexts(
        _ folder: TemporaryFolder, _ configuration: Configuration = DatabaseFolder.defaultConfiguration, openCount: Int? = nil,
        _ change: (inout Options) -> Void = { _ in }
    ) throws -> DatabaseFolder {
        var options = Options()
        options.maximumOpenCount = openCount
        change(&options)
        return try DatabaseFolder(path: folder.path, configuration: configuration, options: options) { db in
            try db.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (text TEXT)") }
        }
    }

    func insert(_ text: String, _ name: String) throws {
        try write(name, creating: true) { try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text]) }
    }

    func texts(_ name: String) throws -> [String] { try read(name) { try $0.texts("SELECT text FROM t ORDER BY rowid") } }

    /// Waits until no file is being opened or closed.
    func waitForOpenCount(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        yieldThread(until: "\(count) open files", sourceLocation: sourceLocation) {
            let status = status()
            return status.openCount == count && status.openingCount == 0 && status.closingCount == 0
        }
    }
}

/// Expects an error with a reason.
func expectFileError<Result>(
    _ reason: DatabaseFileError.Reason, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) {
    let error = #expect(throws: DatabaseFileError.self, sourceLocation: sourceLocation, performing: body)
    #expect(error?.reason == reason, "\(error.map { "\($0)" } ?? "")", sourceLocation: sourceLocation)
}

/// Lets other tasks run until a condition holds. A test that blocked its thread instead could keep those tasks from running: the cooperative
/// pool has one thread for each core.
func yieldTask(until event: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool) async {
    let limit = ContinuousClock.now + .seconds(waitLimit)
    while !condition() {
        guard ContinuousClock.now < limit else { return recordMissing(event, sourceLocation) }
        await Task.yield()
    }
}

extension TemporaryFolder {
    /// The names of all files but the one for locks.
    func fileNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != ".strata-lock" }
    }
}
