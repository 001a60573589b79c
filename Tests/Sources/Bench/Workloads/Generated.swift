import Strata

// Generated records beside the same records by hand, both through Strata. `make golden` writes the records anew.

let generatedWorkloads = [fetchGenerated, insertGenerated, updateGenerated]

private let fetchGenerated = Workload(
    "fetch-generated", "16,000 orders of 14 columns: generated records beside records by hand that read columns by name", atMost: 1.03
) {
    let queue = try DatabaseQueue()
    try queue.write { db in
        for sql in [Order.createTable, Order.fillTable(count: 16_000)] { try db.execute(sql: sql) }
    }
    let sql = #"SELECT * FROM "order""#
    return Workload.Sides(
        byHand: { try queue.read { checksum(try OrderByName.fetchAll($0, sql: sql)) { $0.order.checksum } } },
        throughStrata: { try queue.read { checksum(try GeneratedOrder.fetchAll($0, sql: sql)) { $0.checksum } } })
}

private let insertGenerated = Workload(
    "insert-generated", "20,000 rows of 8 columns: generated records beside records by hand", atMost: 1.03
) {
    let queues = try TrackQueues()
    let samples = Track.samples(count: 20_000)
    let generatedSamples = samples.map(GeneratedTrack.init)
    return Workload.Sides(
        reset: { try queues.execute("DELETE FROM track") },
        byHand: {
            var tracks = samples
            try queues.byHand.write { db in
                for index in tracks.indices { try tracks[index].insert(db) }
            }
            return tracks.reduce(0) { $0 &+ Int($1.id ?? 0) }
        },
        throughStrata: {
            var tracks = generatedSamples
            try queues.generated.write { db in
                for index in tracks.indices { try tracks[index].insert(db) }
            }
            return tracks.reduce(0) { $0 &+ Int($1.id ?? 0) }
        },
        contents: queues.contents)
}

private let updateGenerated = Workload(
    "update-generated", "20,000 rows of 8 columns: generated records beside records by hand", atMost: 1.03
) {
    let queues = try TrackQueues()
    let samples = changedSamples()
    let generatedSamples = samples.map(GeneratedTrack.init)
    try queues.byHand.write { db in
        for track in samples { _ = try track.inserted(db) }
    }
    try queues.generated.write { db in
        for track in generatedSamples { _ = try track.inserted(db) }
    }
    return Workload.Sides(
        reset: { try queues.execute("UPDATE track SET title = '', playCount = NULL") },
        byHand: {
            try queues.byHand.write { db in
                for track in samples { try track.update(db) }
            }
            return samples.count
        },
        throughStrata: {
            try queues.generated.write { db in
                for track in generatedSamples { try track.update(db) }
            }
            return generatedSamples.count
        },
        contents: queues.contents)
}

/// A database for each side.
private struct TrackQueues {
    let byHand: DatabaseQueue
    let generated: DatabaseQueue

    init() throws {
        (byHand, generated) = (try DatabaseQueue(), try DatabaseQueue())
        try execute(Track.createTable)
    }

    func execute(_ sql: String) throws {
        for queue in [byHand, generated] { try queue.write { try $0.execute(sql: sql) } }
    }

    func contents() throws -> (byHand: Int, throughStrata: Int) {
        func number(_ queue: DatabaseQueue) throws -> Int { try queue.read { try Int.fetchOne($0, sql: Track.contents) ?? 0 } }
        return (try number(byHand), try number(generated))
    }
}

extension GeneratedOrder {
    /// The same number as that of an ``Order``.
    fileprivate var checksum: Int {
        var sum = Int(id ?? 0) &+ Int(customerID ?? -1) &+ Int(employeeID ?? -2) &+ Int(shipperID ?? -3) &+ Int(freight * 8)
        sum &+= orderDate.utf8.count &+ requiredDate.utf8.count &+ (shippedDate?.utf8.count ?? -4) &+ shipName.utf8.count
        sum &+= shipAddress.utf8.count &+ shipCity.utf8.count &+ (shipRegion?.utf8.count ?? -5)
        return sum &+ (shipPostalCode?.utf8.count ?? -6) &+ shipCountry.utf8.count
    }
}

extension GeneratedTrack {
    fileprivate init(_ track: Track) {
        self.init(
            id: track.id, title: track.title, artist: track.artist, album: track.album, genre: track.genre, year: Int64(track.year),
            duration: track.duration, playCount: track.playCount.map { Int64($0) })
    }
}
