import CSQLite

extension Track {
    /// Binds all columns but the id, from a parameter on, and does something with the statement: the strings are not
    /// copied, since they stay where they are in the meantime.
    @inline(__always)
    mutating func withColumnsBound(to statement: OpaquePointer, from index: CInt, _ body: () -> Void) {
        sqlite3_bind_int64(statement, index + 4, Int64(year))
        sqlite3_bind_double(statement, index + 5, duration)
        bind(playCount.map { Int64($0) }, statement, index + 6)
        withBound(&title, statement, index) {
            withBound(&artist, statement, index + 1) {
                withBound(&genre, statement, index + 3) {
                    withBound(&album, statement, index + 2, body)
                }
            }
        }
    }

    static let insertion = "INSERT INTO track (id, title, artist, album, genre, year, duration, playCount) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

    static let update = "UPDATE track SET title = ?, artist = ?, album = ?, genre = ?, year = ?, duration = ?, playCount = ? WHERE id = ?"

    /// Inserts the track by a statement made of ``insertion``, and notes its id.
    @inline(__always)
    mutating func insert(_ statement: OpaquePointer, _ connection: CConnection) {
        bind(id, statement, 1)
        withColumnsBound(to: statement, from: 2) { connection.run(statement) }
        id = sqlite3_last_insert_rowid(connection.handle)
    }

    /// Updates the track by a statement made of ``update``.
    ///
    /// - Returns: whether there is such a row.
    @inline(__always)
    mutating func update(_ statement: OpaquePointer, _ connection: CConnection) -> Bool {
        bind(id, statement, 8)
        withColumnsBound(to: statement, from: 1) { connection.run(statement) }
        return sqlite3_changes(connection.handle) > 0
    }
}

/// A database in memory with a table of tracks.
struct TrackDatabase {
    let connection = CConnection()

    /// - Parameter tracks: The rows of the table, without their ids.
    init(_ tracks: [Track] = []) {
        connection.execute(Track.createTable)
        var tracks = tracks
        let statement = connection.prepare(Track.insertion)
        for index in tracks.indices { tracks[index].insert(statement, connection) }
        sqlite3_finalize(statement)
        connection.execute(Track.createOriginal)
    }

    /// A number that depends on the table and on the ids of tracks.
    func checksum(_ tracks: [Track]) -> Int {
        baseline.checksum(tracks) { Int($0.id ?? 0) } &* 31 &+ connection.number(Track.contents)
    }
}
