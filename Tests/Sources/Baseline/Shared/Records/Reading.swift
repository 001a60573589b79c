/// A table whose columns are fetched.
enum Reading {
    static let createTable = """
        CREATE TABLE reading (
            id INTEGER PRIMARY KEY, sensor INTEGER NOT NULL, value REAL NOT NULL, error REAL, label TEXT NOT NULL, note TEXT)
        """

    static func fillTable(count: Int) -> String {
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO reading SELECT
            i, i % 300, (i % 4000) / 8.0 + 0.125, iif(i % 5, i % 7 / 16.0 + 0.25, NULL), printf('the label of sensor %d', i % 300),
            iif(i % 3, printf('note %d', i % 90), NULL)
            FROM n
        """
    }

    static let selectNumbers = "SELECT id, sensor, value, error FROM reading"
    static let selectTexts = "SELECT id, label, note FROM reading"

    struct Numbers {
        typealias Columns = ([Int64], [Int64], [Double], [Double?])
        var columns: Columns = ([], [], [], [])

        var checksum: Int {
            let integers = integerSum(columns.0) &* 3 &+ integerSum(columns.1)
            let reals = sum(columns.2) { Int($0 * 8) } &* 5 &+ sum(columns.3) { $0.map { Int($0 * 16) } ?? -1 }
            return integers &+ reals &* 7
        }
    }

    struct Texts {
        typealias Columns = ([Int64], [String], [String?])
        var columns: Columns = ([], [], [])

        var checksum: Int {
            integerSum(columns.0) &+ sum(columns.1) { $0.utf8.count } &* 3
                &+ sum(columns.2) { $0?.utf8.count ?? -1 } &* 5
        }
    }

    private static func integerSum(_ integers: [Int64]) -> Int { sum(integers) { Int($0) } }
}

private func sum<Element>(_ elements: [Element], _ number: (Element) -> Int) -> Int { checksum(elements, number) }
