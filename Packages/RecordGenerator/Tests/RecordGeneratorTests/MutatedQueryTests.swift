import Foundation
import Testing
import SQLiteDriver

@testable import RecordGenerator

/// Queries with a random mistake are refused when they are compiled, or run without an error that the schema and their text show.
///
/// `STRATA_MUTATIONS` sets their number, and `STRATA_SEED` the seed.
@Suite struct MutatedQueryTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["STRATA_MUTATIONS"].flatMap { Int($0) } ?? 1000

    @Test
    func `Sixty queries over six schemas compile`() throws {
        #expect(SampleSchema.all.count == 6 && SampleSchema.all.allSatisfy { $0.queries.count == 10 })
        for sample in SampleSchema.all {
            try sample.withCompiler { compiler, db in
                for sql in sample.queries {
                    let (queries, diagnostics) = try compiler.compile(QueryFile(SourceText("-- name: query\n\(sql)", file: "a.sql")))
                    #expect(queries.count == 1 && diagnostics.allSatisfy(\.isWarning), "\(diagnostics)")
                    for query in queries { #expect(Self.mistake(query, db) == nil, "\(sql)") }
                }
            }
        }
    }

    @Test
    func `A mutated query is refused, or runs as its text and the schema promise`() throws {
        var random = QueryRandom(seed: Self.environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 1)
        var refused = 0
        for sample in SampleSchema.all {
            try sample.withCompiler { compiler, db in
                for number in 0..<(Self.count / SampleSchema.all.count) {
                    let sql = Self.mutated(sample.queries[number % sample.queries.count], sample, &random)
                    let (queries, diagnostics) = try compiler.compile(QueryFile(SourceText("-- name: query\n\(sql)", file: "a.sql")))
                    guard !diagnostics.contains(where: { !$0.isWarning }), let query = queries.first else {
                        refused += 1
                        // Each error has a place in the text.
                        #expect(diagnostics.allSatisfy { $0.line >= 1 && !$0.message.isEmpty }, "\(sql)")
                        continue
                    }
                    if let mistake = Self.mistake(query, db) { Issue.record("\(sql): \(mistake)") }
                }
            }
        }
        if Self.environment["STRATA_MUTATIONS"] != nil { print("refused: \(refused) of \(Self.count)") }
        #expect(refused > Self.count / 3)
    }

    /// Changes a letter, a name, a comma, a number, a parameter or a type.
    private static func mutated(_ sql: String, _ sample: SampleSchema, _ random: inout QueryRandom) -> String {
        let tokens = SQLTokens(sql)
        let index = random.below(tokens.count)
        var parts = (0..<tokens.count).map { tokens.text($0) }
        switch random.below(7) {
        case 0:
            var letters = Array(parts[index])
            letters[random.below(letters.count)] = random.pick(Array("abcdefgxyz1_"))
            parts[index] = String(letters)
        case 1: parts[index] = random.pick(["id", "name", "title", "total", "player", "x", "created", "amount"])
        case 2: parts.remove(at: index)
        case 3: parts.insert(random.pick([",", ")", "(", "1", "NULL", "AND", ":extra"]), at: index)
        case 4: parts.swapAt(index, random.below(parts.count))
        case 5:
            let other = random.pick(sample.queries)
            let otherTokens = SQLTokens(other)
            parts[index] = otherTokens.text(random.below(otherTokens.count))
        default: return "-- @column \(random.pick(["id", "name", "nme", "total"])) \(random.pick(["Int64", "String", "!", "?"]))\n\(sql)"
        }
        return parts.joined(separator: " ").replacing(": ", with: ":").replacing("? ", with: "?")
    }

    /// Runs a query with arguments of its types, and returns what fails although the text and the schema show it.
    private static func mistake(_ query: CompiledQuery, _ db: Database) -> String? {
        var sql = ""
        for fragment in query.fragments {
            switch fragment {
            case .sql(let text): sql += text
            case .list: sql += "(NULL, 1, 'a')"
            }
        }
        do {
            var mistake: String?
            try db.inSavepoint {
                let statement = try db.makeStatement(sql: sql)
                let values = query.parameters.filter { !$0.isList }.map { ($0.sqlName, sample(of: $0.type.name)) }
                try statement.setArguments(StatementArguments(values.map { ($0.0, $0.1 as (any StatementBinding)?) }))
                let columnCount = statement.columnCount
                if query.record == nil, columnCount != query.columns.count { mistake = "it has \(columnCount) columns" }
                var rows = 0
                while mistake == nil, try statement.step() {
                    rows += 1
                    for (index, column) in query.columns.enumerated() where query.statement.columns.isEmpty {
                        let storage = statement.storage(at: index)
                        if storage == .null, !column.isOptional, column.typeName != "DatabaseValue" { mistake = "\(column.name) is NULL" }
                        if storage == .text, ["Int64", "Double", "Bool"].contains(column.typeName) {
                            mistake = "\(column.name) is a string"
                        }
                    }
                }
                if query.cardinality != .many, rows > 1 { mistake = "it has \(rows) rows" }
                return .rollback
            }
            return mistake
        } catch let error as DatabaseError {
            // Failures that depend on the rows and on the arguments.
            let allowed: [ResultCode] = [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG]
            let message = error.message ?? ""
            let isAboutValues = ["integer overflow", "malformed JSON", "JSON cannot hold", "fts5:", "unterminated", "must be", "JSON path"]
            if allowed.contains(error.resultCode), !message.contains("arguments") { return nil }
            return isAboutValues.contains { message.contains($0) } ? nil : message
        } catch {
            return "\(error)"
        }
    }

    private static func sample(of type: String) -> DatabaseValue {
        let storage: DatabaseValue.Storage =
            switch type {
            case "Int64", "Bool": .int64(1)
            case "Double": .double(1.5)
            case "Date": .string("2024-01-01 10:00:00.000")
            default: .string("a")
            }
        return DatabaseValue(storage: storage)
    }
}

