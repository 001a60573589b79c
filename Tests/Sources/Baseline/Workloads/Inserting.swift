import CSQLite

// Inserting 20,000 tracks of 8 columns in one transaction, in memory.

let insertSides = ["insert-by-statement", "insert-records", "insert-batch", "insert-codable", "insert-codable-batch"].map { name in
    Side(name) {
        let database = TrackDatabase()
        let connection = database.connection
        let samples = Track.samples(count: rowCount(20_000))
        return Rounds {
            connection.execute("DELETE FROM track")
            return unshared(samples)
        } work: { tracks in
            connection.inTransaction {
                let statement = connection.prepare(Track.insertion)
                defer { sqlite3_finalize(statement) }
                for index in tracks.indices { tracks[index].insert(statement, connection) }
            }
        } check: {
            database.checksum($0)
        }
    }
}
