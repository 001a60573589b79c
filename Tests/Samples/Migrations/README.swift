import Migrations
import Testing

@Suite(.page)
struct MigrationsSamples {
    @Test
    func `The README's samples`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")

        // sample: Migrations 1

        #expect(try queue.read { try $0.columns(in: "player").map(\.name) } == ["id", "name", "score"])

        // sample: Foreign keys 1
        try migrator.migrate(queue)
        migrator.registerMigration("addPlayer") { try $0.execute(sql: "INSERT INTO player VALUES (7, 'Arthur', 1)") }

        // sample: Dry runs and progress 1

        #expect(try queue.read { try $0.texts("SELECT name FROM player") } == ["Arthur"])

        // sample: Several migrators in one file 1

        library.registerMigration("createPlayer") { try $0.execute(sql: "CREATE TABLE libraryPlayer (id INTEGER PRIMARY KEY)") }
        try library.migrate(queue)
        #expect(try queue.read { try $0.integer("SELECT count(*) FROM strata_migrations WHERE digest IS NOT NULL") } == 1)
    }
}