/// A schema with ten queries.
struct SampleSchema: Sendable {
    let script: String
    let rows: String
    let queries: [String]

    func withCompiler(_ body: (QueryCompiler, Database) throws -> Void) throws {
        try QuerySample.withCompiler(schema: script) { compiler, _ in
            try compiler.db.execute(sql: rows)
            try body(compiler, compiler.db)
        }
    }

    static let all = [shop, blog, chat, music, tasks, archive]

    static let shop = SampleSchema(
        script: """
            CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, created DATETIME NOT NULL);
            CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL NOT NULL, stock INTEGER NOT NULL DEFAULT 0) STRICT;
            CREATE TABLE purchase (id INTEGER PRIMARY KEY, customerId INTEGER NOT NULL REFERENCES customer, placed TEXT NOT NULL, note TEXT);
            CREATE TABLE item (
                purchaseId INTEGER NOT NULL REFERENCES purchase, productId INTEGER NOT NULL REFERENCES product, amount INTEGER NOT NULL,
                PRIMARY KEY (purchaseId, productId)
            ) WITHOUT ROWID;
            CREATE VIEW revenue AS SELECT productId, sum(amount * price) AS total FROM item JOIN product ON product.id = productId GROUP BY 1;
            """,
        rows: """
            INSERT INTO customer VALUES (1, 'Arthur', 'a@example.org', '2024-01-01 10:00:00.000'), (2, 'Barbara', 'b@example.org', '2024-01-02 10:00:00.000');
            INSERT INTO product VALUES (1, 'pen', 1.5, 10), (2, 'book', 20, 3), (3, 'cup', 5, 0);
            INSERT INTO purchase VALUES (1, 1, '2024-02-01', NULL), (2, 1, '2024-02-02', 'gift');
            INSERT INTO item VALUES (1, 1, 2), (1, 2, 1), (2, 3, 4);
            """,
        queries: [
            "SELECT * FROM customer WHERE email = :email",
            "SELECT customer.name, count(purchase.id) AS number FROM customer LEFT JOIN purchase ON purchase.customerId = customer.id GROUP BY customer.id",
            "SELECT product.*, total FROM product LEFT JOIN revenue ON revenue.productId = product.id ORDER BY total DESC LIMIT :limit",
            "INSERT INTO product (name, price, stock) VALUES (:name, :price, :stock) RETURNING id",
            "UPDATE product SET stock = stock - :amount WHERE id = :id AND stock >= :amount",
            "DELETE FROM purchase WHERE placed < :before AND note IS NULL",
            "SELECT sum(amount * price) AS total FROM item JOIN product ON product.id = item.productId WHERE purchaseId = :purchase",
            "WITH spent AS (SELECT customerId, sum(amount) AS pieces FROM purchase JOIN item ON purchaseId = purchase.id GROUP BY customerId) SELECT name, coalesce(pieces, 0) AS pieces FROM customer LEFT JOIN spent ON customerId = id",
            "SELECT id, name FROM product WHERE id IN (:ids) AND price BETWEEN :low AND :high",
            "INSERT INTO item VALUES (:purchase, :product, :amount) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
        ])

