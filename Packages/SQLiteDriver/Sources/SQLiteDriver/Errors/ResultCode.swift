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

    /// Returns whether an error is a ``DatabaseError`` whose extended result code matches `pattern`. All violations of foreign keys match
    /// `SQLITE_CONSTRAINT_FOREIGNKEY`, also those of RESTRICT, whose code is `SQLITE_CONSTRAINT_TRIGGER`.
    ///
    /// The error of a migration, or of a file that was being loaded, matches if its `underlyingError` does.
    public static func ~= (pattern: ResultCode, error: any Error) -> Bool {
        guard let error = error as? DatabaseError else {
            return (error as? any ErrorWithCause)?.underlyingError.map { pattern ~= $0 } ?? false
        }
        return pattern ~= error.extendedResultCode
            || pattern == .SQLITE_CONSTRAINT_FOREIGNKEY && error.constraint?.kind == .foreignKey
    }
}

/// An error of a package above that reports another error, such as the error of a migration.
package protocol ErrorWithCause: Error {
    /// The other error, if there is one.
    var underlyingError: (any Error)? { get }
}

/// An error after which a transaction may have been committed or not.
package protocol ErrorWithOutcome: Error {
    /// Whether the outcome of the transaction is unknown. Otherwise, it was rolled back.
    var isOutcomeUnknown: Bool { get }
}

extension ResultCode: CustomStringConvertible {
    /// The number and SQLite's text: "19 (constraint failed)". Most extended codes have the text of their primary code: ``name`` tells them
    /// apart.
    public var description: String { "\(rawValue) (\(errorString))" }

    /// The name of SQLite's constant; nil for a code without a constant here.
    public var name: String? {
        Self.names[rawValue]
    }

    /// SQLite's English text for the code.
    public var errorString: String {
        String(cString: sqlite3_errstr(rawValue))
    }
}

extension ResultCode {
    /// The primary codes in the order of their numbers, from 0, each with the ends of the names of the codes that extend it, in the order
    /// of their second bytes, from 1. `-` stands for a number without a name here.
    private static let table = """
        OK LOAD_PERMANENTLY SYMLINK
        ERROR MISSING_COLLSEQ RETRY SNAPSHOT
        INTERNAL
        PERM
        ABORT - ROLLBACK
        BUSY RECOVERY SNAPSHOT TIMEOUT
        LOCKED SHAREDCACHE VTAB
        NOMEM
        READONLY RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY
        INTERRUPT
        IOERR READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS CHECKRESERVEDLOCK LOCK \
        CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC \
        COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS
        CORRUPT VTAB SEQUENCE INDEX
        NOTFOUND
        FULL
        CANTOPEN NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK
        PROTOCOL
        EMPTY
        SCHEMA
        TOOBIG
        CONSTRAINT CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE
        MISMATCH
        MISUSE
        NOLFS
        AUTH USER
        FORMAT
        RANGE
        NOTADB
        NOTICE RECOVER_WAL RECOVER_ROLLBACK
        WARNING AUTOINDEX
        """

    private static let names: [CInt: String] = {
        var names: [CInt: String] = [100: "SQLITE_ROW", 101: "SQLITE_DONE"]
        for (primary, line) in table.split(separator: "\n").enumerated() {
            let words = line.split(separator: " ")
            for (number, word) in words.enumerated() where word != "-" {
                names[CInt(number << 8 | primary)] = "SQLITE_\(words[0])" + (number == 0 ? "" : "_\(word)")
            }
        }
        return names
    }()
}
