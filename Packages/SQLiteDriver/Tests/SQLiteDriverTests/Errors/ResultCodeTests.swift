import Foundation
import SQLiteDriver
import Testing

/// Compares the result codes with SQLite's header.
@Suite struct ResultCodeTests {
    /// Each constant, as a member of both types, with its name.
    static let constants: [(name: String, code: ResultCode, codeOfError: ResultCode)] = [
        ("SQLITE_OK", .SQLITE_OK, DatabaseError.SQLITE_OK),
        ("SQLITE_ERROR", .SQLITE_ERROR, DatabaseError.SQLITE_ERROR),
        ("SQLITE_INTERNAL", .SQLITE_INTERNAL, DatabaseError.SQLITE_INTERNAL),
        ("SQLITE_PERM", .SQLITE_PERM, DatabaseError.SQLITE_PERM),
        ("SQLITE_ABORT", .SQLITE_ABORT, DatabaseError.SQLITE_ABORT),
        ("SQLITE_BUSY", .SQLITE_BUSY, DatabaseError.SQLITE_BUSY),
        ("SQLITE_LOCKED", .SQLITE_LOCKED, DatabaseError.SQLITE_LOCKED),
        ("SQLITE_NOMEM", .SQLITE_NOMEM, DatabaseError.SQLITE_NOMEM),
        ("SQLITE_READONLY", .SQLITE_READONLY, DatabaseError.SQLITE_READONLY),
        ("SQLITE_INTERRUPT", .SQLITE_INTERRUPT, DatabaseError.SQLITE_INTERRUPT),
        ("SQLITE_IOERR", .SQLITE_IOERR, DatabaseError.SQLITE_IOERR),
        ("SQLITE_CORRUPT", .SQLITE_CORRUPT, DatabaseError.SQLITE_CORRUPT),
        ("SQLITE_NOTFOUND", .SQLITE_NOTFOUND, DatabaseError.SQLITE_NOTFOUND),
        ("SQLITE_FULL", .SQLITE_FULL, DatabaseError.SQLITE_FULL),
        ("SQLITE_CANTOPEN", .SQLITE_CANTOPEN, DatabaseError.SQLITE_CANTOPEN),
        ("SQLITE_PROTOCOL", .SQLITE_PROTOCOL, DatabaseError.SQLITE_PROTOCOL),
        ("SQLITE_EMPTY", .SQLITE_EMPTY, DatabaseError.SQLITE_EMPTY),
        ("SQLITE_SCHEMA", .SQLITE_SCHEMA, DatabaseError.SQLITE_SCHEMA),
        ("SQLITE_TOOBIG", .SQLITE_TOOBIG, DatabaseError.SQLITE_TOOBIG),
        ("SQLITE_CONSTRAINT", .SQLITE_CONSTRAINT, DatabaseError.SQLITE_CONSTRAINT),
        ("SQLITE_MISMATCH", .SQLITE_MISMATCH, DatabaseError.SQLITE_MISMATCH),
        ("SQLITE_MISUSE", .SQLITE_MISUSE, DatabaseError.SQLITE_MISUSE),
        ("SQLITE_NOLFS", .SQLITE_NOLFS, DatabaseError.SQLITE_NOLFS),
        ("SQLITE_AUTH", .SQLITE_AUTH, DatabaseError.SQLITE_AUTH),
        ("SQLITE_FORMAT", .SQLITE_FORMAT, DatabaseError.SQLITE_FORMAT),
        ("SQLITE_RANGE", .SQLITE_RANGE, DatabaseError.SQLITE_RANGE),
        ("SQLITE_NOTADB", .SQLITE_NOTADB, DatabaseError.SQLITE_NOTADB),
        ("SQLITE_NOTICE", .SQLITE_NOTICE, DatabaseError.SQLITE_NOTICE),
        ("SQLITE_WARNING", .SQLITE_WARNING, DatabaseError.SQLITE_WARNING),
        ("SQLITE_ROW", .SQLITE_ROW, DatabaseError.SQLITE_ROW),
        ("SQLITE_DONE", .SQLITE_DONE, DatabaseError.SQLITE_DONE),
        ("SQLITE_ERROR_MISSING_COLLSEQ", .SQLITE_ERROR_MISSING_COLLSEQ, DatabaseError.SQLITE_ERROR_MISSING_COLLSEQ),
        ("SQLITE_ERROR_RETRY", .SQLITE_ERROR_RETRY, DatabaseError.SQLITE_ERROR_RETRY),
        ("SQLITE_ERROR_SNAPSHOT", .SQLITE_ERROR_SNAPSHOT, DatabaseError.SQLITE_ERROR_SNAPSHOT),
        ("SQLITE_IOERR_READ", .SQLITE_IOERR_READ, DatabaseError.SQLITE_IOERR_READ),
        ("SQLITE_IOERR_SHORT_READ", .SQLITE_IOERR_SHORT_READ, DatabaseError.SQLITE_IOERR_SHORT_READ),
        ("SQLITE_IOERR_WRITE", .SQLITE_IOERR_WRITE, DatabaseError.SQLITE_IOERR_WRITE),
        ("SQLITE_IOERR_FSYNC", .SQLITE_IOERR_FSYNC, DatabaseError.SQLITE_IOERR_FSYNC),
        ("SQLITE_IOERR_DIR_FSYNC", .SQLITE_IOERR_DIR_FSYNC, DatabaseError.SQLITE_IOERR_DIR_FSYNC),
        ("SQLITE_IOERR_TRUNCATE", .SQLITE_IOERR_TRUNCATE, DatabaseError.SQLITE_IOERR_TRUNCATE),
        ("SQLITE_IOERR_FSTAT", .SQLITE_IOERR_FSTAT, DatabaseError.SQLITE_IOERR_FSTAT),
        ("SQLITE_IOERR_UNLOCK", .SQLITE_IOERR_UNLOCK, DatabaseError.SQLITE_IOERR_UNLOCK),
        ("SQLITE_IOERR_RDLOCK", .SQLITE_IOERR_RDLOCK, DatabaseError.SQLITE_IOERR_RDLOCK),
        ("SQLITE_IOERR_DELETE", .SQLITE_IOERR_DELETE, DatabaseError.SQLITE_IOERR_DELETE),
        ("SQLITE_IOERR_BLOCKED", .SQLITE_IOERR_BLOCKED, DatabaseError.SQLITE_IOERR_BLOCKED),
        ("SQLITE_IOERR_NOMEM", .SQLITE_IOERR_NOMEM, DatabaseError.SQLITE_IOERR_NOMEM),
        ("SQLITE_IOERR_ACCESS", .SQLITE_IOERR_ACCESS, DatabaseError.SQLITE_IOERR_ACCESS),
        ("SQLITE_IOERR_CHECKRESERVEDLOCK", .SQLITE_IOERR_CHECKRESERVEDLOCK, DatabaseError.SQLITE_IOERR_CHECKRESERVEDLOCK),
        ("SQLITE_IOERR_LOCK", .SQLITE_IOERR_LOCK, DatabaseError.SQLITE_IOERR_LOCK),
        ("SQLITE_IOERR_CLOSE", .SQLITE_IOERR_CLOSE, DatabaseError.SQLITE_IOERR_CLOSE),
        ("SQLITE_IOERR_DIR_CLOSE", .SQLITE_IOERR_DIR_CLOSE, DatabaseError.SQLITE_IOERR_DIR_CLOSE),
        ("SQLITE_IOERR_SHMOPEN", .SQLITE_IOERR_SHMOPEN, DatabaseError.SQLITE_IOERR_SHMOPEN),
        ("SQLITE_IOERR_SHMSIZE", .SQLITE_IOERR_SHMSIZE, DatabaseError.SQLITE_IOERR_SHMSIZE),
        ("SQLITE_IOERR_SHMLOCK", .SQLITE_IOERR_SHMLOCK, DatabaseError.SQLITE_IOERR_SHMLOCK),
        ("SQLITE_IOERR_SHMMAP", .SQLITE_IOERR_SHMMAP, DatabaseError.SQLITE_IOERR_SHMMAP),
        ("SQLITE_IOERR_SEEK", .SQLITE_IOERR_SEEK, DatabaseError.SQLITE_IOERR_SEEK),
        ("SQLITE_IOERR_DELETE_NOENT", .SQLITE_IOERR_DELETE_NOENT, DatabaseError.SQLITE_IOERR_DELETE_NOENT),
        ("SQLITE_IOERR_MMAP", .SQLITE_IOERR_MMAP, DatabaseError.SQLITE_IOERR_MMAP),
        ("SQLITE_IOERR_GETTEMPPATH", .SQLITE_IOERR_GETTEMPPATH, DatabaseError.SQLITE_IOERR_GETTEMPPATH),
        ("SQLITE_IOERR_CONVPATH", .SQLITE_IOERR_CONVPATH, DatabaseError.SQLITE_IOERR_CONVPATH),
        ("SQLITE_IOERR_VNODE", .SQLITE_IOERR_VNODE, DatabaseError.SQLITE_IOERR_VNODE),
        ("SQLITE_IOERR_AUTH", .SQLITE_IOERR_AUTH, DatabaseError.SQLITE_IOERR_AUTH),
        ("SQLITE_IOERR_BEGIN_ATOMIC", .SQLITE_IOERR_BEGIN_ATOMIC, DatabaseError.SQLITE_IOERR_BEGIN_ATOMIC),
        ("SQLITE_IOERR_COMMIT_ATOMIC", .SQLITE_IOERR_COMMIT_ATOMIC, DatabaseError.SQLITE_IOERR_COMMIT_ATOMIC),
        ("SQLITE_IOERR_ROLLBACK_ATOMIC", .SQLITE_IOERR_ROLLBACK_ATOMIC, DatabaseError.SQLITE_IOERR_ROLLBACK_ATOMIC),
        ("SQLITE_IOERR_DATA", .SQLITE_IOERR_DATA, DatabaseError.SQLITE_IOERR_DATA),
        ("SQLITE_IOERR_CORRUPTFS", .SQLITE_IOERR_CORRUPTFS, DatabaseError.SQLITE_IOERR_CORRUPTFS),
        ("SQLITE_LOCKED_SHAREDCACHE", .SQLITE_LOCKED_SHAREDCACHE, DatabaseError.SQLITE_LOCKED_SHAREDCACHE),
        ("SQLITE_LOCKED_VTAB", .SQLITE_LOCKED_VTAB, DatabaseError.SQLITE_LOCKED_VTAB),
        ("SQLITE_BUSY_RECOVERY", .SQLITE_BUSY_RECOVERY, DatabaseError.SQLITE_BUSY_RECOVERY),
        ("SQLITE_BUSY_SNAPSHOT", .SQLITE_BUSY_SNAPSHOT, DatabaseError.SQLITE_BUSY_SNAPSHOT),
        ("SQLITE_BUSY_TIMEOUT", .SQLITE_BUSY_TIMEOUT, DatabaseError.SQLITE_BUSY_TIMEOUT),
        ("SQLITE_CANTOPEN_NOTEMPDIR", .SQLITE_CANTOPEN_NOTEMPDIR, DatabaseError.SQLITE_CANTOPEN_NOTEMPDIR),
        ("SQLITE_CANTOPEN_ISDIR", .SQLITE_CANTOPEN_ISDIR, DatabaseError.SQLITE_CANTOPEN_ISDIR),
        ("SQLITE_CANTOPEN_FULLPATH", .SQLITE_CANTOPEN_FULLPATH, DatabaseError.SQLITE_CANTOPEN_FULLPATH),
        ("SQLITE_CANTOPEN_CONVPATH", .SQLITE_CANTOPEN_CONVPATH, DatabaseError.SQLITE_CANTOPEN_CONVPATH),
        ("SQLITE_CANTOPEN_DIRTYWAL", .SQLITE_CANTOPEN_DIRTYWAL, DatabaseError.SQLITE_CANTOPEN_DIRTYWAL),
        ("SQLITE_CANTOPEN_SYMLINK", .SQLITE_CANTOPEN_SYMLINK, DatabaseError.SQLITE_CANTOPEN_SYMLINK),
        ("SQLITE_CORRUPT_VTAB", .SQLITE_CORRUPT_VTAB, DatabaseError.SQLITE_CORRUPT_VTAB),
        ("SQLITE_CORRUPT_SEQUENCE", .SQLITE_CORRUPT_SEQUENCE, DatabaseError.SQLITE_CORRUPT_SEQUENCE),
        ("SQLITE_CORRUPT_INDEX", .SQLITE_CORRUPT_INDEX, DatabaseError.SQLITE_CORRUPT_INDEX),
        ("SQLITE_READONLY_RECOVERY", .SQLITE_READONLY_RECOVERY, DatabaseError.SQLITE_READONLY_RECOVERY),
        ("SQLITE_READONLY_CANTLOCK", .SQLITE_READONLY_CANTLOCK, DatabaseError.SQLITE_READONLY_CANTLOCK),
        ("SQLITE_READONLY_ROLLBACK", .SQLITE_READONLY_ROLLBACK, DatabaseError.SQLITE_READONLY_ROLLBACK),
        ("SQLITE_READONLY_DBMOVED", .SQLITE_READONLY_DBMOVED, DatabaseError.SQLITE_READONLY_DBMOVED),
        ("SQLITE_READONLY_CANTINIT", .SQLITE_READONLY_CANTINIT, DatabaseError.SQLITE_READONLY_CANTINIT),
        ("SQLITE_READONLY_DIRECTORY", .SQLITE_READONLY_DIRECTORY, DatabaseError.SQLITE_READONLY_DIRECTORY),
        ("SQLITE_ABORT_ROLLBACK", .SQLITE_ABORT_ROLLBACK, DatabaseError.SQLITE_ABORT_ROLLBACK),
        ("SQLITE_CONSTRAINT_CHECK", .SQLITE_CONSTRAINT_CHECK, DatabaseError.SQLITE_CONSTRAINT_CHECK),
        ("SQLITE_CONSTRAINT_COMMITHOOK", .SQLITE_CONSTRAINT_COMMITHOOK, DatabaseError.SQLITE_CONSTRAINT_COMMITHOOK),
        ("SQLITE_CONSTRAINT_FOREIGNKEY", .SQLITE_CONSTRAINT_FOREIGNKEY, DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY),
        ("SQLITE_CONSTRAINT_FUNCTION", .SQLITE_CONSTRAINT_FUNCTION, DatabaseError.SQLITE_CONSTRAINT_FUNCTION),
        ("SQLITE_CONSTRAINT_NOTNULL", .SQLITE_CONSTRAINT_NOTNULL, DatabaseError.SQLITE_CONSTRAINT_NOTNULL),
        ("SQLITE_CONSTRAINT_PRIMARYKEY", .SQLITE_CONSTRAINT_PRIMARYKEY, DatabaseError.SQLITE_CONSTRAINT_PRIMARYKEY),
        ("SQLITE_CONSTRAINT_TRIGGER", .SQLITE_CONSTRAINT_TRIGGER, DatabaseError.SQLITE_CONSTRAINT_TRIGGER),
        ("SQLITE_CONSTRAINT_UNIQUE", .SQLITE_CONSTRAINT_UNIQUE, DatabaseError.SQLITE_CONSTRAINT_UNIQUE),
        ("SQLITE_CONSTRAINT_VTAB", .SQLITE_CONSTRAINT_VTAB, DatabaseError.SQLITE_CONSTRAINT_VTAB),
        ("SQLITE_CONSTRAINT_ROWID", .SQLITE_CONSTRAINT_ROWID, DatabaseError.SQLITE_CONSTRAINT_ROWID),
        ("SQLITE_CONSTRAINT_PINNED", .SQLITE_CONSTRAINT_PINNED, DatabaseError.SQLITE_CONSTRAINT_PINNED),
        ("SQLITE_CONSTRAINT_DATATYPE", .SQLITE_CONSTRAINT_DATATYPE, DatabaseError.SQLITE_CONSTRAINT_DATATYPE),
        ("SQLITE_NOTICE_RECOVER_WAL", .SQLITE_NOTICE_RECOVER_WAL, DatabaseError.SQLITE_NOTICE_RECOVER_WAL),
        ("SQLITE_NOTICE_RECOVER_ROLLBACK", .SQLITE_NOTICE_RECOVER_ROLLBACK, DatabaseError.SQLITE_NOTICE_RECOVER_ROLLBACK),
        ("SQLITE_WARNING_AUTOINDEX", .SQLITE_WARNING_AUTOINDEX, DatabaseError.SQLITE_WARNING_AUTOINDEX),
        ("SQLITE_AUTH_USER", .SQLITE_AUTH_USER, DatabaseError.SQLITE_AUTH_USER),
        ("SQLITE_OK_LOAD_PERMANENTLY", .SQLITE_OK_LOAD_PERMANENTLY, DatabaseError.SQLITE_OK_LOAD_PERMANENTLY),
        ("SQLITE_OK_SYMLINK", .SQLITE_OK_SYMLINK, DatabaseError.SQLITE_OK_SYMLINK),
    ]

