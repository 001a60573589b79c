import CSQLiteShims

/// The file of an open database. Connections that must share a database compare their files: the path may lead to another file since it was
/// first opened, because the current folder or a symbolic link has changed, or the file was replaced.
struct DatabaseFile: Equatable, Sendable {
    /// The absolute path without symbolic links; empty for a database in memory, and for a temporary one.
    let path: String
    /// The file; nil if the path does not lead to one.
    private let identity: FileIdentity?

    /// - Parameter schema: the name of the database, main or attached.
    init(of schema: String, _ handle: SQLiteConnection) {
        guard let path = sqlite3_db_filename(handle, schema) else {
            (self.path, identity) = ("", nil)
            return
        }
        self.path = String(cString: path)
        identity = FileIdentity(path: path)
    }

    /// Whether the path still leads to the file.
    var isInPlace: Bool { FileIdentity(path: path) == identity }

    /// Returns the path or the URI with which another connection opens the file, whatever the current folder is: the absolute path, or a
    /// URI with the same parameters, except a `mode` that permits writing, which SQLite refuses for a read-only connection.
    ///
    /// - Parameter givenPath: the path or the URI with which the file was opened.
    func location(givenPath: String) -> String {
        // A name that is not valid UTF-8 is not the same after repair.
        if path.isEmpty || path.contains("\u{FFFD}") { return givenPath }
        guard givenPath.hasPrefix("file:") else { return path }
        let parameters = givenPath.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst().split(separator: "&")
            .filter { $0 != "mode=rw" && $0 != "mode=rwc" }
        return "file:\(path.percentEncodedForURI)\(parameters.isEmpty ? "" : "?")\(parameters.joined(separator: "&"))"
    }
}

/// What tells a file from all others, whatever its name is. Asking for it does not open the file, which would drop the locks of the process
/// when the file is closed again: <https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_>.
package struct FileIdentity: Hashable, Sendable {
    private var device: UInt64 = 0
    private var number: UInt64 = 0
    /// How many names the file has.
    package private(set) var linkCount: UInt64 = 0

    /// - Returns: nil if there is no file at the path.
    package init?(path: UnsafePointer<CChar>) {
        if !strata_file_identity(path, &device, &number, &linkCount) { return nil }
    }

    package static func == (left: FileIdentity, right: FileIdentity) -> Bool { (left.device, left.number) == (right.device, right.number) }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(number)
    }

    /// How many files the process may have open.
    package static var maximumDescriptorCount: Int { Int(strata_maximum_descriptor_count()) }
}

extension Database {
    /// Whether the path of the open file leads to another file now, or to none.
    package var hasMoved: Bool {
        guard let handle = sqliteConnection else { return false }
        var hasMoved: CInt = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return hasMoved != 0
    }

    /// Throws if the file that was opened is not the file of its path, where another process may have removed it since. Called while the
    /// connection has a lock, which keeps others from removing it.
    func checkIsInPlace() throws {
        guard configuration.requiresFile, hasMoved else { return }
        throw DatabaseError(
            code: .SQLITE_READONLY_DBMOVED, message: "the file was moved or removed while it was opened: \(path)", advice: nil)
    }

    /// Returns the files of the attached databases, by name.
    private func findAttachedFiles() throws -> [String: DatabaseFile] {
        let handle = try openHandle()
        var files: [String: DatabaseFile] = [:]
        try InternalQuery("PRAGMA database_list").forEachRow(in: self) { row in
            guard let name = row.string(at: 1), name != "main", name != "temp" else { return }
            files[name] = DatabaseFile(of: name, handle)
        }
        return files
    }

    /// Notes the files that the configuration's preparations have attached, and compares them with the files of the connection that writes.
    ///
    /// - Throws: `SQLITE_CANTOPEN` if a name stands for another file.
    func checkAttachedFiles() throws {
        if engine != nil { return }
        attachedFiles = try findAttachedFiles()
        guard let expected = writer?.database.attachedFiles else { return }
        for (name, file) in attachedFiles {
            guard let other = expected[name], other != file else { continue }
            throw DatabaseError(
                code: .SQLITE_CANTOPEN,
                message: "the attached database \(name) is \(file.path), but the connection that writes has attached \(other.path)",
                advice: "Attach it by an absolute path, and don't replace its file while the database is open.")
        }
    }

    /// Throws if this connection has not opened the same file as the connection that writes.
    func checkIsFile(of writer: SerializedConnection) throws {
        if file == writer.database.file { return }
        throw DatabaseError(
            code: .SQLITE_CANTOPEN, message: "the file was moved or replaced since the database was opened: \(path)",
            advice: "Close the database before its file is replaced.")
    }
}

// Source: <https://www.sqlite.org/uri.html>

extension String {
    /// The string with each byte of its UTF-8, except ASCII letters, digits, `-` and `_`, replaced by `%` and its hexadecimal code.
    var percentEncodedForURI: String {
        let digits = Array("0123456789ABCDEF")
        return utf8.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                text.append(Character(UnicodeScalar(byte)))
            default:
                text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }
}
