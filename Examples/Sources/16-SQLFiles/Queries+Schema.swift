// The queries of SQL files.
//
// Written by `strata queries`. Don't edit: the next run replaces this file.

import Strata

/// The queries of SQL files: a function for each statement.
nonisolated enum Queries {
    /// Checks that a database has the schema with which the queries were compiled.
    static func check(_ db: Database) throws {
        try db.checkSchema(schema)
    }

    /// A migrator with the migrations of files.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("0001-authors") { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
                    CREATE TABLE book (
                        id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL,
                        year INTEGER
                    ) STRICT;
                    """)
        }
        migrator.registerMigration("0002-ratings") { db in
            try db.execute(
                sql: """
                    ALTER TABLE book ADD COLUMN rating INTEGER;
                    CREATE INDEX bookByAuthor ON book (authorId);
                    """)
        }
        migrator.registerStep("0003-trimNames") { db in
            try MigrationSteps.trimNames(db)
        }
        migrator.registerMigration("0004-search") { db in
            try db.create(fullTextIndex: "book_ft", on: "book", definition: "(title, tokenize = 'porter unicode61')")
        }
        migrator.markMigrationsAsFiles()
        migrator.refusesDatabasesOfOtherTools = true
        return migrator
    }

    /// The steps of the migrations: each file with Swift declares a function of its name in an extension.
    nonisolated enum MigrationSteps {}

    /// The SQL of the schema.
    static let schema = """
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

        CREATE TABLE book (
            id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL,
            year INTEGER
        , rating INTEGER) STRICT;

        CREATE INDEX bookByAuthor ON book (authorId);

        CREATE VIRTUAL TABLE "book_ft" USING fts5(title, tokenize = 'porter unicode61', content='__book_ft_content', content_rowid='rowid');

        CREATE VIEW "__book_ft_content" AS SELECT "rowid" AS "rowid", "title" AS "title" FROM "book";
        """
}
