extension DatabaseQueue {
    /// Copies a database file into memory.
    ///
    /// ```swift
    /// // Tests and previews may change what they like.
    /// let queue = try DatabaseQueue.inMemoryCopy(fromPath: "/path/to/fixtures.sqlite")
    /// ```
    ///
    /// The copy includes the content of the write-ahead log. The file does not change.
    ///
    /// Source: <https://www.sqlite.org/backup.html>
    ///
    /// - Parameters:
    ///   - path: the path of a file, or a `file:` URI.
    ///   - configuration: how to open the copy. ``Configuration/prepareDatabase(_:)`` runs after copying; ``Configuration/journalMode``
    ///     has no meaning in memory. The file itself is opened read-only, without preparations.
    /// - Returns: a queue whose database is deleted with it.
    /// - Throws: ``DatabaseError`` when the file is missing, can't be read, or is no database.
    /// - Complexity: O(n) in the size of the file.
    public static func inMemoryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try DatabaseQueue(copying: path, to: ":memory:", configuration: configuration)
    }

    /// Copies a database file into a temporary one, which SQLite deletes with the queue.
    ///
    /// ```swift
    /// let queue = try DatabaseQueue.temporaryCopy(fromPath: "/path/to/large.sqlite")
    /// ```
    ///
    /// Use it for databases that are too large for ``inMemoryCopy(fromPath:configuration:)``: SQLite keeps in memory what fits into its
    /// cache, and the rest in a file without a name. The queue's ``path`` is therefore empty.
    ///
    /// Source: <https://www.sqlite.org/inmemorydb.html#temp_db>
    ///
    /// - Parameters:
    ///   - path: the path of a file, or a `file:` URI.
    ///   - configuration: how to open the copy. ``Configuration/prepareDatabase(_:)`` runs after copying; ``Configuration/journalMode``
    ///     has no meaning for a temporary file. The file itself is opened read-only, without preparations.
    /// - Returns: a queue whose database is deleted with it.
    /// - Throws: ``DatabaseError`` when the file is missing, can't be read, or is no database.
    /// - Complexity: O(n) in the size of the file.
    public static func temporaryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try DatabaseQueue(copying: path, to: "", configuration: configuration)
    }
}