    static let blog = SampleSchema(
        script: """
            CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, bio TEXT) STRICT;
            CREATE TABLE post (
                id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL, body TEXT NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('draft', 'published')), published INTEGER, words INTEGER NOT NULL
            ) STRICT;
            CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
            CREATE TABLE postTag (postId INTEGER NOT NULL REFERENCES post, tagId INTEGER NOT NULL REFERENCES tag, PRIMARY KEY (postId, tagId));
            CREATE VIRTUAL TABLE search USING fts5(title, body);
            """,
        rows: """
            INSERT INTO author VALUES (1, 'Ursula', NULL), (2, 'Stanisław', 'writes');
            INSERT INTO post VALUES (1, 1, 'One', 'text', 'draft', NULL, 1), (2, 1, 'Two', 'more text', 'published', 100, 2);
            INSERT INTO tag VALUES (1, 'swift'), (2, 'sql');
            INSERT INTO postTag VALUES (1, 1), (2, 1), (2, 2);
            INSERT INTO search (rowid, title, body) SELECT id, title, body FROM post;
            """,
        queries: [
            "SELECT * FROM post WHERE state = :state ORDER BY published DESC LIMIT :limit OFFSET :offset",
            "SELECT post.title, author.name AS author, author.bio FROM post JOIN author ON author.id = post.authorId WHERE post.id = :id",
            "SELECT tag.name, count(*) AS number FROM tag JOIN postTag ON tagId = tag.id GROUP BY tag.name HAVING count(*) > :minimum",
            "SELECT post.id, post.title FROM search JOIN post ON post.id = search.rowid WHERE search MATCH :text",
            "UPDATE post SET state = 'published', published = :now WHERE id = :id RETURNING *",
            "SELECT authorId, sum(words) AS total, avg(words) AS average, max(published) AS latest FROM post GROUP BY authorId",
            "SELECT count(*) AS total FROM post WHERE (:author IS NULL OR authorId = :author)",
            "INSERT OR IGNORE INTO tag (name) VALUES (:name)",
            "SELECT id, title, row_number() OVER (PARTITION BY authorId ORDER BY words) AS position FROM post",
            "SELECT name FROM author UNION SELECT name FROM tag ORDER BY name",
        ])

    static let chat = SampleSchema(
        script: """
            CREATE TABLE member (id TEXT PRIMARY KEY NOT NULL, nick TEXT NOT NULL, lastSeen DATETIME);
            CREATE TABLE room (id INTEGER PRIMARY KEY, name TEXT NOT NULL, isPrivate BOOLEAN NOT NULL DEFAULT 0);
            CREATE TABLE message (
                id INTEGER PRIMARY KEY, roomId INTEGER NOT NULL REFERENCES room, memberId TEXT NOT NULL REFERENCES member, sent REAL NOT NULL,
                text TEXT NOT NULL, replyTo INTEGER REFERENCES message, attachment BLOB
            );
            CREATE TABLE membership (roomId INTEGER NOT NULL, memberId TEXT NOT NULL, UNIQUE (roomId, memberId));
            """,
        rows: """
            INSERT INTO member VALUES ('a', 'arthur', NULL), ('b', 'barbara', '2024-01-01 10:00:00.000');
            INSERT INTO room VALUES (1, 'all', 0), (2, 'two', 1);
            INSERT INTO message VALUES (1, 1, 'a', 1.5, 'hello', NULL, NULL), (2, 1, 'b', 2.5, 'hi', 1, x'00ff');
            INSERT INTO membership VALUES (1, 'a'), (1, 'b'), (2, 'b');
            """,
        queries: [
            "SELECT m.id, m.text, m.sent, member.nick, reply.text AS replyText FROM message m JOIN member ON member.id = m.memberId LEFT JOIN message reply ON reply.id = m.replyTo WHERE m.roomId = :room AND m.sent < :before ORDER BY m.sent DESC LIMIT 50",
            "SELECT room.* FROM room JOIN membership ON membership.roomId = room.id WHERE membership.memberId = :member",
            "INSERT INTO message (roomId, memberId, sent, text, replyTo, attachment) VALUES (:room, :member, :sent, :text, :reply, :attachment) RETURNING *",
            "SELECT roomId, max(sent) AS latest, count(*) AS total FROM message GROUP BY roomId",
            "UPDATE member SET lastSeen = :now WHERE id = :id",
            "DELETE FROM membership WHERE roomId = :room AND memberId = :member",
            "WITH RECURSIVE thread (id, replyTo, depth) AS (SELECT id, replyTo, 0 FROM message WHERE id = :id UNION ALL SELECT m.id, m.replyTo, depth + 1 FROM message m JOIN thread ON m.id = thread.replyTo) SELECT id, depth FROM thread",
            "SELECT EXISTS (SELECT 1 FROM membership WHERE roomId = :room AND memberId = :member) AS isMember",
            "SELECT id, length(attachment) AS size FROM message WHERE attachment IS NOT NULL",
            "SELECT nick FROM member WHERE nick LIKE :pattern || '%' OR lastSeen IS NULL",
        ])

