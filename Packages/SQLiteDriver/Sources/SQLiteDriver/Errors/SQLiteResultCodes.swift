/// SQLite's result codes by their names, as members of ``ResultCode``, and of ``DatabaseError``, where `catch` clauses look them up.
///
/// ```swift
/// do {
///     try db.execute(sql: "INSERT INTO player (id) VALUES (1)")
/// } catch DatabaseError.SQLITE_CONSTRAINT_PRIMARYKEY {
///     print("There is a player 1.")
/// }
/// ```
///
/// Source: <https://www.sqlite.org/rescode.html>
public protocol SQLiteResultCodes {}

extension ResultCode: SQLiteResultCodes {}

extension DatabaseError: SQLiteResultCodes {}

// MARK: - Primary codes

extension SQLiteResultCodes {
    /// Success.
    public static var SQLITE_OK: ResultCode { ResultCode(rawValue: 0) }
    /// A general error: most often, SQL that does not compile.
    public static var SQLITE_ERROR: ResultCode { ResultCode(rawValue: 1) }
    /// A malfunction inside SQLite.
    public static var SQLITE_INTERNAL: ResultCode { ResultCode(rawValue: 2) }
    /// The requested access mode could not be provided.
    public static var SQLITE_PERM: ResultCode { ResultCode(rawValue: 3) }
    /// The operation was aborted before its end.
    public static var SQLITE_ABORT: ResultCode { ResultCode(rawValue: 4) }
    /// Another connection holds a lock that the operation needs.
    public static var SQLITE_BUSY: ResultCode { ResultCode(rawValue: 5) }
    /// The same connection, or one with a shared cache, holds a lock that the operation needs.
    public static var SQLITE_LOCKED: ResultCode { ResultCode(rawValue: 6) }
    /// Memory could not be allocated.
    public static var SQLITE_NOMEM: ResultCode { ResultCode(rawValue: 7) }
    /// The connection or the file is read-only.
    public static var SQLITE_READONLY: ResultCode { ResultCode(rawValue: 8) }
    /// The operation was interrupted.
    public static var SQLITE_INTERRUPT: ResultCode { ResultCode(rawValue: 9) }
    /// The operating system reported an input or output error.
    public static var SQLITE_IOERR: ResultCode { ResultCode(rawValue: 10) }
    /// The database file is malformed.
    public static var SQLITE_CORRUPT: ResultCode { ResultCode(rawValue: 11) }
    /// An opcode, a file control or a VFS name is unknown.
    public static var SQLITE_NOTFOUND: ResultCode { ResultCode(rawValue: 12) }
    /// The disk is full, or the database has reached its maximum size.
    public static var SQLITE_FULL: ResultCode { ResultCode(rawValue: 13) }
    /// A file could not be opened.
    public static var SQLITE_CANTOPEN: ResultCode { ResultCode(rawValue: 14) }
    /// The WAL locking protocol failed.
    public static var SQLITE_PROTOCOL: ResultCode { ResultCode(rawValue: 15) }
    /// Not used by SQLite.
    public static var SQLITE_EMPTY: ResultCode { ResultCode(rawValue: 16) }
    /// The schema changed while the statement was being compiled.
    public static var SQLITE_SCHEMA: ResultCode { ResultCode(rawValue: 17) }
    /// A string or a blob exceeds the size limit.
    public static var SQLITE_TOOBIG: ResultCode { ResultCode(rawValue: 18) }
    /// A constraint failed.
    public static var SQLITE_CONSTRAINT: ResultCode { ResultCode(rawValue: 19) }
    /// A value has the wrong data type.
    public static var SQLITE_MISMATCH: ResultCode { ResultCode(rawValue: 20) }
    /// The library was used in a way that is undefined or unsupported.
    public static var SQLITE_MISUSE: ResultCode { ResultCode(rawValue: 21) }
    /// The system does not support files that large.
    public static var SQLITE_NOLFS: ResultCode { ResultCode(rawValue: 22) }
    /// The authorizer refused the statement.
    public static var SQLITE_AUTH: ResultCode { ResultCode(rawValue: 23) }
    /// Not used by SQLite.
    public static var SQLITE_FORMAT: ResultCode { ResultCode(rawValue: 24) }
    /// The index of a parameter or of a column is out of range.
    public static var SQLITE_RANGE: ResultCode { ResultCode(rawValue: 25) }
    /// The file is not a database.
    public static var SQLITE_NOTADB: ResultCode { ResultCode(rawValue: 26) }
    /// A notice in the error log.
    public static var SQLITE_NOTICE: ResultCode { ResultCode(rawValue: 27) }
    /// A warning in the error log.
    public static var SQLITE_WARNING: ResultCode { ResultCode(rawValue: 28) }
    /// A step has produced a row.
    public static var SQLITE_ROW: ResultCode { ResultCode(rawValue: 100) }
    /// A statement has run to its end.
    public static var SQLITE_DONE: ResultCode { ResultCode(rawValue: 101) }

    // MARK: - Extended codes

