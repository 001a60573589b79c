import CSQLiteShims
import SQLiteDriver
import Testing

@Suite struct SQLiteLibraryTests {
    @Test
    func `The library of the process is described`() throws {
        let library = SQLiteLibrary.current
        #expect(library.version == String(cString: sqlite3_libversion()))
        #expect(library.versionNumber == Int(Database.sqliteLibVersionNumber))
        #expect(library.description == "SQLite \(library.version)")
        #expect(library.threadingMode.rawValue == sqlite3_threadsafe())
        let (sourceID, options) = try DatabaseQueue().read { db in
            (try db.texts("SELECT sqlite_source_id()"), try db.texts("PRAGMA compile_options"))
        }
        #expect(sourceID == [library.sourceID])
        #expect(options == library.compileOptions)
    }

    @Test(arguments: [
        (3_006_999, false), (3_007_000, true), (3_040_001, true), (3_044_005, true), (3_044_006, false), (3_044_007, false),
        (3_045_000, true), (3_045_001, true), (3_050_004, true), (3_050_006, true), (3_050_007, false), (3_051_000, true),
        (3_051_002, true), (3_051_003, false), (3_052_000, false), (4_000_000, false),
    ])
    func `The WAL-reset bug is in all versions before the release and the backports that fix it`(_ version: Int, _ isAffected: Bool) {
        #expect(SQLiteDefect.walReset.affects(version: version) == isAffected)
    }

    @Test
    func `A defect names the versions that fix it`() {
        #expect(SQLiteDefect.walReset.fixedInVersions == "3.51.3, 3.50.7 and 3.44.6")
        #expect(SQLiteDefect.savepointInMemory.fixedInVersions == "3.37.2")
        #expect(SQLiteDefect.walReset.description.hasSuffix("Fixed in SQLite 3.51.3, 3.50.7 and 3.44.6."))
        #expect(Set(SQLiteDefect.known.map(\.name)).count == SQLiteDefect.known.count)
        #expect(
            SQLiteLibrary.current.defects == SQLiteDefect.known.filter { $0.affects(version: SQLiteLibrary.current.versionNumber) })
    }
}
