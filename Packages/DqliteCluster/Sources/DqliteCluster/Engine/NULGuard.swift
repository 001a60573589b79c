/// Passes strings with NUL characters through dqlite's protocol, which truncates strings at the first NUL.
///
/// The node returns such a string as a blob that begins with a mark, which is random, so that no stored blob begins with it.
struct NULGuard {
    static let markSize = 16

    private let mark: [UInt8]
    private let markSQL: String

    init() {
        mark = (0..<Self.markSize).map { _ in UInt8.random(in: 0...255) }
        let digits = Array("0123456789abcdef")
        markSQL = "x'" + String(mark.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) + "'"
    }

    /// Returns SQL with the value of a column, or with a marked blob.
    func expression(_ column: String) -> String {
        "CASE WHEN typeof(\(column))='text'AND instr(\(column),char(0))THEN CAST(\(markSQL)||\(column) AS BLOB)ELSE \(column) END"
    }

    /// Returns whether a blob is a marked string.
    func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: mark)
    }
}
