import CSQLiteShims

/// A result code of SQLite, primary or extended.
///
/// In a pattern, a primary code also matches the extended codes that refine it:
///
/// ```swift
/// do {
///     try db.execute(sql: "INSERT INTO player (teamID) VALUES (42)")
/// } catch DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY {
///     // no team 42
/// } catch DatabaseError.SQLITE_CONSTRAINT {
///     // any other constraint
/// }
/// ```
///
/// Source: <https://www.sqlite.org/rescode.html>
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// SQLite's number for the code.
    public let rawValue: CInt

    /// Creates a result code from SQLite's number, even one without a constant here.
    @inlinable
    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The primary result code, which is the lower eight bits: `SQLITE_CONSTRAINT` for `SQLITE_CONSTRAINT_UNIQUE`.
    public var primaryResultCode: ResultCode {
        ResultCode(rawValue: rawValue & 0xFF)
    }

    /// Returns whether a code is `pattern`, or extends it if `pattern` is a primary code.
    public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primaryResultCode
    }

    /// Returns whether an error is a ``DatabaseError`` whose extended result code matches `pattern`.
    public static func ~= (pattern: ResultCode, error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return pattern ~= error.extendedResultCode
    }
}

extension ResultCode: CustomStringConvertible {
    /// The number and the name of the constant: "19 (SQLITE_CONSTRAINT)".
    public var description: String {
        guard let name else { return "\(rawValue)" }
        return "\(rawValue) (\(name))"
    }

    /// The name of SQLite's constant; nil for a code without a constant here.
    public var name: String? {
        Self.names[rawValue]
    }

    /// SQLite's English text for the code.
    public var errorString: String {
        String(cString: sqlite3_errstr(rawValue))
    }
}

// MARK: - Primary codes

extension ResultCode {
    /// Success.
    public static let SQLITE_OK = ResultCode(rawValue: 0)
    /// A general error: most often, SQL that does not compile.
    public static let SQLITE_ERROR = ResultCode(rawValue: 1)
    /// A malfunction inside SQLite.
    public static let SQLITE_INTERNAL = ResultCode(rawValue: 2)
    /// The requested access mode could not be provided.
    public static let SQLITE_PERM = ResultCode(rawValue: 3)
    /// The operation was aborted before its end.
    public static let SQLITE_ABORT = ResultCode(rawValue: 4)
    /// Another connection holds a lock that the operation needs.
    public static let SQLITE_BUSY = ResultCode(rawValue: 5)
    /// The same connection, or one with a shared cache, holds a lock that the operation needs.
    public static let SQLITE_LOCKED = ResultCode(rawValue: 6)
    /// Memory could not be allocated.
    public static let SQLITE_NOMEM = ResultCode(rawValue: 7)
    /// The connection or the file is read-only.
    public static let SQLITE_READONLY = ResultCode(rawValue: 8)
    /// The operation was interrupted.
    public static let SQLITE_INTERRUPT = ResultCode(rawValue: 9)
    /// The operating system reported an input or output error.
    public static let SQLITE_IOERR = ResultCode(rawValue: 10)
    /// The database file is malformed.
    public static let SQLITE_CORRUPT = ResultCode(rawValue: 11)
    /// An opcode, a file control or a VFS name is unknown.
    public static let SQLITE_NOTFOUND = ResultCode(rawValue: 12)
    /// The disk is full, or the database has reached its maximum size.
    public static let SQLITE_FULL = ResultCode(rawValue: 13)
    /// A file could not be opened.
    public static let SQLITE_CANTOPEN = ResultCode(rawValue: 14)
    /// The WAL locking protocol failed.
    public static let SQLITE_PROTOCOL = ResultCode(rawValue: 15)
    /// Not used by SQLite.
    public static let SQLITE_EMPTY = ResultCode(rawValue: 16)
    /// The schema changed while the statement was being compiled.
    public static let SQLITE_SCHEMA = ResultCode(rawValue: 17)
    /// A string or a blob exceeds the size limit.
    public static let SQLITE_TOOBIG = ResultCode(rawValue: 18)
    /// A constraint failed.
    public static let SQLITE_CONSTRAINT = ResultCode(rawValue: 19)
    /// A value has the wrong data type.
    public static let SQLITE_MISMATCH = ResultCode(rawValue: 20)
    /// The library was used in a way that is undefined or unsupported.
    public static let SQLITE_MISUSE = ResultCode(rawValue: 21)
    /// The system does not support files that large.
    public static let SQLITE_NOLFS = ResultCode(rawValue: 22)
    /// The authorizer refused the statement.
    public static let SQLITE_AUTH = ResultCode(rawValue: 23)
    /// Not used by SQLite.
    public static let SQLITE_FORMAT = ResultCode(rawValue: 24)
    /// The index of a parameter or of a column is out of range.
    public static let SQLITE_RANGE = ResultCode(rawValue: 25)
    /// The file is not a database.
    public static let SQLITE_NOTADB = ResultCode(rawValue: 26)
    /// A notice in the error log.
    public static let SQLITE_NOTICE = ResultCode(rawValue: 27)
    /// A warning in the error log.
    public static let SQLITE_WARNING = ResultCode(rawValue: 28)
    /// A step has produced a row.
    public static let SQLITE_ROW = ResultCode(rawValue: 100)
    /// A statement has run to its end.
    public static let SQLITE_DONE = ResultCode(rawValue: 101)
}

