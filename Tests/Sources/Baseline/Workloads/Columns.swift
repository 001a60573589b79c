import CSQLite

// Columns of 1,000,000 rows in arrays.

let columnSides = [fetchNumbers, fetchTexts]

private func openReadings() -> CConnection {
    let connection = CConnection()
    connection.execute(Reading.createTable)
    connection.execute(Reading.fillTable(count: rowCount(1_000_000)))
    return connection
}

private func stop(at index: CInt) -> Never { fail("a value of column \(index) has another type") }

private let fetchNumbers = Side("fetch-columns") {
    let connection = openReadings()
    let count = rowCount(1_000_000)
    return Rounds {
        Reading.Numbers()
    } work: { numbers in
        let statement = connection.prepare(Reading.selectNumbers)
        defer { sqlite3_finalize(statement) }
        var (ids, sensors, values, errors): Reading.Numbers.Columns = ([], [], [], [])
        ids.reserveCapacity(count)
        sensors.reserveCapacity(count)
        values.reserveCapacity(count)
        errors.reserveCapacity(count)
        while sqlite3_step(statement) == SQLITE_ROW {
            guard sqlite3_column_type(statement, 0) == SQLITE_INTEGER else { stop(at: 0) }
            ids.append(sqlite3_column_int64(statement, 0))
            guard sqlite3_column_type(statement, 1) == SQLITE_INTEGER else { stop(at: 1) }
            sensors.append(sqlite3_column_int64(statement, 1))
            guard sqlite3_column_type(statement, 2) == SQLITE_FLOAT else { stop(at: 2) }
            values.append(sqlite3_column_double(statement, 2))
            switch sqlite3_column_type(statement, 3) {
            case SQLITE_FLOAT: errors.append(sqlite3_column_double(statement, 3))
            case SQLITE_NULL: errors.append(nil)
            default: stop(at: 3)
            }
        }
        numbers.columns = (ids, sensors, values, errors)
    } check: {
        $0.checksum
    }
}

private let fetchTexts = Side("fetch-text-columns") {
    let connection = openReadings()
    let count = rowCount(1_000_000)
    return Rounds {
        Reading.Texts()
    } work: { texts in
        let statement = connection.prepare(Reading.selectTexts)
        defer { sqlite3_finalize(statement) }
        var (ids, labels, notes): Reading.Texts.Columns = ([], [], [])
        ids.reserveCapacity(count)
        labels.reserveCapacity(count)
        notes.reserveCapacity(count)
        while sqlite3_step(statement) == SQLITE_ROW {
            guard sqlite3_column_type(statement, 0) == SQLITE_INTEGER else { stop(at: 0) }
            ids.append(sqlite3_column_int64(statement, 0))
            guard sqlite3_column_type(statement, 1) == SQLITE_TEXT, let label = text(statement, 1) else { stop(at: 1) }
            labels.append(label)
            switch sqlite3_column_type(statement, 2) {
            case SQLITE_TEXT, SQLITE_NULL: notes.append(text(statement, 2))
            default: stop(at: 2)
            }
        }
        texts.columns = (ids, labels, notes)
    } check: {
        $0.checksum
    }
}