    /// Extends ``SQLITE_ERROR``.
    public static var SQLITE_ERROR_MISSING_COLLSEQ: ResultCode { ResultCode(rawValue: 257) }
    /// Extends ``SQLITE_ERROR``.
    public static var SQLITE_ERROR_RETRY: ResultCode { ResultCode(rawValue: 513) }
    /// Extends ``SQLITE_ERROR``.
    public static var SQLITE_ERROR_SNAPSHOT: ResultCode { ResultCode(rawValue: 769) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_READ: ResultCode { ResultCode(rawValue: 266) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_SHORT_READ: ResultCode { ResultCode(rawValue: 522) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_WRITE: ResultCode { ResultCode(rawValue: 778) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_FSYNC: ResultCode { ResultCode(rawValue: 1034) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_DIR_FSYNC: ResultCode { ResultCode(rawValue: 1290) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_TRUNCATE: ResultCode { ResultCode(rawValue: 1546) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_FSTAT: ResultCode { ResultCode(rawValue: 1802) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_UNLOCK: ResultCode { ResultCode(rawValue: 2058) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_RDLOCK: ResultCode { ResultCode(rawValue: 2314) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_DELETE: ResultCode { ResultCode(rawValue: 2570) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_BLOCKED: ResultCode { ResultCode(rawValue: 2826) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_NOMEM: ResultCode { ResultCode(rawValue: 3082) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_ACCESS: ResultCode { ResultCode(rawValue: 3338) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_CHECKRESERVEDLOCK: ResultCode { ResultCode(rawValue: 3594) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_LOCK: ResultCode { ResultCode(rawValue: 3850) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_CLOSE: ResultCode { ResultCode(rawValue: 4106) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_DIR_CLOSE: ResultCode { ResultCode(rawValue: 4362) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_SHMOPEN: ResultCode { ResultCode(rawValue: 4618) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_SHMSIZE: ResultCode { ResultCode(rawValue: 4874) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_SHMLOCK: ResultCode { ResultCode(rawValue: 5130) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_SHMMAP: ResultCode { ResultCode(rawValue: 5386) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_SEEK: ResultCode { ResultCode(rawValue: 5642) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_DELETE_NOENT: ResultCode { ResultCode(rawValue: 5898) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_MMAP: ResultCode { ResultCode(rawValue: 6154) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_GETTEMPPATH: ResultCode { ResultCode(rawValue: 6410) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_CONVPATH: ResultCode { ResultCode(rawValue: 6666) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_VNODE: ResultCode { ResultCode(rawValue: 6922) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_AUTH: ResultCode { ResultCode(rawValue: 7178) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_BEGIN_ATOMIC: ResultCode { ResultCode(rawValue: 7434) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_COMMIT_ATOMIC: ResultCode { ResultCode(rawValue: 7690) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_ROLLBACK_ATOMIC: ResultCode { ResultCode(rawValue: 7946) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_DATA: ResultCode { ResultCode(rawValue: 8202) }
    /// Extends ``SQLITE_IOERR``.
    public static var SQLITE_IOERR_CORRUPTFS: ResultCode { ResultCode(rawValue: 8458) }
    /// Extends ``SQLITE_LOCKED``.
    public static var SQLITE_LOCKED_SHAREDCACHE: ResultCode { ResultCode(rawValue: 262) }
    /// Extends ``SQLITE_LOCKED``.
    public static var SQLITE_LOCKED_VTAB: ResultCode { ResultCode(rawValue: 518) }
    /// Extends ``SQLITE_BUSY``.
    public static var SQLITE_BUSY_RECOVERY: ResultCode { ResultCode(rawValue: 261) }
    /// Extends ``SQLITE_BUSY``.
    public static var SQLITE_BUSY_SNAPSHOT: ResultCode { ResultCode(rawValue: 517) }
    /// Extends ``SQLITE_BUSY``.
    public static var SQLITE_BUSY_TIMEOUT: ResultCode { ResultCode(rawValue: 773) }
    /// Extends ``SQLITE_CANTOPEN``.
    public static var SQLITE_CANTOPEN_NOTEMPDIR: ResultCode { ResultCode(rawValue: 270) }
    /// Extends ``SQLITE_CANTOPEN``.
    public static var SQLITE_CANTOPEN_ISDIR: ResultCode { ResultCode(rawValue: 526) }
    /// Extends ``SQLITE_CANTOPEN``.
    public static var SQLITE_CANTOPEN_FULLPATH: ResultCode { ResultCode(rawValue: 782) }
    /// Extends ``SQLITE_CANTOPEN``.
    public static var SQLITE_CANTOPEN_CONVPATH: ResultCode { ResultCode(rawValue: 1038) }
    /// Extends ``SQLITE_CANTOPEN``.
    public static var SQLITE_CANTOPEN_DIRTYWAL: ResultCode { ResultCode(rawValue: 1294) }
    /// Extends ``SQLITE_CANTOPEN``.
    public static var SQLITE_CANTOPEN_SYMLINK: ResultCode { ResultCode(rawValue: 1550) }
    /// Extends ``SQLITE_CORRUPT``.
    public static var SQLITE_CORRUPT_VTAB: ResultCode { ResultCode(rawValue: 267) }
    /// Extends ``SQLITE_CORRUPT``.
    public static var SQLITE_CORRUPT_SEQUENCE: ResultCode { ResultCode(rawValue: 523) }
    /// Extends ``SQLITE_CORRUPT``.
    public static var SQLITE_CORRUPT_INDEX: ResultCode { ResultCode(rawValue: 779) }
    /// Extends ``SQLITE_READONLY``.
    public static var SQLITE_READONLY_RECOVERY: ResultCode { ResultCode(rawValue: 264) }
    /// Extends ``SQLITE_READONLY``.
    public static var SQLITE_READONLY_CANTLOCK: ResultCode { ResultCode(rawValue: 520) }
    /// Extends ``SQLITE_READONLY``.
    public static var SQLITE_READONLY_ROLLBACK: ResultCode { ResultCode(rawValue: 776) }
    /// Extends ``SQLITE_READONLY``.
    public static var SQLITE_READONLY_DBMOVED: ResultCode { ResultCode(rawValue: 1032) }
    /// Extends ``SQLITE_READONLY``.
    public static var SQLITE_READONLY_CANTINIT: ResultCode { ResultCode(rawValue: 1288) }
    /// Extends ``SQLITE_READONLY``.
    public static var SQLITE_READONLY_DIRECTORY: ResultCode { ResultCode(rawValue: 1544) }
    /// Extends ``SQLITE_ABORT``.
    public static var SQLITE_ABORT_ROLLBACK: ResultCode { ResultCode(rawValue: 516) }
    /// Extends ``SQLITE_CONSTRAINT``.
    public static var SQLITE_CONSTRAINT_CHECK: ResultCode { ResultCode(rawValue: 275) }
    /// Extends ``SQLITE_CONSTRAINT``.
    public static var SQLITE_CONSTRAINT_COMMITHOOK: ResultCode { ResultCode(rawValue: 531) }
    /// Extends ``SQLITE_CONSTRAINT``.
    public static var SQLITE_CONSTRAINT_FOREIGNKEY: ResultCode { ResultCode(rawValue: 787) }
    /// Extends ``SQLITE_CONSTRAINT``.
    public static var SQLITE_CONSTRAINT_FUNCTION: ResultCode { ResultCode(rawValue: 1043) }
    /// Extends ``SQLITE_CONSTRAINT``.
    public static var SQLITE_CONSTRAINT_NOTNULL: ResultCode { ResultCode(rawValue: 1299) }
    /// Extends ``SQLITE_CONSTRAINT``.
    public static var SQLITE_CONSTRAINT_PRIMARYKEY: ResultCode { ResultCode(rawValue: 1555) }
    /// Extends ``SQLITE_CONSTRAINT``.
    public static var SQLITE_CONSTRAINT_TRIGGER: ResultCode { ResultCode(rawValue: 1811) }
    /// Extends ``SQLITE_CONSTRAINT``.
    public static var SQLITE_CONSTRAINT_UNIQUE: ResultCode { ResultCode(rawValue: 2067) }
    /// Extends ``SQLITE_CONSTRAINT``.
    public static var SQLITE_CONSTRAINT_VTAB: ResultCode { ResultCode(rawValue: 2323) }
    /// Extends ``SQLITE_CONSTRAINT``.
    public static var SQLITE_CONSTRAINT_ROWID: ResultCode { ResultCode(rawValue: 2579) }
    /// Extends ``SQLITE_CONSTRAINT``.
    public static var SQLITE_CONSTRAINT_PINNED: ResultCode { ResultCode(rawValue: 2835) }
    /// Extends ``SQLITE_CONSTRAINT``.
    public static var SQLITE_CONSTRAINT_DATATYPE: ResultCode { ResultCode(rawValue: 3091) }
    /// Extends ``SQLITE_NOTICE``.
    public static var SQLITE_NOTICE_RECOVER_WAL: ResultCode { ResultCode(rawValue: 283) }
    /// Extends ``SQLITE_NOTICE``.
    public static var SQLITE_NOTICE_RECOVER_ROLLBACK: ResultCode { ResultCode(rawValue: 539) }
    /// Extends ``SQLITE_WARNING``.
    public static var SQLITE_WARNING_AUTOINDEX: ResultCode { ResultCode(rawValue: 284) }
    /// Extends ``SQLITE_AUTH``.
    public static var SQLITE_AUTH_USER: ResultCode { ResultCode(rawValue: 279) }
    /// Extends ``SQLITE_OK``.
    public static var SQLITE_OK_LOAD_PERMANENTLY: ResultCode { ResultCode(rawValue: 256) }
    /// Extends ``SQLITE_OK``.
    public static var SQLITE_OK_SYMLINK: ResultCode { ResultCode(rawValue: 512) }
}
