// Finds misspelt names: for errors, and for words of full-text indexes.

/// Returns the name that is most similar to another one.
///
/// Similar are names that differ only in case and underscores, or in a few characters, and names of which one begins or ends with the other,
/// such as `lines` and `invoiceLines`.
///
/// - Returns: nil if no name is similar, or if one of them is the same.
func nearestName(to name: String, among names: [String]) -> String? {
    // Comparing long names takes too long, and nobody misspells them.
    let longest = 64
    func letters(_ name: String) -> [Character] { name.lowercased().filter { $0 != "_" && $0 != " " } }
    guard name.utf8.count <= longest, !names.contains(name) else { return nil }
    let wanted = letters(name)
    let limit = wanted.count / 3
    var nearest: (name: String, distance: Int)?
    for candidate in names where candidate.utf8.count <= longest {
        let known = letters(candidate)
        var distance = editDistance(wanted, known, limit: limit)
        if distance > limit {
            let (short, long) = wanted.count < known.count ? (wanted, known) : (known, wanted)
            guard short.count >= 3, long.starts(with: short) || long.reversed().starts(with: short.reversed()) else { continue }
            // These are less similar than misspelt names.
            distance = longest + long.count - short.count
        }
        if distance < nearest?.distance ?? .max { nearest = (candidate, distance) }
    }
    return nearest?.name
}

/// Returns the number of characters to insert, delete, replace, or swap with the next one, or `limit + 1` if it is greater than `limit`.
package func editDistance(_ first: [Character], _ second: [Character], limit: Int) -> Int {
    if abs(first.count - second.count) > limit { return limit + 1 }
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for row in 0..<first.count {
        var current = [row + 1]
        for column in 0..<second.count {
            var distance = min(last[column] + (first[row] == second[column] ? 0 : 1), last[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                distance = min(distance, beforeLast[column - 1] + 1)
            }
            current.append(distance)
        }
        // The distance never gets smaller in later rows. A swap goes back two rows.
        if (current.min() ?? 0) > limit, (last.min() ?? 0) > limit { return limit + 1 }
        (beforeLast, last) = (last, current)
    }
    return min(last[second.count], limit + 1)
}