// MARK: - Extended codes

extension ResultCode {
    /// Extends ``SQLITE_ERROR``.
    public static let SQLITE_ERROR_MISSING_COLLSEQ = ResultCode(rawValue: 257)
    /// Extends ``SQLITE_ERROR``.
    public static let SQLITE_ERROR_RETRY = ResultCode(rawValue: 513)
    /// Extends ``SQLITE_ERROR``.
    public static let SQLITE_ERROR_SNAPSHOT = ResultCode(rawValue: 769)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_READ = ResultCode(rawValue: 266)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_SHORT_READ = ResultCode(rawValue: 522)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_WRITE = ResultCode(rawValue: 778)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_FSYNC = ResultCode(rawValue: 1034)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_DIR_FSYNC = ResultCode(rawValue: 1290)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_TRUNCATE = ResultCode(rawValue: 1546)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_FSTAT = ResultCode(rawValue: 1802)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_UNLOCK = ResultCode(rawValue: 2058)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_RDLOCK = ResultCode(rawValue: 2314)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_DELETE = ResultCode(rawValue: 2570)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_BLOCKED = ResultCode(rawValue: 2826)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_NOMEM = ResultCode(rawValue: 3082)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_ACCESS = ResultCode(rawValue: 3338)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_CHECKRESERVEDLOCK = ResultCode(rawValue: 3594)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_LOCK = ResultCode(rawValue: 3850)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_CLOSE = ResultCode(rawValue: 4106)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_DIR_CLOSE = ResultCode(rawValue: 4362)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_SHMOPEN = ResultCode(rawValue: 4618)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_SHMSIZE = ResultCode(rawValue: 4874)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_SHMLOCK = ResultCode(rawValue: 5130)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_SHMMAP = ResultCode(rawValue: 5386)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_SEEK = ResultCode(rawValue: 5642)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_DELETE_NOENT = ResultCode(rawValue: 5898)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_MMAP = ResultCode(rawValue: 6154)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_GETTEMPPATH = ResultCode(rawValue: 6410)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_CONVPATH = ResultCode(rawValue: 6666)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_VNODE = ResultCode(rawValue: 6922)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_AUTH = ResultCode(rawValue: 7178)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_BEGIN_ATOMIC = ResultCode(rawValue: 7434)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_COMMIT_ATOMIC = ResultCode(rawValue: 7690)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_ROLLBACK_ATOMIC = ResultCode(rawValue: 7946)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_DATA = ResultCode(rawValue: 8202)
    /// Extends ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_CORRUPTFS = ResultCode(rawValue: 8458)
    /// Extends ``SQLITE_LOCKED``.
    public static let SQLITE_LOCKED_SHAREDCACHE = ResultCode(rawValue: 262)
    /// Extends ``SQLITE_LOCKED``.
    public static let SQLITE_LOCKED_VTAB = ResultCode(rawValue: 518)
    /// Extends ``SQLITE_BUSY``.
    public static let SQLITE_BUSY_RECOVERY = ResultCode(rawValue: 261)
    /// Extends ``SQLITE_BUSY``.
    public static let SQLITE_BUSY_SNAPSHOT = ResultCode(rawValue: 517)
    /// Extends ``SQLITE_BUSY``.
    public static let SQLITE_BUSY_TIMEOUT = ResultCode(rawValue: 773)
    /// Extends ``SQLITE_CANTOPEN``.
    public static let SQLITE_CANTOPEN_NOTEMPDIR = ResultCode(rawValue: 270)
    /// Extends ``SQLITE_CANTOPEN``.
    public static let SQLITE_CANTOPEN_ISDIR = ResultCode(rawValue: 526)
    /// Extends ``SQLITE_CANTOPEN``.
    public static let SQLITE_CANTOPEN_FULLPATH = ResultCode(rawValue: 782)
    /// Extends ``SQLITE_CANTOPEN``.
    public static let SQLITE_CANTOPEN_CONVPATH = ResultCode(rawValue: 1038)
    /// Extends ``SQLITE_CANTOPEN``.
    public static let SQLITE_CANTOPEN_DIRTYWAL = ResultCode(rawValue: 1294)
    /// Extends ``SQLITE_CANTOPEN``.
    public static let SQLITE_CANTOPEN_SYMLINK = ResultCode(rawValue: 1550)
    /// Extends ``SQLITE_CORRUPT``.
    public static let SQLITE_CORRUPT_VTAB = ResultCode(rawValue: 267)
    /// Extends ``SQLITE_CORRUPT``.
    public static let SQLITE_CORRUPT_SEQUENCE = ResultCode(rawValue: 523)
    /// Extends ``SQLITE_CORRUPT``.
    public static let SQLITE_CORRUPT_INDEX = ResultCode(rawValue: 779)
    /// Extends ``SQLITE_READONLY``.
    public static let SQLITE_READONLY_RECOVERY = ResultCode(rawValue: 264)
    /// Extends ``SQLITE_READONLY``.
    public static let SQLITE_READONLY_CANTLOCK = ResultCode(rawValue: 520)
    /// Extends ``SQLITE_READONLY``.
    public static let SQLITE_READONLY_ROLLBACK = ResultCode(rawValue: 776)
    /// Extends ``SQLITE_READONLY``.
    public static let SQLITE_READONLY_DBMOVED = ResultCode(rawValue: 1032)
    /// Extends ``SQLITE_READONLY``.
    public static let SQLITE_READONLY_CANTINIT = ResultCode(rawValue: 1288)
    /// Extends ``SQLITE_READONLY``.
    public static let SQLITE_READONLY_DIRECTORY = ResultCode(rawValue: 1544)
    /// Extends ``SQLITE_ABORT``.
    public static let SQLITE_ABORT_ROLLBACK = ResultCode(rawValue: 516)
    /// Extends ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_CHECK = ResultCode(rawValue: 275)
    /// Extends ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_COMMITHOOK = ResultCode(rawValue: 531)
    /// Extends ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_FOREIGNKEY = ResultCode(rawValue: 787)
    /// Extends ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_FUNCTION = ResultCode(rawValue: 1043)
    /// Extends ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_NOTNULL = ResultCode(rawValue: 1299)
    /// Extends ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_PRIMARYKEY = ResultCode(rawValue: 1555)
    /// Extends ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_TRIGGER = ResultCode(rawValue: 1811)
    /// Extends ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_UNIQUE = ResultCode(rawValue: 2067)
    /// Extends ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_VTAB = ResultCode(rawValue: 2323)
    /// Extends ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_ROWID = ResultCode(rawValue: 2579)
    /// Extends ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_PINNED = ResultCode(rawValue: 2835)
    /// Extends ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_DATATYPE = ResultCode(rawValue: 3091)
    /// Extends ``SQLITE_NOTICE``.
    public static let SQLITE_NOTICE_RECOVER_WAL = ResultCode(rawValue: 283)
    /// Extends ``SQLITE_NOTICE``.
    public static let SQLITE_NOTICE_RECOVER_ROLLBACK = ResultCode(rawValue: 539)
    /// Extends ``SQLITE_WARNING``.
    public static let SQLITE_WARNING_AUTOINDEX = ResultCode(rawValue: 284)
    /// Extends ``SQLITE_AUTH``.
    public static let SQLITE_AUTH_USER = ResultCode(rawValue: 279)
    /// Extends ``SQLITE_OK``.
    public static let SQLITE_OK_LOAD_PERMANENTLY = ResultCode(rawValue: 256)
    /// Extends ``SQLITE_OK``.
    public static let SQLITE_OK_SYMLINK = ResultCode(rawValue: 512)
}

