import Strata

// Columns of 1,000,000 rows in arrays.

let columnWorkloads = [fetchNumbers, fetchTexts]

private func openReadings() throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { db in
        try db.execute(sql: Reading.createTable)
        try db.execute(sql: Reading.fillTable(count: rowCount(1_000_000)))
    }
    return queue
}

private let fetchNumbers = Workload("fetch-columns", "4 columns of numbers of 1,000,000 rows, as arrays", atMost: 1.15) {
    let queue = try openReadings()
    return Rounds {
        Reading.Numbers()
    } work: { numbers in
        numbers.columns = try queue.read {
            try SQLRequest(sql: Reading.selectNumbers).fetchColumns($0, as: Int64.self, Int64.self, Double.self, Double?.self)
        }
    } check: {
        $0.checksum
    }
}

private let fetchTexts = Workload("fetch-text-columns", "3 columns with texts of 1,000,000 rows, as arrays", atMost: 1.15) {
    let queue = try openReadings()
    return Rounds {
        Reading.Texts()
    } work: { texts in
        texts.columns = try queue.read {
            try SQLRequest(sql: Reading.selectTexts).fetchColumns($0, as: Int64.self, String.self, String?.self)
        }
    } check: {
        $0.checksum
    }
}
