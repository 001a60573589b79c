// What the samples of the package's documentation comments use, and don't declare: see Scripts/check-samples.sh.

import Foundation
import Strata

// Books and their authors

struct Author: Codable, FetchableRecord, PersistableRecord {
    static let books = hasMany(Book.self)
    static let awards = hasMany(Award.self)

    enum Columns {
        static let name = Column("name")
        static let birthYear = Column("birthYear")
    }

    var id: Int64
    var name: String
}

struct Book: Codable, FetchableRecord, PersistableRecord {
    static let author = belongsTo(Author.self)

    enum Columns {
        static let year = Column("year")
    }

    var id: Int64
    var title: String
}

struct BookInfo: Decodable, FetchableRecord {
    var book: Book
    var author: Author
}

struct Award: Codable, FetchableRecord, PersistableRecord {
    static let author = belongsTo(Author.self)

    var year: Int
}

// Other tables

struct Country: TableRecord {}
struct Citizen: TableRecord {}
struct Profile: TableRecord {}
struct Address: TableRecord {}
struct Coach: TableRecord {}
struct Product: TableRecord {}

struct Passport: TableRecord {
    static let citizen = belongsTo(Citizen.self)
}

struct Library: TableRecord {
    static let address = hasOne(Address.self)
}

// Parts of requests

enum Columns {
    static let nickname = Column("nickname")
    static let name = Column("name")
}

var best: CommonTableExpression<Player> { fatalError() }
var request: QueryInterfaceRequest<Player> { fatalError() }
var conditions: [SQLExpression] { fatalError() }
var total: SQLExpression { fatalError() }
var info: JSONColumn { fatalError() }
var row: Row { fatalError() }
var date: Date { fatalError() }

// Definitions of tables

var t: TableDefinition { fatalError() }

struct FullText: VirtualTableModule {
    final class TableDefinition {
        func column(_ name: String) {}
    }

    let moduleName = "fts5"
    func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition { fatalError() }
    func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String] { fatalError() }
}
