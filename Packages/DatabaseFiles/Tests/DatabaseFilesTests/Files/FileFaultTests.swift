import DatabaseFiles
import Foundation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Files that can't be used: the others can.
struct FileFaultTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test
    func `Damaged files, and files of other applications, are left alone`() async throws {
        let files = try DatabaseFolder.ofTexts(folder)
        for name in ["good", "damaged", "short"] { try files.insert(name, name) }
        // Closes all files.
        files.shutDown()
        try await files.run()
        let other = try DatabaseFolder.ofTexts(folder)
        try Data("This is a letter, and not a database.".utf8).write(to: folder.file("letter.sqlite"))
        let handle = try FileHandle(forWritingTo: folder.file("damaged.sqlite"))
        try handle.write(contentsOf: Data(repeating: 7, count: 4096))
        try handle.close()
        try FileManager.default.createDirectory(at: folder.file("folder.sqlite"), withIntermediateDirectories: true)
        for name in ["letter", "damaged"] {
            expectError(.SQLITE_NOTADB) { try other.texts(name) }
            expectError(.SQLITE_NOTADB) { try other.delete(name) }
        }
        expectFileError(.notFound) { try other.texts("folder") }
        #expect(throws: (any Error).self) { try other.insert("1", "folder") }
        #expect(try other.texts("good") == ["good"])
        #expect(try String(contentsOf: folder.file("letter.sqlite"), encoding: .utf8).hasPrefix("This is"))
    }

    @Test
    func `Locked files keep only their own users waiting`() async throws {
        var configuration = DatabaseFolder.defaultConfiguration
        configuration.busyMode = .timeout(60)
        let files = try DatabaseFolder.ofTexts(folder, configuration)
        // More than there are cores: the threads that wait for locks are not those of others.
        let locked = (0..<8).map { "locked\($0)" }
        for name in locked + ["good"] { try files.insert(name, name) }
        var unsafe = Configuration()
        unsafe.allowsUnsafeTransactions = true
        let others = try locked.map { try DatabaseQueue(path: try files.path(of: $0), configuration: unsafe) }
        for other in others { try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") } }
        let waiting = locked.map { name in Task { try await files.write(name) { try $0.execute(sql: "INSERT INTO t VALUES ('later')") } } }
        for name in locked { await yieldTask(until: "a write") { files.status(of: name)?.writer.isUsed == true } }
        for _ in 1...20 { #expect(try await files.read("good") { try $0.texts("SELECT text FROM t") } == ["good"]) }
        await #expect(throws: DatabaseTimeoutError.self) { try await files.write("locked0", timeout: .milliseconds(10)) { _ in } }
        for other in others { try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") } }
        for task in waiting { try await task.value }
    }

    @Test
    func `A full disk undoes the write, and a new file that can't be written is not there`() throws {
        var configuration = DatabaseFolder.defaultConfiguration
        configuration.prepareDatabase { db in
            if !db.configuration.readonly { try db.execute(sql: "PRAGMA max_page_count = 8") }
        }
        let files = try DatabaseFolder.ofTexts(folder, configuration)
        try files.insert("1", "a")
        expectError(.SQLITE_FULL) { try files.write("a") { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(100000))") } }
        #expect(try files.texts("a") == ["1"])
        let others = try DatabaseFolder(path: folder.path, configuration: configuration) { db in
            try db.write { try $0.execute(sql: "CREATE TABLE u AS SELECT zeroblob(100000)") }
        }
        expectError(.SQLITE_FULL) { try others.write("b", creating: true) { _ in } }
        #expect(try files.names() == ["a"])
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `A folder that can't be written`() throws {
        let files = try DatabaseFolder.ofTexts(folder)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path) }
        #expect(throws: DatabaseError.self) { try files.insert("1", "a") }
    }

    @Test
    func `A read-only folder creates and deletes nothing`() throws {
        let files = try DatabaseFolder.ofTexts(folder)
        try files.insert("1", "a")
        var configuration = DatabaseFolder.defaultConfiguration
        configuration.readonly = true
        let readers = try DatabaseFolder(path: folder.path, configuration: configuration)
        #expect(try readers.texts("a") == ["1"])
        expectFileError(.notFound) { try readers.insert("1", "b") }
        expectError(.SQLITE_READONLY) { try readers.insert("1", "a") }
        expectError(.SQLITE_READONLY) { try readers.delete("a") }
        #expect(try files.texts("a") == ["1"])
    }

    @Test
    func `Descriptors that are used up fail the file that needs them, and no other`() async throws {
        await #expect(processExitsWith: .success) {
            try useUpDescriptors()
        }
    }
}

/// Uses a folder while the process can't open a file, in a process of its own.
private func useUpDescriptors() throws {
    var limit = rlimit()
    #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        let resource = RLIMIT_NOFILE
    #endif
    try require(getrlimit(resource, &limit) == 0)
    limit.rlim_cur = 200
    try require(setrlimit(resource, &limit) == 0)
    let folder = try TemporaryFolder()
    let files = try DatabaseFolder.ofTexts(folder) { $0.failureTime = .zero }
    for name in ["a", "b"] { try files.insert(name, name) }
    let lease = try files.lease("a")
    // Opens the reader.
    try require(lease.read { try $0.texts("SELECT text FROM t") } == ["a"])
    var descriptors: [CInt] = []
    while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { descriptors.append(descriptor) }
    try require(!descriptors.isEmpty)
    try require(lease.read { try $0.texts("SELECT text FROM t") } == ["a"])
    var failure: (any Error)?
    do { try files.insert("d", "d") } catch { failure = error }
    try require((failure as? DatabaseError)?.resultCode == .SQLITE_CANTOPEN, "\(failure as Any)")
    try require(lease.read { try $0.texts("SELECT text FROM t") } == ["a"])
    for descriptor in descriptors { close(descriptor) }
    try files.insert("d", "d")
    try require(files.texts("d") == ["d"])
}

/// Ends the process of an exit test with a failure.
func require(_ condition: Bool, _ message: @autoclosure () -> String = "") throws {
    if !condition { throw MissingEvent(message()) }
}
