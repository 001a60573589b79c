/// The columns of the rows that objects become.
///
/// Objects without some members can still be inserted by one statement: a row without a value for a column has NULL there, unless the
/// column has a default value. The rows therefore have all columns that some of the objects have, except for columns with a default value,
/// which only those rows have whose objects have them. In an upsert, a row has the columns of its object only: the others keep their values.
struct JSONRows {
    /// The columns of each row, as an index, or why the record can't be loaded.
    private var shapes: [Result<Int, LoadError>] = []

    /// The positions of the columns in ``LoadTargets/targets``, by this index, in the order of the table.
    private var columns: [[Int]] = []

    /// The names of these columns.
    private var names: [[String]] = []

    /// The positions of the columns of the members, one record after the other; nil for members that are skipped.
    private var memberColumns: [Int?] = []

    /// The index of the first member of each record in ``memberColumns``, and then the number of all.
    private var firstMembers: [Int] = [0]

    /// - Parameter isExact: whether each row has the columns of its own object only.
    init(_ records: [JSONObjectReader.Record], into known: LoadTargets, isExact: Bool) {
        var positions: [String: Int?] = [:]
        // The last record that has a member for a column.
        var lastRecords = known.targets.map { _ in -1 }
        // The columns with a default value that records have, and the indexes of these lists.
        var defaults: [[Int]: Int] = [:]
        for (index, record) in records.enumerated() {
            do throws(LoadError) {
                var withDefault: [Int] = []
                for member in try record.members.get() {
                    let position = positions[member.name] ?? known.position(member.name)
                    positions[member.name] = .some(position)
                    guard let position else { throw known.noSuchColumn(member.name, line: record.line) }
                    guard lastRecords[position] != index else {
                        throw LoadError.twice(member.name, line: record.line)
                    }
                    lastRecords[position] = index
                    let target = known.targets[position]
                    memberColumns.append(target.isGenerated ? nil : position)
                    if target.hasDefault || isExact, !target.isGenerated { withDefault.append(position) }
                }
                withDefault.sort()
                let shape = defaults[withDefault] ?? defaults.count
                defaults[withDefault] = shape
                shapes.append(.success(shape))
            } catch {
                memberColumns.removeLast(memberColumns.count - firstMembers[index])
                shapes.append(.failure(error))
            }
            firstMembers.append(memberColumns.count)
        }
        let used = Set(memberColumns.compactMap { $0 }).filter { !known.targets[$0].hasDefault && !isExact }
        columns = defaults.sorted { $0.value < $1.value }.map { used.union($0.key).sorted() }
        names = columns.map { $0.map { known.targets[$0].name } }
    }

    /// Returns the names of the columns of a row.
    ///
    /// - Throws: ``LoadError`` for a record that can't be loaded.
    func columnNames(ofRow index: Int) throws(LoadError) -> [String] { names[try shapes[index].get()] }

    /// Returns the number of rows from an index on that have the same columns.
    ///
    /// - Parameter maximum: the number of rows after which counting ends.
    func equalRowCount(from first: Int, maximum: Int) -> Int {
        guard case .success(let shape) = shapes[first] else { return 1 }
        return shapes[first...].prefix(maximum).prefix { if case .success(shape) = $0 { true } else { false } }.count
    }

    /// Calls a closure for each column of a row, with the index of the member that has its value; nil for NULL.
    func forEachColumn(ofRow index: Int, _ body: (_ column: Int, _ member: Int?) throws -> Void) throws {
        let members = memberColumns[firstMembers[index]..<firstMembers[index + 1]]
        // The members are often in the order of the columns.
        var next = members.startIndex
        for column in columns[try shapes[index].get()] {
            if next < members.endIndex, members[next] == column {
                try body(column, next - members.startIndex)
                next += 1
            } else {
                let member = members.firstIndex(of: column)
                try body(column, member.map { $0 - members.startIndex })
                if let member { next = member + 1 }
            }
        }
    }
}

extension LoadError {
    /// The error of an object with two members of a name.
    static func twice(_ name: String, line: Int) -> LoadError {
        LoadError(line: line, column: name, message: "the object has two members with this name", advice: "Remove or rename one of them.")
    }
}