    static let music = SampleSchema(
        script: """
            CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE);
            CREATE TABLE album (id INTEGER PRIMARY KEY, artistId INTEGER REFERENCES artist, title VARCHAR(200) NOT NULL, year INT);
            CREATE TABLE track (
                id INTEGER PRIMARY KEY, albumId INTEGER NOT NULL REFERENCES album, number INTEGER NOT NULL, title TEXT NOT NULL,
                seconds NUMERIC NOT NULL, rating INTEGER CHECK (rating IN (1, 2, 3, 4, 5)), minutes AS (seconds / 60.0)
            );
            CREATE INDEX byAlbum ON track (albumId, number);
            CREATE VIEW shelf AS SELECT album.id, artist.name AS artist, album.title, (SELECT count(*) FROM track WHERE albumId = album.id) AS tracks FROM album LEFT JOIN artist ON artist.id = artistId;
            """,
        rows: """
            INSERT INTO artist VALUES (1, 'Nina'), (2, 'Miles');
            INSERT INTO album VALUES (1, 1, 'First', 1959), (2, NULL, 'Various', NULL), (3, 2, 'Blue', 1959);
            INSERT INTO track (albumId, number, title, seconds, rating) VALUES (1, 1, 'A', 100, 5), (1, 2, 'B', 200.5, NULL), (3, 1, 'C', 300, 3);
            """,
        queries: [
            "SELECT * FROM shelf WHERE artist = :artist",
            "SELECT album.title, track.title AS track, track.minutes FROM album JOIN track ON track.albumId = album.id ORDER BY album.title, track.number",
            "SELECT artist.name, sum(seconds) AS total FROM artist JOIN album ON album.artistId = artist.id JOIN track ON track.albumId = album.id GROUP BY artist.id ORDER BY total DESC",
            "UPDATE track SET rating = :rating WHERE id IN (:ids)",
            "INSERT INTO track (albumId, number, title, seconds) SELECT :album, coalesce(max(number), 0) + 1, :title, :seconds FROM track WHERE albumId = :album",
            "SELECT title, year FROM album WHERE year BETWEEN :from AND :to",
            "SELECT CASE WHEN rating >= 4 THEN 'good' WHEN rating IS NULL THEN 'unrated' ELSE 'other' END AS grade, count(*) AS total FROM track GROUP BY grade",
            "SELECT id, title, seconds - lag(seconds, 1, 0) OVER (PARTITION BY albumId ORDER BY number) AS difference FROM track",
            "SELECT name FROM artist WHERE id NOT IN (SELECT artistId FROM album WHERE artistId IS NOT NULL)",
            "DELETE FROM album WHERE id = :id RETURNING title, year",
        ])