// MARK: - Names

extension ResultCode {
    private static let names: [CInt: String] = [
        0: "SQLITE_OK",
        1: "SQLITE_ERROR",
        2: "SQLITE_INTERNAL",
        3: "SQLITE_PERM",
        4: "SQLITE_ABORT",
        5: "SQLITE_BUSY",
        6: "SQLITE_LOCKED",
        7: "SQLITE_NOMEM",
        8: "SQLITE_READONLY",
        9: "SQLITE_INTERRUPT",
        10: "SQLITE_IOERR",
        11: "SQLITE_CORRUPT",
        12: "SQLITE_NOTFOUND",
        13: "SQLITE_FULL",
        14: "SQLITE_CANTOPEN",
        15: "SQLITE_PROTOCOL",
        16: "SQLITE_EMPTY",
        17: "SQLITE_SCHEMA",
        18: "SQLITE_TOOBIG",
        19: "SQLITE_CONSTRAINT",
        20: "SQLITE_MISMATCH",
        21: "SQLITE_MISUSE",
        22: "SQLITE_NOLFS",
        23: "SQLITE_AUTH",
        24: "SQLITE_FORMAT",
        25: "SQLITE_RANGE",
        26: "SQLITE_NOTADB",
        27: "SQLITE_NOTICE",
        28: "SQLITE_WARNING",
        100: "SQLITE_ROW",
        101: "SQLITE_DONE",
        257: "SQLITE_ERROR_MISSING_COLLSEQ",
        513: "SQLITE_ERROR_RETRY",
        769: "SQLITE_ERROR_SNAPSHOT",
        266: "SQLITE_IOERR_READ",
        522: "SQLITE_IOERR_SHORT_READ",
        778: "SQLITE_IOERR_WRITE",
        1034: "SQLITE_IOERR_FSYNC",
        1290: "SQLITE_IOERR_DIR_FSYNC",
        1546: "SQLITE_IOERR_TRUNCATE",
        1802: "SQLITE_IOERR_FSTAT",
        2058: "SQLITE_IOERR_UNLOCK",
        2314: "SQLITE_IOERR_RDLOCK",
        2570: "SQLITE_IOERR_DELETE",
        2826: "SQLITE_IOERR_BLOCKED",
        3082: "SQLITE_IOERR_NOMEM",
        3338: "SQLITE_IOERR_ACCESS",
        3594: "SQLITE_IOERR_CHECKRESERVEDLOCK",
        3850: "SQLITE_IOERR_LOCK",
        4106: "SQLITE_IOERR_CLOSE",
        4362: "SQLITE_IOERR_DIR_CLOSE",
        4618: "SQLITE_IOERR_SHMOPEN",
        4874: "SQLITE_IOERR_SHMSIZE",
        5130: "SQLITE_IOERR_SHMLOCK",
        5386: "SQLITE_IOERR_SHMMAP",
        5642: "SQLITE_IOERR_SEEK",
        5898: "SQLITE_IOERR_DELETE_NOENT",
        6154: "SQLITE_IOERR_MMAP",
        6410: "SQLITE_IOERR_GETTEMPPATH",
        6666: "SQLITE_IOERR_CONVPATH",
        6922: "SQLITE_IOERR_VNODE",
        7178: "SQLITE_IOERR_AUTH",
        7434: "SQLITE_IOERR_BEGIN_ATOMIC",
        7690: "SQLITE_IOERR_COMMIT_ATOMIC",
        7946: "SQLITE_IOERR_ROLLBACK_ATOMIC",
        8202: "SQLITE_IOERR_DATA",
        8458: "SQLITE_IOERR_CORRUPTFS",
        262: "SQLITE_LOCKED_SHAREDCACHE",
        518: "SQLITE_LOCKED_VTAB",
        261: "SQLITE_BUSY_RECOVERY",
        517: "SQLITE_BUSY_SNAPSHOT",
        773: "SQLITE_BUSY_TIMEOUT",
        270: "SQLITE_CANTOPEN_NOTEMPDIR",
        526: "SQLITE_CANTOPEN_ISDIR",
        782: "SQLITE_CANTOPEN_FULLPATH",
        1038: "SQLITE_CANTOPEN_CONVPATH",
        1294: "SQLITE_CANTOPEN_DIRTYWAL",
        1550: "SQLITE_CANTOPEN_SYMLINK",
        267: "SQLITE_CORRUPT_VTAB",
        523: "SQLITE_CORRUPT_SEQUENCE",
        779: "SQLITE_CORRUPT_INDEX",
        264: "SQLITE_READONLY_RECOVERY",
        520: "SQLITE_READONLY_CANTLOCK",
        776: "SQLITE_READONLY_ROLLBACK",
        1032: "SQLITE_READONLY_DBMOVED",
        1288: "SQLITE_READONLY_CANTINIT",
        1544: "SQLITE_READONLY_DIRECTORY",
        516: "SQLITE_ABORT_ROLLBACK",
        275: "SQLITE_CONSTRAINT_CHECK",
        531: "SQLITE_CONSTRAINT_COMMITHOOK",
        787: "SQLITE_CONSTRAINT_FOREIGNKEY",
        1043: "SQLITE_CONSTRAINT_FUNCTION",
        1299: "SQLITE_CONSTRAINT_NOTNULL",
        1555: "SQLITE_CONSTRAINT_PRIMARYKEY",
        1811: "SQLITE_CONSTRAINT_TRIGGER",
        2067: "SQLITE_CONSTRAINT_UNIQUE",
        2323: "SQLITE_CONSTRAINT_VTAB",
        2579: "SQLITE_CONSTRAINT_ROWID",
        2835: "SQLITE_CONSTRAINT_PINNED",
        3091: "SQLITE_CONSTRAINT_DATATYPE",
        283: "SQLITE_NOTICE_RECOVER_WAL",
        539: "SQLITE_NOTICE_RECOVER_ROLLBACK",
        284: "SQLITE_WARNING_AUTOINDEX",
        279: "SQLITE_AUTH_USER",
        256: "SQLITE_OK_LOAD_PERMANENTLY",
        512: "SQLITE_OK_SYMLINK",
    ]
}
