import CSQLite
import Foundation

/// The JSON decoding alone: of strings that are in memory already, by one decoder.
let fetchJSON = Side("fetch-codable-json") {
    let connection = CConnection()
    connection.execute(Recipe.createTable)
    connection.execute(Recipe.fillTable(count: rowCount(20_000)))
    var texts: [(id: Int64, title: String, method: Data)] = []
    let statement = connection.prepare("SELECT id, title, method FROM recipe")
    while sqlite3_step(statement) == SQLITE_ROW {
        texts.append((sqlite3_column_int64(statement, 0), text(statement, 1)!, Data(text(statement, 2)!.utf8)))
    }
    sqlite3_finalize(statement)
    return Rounds { [texts] in
        (texts, [Recipe]())
    } work: { state in
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        decoder.dateDecodingStrategy = .millisecondsSince1970
        for text in state.0 {
            state.1.append(
                Recipe(id: text.id, title: text.title, method: try decoder.decode(Recipe.Method.self, from: text.method)))
        }
    } check: {
        checksum($0.1) { $0.checksum }
    }
}