    static let tasks = SampleSchema(
        script: """
            CREATE TABLE project (id INTEGER PRIMARY KEY, name TEXT NOT NULL, parentId INTEGER REFERENCES project) STRICT;
            CREATE TABLE task (
                id INTEGER PRIMARY KEY, projectId INTEGER NOT NULL REFERENCES project, title TEXT NOT NULL, due TEXT, done INTEGER NOT NULL DEFAULT 0,
                priority INTEGER NOT NULL, payload TEXT
            ) STRICT;
            CREATE TABLE event (id INTEGER PRIMARY KEY, taskId INTEGER, kind TEXT NOT NULL, created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) STRICT;
            CREATE TRIGGER log AFTER UPDATE OF done ON task BEGIN INSERT INTO event (taskId, kind) VALUES (new.id, 'done'); END;
            """,
        rows: """
            INSERT INTO project VALUES (1, 'home', NULL), (2, 'garden', 1);
            INSERT INTO task VALUES (1, 1, 'paint', NULL, 0, 1, '{"color": "red"}'), (2, 2, 'plant', '2024-05-01', 1, 2, NULL);
            INSERT INTO event (taskId, kind) VALUES (1, 'made'), (2, 'made');
            """,
        queries: [
            "SELECT task.*, project.name AS project FROM task JOIN project ON project.id = task.projectId WHERE done = 0 ORDER BY priority DESC, due",
            "SELECT priority, count(*) AS total, sum(done) AS finished, 1.0 * sum(done) / count(*) AS share FROM task GROUP BY priority",
            "UPDATE task SET done = :done, due = NULL WHERE id = :id",
            "INSERT INTO task (projectId, title, due, priority) VALUES (:project, :title, :due, :priority) RETURNING id, title",
            "WITH RECURSIVE tree (id, name, level) AS (SELECT id, name, 0 FROM project WHERE parentId IS NULL UNION ALL SELECT p.id, p.name, level + 1 FROM project p JOIN tree ON p.parentId = tree.id) SELECT * FROM tree",
            "SELECT project.name, (SELECT count(*) FROM task WHERE projectId = project.id) AS total FROM project WHERE (:name IS NULL OR name LIKE :name)",
            "SELECT due, group_concat(title, ', ') AS titles FROM task WHERE due IS NOT NULL GROUP BY due",
            "SELECT id, kind, created FROM event WHERE taskId IS :task ORDER BY created DESC LIMIT 1",
            "DELETE FROM event WHERE created < :before",
            "SELECT t.id, t.title FROM task t, project p WHERE t.projectId = p.id AND (t.priority, t.id) > (:priority, :id) ORDER BY t.priority, t.id LIMIT :limit",
        ])
    /// Generated columns, blobs, and queries with literals, windows, compounds and stars over several tables.
    static let archive = SampleSchema(
        script: """
            CREATE TABLE folder (id INTEGER PRIMARY KEY, name TEXT NOT NULL, parentId INTEGER REFERENCES folder, title TEXT AS ('cafe\u{301} ' || name)) STRICT;
            CREATE TABLE file (
                id INTEGER PRIMARY KEY, folderId INTEGER NOT NULL REFERENCES folder, name TEXT NOT NULL, data BLOB NOT NULL,
                size INTEGER AS (length(data)) STORED, label TEXT AS (size), state TEXT NOT NULL CHECK (state IN ('new', 'old'))
            ) STRICT;
            CREATE TABLE share (fileId INTEGER NOT NULL REFERENCES file, token BLOB NOT NULL, until DATETIME, PRIMARY KEY (fileId, token));
            CREATE VIEW everything AS SELECT id, name, 'folder' AS kind FROM folder UNION ALL SELECT id, name, 'file' FROM file;
            """,
        rows: """
            INSERT INTO folder (id, name, parentId) VALUES (1, 'root', NULL), (2, 'e\u{301}te\u{301}', 1), (3, 'empty', 1);
            INSERT INTO file (folderId, name, data, state) VALUES (1, 'a', x'00ff', 'new'), (2, 'b', x'', 'old'), (2, 'c', x'616263', 'new');
            INSERT INTO share VALUES (1, x'01', NULL), (2, x'02', '2024-01-01 10:00:00.000');
            """,
        queries: [
            "SELECT folder.*, file.*, 1 AS one FROM folder LEFT JOIN file ON file.folderId = folder.id WHERE folder.name <> :name",
            "SELECT *, count(*) OVER () AS total FROM file JOIN share ON share.fileId = file.id",
            "SELECT name FROM folder UNION ALL SELECT state FROM file UNION SELECT 'none'",
            "SELECT id, coalesce(parentId, -1) AS parent, iif(parentId IS NULL, 'root', title) AS title FROM folder",
            "SELECT state, group_concat(name, '') OVER (PARTITION BY state ORDER BY id) AS names, lag(size, 1, 'none') OVER (ORDER BY id) AS size FROM file",
            "SELECT substr(data, 1, 1) AS head, hex(data) AS text, size + 1 AS next, label FROM file JOIN share ON fileId = id WHERE token = :token OR size > :size",
            "SELECT kind, CASE kind WHEN 'file' THEN id WHEN 'folder' THEN name END AS value FROM everything ORDER BY 1",
            "SELECT parent.*, child.name AS child FROM folder parent FULL JOIN folder child ON child.parentId = parent.id",
            "INSERT INTO file (folderId, name, data, state) SELECT :folder, name, data, 'new' FROM file WHERE id IN (:ids) RETURNING *",
            "WITH big AS (SELECT * FROM file WHERE size > :size) SELECT big.*, folder.title FROM big, folder WHERE (folder.id, 'cafe\u{301} ' || folder.name) IN (VALUES (big.folderId, folder.title))",
        ])
}
