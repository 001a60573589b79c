extension DatabaseQueue {
    /// Copies a database file into memory.
    ///
    /// ```swift
    /// // Tests and previews may change what they like.
    /// let queue = try DatabaseQueue.inMemoryCopy(fromPath: "/path/to/fixtures.sqlite")
    /// ```
    ///
    /// What a write-ahead log holds is copied, too. The file does not change.
    ///
    /// Source: <https://www.sqlite.org/backup.html>
    ///
    /// - Parameters:
    ///   - path: the path of a file, or a `file:` URI.
    ///   - configuration: how to open the copy: ``Configuration/prepareDatabase(_:)`` sees it with its content.
    ///     ``Configuration/journalMode`` has no meaning in memory. The file is opened for reading, and is not prepared.
    /// - Returns: a queue of a database that goes away with it.
    /// - Throws: ``DatabaseError`` when the file is missing, can't be read, or is no database.
    /// - Complexity: O(n) in the size of the file.
    public static func inMemoryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try DatabaseQueue(copying: path, to: ":memory:", configuration: configuration)
    }

    /// Copies a database file into a temporary one, which SQLite removes with the queue.
    ///
    /// ```swift
    /// let queue = try DatabaseQueue.temporaryCopy(fromPath: "/path/to/large.sqlite")
    /// ```
    ///
    /// It is for databases that are too large for ``inMemoryCopy(fromPath:configuration:)``: SQLite keeps in memory what its cache
    /// has room for, and the rest in a file without a name. So the queue's ``path`` is empty.
    ///
    /// Source: <https://www.sqlite.org/inmemorydb.html#temp_db>
    ///
    /// - Parameters:
    ///   - path: the path of a file, or a `file:` URI.
    ///   - configuration: how to open the copy: ``Configuration/prepareDatabase(_:)`` sees it with its content.
    ///     ``Configuration/journalMode`` has no meaning for a temporary file. The file is opened for reading, and is not prepared.
    /// - Returns: a queue of a database that goes away with it.
    /// - Throws: ``DatabaseError`` when the file is missing, can't be read, or is no database.
    /// - Complexity: O(n) in the size of the file.
    public static func temporaryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try DatabaseQueue(copying: path, to: "", configuration: configuration)
    }
}
