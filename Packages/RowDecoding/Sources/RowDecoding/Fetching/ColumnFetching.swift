import ValueConversion

// Columns are fetched into arrays by one loop. It is inlined into the program with one of the functions `appendValues`, so that the compiler
// specializes both for the types of the values. Parameter packs are not specialized: with them, a fetch takes three times as long.

extension FetchSource {
    /// Fetches the values of the leftmost columns.
    ///
    /// The rows of prefetched associations are not fetched, because no column contains them.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - columns: empty arrays.
    ///   - appendValues: appends the values of a row.
    @inlinable
    @inline(__always)
    func fetchColumns<Columns>(
        _ db: Database, into columns: consuming Columns, _ appendValues: (inout Columns, Row) throws -> Void
    ) throws -> Columns {
        let prepared = try makePreparedRequest(db, forSingleResult: false)
        var iteration = try RowIteration(prepared.statement, arguments: nil, adapter: prepared.adapter)
        _ = try iteration.append(to: &columns, maximumRowCount: .max, appendValues)
        return columns
    }

    /// Returns the values of the leftmost columns as an asynchronous sequence.
    ///
    /// - Parameters:
    ///   - reader: the database.
    ///   - rowCount: the number of rows of an element.
    ///   - columns: empty arrays.
    ///   - appendValues: appends the values of a row.
    @inlinable
    @inline(__always)
    func columnSequence<Columns: Sendable>(
        _ reader: some DatabaseReader, _ rowCount: Int, _ columns: Columns,
        _ appendValues: @escaping @Sendable (inout Columns, Row) throws -> Void
    ) -> FetchSequence<Columns> {
        FetchSequence(reader: reader, bufferSize: 2) { db, send in
            let prepared = try makePreparedRequest(db, forSingleResult: false)
            var iteration = try RowIteration(prepared.statement, arguments: nil, adapter: prepared.adapter)
            while true {
                var portion = columns
                guard try iteration.append(to: &portion, maximumRowCount: max(rowCount, 1), appendValues) > 0 else { return }
                guard send(portion) else { return iteration.stop() }
            }
        }
    }
}

extension RowIteration {
    /// Appends the values of the next rows to arrays.
    ///
    /// - Returns: the number of rows, which is less than the maximum only after the last row.
    @inlinable
    @inline(__always)
    mutating func append<Columns>(
        to columns: inout Columns, maximumRowCount: Int, _ appendValues: (inout Columns, Row) throws -> Void
    ) throws -> Int {
        var count = 0
        while count < maximumRowCount, try next({ try appendValues(&columns, $0) }) != nil { count += 1 }
        return count
    }
}

@inlinable
func appendValues<A: DatabaseValueConvertible>(_ columns: inout [A], _ row: Row) throws {
    columns.append(try row.decode(A.self, atIndex: 0))
}

@inlinable
func appendValues<A: DatabaseValueConvertible, B: DatabaseValueConvertible>(_ columns: inout ([A], [B]), _ row: Row) throws {
    columns.0.append(try row.decode(A.self, atIndex: 0))
    columns.1.append(try row.decode(B.self, atIndex: 1))
}

@inlinable
func appendValues<A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible>(
    _ columns: inout ([A], [B], [C]), _ row: Row
) throws {
    columns.0.append(try row.decode(A.self, atIndex: 0))
    columns.1.append(try row.decode(B.self, atIndex: 1))
    columns.2.append(try row.decode(C.self, atIndex: 2))
}

@inlinable
func appendValues<A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible>(
    _ columns: inout ([A], [B], [C], [D]), _ row: Row
) throws {
    columns.0.append(try row.decode(A.self, atIndex: 0))
    columns.1.append(try row.decode(B.self, atIndex: 1))
    columns.2.append(try row.decode(C.self, atIndex: 2))
    columns.3.append(try row.decode(D.self, atIndex: 3))
}

@inlinable
func appendValues<
    A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible,
    E: DatabaseValueConvertible
>(_ columns: inout ([A], [B], [C], [D], [E]), _ row: Row) throws {
    columns.0.append(try row.decode(A.self, atIndex: 0))
    columns.1.append(try row.decode(B.self, atIndex: 1))
    columns.2.append(try row.decode(C.self, atIndex: 2))
    columns.3.append(try row.decode(D.self, atIndex: 3))
    columns.4.append(try row.decode(E.self, atIndex: 4))
}

@inlinable
func appendValues<
    A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible,
    E: DatabaseValueConvertible, F: DatabaseValueConvertible
>(_ columns: inout ([A], [B], [C], [D], [E], [F]), _ row: Row) throws {
    columns.0.append(try row.decode(A.self, atIndex: 0))
    columns.1.append(try row.decode(B.self, atIndex: 1))
    columns.2.append(try row.decode(C.self, atIndex: 2))
    columns.3.append(try row.decode(D.self, atIndex: 3))
    columns.4.append(try row.decode(E.self, atIndex: 4))
    columns.5.append(try row.decode(F.self, atIndex: 5))
}