    @Test
    func `Each name stands for one code`() {
        #expect(Set(Self.constants.map(\.name)).count == 106)
        #expect(Set(Self.constants.map(\.code)).count == 106)
        for (name, code, codeOfError) in Self.constants {
            #expect(code == codeOfError, "\(name)")
            #expect(code.name == name)
            #expect(ResultCode(rawValue: code.rawValue) == code)
            #expect(code.primaryResultCode ~= code, "\(name)")
        }
    }

    @Test(.enabled(if: Header.file != nil, "sqlite3.h is not where headers are on this system"))
    func `The codes match SQLite's header`() throws {
        let header = try #require(Header.file)
        let codes = header.resultCodes
        // SQLite 3.40 has this many: the header is parsed correctly.
        #expect(codes.count >= 106)
        for (name, code, _) in Self.constants {
            #expect(codes[name] == code.rawValue, "\(name)")
        }
        // A later header may have codes that this version does not know.
        if header.version <= 3_040_001 {
            #expect(Set(codes.keys) == Set(Self.constants.map(\.name)))
        }
    }
}

/// The content of SQLite's header.
private struct Header {
    /// The header that the tests were most likely built with.
    static let file: Header? = ["/usr/include/sqlite3.h", "/usr/local/include/sqlite3.h", "/opt/homebrew/include/sqlite3.h"]
        .lazy.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }.first.map { Header(text: $0) }

    let text: String

    /// The definitions of a part of the header, in order: `#define NAME expression /* comment */`.
    private func definitions(in text: Substring) -> [(name: String, expression: String)] {
        text.split(separator: "\n").compactMap { line in
            let words = line.prefix { $0 != "/" }.split(separator: " ", maxSplits: 2)
            guard words.count == 3, words[0] == "#define" else { return nil }
            return (String(words[1]), String(words[2]))
        }
    }

    var version: Int {
        definitions(in: text[...]).first { $0.name == "SQLITE_VERSION_NUMBER" }
            .flatMap { Int($0.expression.trimmingCharacters(in: .whitespaces)) } ?? 0
    }

    /// The numbers of the result codes, primary ones such as `5`, and extended ones such as `(SQLITE_BUSY | (1<<8))`.
    var resultCodes: [String: CInt] {
        guard let start = text.range(of: "CAPI3REF: Result Codes"),
            let end = text.range(of: "CAPI3REF: Flags For File Open Operations")
        else { return [:] }
        var codes: [String: CInt] = [:]
        for (name, expression) in definitions(in: text[start.upperBound..<end.lowerBound]) {
            let parts = expression.split { " ()|<".contains($0) }.map(String.init)
            switch parts.count {
            case 1: codes[name] = CInt(parts[0])
            case 3:
                guard let primary = codes[parts[0]], let number = CInt(parts[1]), parts[2] == "8" else { continue }
                codes[name] = primary | (number << 8)
            default: continue
            }
        }
        return codes
    }
}
